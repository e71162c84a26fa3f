package parquetfile

import (
	"bytes"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

// FuzzLeaves hands over any levels: what is no column is refused, and what is
// written can be read.
func FuzzLeaves(f *testing.F) {
	f.Add([]byte{4, 3, 1}, []byte{0, 1, 0}, []byte{4, 3, 1}, []byte{0, 1, 0}, uint8(1), uint8(1), uint8(2))
	f.Add([]byte{4, 4, 2, 0}, []byte{0, 1, 1, 0}, []byte{3, 3, 2, 0}, []byte{0, 1, 1, 0}, uint8(2), uint8(0), uint8(2))
	f.Fuzz(func(t *testing.T, defsA, repsA, defsB, repsB []byte, a, b, rows uint8) {
		var buf bytes.Buffer
		s := schema.Struct{Fields: []schema.Field{{Name: "v", Type: pair, Nullable: true}}}
		w, err := NewWriter(&buf, s, Options{RowGroupBytes: 40})
		if err != nil {
			t.Fatal(err)
		}
		x := column.Leaf{Ints: make([]int64, a), Defs: defsA, Reps: repsA}
		y := column.Leaf{Text: textOf(strings.Split(strings.Repeat("t", max(int(b), 1)), "")[:b]...), Defs: defsB, Reps: repsB}
		batch := column.Batch{Rows: int(rows), Columns: []column.Column{{Type: pair, Leaves: []column.Leaf{x, y}}}}
		if err := w.Write(batch); err != nil {
			if strings.Contains(err.Error(), "gave up") {
				t.Fatal(err)
			}
			return
		}
		footer, err := w.Close()
		if err != nil {
			t.Fatal(err)
		}
		var found []any
		for rec, err := range Read(t.Context(), bytes.NewReader(buf.Bytes()), footer.Size, nil) {
			if err != nil {
				t.Fatalf("written but not read: %v", err)
			}
			for i := range int(rec.NumRows()) {
				found = append(found, spelled(rec.Column(0), i, pair))
			}
		}
		if len(found) != int(rows) {
			t.Fatalf("read %d rows, wrote %d", len(found), rows)
		}
		again := parquetfiletest.Column(pair, true, found).Leaves
		for i, l := range batch.Columns[0].Leaves {
			if l.Defs != nil && !bytes.Equal(l.Defs, again[i].Defs) || !bytes.Equal(l.Reps, again[i].Reps) {
				t.Fatalf("leaf %d: read levels %d, %d, wrote %d, %d", i, again[i].Defs, again[i].Reps, l.Defs, l.Reps)
			}
		}
	})
}
