//go:build interop

package interop

import (
	"fmt"
	"strings"
	"testing"

	"landfall/internal/datafile"
	"landfall/internal/schema"
	"landfall/internal/table"
)

// TestWrittenStatistics asks Spark for rows by the values of typed columns and
// of fields of structs: with the statistics of our files, by which it leaves
// out files, it must find the same rows as without.
func TestWrittenStatistics(t *testing.T) {
	dir := newTable(t)
	a := newAuthor(t, dir)
	a.grow("id", schema.Long)
	most := 0
	for _, s := range allScalars() {
		a.grow(s.name, s.t)
		most = max(most, len(s.values))
	}
	nested := schema.Struct{}
	for _, s := range allScalars() {
		nested.Fields = append(nested.Fields, schema.Field{Name: s.name, Type: s.t, Nullable: true})
	}
	a.grow("s", structOf("l", listOf(schema.Long), "in", nested))
	for i := range most + 1 {
		row, in := map[string]any{"id": int64(i)}, object{}
		for _, s := range allScalars() {
			if i < len(s.values) {
				row[s.name] = s.values[i]
			}
			in = append(in, row[s.name])
		}
		row["s"] = object{nil, in}
		f := a.append(row)
		if !strings.Contains(f.Stats, `"s":{"in":{`) && i < most {
			t.Fatalf("statistics without those of structs: %s", f.Stats)
		}
	}
	// Each condition is a scan with skipping; all of them are columns of one
	// scan without.
	var scans, columns []string
	for i, c := range conditions() {
		scans = append(scans, fmt.Sprintf("select %d as c, id from %%t where %s", i, c))
		columns = append(columns, fmt.Sprintf("if(%s, %d, null)", c, i))
	}
	all := fmt.Sprintf("select c, id from (select id, explode(array(%s)) as c from %%t) where c is not null", strings.Join(columns, ","))
	wanted := spark(t).sql(t, dir, all)
	if len(wanted.Rows) < len(scans) {
		t.Errorf("%d rows for %d conditions are too few to tell", len(wanted.Rows), len(scans))
	}
	same(t, "spark", spark(t).sql(t, dir, strings.Join(scans, " union all ")), wanted)
}

// conditions compare a column, or the field of a struct, of each type.
func conditions() []string {
	var out []string
	for i, s := range allScalars() {
		literal := func(v any) string {
			return fmt.Sprintf("cast('%s' as %s)", strings.ReplaceAll(fmt.Sprint(spell(s.t, v)), "\x00", `\0`), s.t)
		}
		last := len(s.values) - 1
		out = append(out, fmt.Sprintf("`%s` = %s", s.name, literal(s.values[last])),
			fmt.Sprintf("s.`in`.`%s` %s %s", s.name, []string{"<=", ">="}[i%2], literal(s.values[i%2*last])))
	}
	return append(out, "s.`in`.date is null", "dec4 is not null", "s.`in`.timestamp < timestamp'1970-01-01 00:00:00'")
}

// TestWrittenPages reads rows so long that one fills pages, as they were
// written and as they were copied.
func TestWrittenPages(t *testing.T) {
	dir := newTable(t)
	a := newAuthor(t, dir)
	a.grow("id", schema.Long)
	a.grow("v", listOf(structOf("s", schema.String, "m", mapOf(schema.String, schema.Long))))
	var all []map[string]any
	for i := range 12 {
		var v list
		for n := range i * i * 60 {
			m := dict{{Key: "k", Value: int64(n)}, {Key: fmt.Sprint("other", n), Value: nil}}
			v = append(v, object{strings.Repeat(fmt.Sprint(n, "-"), 1+n%40), m})
		}
		all = append(all, map[string]any{"id": int64(i), "v": v})
	}
	f := a.append(all...)
	everyone(t, dir, a.wanted())
	again, err := datafile.Rewrite(t.Context(), a.s, f.Path, []int64{0, 5, 7}, nil, datafile.Options{
		Name: func() string { return "rewritten.parquet" },
	})
	if err != nil {
		t.Fatal(err)
	}
	n := again.File
	a.commit(table.Change{
		Removes: []table.File{f}, Operation: "DELETE",
		Adds: []table.File{{Path: n.Path, Size: n.Size, Rows: n.Rows, Stats: n.Stats, ModTime: f.ModTime}},
	})
	a.rows = append(append(append([]map[string]any{}, all[1:5]...), all[6]), all[8:]...)
	everyone(t, dir, a.wanted())
}
