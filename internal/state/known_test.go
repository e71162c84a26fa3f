package state_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/state"
	"landfall/internal/store/memory"
)

// Known follows from the marks alone, wherever compactions fall: a map that
// applies one mark after the other says the same.
func TestKnown(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx, st := t.Context(), state.New(memory.New(nil))
		model := map[string]state.Entry{}
		for n := int64(1); n <= int64(rapid.IntRange(0, 12).Draw(rt, "marks")); n++ {
			m := markOf(rt, n)
			if err := st.SetMark(ctx, m); err != nil {
				rt.Fatal(err)
			}
			apply(model, m)
			if every := rapid.Int64Range(0, 4).Draw(rt, "compact"); every > 0 {
				for range 2 { // two runs write the same
					if err := st.Compact(ctx, every); err != nil {
						rt.Fatal(err)
					}
				}
			}
			var found []state.Entry
			for e, err := range st.Known(ctx) {
				if err != nil {
					rt.Fatal(err)
				}
				found = append(found, e)
			}
			var want []state.Entry
			for _, path := range slices.Sorted(maps.Keys(model)) {
				want = append(want, model[path])
			}
			if !slices.EqualFunc(found, want, func(a, b state.Entry) bool { return reflect.DeepEqual(a, b) }) {
				rt.Fatalf("after mark %d: found %+v, want %+v", n, found, want)
			}
			last, _, err := st.LastMark(ctx)
			if err != nil || last.Batch != n {
				rt.Fatalf("found mark %d last, want %d: %v", last.Batch, n, err)
			}
		}
	})
}

// markOf draws a mark. Paths sort otherwise as text than as numbers do.
func markOf(rt *rapid.T, n int64) state.Mark {
	m := state.Mark{
		Format: state.Format, Batch: n, Attempt: fmt.Sprint("x", n), Options: rapid.SampledFrom([]string{"", "o1", "o2"}).Draw(rt, "options"),
		Kind: rapid.SampledFrom([]string{state.KindLand, state.KindLand, state.KindLand, state.KindKeep, state.KindVoid, state.KindReprocess}).Draw(rt, "kind"),
	}
	if m.Kind == state.KindVoid || m.Kind == state.KindReprocess {
		return m
	}
	paths := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "a/b", "a.b", "a10", "a2", "ä", "z"}), 0, 5, rapid.ID).Draw(rt, "paths")
	for _, path := range paths {
		rows := rapid.Int64Range(0, 9).Draw(rt, "rows")
		m.Objects = append(m.Objects, state.Outcome{
			Object: state.Object{Path: path, Version: fmt.Sprint("v", n), Size: n},
			Fate:   rapid.SampledFrom([]state.Fate{state.Landed, state.Landed, state.Quarantined, state.Unchanged, state.Skipped, state.Superseded, state.Deferred, state.Reclaimed}).Draw(rt, "fate"),
			Code:   "E0", Reason: "because", Bytes: fmt.Sprint("h", n), RowsIn: rows, Rows: rows, Quarantined: rows % 2, Rescued: rows,
			Left: rapid.SampledFrom([][]string{nil, {"c", "d"}}).Draw(rt, "left"),
		})
	}
	return m
}

// apply is what a mark means.
func apply(known map[string]state.Entry, m state.Mark) {
	if m.Kind == state.KindReprocess {
		clear(known)
	}
	for _, o := range m.Objects {
		was, is := known[o.Path]
		e := state.Entry{Object: o.Object, Fate: o.Fate, Code: o.Code, Reason: o.Reason, Batch: m.Batch}
		e.Landed, e.Hash, e.Rows, e.Rescued, e.Held, e.Options = was.Landed, was.Hash, was.Rows, was.Rescued, was.Held, m.Options
		e.Left = was.Left
		switch o.Fate {
		case state.Superseded, state.Deferred:
			continue
		case state.Reclaimed:
			if was.Rescued, was.Left = o.Rescued, o.Left; is {
				known[o.Path] = was
			}
			continue
		case state.Landed:
			e.Landed, e.Hash, e.Rows, e.Rescued, e.Held = m.Batch, o.Bytes, o.Rows, o.Rescued, o.Quarantined
			e.Left = nil
		case state.Quarantined, state.Unchanged, state.Skipped:
		}
		known[o.Path] = e
	}
}
