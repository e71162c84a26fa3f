package position_test

import (
	"fmt"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/position"
	"landfall/internal/schema"
	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is a source and its table, whose runs see the same stores.
type world struct {
	t           *testing.T
	files, data store.Store
	ids         int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{t: t, files: memory.New(nil), data: memory.New(nil)}
}

const stateKey = "_landfall/orders/"

// run is the position of a new run.
func (w *world) run() *position.Position {
	return position.New(position.Position{
		Name: "orders", Args: "in table", Files: w.files, Data: w.data,
		Table: delta.Open(w.data, delta.Options{Now: clock}),
		State: state.New(store.Below(w.data, stateKey)), StateKey: stateKey, Format: "csv",
		Now: clock, NewID: func() string { w.ids++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", w.ids) },
	})
}

func clock() time.Time { return time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC) }

// commits lands a batch that has no objects, all but its mark.
func (w *world) commits(p *position.Position, batch int64) state.Attempt {
	w.t.Helper()
	ctx := w.t.Context()
	a := state.Attempt{Batch: batch, ID: fmt.Sprint("attempt-", batch), At: clock()}
	_, err := p.State.Intend(ctx, state.Intent{Batch: batch, Kind: state.KindLand, At: clock()})
	ok(w.t, err)
	ok(w.t, p.State.Record(ctx, a))
	ok(w.t, p.ReadTable(ctx))
	_, err = p.Table.Commit(ctx, p.Snap, table.Change{
		App: p.ID.App(), Batch: batch, Attempt: a.ID, TableID: p.ID.TableID, Operation: "WRITE",
		Schema: &schema.Struct{Fields: []schema.Field{{Name: "id", Type: schema.Long, Nullable: true}}},
		Config: map[string]string{source.ConfigPrefix + p.ID.UUID: stateKey},
	})
	ok(w.t, err)
	return a
}

// A source is minted once: every later run finds the same, from wherever it has its
// ids.
func TestIdentity(t *testing.T) {
	w := newWorld(t)
	first, again := w.run(), w.run()
	ok(t, first.Identify(t.Context()))
	ok(t, again.Identify(t.Context()))
	if first.ID.UUID == "" || first.ID.UUID != again.ID.UUID || first.ID.Number != 1 || len(again.IDs) != 1 || !again.UUIDs[first.ID.UUID] {
		t.Errorf("found %+v, then %+v", first.ID, again.ID)
	}
}

// Another root is another feed, unless somebody says that the files moved.
func TestMoved(t *testing.T) {
	w := newWorld(t)
	first := w.run()
	ok(t, first.Identify(t.Context()))
	w.files = store.Below(w.files, "elsewhere/")
	if err := w.run().Identify(t.Context()); diag.CodeOf(err) != diag.SourceMoved {
		t.Errorf("found %v, want %s", err, diag.SourceMoved)
	}
	moved := w.run()
	moved.Moved = true
	ok(t, moved.Identify(t.Context()))
	if moved.ID.UUID != first.ID.UUID || moved.ID.Root != w.files.URL("") || len(moved.Roots) != 2 {
		t.Errorf("found %+v with the roots %v", moved.ID, moved.Roots)
	}
	ok(t, w.run().Identify(t.Context()))
}

// A batch that the table holds has its mark written by whoever comes next, once.
func TestSyncWritesTheMark(t *testing.T) {
	w := newWorld(t)
	p := w.run()
	ok(t, p.Identify(t.Context()))
	w.commits(p, 1)
	for i := range 2 {
		next := w.run()
		ok(t, next.Identify(t.Context()))
		ok(t, next.Sync(t.Context()))
		if next.Batch() != 1 || !next.HasMark || next.Last.Attempt != "attempt-1" || len(next.Recovered) != 1-i {
			t.Errorf("run %d: batch %d, mark %+v, recovered %d", i, next.Batch(), next.Last, len(next.Recovered))
		}
	}
}

// Where state and table tell different stories a run stops, and says which of them
// is older.
func TestSyncStops(t *testing.T) {
	for name, c := range map[string]struct {
		change func(t *testing.T, w *world, p *position.Position)
		want   diag.Code
	}{
		"the state is gone": {func(t *testing.T, w *world, _ *position.Position) {
			for info, err := range w.data.List(t.Context(), stateKey, "") {
				ok(t, err)
				ok(t, w.data.Delete(t.Context(), info.Key))
			}
		}, diag.StateLost},
		"the table is gone": {func(t *testing.T, w *world, _ *position.Position) {
			for info, err := range w.data.List(t.Context(), "_delta_log/", "") {
				ok(t, err)
				ok(t, w.data.Delete(t.Context(), info.Key))
			}
		}, diag.TableRecreated},
		"the state is two batches behind": {func(t *testing.T, w *world, p *position.Position) {
			w.commits(p, 2)
			w.commits(p, 3)
		}, diag.StateLost},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := w.run()
			ok(t, p.Identify(t.Context()))
			w.commits(p, 1)
			ok(t, p.Sync(t.Context()))
			c.change(t, w, p)
			next := w.run()
			err := next.Identify(t.Context())
			if err == nil {
				err = next.Sync(t.Context())
			}
			if diag.CodeOf(err) != c.want {
				t.Errorf("found %v, want %s", err, c.want)
			}
		})
	}
}
