package land_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/land"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
	"landfall/internal/table"
)

// The state folder is gone: a landing would double everything.
func TestStateGone(t *testing.T) {
	t.Run("restored", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		whole := l.data.Clone()
		l.day(2)
		l.drop(inState)
		l.refused(l.next(), diag.StateLost, stateFolder[:len(stateFolder)-1])
		l.data = whole
		l.lands()
	})
	t.Run("keep", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		l.drop(inState)
		l.resets(land.ResetKeep)
		l.put("f.csv", "id\nf1\n")
		l.lands()
		// Which rows of c are in the table nobody can tell now.
		l.put("c.csv", "id\nc1\nc9\n", ids("id\nc1\nc2\n"))
		l.lands()
		l.settled("c.csv", state.Quarantined, diag.ReplaceRefused)
	})
	t.Run("reprocess", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		l.drop(inState)
		l.day(2)
		l.resets(land.ResetReprocess)
		l.day(3)
		l.lands()
	})
	t.Run("reset dies after its decision", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		l.drop(inState)
		l.day(2)
		p := l.next()
		p.day.reset = land.ResetReprocess
		p.data = fault.New(l.data, fault.Plan{Kind: fault.Crash, Match: func(c fault.Call) bool {
			return c.Op == fault.Create && strings.Contains(c.Key, "/batches/")
		}})
		if _, err := p.run(t.Context()); !errors.Is(err, fault.ErrCrashed) {
			t.Fatal(err)
		}
		l.lands()
	})
}

// Records of the state are gone.
func TestRecordGone(t *testing.T) {
	t.Run("last mark", func(t *testing.T) {
		l := afterDays(t, 3, scene{compact: 100})
		l.drop(func(key string) bool { return strings.HasSuffix(key, "marks/00000003.json") })
		l.day(3)
		l.lands()
	})
	t.Run("a mark between", func(t *testing.T) {
		l := afterDays(t, 3, scene{compact: 100})
		l.drop(func(key string) bool { return strings.HasSuffix(key, "marks/00000002.json") })
		l.day(3)
		l.refused(l.next(), diag.StateBroken, "marks/00000002.json")
		l.resets(land.ResetReprocess)
	})
	t.Run("last attempt", func(t *testing.T) {
		l := afterDays(t, 3, scene{})
		l.drop(func(key string) bool { return strings.Contains(key, "attempts/00000003") })
		l.day(3)
		l.refused(l.next(), diag.StateBroken, "attempts/00000003")
		p := l.next()
		p.day.reset = land.ResetReprocess
		_, err := p.run(t.Context())
		ok(t, err)
	})
	t.Run("identities", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		l.drop(func(key string) bool { return strings.Contains(key, "identities/") })
		l.day(2)
		l.refused(l.next(), diag.StateLost, "_landfall/orders")
	})
}

// Records of the state are garbled: each is named, and is read again once it is
// mended. To land everything again needs none of them but who the source is.
func TestRecordBroken(t *testing.T) {
	for name, part := range map[string]string{
		"identity": "identities/00000001.json", "mark": "marks/00000003.json",
		"attempt": "attempts/00000003-", "intent": "batches/00000004.json",
	} {
		t.Run(name, func(t *testing.T) {
			l := afterDays(t, 3, scene{})
			l.day(3)
			if name == "intent" {
				p := l.next()
				p.data = fault.New(l.data, fault.Plan{Kind: fault.Crash, Match: func(c fault.Call) bool {
					return c.Op == fault.Create && strings.Contains(c.Key, part)
				}})
				if _, err := p.land(t.Context()); !errors.Is(err, fault.ErrCrashed) {
					t.Fatal(err)
				}
			}
			whole := l.data.Clone()
			at := slices.IndexFunc(l.data.Keys(), func(key string) bool { return strings.Contains(key, part) })
			ok(t, l.data.Replace(t.Context(), l.data.Keys()[at], []byte(`{"format":1,"batch":`)))
			l.refused(l.next(), diag.StateBroken, part)
			broken := l.data
			l.data = whole
			l.lands()
			if name != "identity" {
				l.data = broken
				l.resetsOver(land.ResetReprocess)
			}
		})
	}
}

// What is broken of the compactions is read of the marks.
func TestLedgerBroken(t *testing.T) {
	l := afterDays(t, 3, scene{})
	l.day(3)
	at := slices.IndexFunc(l.data.Keys(), func(key string) bool { return strings.Contains(key, "known/00000002.ledger") })
	ok(t, l.data.Replace(t.Context(), l.data.Keys()[at], []byte(`{"format":1,"batch":`)))
	l.lands()
}

// resetsOver resets, and compares the table alone: what was broken stays on
// record.
func (l *landed) resetsOver(how land.Reset) {
	l.t.Helper()
	p := l.next()
	p.day.reset = how
	_, err := p.run(l.t.Context())
	ok(l.t, err)
	l.data = readable(l.t, l.data)
	ok(l.t, l.check(l.t.Context()))
}

// readable is a copy without the marks and attempts, for a check of the table.
func readable(t *testing.T, data *memory.Store) *memory.Store {
	c := data.Clone()
	for _, key := range c.Keys() {
		if strings.HasPrefix(key, stateFolder) {
			ok(t, c.Delete(t.Context(), key))
		}
	}
	return c
}

// A newer program wrote a record.
func TestRecordOfTomorrow(t *testing.T) {
	l := afterDays(t, 1, scene{})
	ok(t, l.data.Replace(t.Context(), stateFolder+"marks/00000001.json", []byte(`{"format":2}`)))
	l.refused(l.next(), diag.StateBroken, "marks/00000001.json")
}

// The table went back in time.
func TestTableRestored(t *testing.T) {
	back := func(l *landed) { // a folder put back from a backup
		l.drop(func(key string) bool {
			return strings.HasPrefix(key, "_delta_log/") && (strings.Contains(key, "00002.") || strings.HasSuffix(key, "_last_checkpoint"))
		})
	}
	byLog := func(l *landed) { // RESTORE, which keeps the batch numbers
		first := l.snapshot()
		l.day(2)
		l.lands()
		ok(l.t, l.other().restore(l.t.Context(), first))
	}
	t.Run("versions gone", func(t *testing.T) {
		l := afterDays(t, 3, scene{})
		back(l)
		l.day(3)
		l.refused(l.next(), diag.TableRestored, "memory:")
		l.resets(land.ResetReprocess)
	})
	t.Run("versions gone, keep", func(t *testing.T) {
		l := afterDays(t, 3, scene{})
		back(l)
		l.want["a.csv"], l.want["d.csv"] = []map[string]int{ids("id\na1\na2\n")}, nil
		l.resets(land.ResetKeep)
		// The rows of a's first version stand there, and they are replaced.
		l.put("a.csv", "id\na7\n")
		l.lands()
	})
	t.Run("RESTORE", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		byLog(l)
		l.day(3)
		l.refused(l.next(), diag.TableRestored, "memory:")
		l.refused(l.next(), diag.TableRestored, "memory:")
		l.resets(land.ResetReprocess)
	})
	t.Run("RESTORE, keep", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		byLog(l)
		l.want["a.csv"], l.want["d.csv"] = []map[string]int{ids("id\na1\na2\n")}, nil
		l.resets(land.ResetKeep)
		l.put("f.csv", "id\nf1\n")
		l.lands()
	})
	t.Run("RESTORE while a batch lands", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		first := l.snapshot()
		l.put("f.csv", "id\nf1\n")
		l.lands()
		l.day(3)
		p := l.next()
		p.data = fault.New(l.data, fault.Plan{
			Match:  func(c fault.Call) bool { return c.Op == fault.Create && strings.Contains(c.Key, "attempts/") },
			Before: func() { ok(t, l.other().restore(t.Context(), first)) },
		})
		l.refused(p, diag.TableRestored, "memory:")
		l.refused(l.next(), diag.TableRestored, "memory:")
		l.resets(land.ResetReprocess)
	})
}

// The table is gone, or another stands in its place.
func TestTableRecreated(t *testing.T) {
	gone := func(key string) bool { return !strings.HasPrefix(key, "_landfall/") }
	t.Run("gone", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		l.drop(gone)
		l.day(2)
		l.refused(l.next(), diag.TableRecreated, "memory:")
		l.resets(land.ResetReprocess)
	})
	t.Run("another", func(t *testing.T) {
		l := afterDays(t, 2, scene{})
		l.drop(gone)
		ok(t, l.other().create(t.Context(), "another", schema.Struct{Fields: []schema.Field{{Name: "id", Type: schema.String, Nullable: true}}}))
		l.day(2)
		l.refused(l.next(), diag.TableRecreated, "memory:")
		l.resets(land.ResetReprocess)
		l.day(3)
		l.lands()
	})
	t.Run("before anything landed", func(t *testing.T) {
		l := afterDays(t, 0, scene{})
		one := schema.Struct{Fields: []schema.Field{{Name: "id", Type: schema.String, Nullable: true}}}
		ok(t, l.other().create(t.Context(), "one", one))
		p := l.next()
		p.data = fault.New(l.data, fault.Plan{Kind: fault.Crash, Match: func(c fault.Call) bool { return strings.Contains(c.Key, "identities/") && c.Op == fault.Create }})
		l.day(0)
		if _, err := p.land(t.Context()); !errors.Is(err, fault.ErrCrashed) {
			t.Fatal(err)
		}
		l.drop(gone)
		ok(t, l.other().create(t.Context(), "two", one))
		l.lands()
		l.lands()
	})
}

// create makes a table.
func (o *other) create(ctx context.Context, id string, s schema.Struct, partitions ...string) error {
	_, err := o.open().Commit(ctx, nil, table.Change{Attempt: id, TableID: id, Schema: &s, Partitions: partitions, Operation: "CREATE TABLE"})
	return err
}

// The source's folder moved.
func TestMoved(t *testing.T) {
	l := afterDays(t, 0, scene{})
	old, moved := store.Below(l.files, "old"), store.Below(l.files, "new")
	run := func(files store.Store, accept bool) process {
		p := l.next()
		p.files, p.moved = files, accept
		return p
	}
	put := func(files store.Store, name, text string) { ok(t, files.Replace(t.Context(), name, []byte(text))) }
	put(old, "a.csv", "id\na1\na2\n")
	put(old, "b.csv", "id\nb1\n")
	_, err := run(old, false).land(t.Context())
	ok(t, err)
	put(moved, "b.csv", "id\nb1\n")
	put(moved, "a.csv", "id\na1\na3\n")
	l.refused(run(moved, false), diag.SourceMoved, "_landfall/orders")
	// Other tools may have packed the rows, which say where they came from.
	ok(t, l.other().optimize(t.Context()))
	_, err = run(moved, true).land(t.Context())
	ok(t, err)
	got := must[map[string]map[string]int](t)(rows(t.Context(), l.files, l.data))
	if len(got["old/a.csv"]) > 0 || got["new/a.csv"]["a3"] != 1 || got["old/b.csv"]["b1"] != 1 || len(got["new/b.csv"]) > 0 {
		t.Errorf("found %v, want a in its new version, and b as it had landed", got)
	}
	l.refused(run(old, false), diag.SourceMoved, "_landfall/orders")
}
