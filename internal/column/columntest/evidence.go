// Package columntest makes evidence of values that tests write down.
package columntest

import (
	"testing"

	"landfall/internal/column"
	"landfall/internal/value"
)

// records numbers n rows.
func records(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i + 1)
	}
	return out
}

// Trees is the evidence on JSON values, one a row.
func Trees(t testing.TB, rows ...string) column.Evidence {
	t.Helper()
	o := column.NewObserver(&value.Forms{}, 0)
	o.Add(&column.Slab{Records: records(len(rows)), Tape: tape(t, rows...)})
	return o.Evidence(nil)
}

// Cells is the evidence on rows of the fields of a header. ∅ and a field that a
// row lacks are null, "" was empty in quotes.
func Cells(header []string, rows ...[]string) column.Evidence {
	s := &column.Slab{Records: records(len(rows)), Fields: make([]column.Text, len(header))}
	for i := range header {
		f := &s.Fields[i]
		for _, row := range rows {
			switch {
			case i >= len(row) || row[i] == "∅":
				f.AppendNull()
			case row[i] == `""`:
				f.Spans = append(f.Spans, column.NewSpan(len(f.Data), 0, true))
			default:
				f.AppendValue([]byte(row[i]))
			}
		}
	}
	o := column.NewObserver(&value.Forms{}, len(header))
	o.Add(s)
	return o.Evidence(header)
}
