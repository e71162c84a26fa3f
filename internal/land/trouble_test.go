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
	"landfall/internal/table/delta"
)

// landed is a world after the first days of the feed. Each landing has a name
// of its own, so that ids never repeat.
type landed struct {
	*world
	t      *testing.T
	runs   int
	writer other
}

func afterDays(t *testing.T, days int, s scene) *landed {
	t.Helper()
	if s.days == nil {
		s.days = feed()
	}
	l := &landed{world: newWorld(s), t: t}
	for n := range days {
		l.day(n)
		l.lands()
	}
	return l
}

// day delivers the files of a day.
func (l *landed) day(n int) {
	l.t.Helper()
	if err := l.deliver(l.t.Context(), n); err != nil {
		l.t.Fatal(err)
	}
}

// put delivers one file, of which want are the rows that should stand in the
// table: its own if there is none given.
func (l *landed) put(name, content string, want ...map[string]int) {
	l.t.Helper()
	if err := l.files.Replace(l.t.Context(), name, []byte(content)); err != nil {
		l.t.Fatal(err)
	}
	if want == nil {
		want = []map[string]int{ids(content)}
	}
	l.want[name] = want
}

func (l *landed) next() process {
	l.runs++
	return l.process(string(rune('a'+l.runs)) + "run-")
}

// lands runs, which must succeed and leave what is wanted.
func (l *landed) lands() land.Report {
	l.t.Helper()
	r, err := l.next().land(l.t.Context())
	if err == nil {
		err = l.check(l.t.Context())
	}
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

func (l *landed) resets(how land.Reset) land.Report {
	l.t.Helper()
	p := l.next()
	p.day.reset = how
	r, err := p.run(l.t.Context())
	if err == nil {
		err = l.check(l.t.Context())
	}
	if err != nil {
		l.t.Fatalf("reset: %v", err)
	}
	return r
}

// refused runs p, which must stop with the code, a place and a hint.
func (l *landed) refused(p process, code diag.Code, place string) {
	l.t.Helper()
	_, err := p.run(l.t.Context())
	var d *diag.Diagnostic
	switch {
	case !errors.As(err, &d):
		l.t.Fatalf("found %v, want a diagnosis", err)
	case d.Code != code || !strings.Contains(d.At.File, place) || d.Hint == "":
		l.t.Fatalf("found %v at %q with hint %q, want code %s at %q and a hint", err, d.At.File, d.Hint, code, place)
	}
	l.t.Log(err)
}

// entry is what the state knows of a path.
func (l *landed) entry(path string) state.Entry {
	l.t.Helper()
	for e, err := range l.process("").state().Known(l.t.Context()) {
		if err != nil {
			l.t.Fatal(err)
		}
		if e.Path == path {
			return e
		}
	}
	return state.Entry{}
}

// settled fails unless a path is known with that fate and code.
func (l *landed) settled(path string, fate state.Fate, code diag.Code) {
	l.t.Helper()
	e := l.entry(path)
	if e.Fate != fate || e.Code != string(code) || code != "" && e.Reason == "" {
		l.t.Errorf("%s: found %q, code %q, reason %q, want %q, code %q", path, e.Fate, e.Code, e.Reason, fate, code)
	}
}

// drop deletes the keys that match.
func (l *landed) drop(match func(key string) bool) {
	l.t.Helper()
	n := 0
	for _, key := range l.data.Keys() {
		if match(key) {
			n++
			if err := l.data.Delete(l.t.Context(), key); err != nil {
				l.t.Fatal(err)
			}
		}
	}
	if n == 0 {
		l.t.Fatal("nothing was there to be deleted")
	}
}

func inState(key string) bool { return strings.HasPrefix(key, stateFolder) }

// other is the other tool that writes to the table.
func (l *landed) other() *other {
	l.writer.data = l.data
	return &l.writer
}

func (l *landed) snapshot() *table.Snapshot {
	l.t.Helper()
	return must[*table.Snapshot](l.t)(delta.Open(l.data, delta.Options{}).Snapshot(l.t.Context()))
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

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
		"attempt": "attempts/00000003-", "known": "known/00000002.ndjson", "intent": "batches/00000004.json",
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

// The disk is full, or the store refuses, for one kind of write.
func TestWritesFail(t *testing.T) {
	places := map[string]string{
		"identity": "identities/", "intent": "batches/", "data file": "part-", "attempt": "attempt.json",
		"quarantine": "quarantine.ndjson", "commit": "_delta_log/", "mark": "marks/", "known": "known/",
	}
	for code, fail := range map[diag.Code]error{
		diag.StoreFull: store.ErrFull, diag.NoPermission: store.ErrPermission, diag.StoreUnreachable: store.ErrTransient,
	} {
		for name, part := range places {
			t.Run(fail.Error()+"/"+name, func(t *testing.T) {
				t.Parallel()
				l := afterDays(t, 0, scene{limits: land.Limits{Files: 1}})
				l.put("q.csv", "id,x\nq1,\"a\"b\nq2,ok\n", ids("id\nq2\n"))
				l.day(0)
				p := l.next()
				p.data = fault.New(l.data, fault.Plan{
					Kind: fault.Fail, Times: fault.Forever, Err: fail, Fine: true,
					Match: func(c fault.Call) bool {
						return strings.Contains(c.Key, part) && slices.Contains([]fault.Op{fault.Create, fault.Upload, fault.Write, fault.Commit}, c.Op)
					},
				})
				l.refused(p, code, "memory:")
				l.lands()
			})
		}
	}
}

// The source, or the table, does not let us in.
func TestReadsFail(t *testing.T) {
	for code, fail := range map[diag.Code]error{diag.NoPermission: store.ErrPermission, diag.StoreUnreachable: store.ErrTransient} {
		for name, match := range map[string]func(fault.Call) bool{
			"one file":  func(c fault.Call) bool { return c.Op == fault.Open && c.Key == "d.csv" },
			"its bytes": func(c fault.Call) bool { return c.Op == fault.Read && c.Key == "d.csv" },
			"listing":   func(c fault.Call) bool { return c.Op == fault.List || c.Op == fault.Next },
			"all":       func(fault.Call) bool { return true },
		} {
			plan := fault.Plan{Kind: fault.Fail, Times: fault.Forever, Err: fail, Fine: true, Match: match}
			t.Run(fail.Error()+"/source/"+name, func(t *testing.T) {
				l := afterDays(t, 2, scene{})
				l.day(2)
				p := l.next()
				p.files = fault.New(l.files, plan)
				place := "memory:"
				if strings.Contains(name, "file") || strings.Contains(name, "bytes") {
					place = "d.csv"
				}
				l.refused(p, code, place)
				l.lands()
			})
			if name != "listing" && name != "all" {
				continue
			}
			t.Run(fail.Error()+"/table/"+name, func(t *testing.T) {
				l := afterDays(t, 2, scene{})
				l.day(2)
				p := l.next()
				p.data = fault.New(l.data, plan)
				l.refused(p, code, "memory:")
				l.lands()
			})
		}
	}
}
