package state_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/diag"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
)

// Known follows from the marks alone, wherever compactions fall and whatever
// becomes of them: a map that applies one mark after the other says the same.
func TestKnown(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx, s := t.Context(), memory.New(nil)
		st := state.New(s)
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
			harm(rt, s)
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

// harm may break a compaction, or lose it.
func harm(rt *rapid.T, s *memory.Store) {
	keys := slices.DeleteFunc(s.Keys(), func(key string) bool { return !strings.HasPrefix(key, "known/") })
	if len(keys) == 0 {
		return
	}
	key := rapid.SampledFrom(keys).Draw(rt, "harmed")
	data, err := store.Read(rt.Context(), s, key)
	if err != nil {
		rt.Fatal(err)
	}
	if len(data) == 0 {
		return // it was cut to nothing before
	}
	switch rapid.SampledFrom([]string{"", "", "", "byte", "cut", "longer", "gone"}).Draw(rt, "harm") {
	case "byte":
		data[rapid.IntRange(0, len(data)-1).Draw(rt, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
	case "cut":
		data = data[:rapid.IntRange(0, len(data)-1).Draw(rt, "cut")]
	case "longer":
		data = append(data, data...)
	case "gone":
		if err := s.Delete(rt.Context(), key); err != nil {
			rt.Fatal(err)
		}
		return
	default:
		return
	}
	if err := s.Replace(rt.Context(), key, data); err != nil {
		rt.Fatal(err)
	}
}

// big returns a state of many blocks, and what it knows.
func big(t *testing.T) (*memory.Store, []state.Entry) {
	t.Helper()
	s := memory.New(nil)
	st := state.New(s)
	for n := int64(1); n <= 3; n++ {
		m := state.Mark{Format: state.Format, Batch: n, Kind: state.KindLand, Attempt: "x", Options: "o"}
		for i := range 3000 {
			m.Objects = append(m.Objects, state.Outcome{
				Object: state.Object{Path: fmt.Sprintf("y=%d/part-%06d.csv", i%7, i*3+int(n)), Version: fmt.Sprint(n, "-", i), Size: int64(i), ModTime: time.Unix(int64(i), n).UTC()},
				Fate:   state.Landed, Bytes: fmt.Sprintf("%032x", i), Rows: 1,
			})
		}
		same(t, "", "", st.SetMark(t.Context(), m))
		same(t, "", "", st.Compact(t.Context(), 2))
	}
	known, err := collect(st.Known(t.Context()))
	same(t, len(known), 9000, err)
	return s, known
}

// A ledger that breaks off in its middle, or is altered there, is left for the marks
// where it is broken: what it said before is not said again. The next compaction is
// written at once, and what is broken goes with time.
func TestLedgerBroken(t *testing.T) {
	s, want := big(t)
	const key = "known/00000003.ledger"
	whole, err := store.Read(t.Context(), s, key)
	same(t, "", "", err)
	for at := 0; at < len(whole); at += len(whole)/13 + 1 {
		cut, altered := slices.Clone(whole[:at]), slices.Clone(whole)
		altered[at] ^= 0x10
		for _, data := range [][]byte{cut, altered} {
			same(t, "", "", s.Replace(t.Context(), key, data))
			found, err := collect(state.New(s).Known(t.Context()))
			if !reflect.DeepEqual(found, want) || err != nil {
				t.Fatalf("at %d of %d: found %d entries and %v, want %d", at, len(whole), len(found), err, len(want))
			}
		}
	}
	st := state.New(s)
	_, err = collect(st.Known(t.Context()))
	same(t, "", "", err)
	same(t, "", "", st.SetMark(t.Context(), state.Mark{Format: state.Format, Batch: 4, Kind: state.KindLand, Attempt: "x"}))
	same(t, "", "", st.Compact(t.Context(), 0))
	keys := slices.DeleteFunc(s.Keys(), func(key string) bool { return !strings.HasPrefix(key, "known/") })
	same(t, keys, []string{key, "known/00000004.ledger"}, nil)

	same(t, "", "", s.Replace(t.Context(), "known/00000004.ledger", nil))
	same(t, "", "", s.Delete(t.Context(), "marks/00000002.json"))
	_, err = collect(state.New(s).Known(t.Context()))
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != diag.StateBroken || d.At.File != s.URL("marks/00000002.json") {
		t.Errorf("found %v, want %s at the mark that is gone", err, diag.StateBroken)
	}
}

// A store that does not answer is not taken for a broken ledger.
func TestLedgerUnread(t *testing.T) {
	s, _ := big(t)
	for code, fail := range map[diag.Code]error{diag.StoreUnreachable: store.ErrTransient, diag.NoPermission: store.ErrPermission} {
		for n := range 3 {
			f := fault.New(s, fault.Plan{Kind: fault.Fail, Err: fail, Fine: true, At: n, Match: func(c fault.Call) bool {
				return c.Op == fault.Read && strings.HasPrefix(c.Key, "known/")
			}})
			if _, err := collect(state.New(f).Known(t.Context())); diag.CodeOf(err) != code || !errors.Is(err, fail) {
				t.Errorf("read %d: found %v, want %s", n, err, code)
			}
		}
	}
}
