package lineage_test

import (
	"testing"
	"time"

	"landfall/internal/lineage"
	"landfall/internal/state"
	"landfall/internal/store/memory"
)

// Rows are numbered over all data files of their object, and a file that stands in
// the place of another has its rows.
func TestFind(t *testing.T) {
	st := state.New(memory.New(time.Now))
	ctx := t.Context()
	record := func(batch int64, files ...state.DataFile) {
		a := state.Attempt{Batch: batch, ID: "x", Files: files}
		if err := st.Record(ctx, a); err != nil {
			t.Fatal(err)
		}
		if err := st.SetMark(ctx, state.NewMark(state.KindLand, a, batch)); err != nil {
			t.Fatal(err)
		}
	}
	record(1,
		state.DataFile{Path: "a", Rows: 3, Parts: []state.Part{{Object: 0, Rows: 3}}},
		state.DataFile{Path: "b", Rows: 4, Parts: []state.Part{{Object: 0, Rows: 2}, {Object: 1, Rows: 2}}})
	record(2, state.DataFile{Path: "b2", Rows: 4, Of: "b"}, state.DataFile{Path: "carried", Rows: 1})
	found, err := lineage.Find(ctx, st, []string{"a", "b2", "carried", "foreign"})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := found["foreign"]; ok || len(found["carried"].Runs) > 0 {
		t.Errorf("found %+v", found)
	}
	for _, c := range []struct {
		file     string
		position int64
		object   int
		number   int64
		ok       bool
	}{
		{"a", 0, 0, 0, true},
		{"a", 2, 0, 2, true},
		{"a", 3, 0, 0, false},
		{"a", -1, 0, -1, false},
		{"b2", 1, 0, 4, true},
		{"b2", 2, 1, 0, true},
		{"b2", 3, 1, 1, true},
		{"carried", 0, 0, 0, false},
	} {
		object, number, ok := found[c.file].At(c.position)
		if ok != c.ok || ok && (object != c.object || number != c.number) {
			t.Errorf("%s row %d: found %d, %d, %t", c.file, c.position, object, number, ok)
		}
	}
	if found["b2"].Rows() != 4 || found["b2"].Mark.Batch != 1 {
		t.Errorf("found %+v", found["b2"])
	}
}
