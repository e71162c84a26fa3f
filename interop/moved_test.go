//go:build interop

package interop

import (
	"strings"
	"testing"

	"landfall/internal/parquetfile/footer"
	"landfall/internal/table/delta"
)

// weighty is a statement of rows that make a file whose columns are worth moving.
func weighty(from string, columns ...string) string {
	var blob []string
	for _, n := range []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"} {
		blob = append(blob, "md5((i * 100 + "+n+")::varchar)")
	}
	return "select " + strings.Join(columns, ", ") + ", " + strings.Join(blob, " || ") + " as blob from range(" + from + ") t(i)"
}

// moved are columns of all kinds that are moved, and one after them that is not.
func moved() []string {
	return []string{
		"i::bigint as id", "(i / 100)::decimal(10,2) as price", "date '2026-01-01' + (i % 365)::int as day",
		"to_timestamp(i) as at", "i % 7 = 0 as flag", "case when i % 3 = 0 then null else i * 0.5 end::double as half",
		"[i, null] as list", "{'a': i, 'b': case when i % 2 = 0 then 'even' end} as part", "map {'k': i} as map",
	}
}

// TestMoved: columns that are moved out of files byte by byte read as they were, by
// everybody; so they do beside columns that are not, after their names and order have
// changed, and once they have widened.
func TestMoved(t *testing.T) {
	w := newWorld(t)
	plain := append(moved(), "i::int as n")
	w.put("a.parquet", weighty("0, 3000", plain...), nil)
	other := []string{"i::int as n", "(i / 100)::decimal(10,2) as PRICE", "i::int as id"}
	other = append(other, moved()[2:]...)
	w.put("b.parquet", weighty("3000, 6000", other...), nil)
	w.land()
	if by := w.writers(); len(by) != 1 || !strings.HasPrefix(by[0], "DuckDB") {
		t.Fatalf("found files of %q, want one with chunks of DuckDB", by)
	}
	wanted := weighty("0, 6000", plain...)
	w.holds(wanted)
	w.put("c.parquet", weighty("6000, 9000", append(moved(), "i::double + 0.5 as n")...), nil)
	w.land()
	as := strings.Replace(wanted, "i::int as n", "i::double as n", 1)
	w.holds(as + " union all by name " + weighty("6000, 9000", append(moved(), "i::double + 0.5 as n")...))
	w.run("audit", "--table", w.table)
}

// writers are whom the data files of the table name as their writer.
func (w *world) writers() []string {
	w.t.Helper()
	s := folder(w.t, w.table)
	snap, err := delta.Open(s, delta.Options{}).Snapshot(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	var by []string
	for _, f := range snap.Files() {
		obj, err := s.Open(w.t.Context(), f.Path)
		if err != nil {
			w.t.Fatal(err)
		}
		foot, err := footer.Open(obj, obj.Info().Size)
		if err != nil {
			w.t.Fatal(err)
		}
		by = append(by, foot.CreatedBy())
		if err := obj.Close(); err != nil {
			w.t.Error(err)
		}
	}
	return by
}
