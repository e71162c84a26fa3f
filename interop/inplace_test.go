//go:build interop

package interop

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// byFeature has types widen without a file being written again.
func (w *world) byFeature(command string, more ...string) {
	w.t.Helper()
	w.run(append([]string{command, w.in, w.table, "--policy", "type_wider=feature"}, more...)...)
}

// widened fails unless who reads tables with type widening finds the cells of a
// statement, and who does not refuses and names the feature.
func (w *world) widened(wanted string) {
	w.t.Helper()
	var bySpark rows
	spark(w.t).do(w.t, "read", args{"path": w.table}, &bySpark)
	want := evaluate(w.t, wanted)
	same(w.t, "spark", bySpark.only(want.Columns), want)
	ours, err := query(w.t, w.table, "select * from t")
	if err != nil {
		w.t.Fatal(err)
	}
	same(w.t, "ours", ours, bySpark)
	byDuckDB, err := read(w.t, "duckdb", w.table)
	if err != nil {
		w.t.Fatal(err)
	}
	same(w.t, "duckdb", byDuckDB, bySpark)
	for _, by := range []string{"deltalake", "polars"} {
		if _, err := read(w.t, by, w.table); err == nil || !strings.Contains(strings.ToLower(err.Error()), "typewidening") {
			w.t.Errorf("%s: found %v, want a refusal that names the feature", by, err)
		}
	}
}

// meets fails unless conditions on the statistics of files choose the same rows.
func (w *world) meets(sql string) {
	w.t.Helper()
	var wanted, asked []string
	for i, where := range conditionsOnWide() {
		if strings.Contains(where, "long_double") || strings.Contains(where, "tiny_float") {
			continue // they are not widened in place
		}
		wanted = append(wanted, fmt.Sprintf("select %d as c, id from (%s) where %s", i, sql, where))
		asked = append(asked, fmt.Sprintf("select %d as c, id from %%t where %s", i, where))
	}
	want := evaluate(w.t, strings.Join(wanted, " union all "))
	same(w.t, "spark", spark(w.t).sql(w.t, w.table, strings.Join(asked, " union all ")), want)
	ours, err := query(w.t, w.table, strings.ReplaceAll(strings.Join(asked, " union all "), "%t", "t"))
	if err != nil {
		w.t.Fatal(err)
	}
	same(w.t, "ours", ours, want)
}

func (w *world) snapshot() *table.Snapshot {
	w.t.Helper()
	snap, err := delta.Open(folder(w.t, w.table), delta.Options{}).Snapshot(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return snap
}

// inPlace are the columns of wide that widen in place, and their statements.
func inPlace(second bool, from int) string {
	day := firstDay(from)
	if second {
		day = secondDay(from)
	}
	return "select * exclude (long_double, tiny_float, date_timestamp, lists) from (" + day + ")"
}

// inPlaceTyped gives statements the types of the table after the second day.
func inPlaceTyped(sql ...string) string {
	var all []string
	for _, s := range sql {
		columns := []string{"id"}
		for _, c := range wide {
			if slices.Contains([]string{"long_double", "tiny_float", "date_timestamp", "lists"}, c.name) {
				continue
			}
			columns = append(columns, fmt.Sprintf("%s::%s as %[1]s", c.name, duckdbType(c.want)))
		}
		all = append(all, "select "+strings.Join(columns, ", ")+" from ("+s+")")
	}
	return strings.Join(all, " union all ")
}

// TestWidenedInPlace: no file is written again, Spark and DuckDB read the table cell
// for cell, Spark appends to it and packs its files, and we land, replay and audit
// afterwards.
func TestWidenedInPlace(t *testing.T) {
	w := newWorld(t)
	w.put("a.parquet", inPlace(false, 0), nil)
	w.byFeature("land")
	w.holds(inPlace(false, 0))
	standing := slices.Collect(maps.Keys(w.snapshot().Files()))
	w.put("c.parquet", inPlace(true, 20), nil)
	w.byFeature("land")
	wanted := inPlaceTyped(inPlace(false, 0), inPlace(true, 20))
	w.widened(wanted)
	w.meets(wanted)
	for _, key := range standing {
		if _, live := w.snapshot().Files()[key]; !live {
			t.Errorf("%s was written again", key.Path)
		}
	}
	w.run("audit", w.in, w.table)

	sparkDoes("insert into %t (id, int_long, small_int) values (100, 4000000000, 5)")(t, w.table)
	byOther := "select 100::bigint as id, 4000000000 as int_long, 5 as small_int"
	// Spark says what it holds, since that row has few columns.
	var bySpark rows
	spark(t).do(t, "read", args{"path": w.table}, &bySpark)
	ours, err := query(t, w.table, "select * from t")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ours", ours, bySpark)
	chosen := evaluate(t, byOther)
	if got := spark(t).sql(t, w.table, "select id, int_long, small_int from %t where id = 100"); fmt.Sprint(got.Rows) != fmt.Sprint(chosen.Rows) {
		t.Errorf("found %v, want %v", got, chosen)
	}
	sparkDoes("delete from %t where id = 100", "optimize %t")(t, w.table)
	w.widened(wanted)

	w.put("d.parquet", "select 30::bigint as id, 7::tinyint as tiny_small, 1.5::float as float_double", nil)
	w.byFeature("land")
	w.put("e.parquet", "select 31::bigint as id, 40000::int as tiny_small", nil)
	w.byFeature("land")
	if got := spark(t).sql(t, w.table, "select tiny_small from %t where id in (30, 31) order by id"); !slices.Equal(got.lines(), []string{`tiny_small="40000" `, `tiny_small="7" `}) {
		t.Errorf("found %v", got)
	}
	spark(t).do(t, "read", args{"path": w.table}, &bySpark)
	if ours, err = query(t, w.table, "select * from t"); err != nil {
		t.Fatal(err)
	}
	same(t, "ours", ours, bySpark)
	w.byFeature("replay", "--all")
	var after rows
	spark(t).do(t, "read", args{"path": w.table}, &after)
	same(t, "replayed", after.only(except(after.Columns, "_ingested_at")), bySpark.only(except(bySpark.Columns, "_ingested_at")))
	w.run("audit", w.in, w.table)
}

func except(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

// TestWidenedByOthers: a table that Spark has widened in place is landed in, in the
// types that it has; its files are read, taken out and written again as what they are
// now.
func TestWidenedByOthers(t *testing.T) {
	for _, feature := range []string{"typeWidening", "typeWidening-preview"} {
		t.Run(feature, func(t *testing.T) {
			w := newWorld(t)
			sparkDoes("create table %t (id string, n int, d decimal(5,2), s struct<x: smallint>, l array<float>, m map<date, int>) using delta "+
				"tblproperties ('delta.feature."+feature+"' = 'supported', 'delta.enableTypeWidening' = 'true', 'delta.feature.timestampNtz' = 'supported', 'delta.enableDeletionVectors' = 'true')",
				"insert into %t values ('x1', 1, 1.25, named_struct('x', 1S), array(1.5F), map(date'2026-01-02', 7)), ('x2', 2, 2.5, null, null, null)")(t, w.table)
			w.put("a.parquet", "select 'a1' as id, 3::int as n, 3.5::decimal(5,2) as d, {'x': 3::smallint} as s, [0.5::float] as l, map {date '2026-02-03': 8::int} as m union all select 'a2', null, null, null, null, null", nil)
			w.run("land", w.in, w.table)
			sparkDoes("alter table %t change column n type bigint", "alter table %t change column d type decimal(8,4)",
				"alter table %t change column s.x type double", "alter table %t change column l.element type double",
				"alter table %t change column m.key type timestamp_ntz", "alter table %t change column m.value type decimal(12,2)",
				"delete from %t where id = 'x2'")(t, w.table)
			w.put("b.parquet", "select 'b1' as id, 3000000000 as n, 1.2345::decimal(8,4) as d, {'x': 0.5::double} as s, [0.1::double] as l, "+
				"map {date '2026-02-05': 1.25::decimal(12,2)} as m", nil)
			w.run("land", w.in, w.table)
			wanted := "select 'x1' as id, 1::bigint as n, 1.25::decimal(8,4) as d, {'x': 1::double} as s, [1.5::double] as l, map {timestamp '2026-01-02': 7::decimal(12,2)} as m " +
				"union all select 'a1', 3, 3.5, {'x': 3}, [0.5], map {timestamp '2026-02-03': 8} union all select 'a2', null, null, null, null, null " +
				"union all select 'b1', 3000000000, 1.2345, {'x': 0.5}, [0.1::double], map {timestamp '2026-02-05': 1.25}"
			w.agree(wanted)
			w.run("audit", w.in, w.table)

			// A type that widens on has all files written again, but in the stable feature.
			w.put("c.parquet", "select 'c1' as id, 12345.5::decimal(12,4) as d", nil)
			w.byFeature("land")
			wanted += " union all select 'c1', null, 12345.5, null, null, null"
			w.agree(strings.Replace(wanted, "decimal(8,4)", "decimal(12,4)", 1))
			w.put("a.parquet", "select 'a3' as id, 4::int as n", nil)
			w.run("land", w.in, w.table)
			w.run("replay", w.in, w.table, "--all")
			w.run("audit", w.in, w.table)
			ours, err := query(t, w.table, "select id, n from t")
			if err != nil {
				t.Fatal(err)
			}
			same(t, "ours", ours, spark(t).sql(t, w.table, "select id, n from %t"))
			same(t, "ours", ours, evaluate(t, "select 'x1' as id, 1 as n union all select 'a3', 4 union all select 'b1', 3000000000 union all select 'c1', null"))
		})
	}
}

// agree fails unless Spark and we find the cells of a statement.
func (w *world) agree(wanted string) {
	w.t.Helper()
	want := evaluate(w.t, wanted)
	var bySpark rows
	spark(w.t).do(w.t, "read", args{"path": w.table}, &bySpark)
	same(w.t, "spark", bySpark.only(want.Columns), want)
	ours, err := query(w.t, w.table, "select * from t")
	if err != nil {
		w.t.Fatal(err)
	}
	same(w.t, "ours", ours, bySpark)
}
