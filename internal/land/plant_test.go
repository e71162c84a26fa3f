package land_test

import (
	"context"
	"errors"
	"testing"

	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/table"
)

// Sweeps that find nothing prove little unless they find what is planted: each
// bug here must make one of them fail.
func TestPlantedBugs(t *testing.T) {
	ambiguousThenFail := faults()["ambiguous, then fail"]
	bugs := map[string]struct {
		plant func(*scene)
		meet  trouble
	}{
		"mark before commit": {
			func(s *scene) { s.table = markFirst }, faulty(faults()["crash"]),
		},
		"delete inline on error": {
			func(s *scene) { s.table = deleteInline }, faulty(ambiguousThenFail),
		},
		"exists taken for success": {
			func(s *scene) { s.wrap = wrapped(existIsSuccess) }, meanwhile(t, inserted(t.Context())),
		},
		"blind retry, exists taken for defeat": {
			func(s *scene) { s.wrap = wrapped(blindRetry) }, faulty(faults()["ambiguous"]),
		},
		"no batch number in the commit": {
			func(s *scene) { s.table = changed(func(c *table.Change) { c.App, c.Batch = "", 0 }) }, faulty(faults()["crash"]),
		},
		"replace without removing": {
			func(s *scene) { s.table = changed(func(c *table.Change) { c.Removes = nil }) }, faulty(faults()["fail"]),
		},
	}
	for name, bug := range bugs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scenes()["single files"]
			bug.plant(&s)
			err := sweep(t.Context(), s, 1, bug.meet)
			if err == nil {
				t.Fatal("the sweep found nothing")
			}
			t.Log(err)
		})
	}
}

// commits decorates how a table commits.
type commits struct {
	table.Table
	commit func(ctx context.Context, base *table.Snapshot, c table.Change) (table.Result, error)
}

func (t commits) Commit(ctx context.Context, base *table.Snapshot, c table.Change) (table.Result, error) {
	return t.commit(ctx, base, c)
}

func markFirst(t table.Table, p process) table.Table {
	return commits{t, func(ctx context.Context, base *table.Snapshot, c table.Change) (table.Result, error) {
		next := int64(0)
		if base != nil {
			next = base.Version + 1
		}
		a, err := p.state().Attempt(ctx, c.Batch, c.Attempt)
		if err != nil {
			return table.Result{}, err
		}
		if err := p.state().SetMark(ctx, state.NewMark(state.KindLand, a, next)); err != nil {
			return table.Result{}, err
		}
		return t.Commit(ctx, base, c)
	}}
}

func deleteInline(t table.Table, p process) table.Table {
	return commits{t, func(ctx context.Context, base *table.Snapshot, c table.Change) (table.Result, error) {
		res, err := t.Commit(ctx, base, c)
		if err != nil || res.Attempt != c.Attempt {
			for _, f := range c.Adds {
				_ = p.data.Delete(ctx, f.Path) // a cleanup, well meant
			}
		}
		return res, err
	}}
}

func changed(change func(*table.Change)) func(table.Table, process) table.Table {
	return func(t table.Table, _ process) table.Table {
		return commits{t, func(ctx context.Context, base *table.Snapshot, c table.Change) (table.Result, error) {
			change(&c)
			return t.Commit(ctx, base, c)
		}}
	}
}

// inserted is another tool's INSERT; there need not be a table yet.
func inserted(ctx context.Context) func(w *world) error {
	return func(w *world) error {
		err := (&other{data: w.data}).insert(ctx, false, "x1")
		if errors.Is(err, table.ErrNoTable) {
			return nil
		}
		w.want[""] = []map[string]int{{"x1": 1}}
		return err
	}
}

// creates decorates how a store creates.
type creates struct {
	store.Store
	create func(ctx context.Context, key string, data []byte) error
}

func (s creates) Create(ctx context.Context, key string, data []byte) error {
	return s.create(ctx, key, data)
}

type creator = func(s store.Store) func(ctx context.Context, key string, data []byte) error

func wrapped(c creator) func(store.Store) store.Store {
	return func(s store.Store) store.Store { return creates{s, c(s)} }
}

func existIsSuccess(s store.Store) func(ctx context.Context, key string, data []byte) error {
	return func(ctx context.Context, key string, data []byte) error {
		if err := s.Create(ctx, key, data); !errors.Is(err, store.ErrExist) {
			return err
		}
		return nil
	}
}

func blindRetry(s store.Store) func(ctx context.Context, key string, data []byte) error {
	return func(ctx context.Context, key string, data []byte) error {
		err := s.Create(ctx, key, data)
		if errors.Is(err, store.ErrTransient) {
			err = s.Create(ctx, key, data)
		}
		return err
	}
}

// The decorators above must be what makes the sweeps fail: without them the
// same sweeps pass.
func TestNothingPlanted(t *testing.T) {
	t.Parallel()
	s := scenes()["single files"]
	s.wrap = wrapped(func(s store.Store) func(context.Context, string, []byte) error { return s.Create })
	s.table = changed(func(*table.Change) {})
	err := sweep(t.Context(), s, 3*stride, faulty(func(i int) []fault.Plan {
		return []fault.Plan{{Kind: fault.Crash, At: i}}
	}))
	if err != nil {
		t.Error(err)
	}
}
