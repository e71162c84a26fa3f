//go:build interop

package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landfall/internal/parquetfile"
	"landfall/internal/table/delta"
)

// put delivers a Parquet file with the rows of a statement of DuckDB.
func (w *world) put(name, sql string, options args) {
	w.t.Helper()
	if err := os.MkdirAll(w.in, 0o755); err != nil {
		w.t.Fatal(err)
	}
	a := args{"path": filepath.Join(w.in, name), "sql": sql}
	for k, v := range options {
		a[k] = v
	}
	lake(w.t).do(w.t, "parquet", a, nil)
}

// run runs the program, which must succeed.
func (w *world) run(args ...string) {
	w.t.Helper()
	if out, err := w.try(args...); err != nil {
		w.t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// evaluate returns the rows that a statement of DuckDB gives.
func evaluate(t *testing.T, sql string) rows {
	t.Helper()
	var r rows
	lake(t).do(t, "evaluate", args{"sql": sql}, &r)
	return r
}

// holds fails unless the columns of a statement of DuckDB have the same cells in
// the table, all readers and we find the same in all its columns, and its files
// have the types of the table. It returns the types as Spark spells them.
func (w *world) holds(wanted string) map[string]string {
	w.t.Helper()
	var bySpark struct {
		rows
		Types []string
	}
	spark(w.t).do(w.t, "read", args{"path": w.table}, &bySpark)
	want := evaluate(w.t, wanted)
	same(w.t, "spark", bySpark.only(want.Columns), want)
	everyone(w.t, w.table, bySpark.rows)
	ours, err := query(w.t, w.table, "select * from t")
	if err != nil {
		w.t.Fatal(err)
	}
	same(w.t, "ours", ours, bySpark.rows)
	w.plain()
	types := map[string]string{}
	for i, name := range bySpark.Columns {
		types[name] = bySpark.Types[i]
	}
	return types
}

// only keeps to some of the columns.
func (r rows) only(columns []string) rows {
	out := rows{}
	var at []int
	for i, name := range r.Columns {
		if slices.Contains(columns, name) {
			out.Columns = append(out.Columns, name)
			at = append(at, i)
		}
	}
	for _, row := range r.Rows {
		line := row[:0:0]
		for _, i := range at {
			line = append(line, row[i])
		}
		out.Rows = append(out.Rows, line)
	}
	return out
}

// plain fails unless the columns of each data file have the types that the table
// has: readers that know nothing of type widening, Spark 3.5 among them, read no
// others.
func (w *world) plain() {
	w.t.Helper()
	s := folder(w.t, w.table)
	snap, err := delta.Open(s, delta.Options{}).Snapshot(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	if p := snap.Protocol; p.MinReader != 1 && p.MinReader != 3 || slices.Contains(p.ReaderFeatures, "typeWidening") {
		w.t.Errorf("found %+v, want a protocol that all know", p)
	}
	for _, f := range snap.Files() {
		obj, err := s.Open(w.t.Context(), f.Path)
		if err != nil {
			w.t.Fatal(err)
		}
		file, err := parquetfile.Open(obj, obj.Info().Size)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, c := range file.Fields() {
			i := snap.Schema.Lookup(c.Name)
			if i < 0 {
				w.t.Errorf("%s: column %s is not in the table", f.Path, c.Name)
			} else if t := snap.Schema.Fields[i].Type.String(); t != c.Type.String() {
				w.t.Errorf("%s: column %s is %s, and %s in the table", f.Path, c.Name, c.Type, t)
			}
		}
		if err := obj.Close(); err != nil {
			w.t.Error(err)
		}
	}
}

// wide are columns whose types widen: what they are on the first day, on the
// second, and as what a table has them then. A value stands for %s.
var wide = []struct{ name, first, second, want, one, two, three string }{
	{"long_double", "(%s)::bigint", "(%s)::double", "double", "1", "-7", "2.5"},
	{"long_decimal", "(%s)::bigint", "(%s)::decimal(5,2)", "decimal(22,2)", "9223372036854775807", "-3", "999.99"},
	{"int_decimal", "(%s)::int", "(%s)::decimal(5,2)", "decimal(12,2)", "2147483647", "-2147483648", "-0.01"},
	{"decimal_wider", "(%s)::decimal(5,2)", "(%s)::decimal(8,5)", "decimal(8,5)", "999.99", "-0.05", "12.34567"},
	{"decimal_wide", "(%s)::decimal(18,2)", "(%s)::decimal(20,4)", "decimal(20,4)", "9999999999999999.99", "0", "1234.5678"},
	{"int_long", "(%s)::int", "(%s)::bigint", "bigint", "-2147483648", "5", "3000000000"},
	{"tiny_small", "(%s)::tinyint", "(%s)::smallint", "smallint", "-128", "127", "300"},
	{"small_int", "(%s)::smallint", "(%s)::int", "int", "-32768", "1", "70000"},
	{"int_double", "(%s)::int", "(%s)::double", "double", "2147483647", "0", "-2.5"},
	{"float_double", "(%s)::float", "(%s)::double", "double", "1.5", "-0.25", "0.1"},
	{"tiny_float", "(%s)::tinyint", "(%s)::float", "float", "-128", "3", "0.5"},
	{"date_timestamp", "date '%s'", "timestamptz '%s'", "timestamp", "2026-01-02", "1969-12-31", "2026-01-02 03:04:05.000006+00"},
	{"field", "{'a': (%s)::int, 'k': 'x'}", "{'a': (%s)::bigint, 'k': 'y'}", "struct<a:bigint,k:string>", "1", "-2", "3000000000"},
	{"grown", "{'a': (%s)::decimal(5,2)}", "{'a': (%[1]s)::decimal(9,4), 'b': (%[1]s)::double}", "struct<a:decimal(9,4),b:double>", "1.25", "-2", "3.0001"},
	{"list", "[(%s)::int, null]", "[null, (%s)::double]", "array<double>", "1", "-2", "0.5"},
	{"lists", "[[(%s)::date], []]", "[[timestamptz '%s'], null]", "array<array<timestamp>>", "'2026-01-02'", "'0001-01-01'", "2026-01-02 23:59:59.999999+00"},
	{"structs", "[{'q': (%s)::int, 't': [{'u': 1::int}]}]", "[{'q': (%s)::bigint, 't': [{'u': 2.5::double}]}, null]", "array<struct<q:bigint,t:array<struct<u:double>>>>", "1", "-2", "3000000000"},
	{"map_value", "map {'k': (%s)::int}", "map {'k': (%s)::bigint, 'l': null}", "map<string,bigint>", "1", "-2", "3000000000"},
}

// dayOf is a statement with a row each of some values of the columns.
func dayOf(second bool, from int, value func(i int) []string) string {
	var selects []string
	for row := range value(0) {
		columns := []string{fmt.Sprintf("%d::bigint as id", from+row)}
		for i, c := range wide {
			form := c.first
			if second {
				form = c.second
			}
			columns = append(columns, fmt.Sprintf(form, value(i)[row])+" as "+c.name)
		}
		selects = append(selects, "select "+strings.Join(columns, ", "))
	}
	return strings.Join(selects, " union all ")
}

func firstDay(from int) string {
	return dayOf(false, from, func(i int) []string { return []string{wide[i].one, wide[i].two} })
}

func secondDay(from int) string {
	return dayOf(true, from, func(i int) []string { return []string{wide[i].three} })
}

// nulls is a row without values.
func nulls(id int) string {
	columns := []string{fmt.Sprintf("%d::bigint as id", id)}
	for _, c := range wide {
		columns = append(columns, "null as "+c.name)
	}
	return "select " + strings.Join(columns, ", ")
}

// retyped is a statement with the columns of another as the types of the table
// after the second day.
func retyped(sql string) string {
	columns := []string{"id"}
	for _, c := range wide {
		columns = append(columns, fmt.Sprintf("%s::%s as %[1]s", c.name, duckdbType(c.want)))
	}
	return "select " + strings.Join(columns, ", ") + " from (" + sql + ")"
}

// duckdbType spells a type of Spark as DuckDB does.
func duckdbType(t string) string {
	r := strings.NewReplacer(
		"struct<a:bigint,k:string>", "struct(a bigint, k varchar)",
		"struct<a:decimal(9,4),b:double>", "struct(a decimal(9,4), b double)",
		"array<array<timestamp>>", "timestamptz[][]",
		"array<struct<q:bigint,t:array<struct<u:double>>>>", "struct(q bigint, t struct(u double)[])[]",
		"array<double>", "double[]", "map<string,bigint>", "map(varchar, bigint)", "timestamp", "timestamptz")
	return r.Replace(t)
}

// all is what statements give together, retyped.
func all(sql ...string) string {
	for i := range sql {
		sql[i] = retyped(sql[i])
	}
	return strings.Join(sql, " union all ")
}

// TestWidened widens columns of all kinds at once: everybody reads the same cells
// before and after, finds them by conditions whose statistics are those of the new
// types, and reads the version before as it was.
func TestWidened(t *testing.T) {
	w := newWorld(t)
	w.put("a.parquet", firstDay(0), nil)
	w.put("b.parquet", nulls(10), nil)
	w.land()
	before := firstDay(0) + " union all " + nulls(10)
	w.holds(before)
	at := w.version()
	w.put("c.parquet", secondDay(20), nil)
	w.land()
	wanted := all(firstDay(0), nulls(10), secondDay(20))
	types := w.holds(wanted)
	for _, c := range wide {
		if types[c.name] != c.want {
			t.Errorf("%s: found %s, want %s", c.name, types[c.name], c.want)
		}
	}
	w.found(wanted)
	var old rows
	spark(t).do(t, "read", args{"path": w.table, "version": at}, &old)
	want := evaluate(t, before)
	same(t, "spark, the version before", old.only(want.Columns), want)
}

// conditionsOnWide choose rows by columns that have widened.
func conditionsOnWide() []string {
	return []string{
		"long_double = 2.5", "long_double < 0", "long_double >= 1", "long_decimal > 999.98", "long_decimal = 999.99",
		"int_decimal < 0", "decimal_wider > 12.34566 and decimal_wider < 13", "decimal_wide >= 9999999999999999.99",
		"int_long > 2147483647", "int_long <= -2147483648", "tiny_small > 127", "small_int > 32767", "int_double < -2",
		"float_double > 0.05 and float_double < 0.2", "tiny_float > 0.4 and tiny_float < 1", "long_double is null", "long_double is not null",
	}
}

// found fails unless everybody finds the rows of a statement that conditions choose.
func (w *world) found(sql string) {
	w.t.Helper()
	var wanted, asked []string
	for i, where := range conditionsOnWide() {
		wanted = append(wanted, fmt.Sprintf("select %d as c, id from (%s) where %s", i, sql, where))
		asked = append(asked, fmt.Sprintf("select %d as c, id from %%t where %s", i, where))
	}
	want := evaluate(w.t, strings.Join(wanted, " union all "))
	same(w.t, "spark", spark(w.t).sql(w.t, w.table, strings.Join(asked, " union all ")), want)
	for _, by := range readers[1:] {
		var found rows
		lake(w.t).do(w.t, "filtered", args{"path": w.table, "by": by, "conditions": conditionsOnWide()}, &found)
		same(w.t, by, found, want)
	}
}
