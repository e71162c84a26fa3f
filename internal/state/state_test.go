package state_test

import (
	"context"
	"errors"
	"flag"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
	"landfall/internal/value"
)

var update = flag.Bool("update", false, "rewrite the goldens")

func noon() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 5000, time.UTC) }

// The records of one source, each member set.
func identity() state.Identity {
	return state.Identity{
		Format: 1, Number: 1, UUID: "u-1", Name: "orders", Root: "file:///in", FileFormat: "csv", TableID: "t-1",
		TableVersion: -1, After: 0, Forgets: []string{"u-0"}, Keep: true, Cause: "created", At: noon(),
	}
}

func object() state.Object {
	return state.Object{Path: "a/ü <&>.csv", Size: 12, ModTime: noon(), Version: "12-5-9", Landed: 1, Hash: "00ff", Again: true}
}

func intent() state.Intent {
	id := identity()
	id.Number, id.UUID, id.After, id.Cause = 2, "u-2", 1, "reset"
	return state.Intent{Format: 1, Batch: 2, Kind: state.KindKeep, At: noon(), Options: "o-1", Objects: []state.Object{object()}, Identity: &id}
}

func attempt() state.Attempt {
	return state.Attempt{
		Format: 1, Batch: 2, ID: "x-1", At: noon(), Options: "o-1",
		Contract: contract.Version{Number: 1, At: noon(), Columns: []contract.Column{{Name: "id", Original: "id", Type: "string", File: "a.csv"}}},
		Counts:   event.Batch{Batch: 2, Files: 1, RowsIn: 3, RowsLanded: 2, RowsQuarantined: 1, ValuesRescued: 1, RowsRemoved: 4, Bytes: event.Bytes{In: 9, Records: 6, Framing: 2, Bad: 1}},
		Outcomes: []state.Outcome{{
			Object: object(), Fate: state.Landed, Code: "E0402", Reason: "it breaks off", Bytes: "00fe", Dialect: "comma", RowsIn: 3, Rows: 2, Quarantined: 1,
		}},
		Files:   []state.DataFile{{Path: "part-1.parquet", Rows: 2, Parts: []state.Part{{Object: 0, Rows: 2}}}},
		Drift:   []event.Drift{{Kind: event.ColumnAdded, Column: "id", File: "a.csv", To: "string", Count: 1, Decision: "add", Policy: "evolve"}},
		Removed: []string{"part-0.parquet"},
	}
}

func quarantined() event.Quarantined {
	return event.Quarantined{Path: object().Path, Record: 3, Line: 4, Offset: 30, Length: 4, Code: "E0401", Reason: "a quote", Bytes: []byte("\xff\"x\n")}
}

// write writes each kind of record.
func write(ctx context.Context, t *testing.T, st *state.State) {
	t.Helper()
	id, err := st.Identify(ctx, identity())
	same(t, id, identity(), err)
	in, err := st.Intend(ctx, intent())
	same(t, in, intent(), err)
	q := st.Quarantine(2, "x-1", 0)
	err = errors.Join(st.Record(ctx, attempt()), q.Put(ctx, quarantined()), q.Close(ctx),
		st.Void(ctx, 1, state.Mark{}), st.SetMark(ctx, state.NewMark(state.KindLand, attempt(), 7)), st.Compact(ctx, 1))
	if err != nil {
		t.Fatal(err)
	}
}

// read reads each kind of record.
func read(ctx context.Context, t *testing.T, st *state.State) {
	t.Helper()
	ids, err := st.Identities(ctx)
	same(t, ids, []state.Identity{identity()}, err)
	last, _, err := st.LastIdentity(ctx)
	same(t, last, identity(), err)
	in, _, err := st.Intent(ctx, 2)
	same(t, in, intent(), err)
	a, err := st.Attempt(ctx, 2, "x-1")
	same(t, a, attempt(), err)
	m, _, err := st.LastMark(ctx)
	same(t, m, state.NewMark(state.KindLand, attempt(), 7), err)
	held, err := collect(st.KeptOut(ctx, m))
	same(t, held, []event.Quarantined{quarantined()}, err)
	known, err := collect(st.Known(ctx))
	o := object()
	o.Landed, o.Hash, o.Again = 2, "00fe", false
	same(t, known, []state.Entry{{Object: o, Fate: state.Landed, Code: "E0402", Reason: "it breaks off", Batch: 2, Rows: 2, Held: 1, Options: "o-1"}}, err)
}

func same[T any](t *testing.T, found, want T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(found, want) {
		t.Errorf("found %+v, want %+v", found, want)
	}
}

func collect[T any](seq iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for v, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// What format 1 says is written as ever, and read as ever.
func TestFormat(t *testing.T) {
	const golden = "testdata/format1"
	s := memory.New(nil)
	write(t.Context(), t, state.New(s))
	for _, key := range s.Keys() {
		found, err := store.Read(t.Context(), s, key)
		same(t, "", "", err)
		file := filepath.Join(golden, filepath.FromSlash(key))
		if *update {
			same(t, "", "", errors.Join(os.MkdirAll(filepath.Dir(file), 0o750), os.WriteFile(file, found, 0o600)))
		}
		want, err := os.ReadFile(file)
		same(t, string(found), string(want), err)
	}
	old := memory.New(nil)
	err := filepath.WalkDir(golden, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		key := strings.TrimPrefix(filepath.ToSlash(path), golden+"/")
		return old.Create(t.Context(), key, data)
	})
	// What marks say was first compacted as lines.
	same(t, old.Keys(), slices.Sorted(slices.Values(append(s.Keys(), "known/00000002.ndjson"))), err)
	read(t.Context(), t, state.New(old))
	same(t, "", "", old.Delete(t.Context(), "known/00000002.ledger"))
	read(t.Context(), t, state.New(old))
}

// A record that is cut short, garbled or of tomorrow is refused, with its
// place; a store that does not answer is not taken for that.
func TestBroken(t *testing.T) {
	whole := memory.New(nil)
	write(t.Context(), t, state.New(whole))
	readers := map[string]func(*state.State) error{
		"identities/00000001.json":           func(st *state.State) error { _, err := st.Identities(t.Context()); return err },
		"batches/00000002.json":              func(st *state.State) error { _, _, err := st.Intent(t.Context(), 2); return err },
		"attempts/00000002-x-1/attempt.json": func(st *state.State) error { _, err := st.Attempt(t.Context(), 2, "x-1"); return err },
		"attempts/00000002-x-1/quarantine.ndjson": func(st *state.State) error {
			_, err := collect(st.KeptOut(t.Context(), state.NewMark(state.KindLand, attempt(), 7)))
			return err
		},
		"marks/00000002.json": func(st *state.State) error { _, _, err := st.LastMark(t.Context()); return err },
	}
	for key, reads := range readers {
		data, err := store.Read(t.Context(), whole, key)
		same(t, "", "", err)
		broken := map[string]string{
			"tomorrow": strings.Replace(string(data), `"format":1`, `"format":2`, 1),
			"garbled":  "\x00" + string(data[1:]),
		}
		// NDJSON of whole lines is complete.
		if !strings.HasSuffix(key, "quarantine.ndjson") {
			broken["empty"], broken["cut after a line"] = "", string(data[:strings.IndexByte(string(data), '\n')])
		}
		if !strings.HasSuffix(key, ".json") {
			broken["cut"] = string(data[:len(data)-9])
		} else {
			delete(broken, "cut after a line")
			broken["cut"] = string(data[:len(data)/2])
		}
		for name, text := range broken {
			s := whole.Clone()
			same(t, "", "", s.Replace(t.Context(), key, []byte(text)))
			err := reads(state.New(s))
			var d *diag.Diagnostic
			if !errors.As(err, &d) || d.Code != diag.StateBroken || d.At.File != s.URL(key) || d.Hint == "" {
				t.Errorf("%s, %s: found %v, want %s with place and hint", key, name, err, diag.StateBroken)
			}
		}
		for code, fail := range map[diag.Code]error{diag.StoreUnreachable: store.ErrTransient, diag.NoPermission: store.ErrPermission} {
			s := fault.New(whole, fault.Plan{Kind: fault.Fail, Err: fail, Fine: true, Times: fault.Forever, Match: func(c fault.Call) bool { return c.Op == fault.Read }})
			if err := reads(state.New(s)); diag.CodeOf(err) != code || !errors.Is(err, fail) {
				t.Errorf("%s: found %v, want %s", key, err, code)
			}
		}
	}
}

// Whoever creates a record first has decided; the other gets what is there.
func TestTwoWriters(t *testing.T) {
	ctx, st := t.Context(), state.New(memory.New(nil))
	write(ctx, t, st)
	second := identity()
	second.UUID = "u-9"
	id, err := st.Identify(ctx, second)
	same(t, id, identity(), err)
	in := intent()
	in.Objects, in.Identity = nil, nil
	won, err := st.Intend(ctx, in)
	same(t, won, intent(), err)
	if err := st.Record(ctx, attempt()); err == nil {
		t.Error("an attempt was recorded twice")
	}
	same(t, "", "", st.SetMark(ctx, state.NewMark(state.KindLand, attempt(), 7)))
	other := attempt()
	other.ID = "x-2"
	for _, m := range []state.Mark{state.NewMark(state.KindLand, attempt(), 8), state.NewMark(state.KindLand, other, 7)} {
		if err := st.SetMark(ctx, m); diag.CodeOf(err) != diag.StateBroken {
			t.Errorf("found %v for another mark of the batch, want %s", err, diag.StateBroken)
		}
	}
	same(t, "", "", st.Void(ctx, 2, state.Mark{}))
	m, _, err := st.LastMark(ctx)
	same(t, m.Kind, state.KindLand, err)
	same(t, "", "", st.Void(ctx, 3, m))
	same(t, "", "", st.Void(ctx, 3, state.Mark{}))
	m, _, err = st.LastMark(ctx)
	same(t, m.Kind, state.KindVoid, err)
	v, err := st.Contract(ctx, m)
	same(t, v, attempt().Contract, err)
}

// An attempt that read objects twice keeps two parts of quarantine: each object
// says which of them counts.
func TestParts(t *testing.T) {
	ctx, s := t.Context(), memory.New(nil)
	st := state.New(s)
	a := attempt()
	a.Outcomes = []state.Outcome{
		{Object: state.Object{Path: "first"}, Fate: state.Landed, Quarantined: 1, Part: 1},
		{Object: state.Object{Path: "again"}, Fate: state.Landed, Quarantined: 2, Part: 2},
		{Object: state.Object{Path: "clean"}, Fate: state.Landed},
		{Object: state.Object{Path: "put back"}, Fate: state.Deferred, Quarantined: 1, Part: 1},
		{Object: state.Object{Path: "out", Size: 5}, Fate: state.Quarantined, Code: "E0402", Reason: "cut"},
	}
	entry := func(path string, record int64) event.Quarantined {
		return event.Quarantined{Path: path, Record: record, Code: "E0401", Reason: "a quote"}
	}
	one, two := st.Quarantine(2, a.ID, 1), st.Quarantine(2, a.ID, 2)
	for _, path := range []string{"first", "again", "clean", "put back", "out"} {
		same(t, "", "", one.Put(ctx, entry(path, 1)))
	}
	same(t, "", "", errors.Join(one.Close(ctx), two.Put(ctx, entry("again", 2)), two.Put(ctx, entry("again", 3)), two.Close(ctx)))
	m := state.NewMark(state.KindLand, a, 7)
	held, err := collect(st.KeptOut(ctx, m))
	out := event.Quarantined{Path: "out", Length: 5, Code: "E0402", Reason: "cut"}
	same(t, held, []event.Quarantined{out, entry("first", 1), entry("again", 2), entry("again", 3)}, err)
	golden(t, s, "testdata/parts", "attempts/00000002-x-1/quarantine-1.ndjson", "attempts/00000002-x-1/quarantine-2.ndjson")
}

// evidence is what two objects say, each member set that is written.
func evidence() []contract.ObjectEvidence {
	seen := func(c value.Class, n int64) column.Seen { return column.Seen{Class: c, Count: n, First: 2} }
	numbers := column.Evidence{Nulls: 1, Bare: []column.Seen{seen(value.Boolean, 3)}, Whole: 4, Scale: 2}
	flat := contract.ObjectEvidence{Path: "dt=1/a.csv", Header: []string{"n", "n"}, Partitions: []string{"dt"}}
	flat.Evidence.Objects.Count = 3
	flat.Evidence.Fields = []column.FieldEvidence{{Name: "n", Evidence: numbers}, {Name: "n"}}
	tree := contract.ObjectEvidence{Path: "b.json", Tree: true, Header: []string{"tags", "o"}}
	tree.Evidence = column.Evidence{Objects: column.Seen{Count: 2, First: 1}, Fields: []column.FieldEvidence{
		{Name: "tags", First: 1, Twice: 1, Evidence: column.Evidence{
			Arrays: column.Seen{Count: 2, First: 1}, EmptyArrays: column.Seen{Count: 1, First: 2},
			Element: &column.Evidence{Strings: []column.Seen{seen(value.Text, 2)}, StringWhole: 3, StringScale: 1},
		}},
		{Name: "o", First: 2, Evidence: column.Evidence{EmptyObjects: column.Seen{Count: 1, First: 2}}},
	}}
	return []contract.ObjectEvidence{flat, tree}
}

// Evidence is written as ever, and read as it was written.
func TestEvidence(t *testing.T) {
	ctx, s := t.Context(), memory.New(nil)
	st := state.New(s)
	same(t, "", "", st.Observe(ctx, 2, "x-1", evidence()))
	same(t, "", "", st.Observe(ctx, 3, "x-2", nil))
	found, err := collect(st.Evidence(ctx, 2, "x-1"))
	same(t, found, evidence(), err)
	none, err := collect(st.Evidence(ctx, 3, "x-2"))
	same(t, len(none), 0, err)
	const key = "attempts/00000002-x-1/evidence.ndjson"
	golden(t, s, "testdata/evidence", key)
	for name, text := range map[string]string{
		"tomorrow": `{"format":2}`, "garbled": "x", "cut": `{"format":1}` + "\n" + `{"path":"a"`,
		"other": `{"format":1}` + "\n" + `{"path":"a","evidence":{"nulls":"x"}}`,
	} {
		same(t, "", "", s.Replace(ctx, key, []byte(text)))
		if _, err := collect(st.Evidence(ctx, 2, "x-1")); diag.CodeOf(err) != diag.StateBroken {
			t.Errorf("%s: found %v, want %s", name, err, diag.StateBroken)
		}
	}
}

// golden compares what stands under some keys, which are all that there are,
// with files.
func golden(t *testing.T, s *memory.Store, dir string, keys ...string) {
	t.Helper()
	same(t, s.Keys(), keys, nil)
	for _, key := range keys {
		found, err := store.Read(t.Context(), s, key)
		same(t, "", "", err)
		file := filepath.Join(dir, filepath.Base(key))
		if *update {
			same(t, "", "", errors.Join(os.MkdirAll(dir, 0o750), os.WriteFile(file, found, 0o600)))
		}
		want, err := os.ReadFile(file)
		same(t, string(found), string(want), err)
	}
}

// The versions of the contract come in order, each once, with the batch that
// brought it.
func TestContracts(t *testing.T) {
	ctx, st := t.Context(), state.New(memory.New(nil))
	mark := func(batch int64, version int) {
		a := attempt()
		a.Batch, a.Contract.Number = batch, version
		same(t, "", "", errors.Join(st.Record(ctx, a), st.SetMark(ctx, state.NewMark(state.KindLand, a, batch))))
	}
	mark(1, 1)
	mark(2, 1)
	same(t, "", "", st.Void(ctx, 3, state.Mark{Contract: 9}))
	mark(4, 2)
	mark(5, 3)
	mark(6, 1)
	var batches []int64
	var numbers []int
	all, err := collect(st.Contracts(ctx))
	for _, v := range all {
		batches, numbers = append(batches, v.Batch), append(numbers, v.Contract.Number)
	}
	same(t, batches, []int64{1, 4, 5, 6}, err)
	same(t, numbers, []int{1, 2, 3, 1}, nil)
}

// Nothing is there at first.
func TestEmpty(t *testing.T) {
	st := state.New(memory.New(nil))
	read := func(n int, err error) { t.Helper(); same(t, n, 0, err) }
	ids, err := st.Identities(t.Context())
	read(len(ids), err)
	known, err := collect(st.Known(t.Context()))
	read(len(known), err)
	events, err := collect(st.Events(t.Context()))
	read(len(events), err)
	held, err := collect(st.Held(t.Context()))
	read(len(held), err)
	last, err := st.LastIntent(t.Context())
	read(int(last), err)
	for _, look := range []func() (bool, error){
		func() (bool, error) { _, ok, err := st.LastMark(t.Context()); return ok, err },
		func() (bool, error) { _, ok, err := st.LastIdentity(t.Context()); return ok, err },
		func() (bool, error) { _, ok, err := st.Intent(t.Context(), 1); return ok, err },
	} {
		ok, err := look()
		same(t, ok, false, err)
	}
}

// Events tell a batch before what it met; what a void batch had met is nothing.
func TestEvents(t *testing.T) {
	st := state.New(memory.New(nil))
	write(t.Context(), t, st)
	events, err := collect(st.Events(t.Context()))
	var types []string
	for _, e := range events {
		types = append(types, e.Type)
		same(t, e.Batch, 2, nil)
	}
	same(t, types, []string{"batch", "drift", "quarantined"}, err)
	held, err := collect(st.Held(t.Context()))
	same(t, held, []event.Quarantined{quarantined()}, err)
}
