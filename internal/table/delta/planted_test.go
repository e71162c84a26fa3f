package delta

import (
	"context"
	"slices"
	"testing"
	"time"

	"landfall/internal/schema"
	"landfall/internal/store/fault"
	"landfall/internal/table"
)

// blindRetry tries the next version whenever the store does not say yes.
func blindRetry(ctx context.Context, t *Table, base *table.Snapshot, c table.Change) (table.Result, error) {
	return planted(ctx, t, base, c, func(error) bool { return true })
}

// trustingCommit takes a version that exists for its own.
func trustingCommit(ctx context.Context, t *Table, base *table.Snapshot, c table.Change) (table.Result, error) {
	return planted(ctx, t, base, c, func(error) bool { return false })
}

func planted(ctx context.Context, t *Table, base *table.Snapshot, c table.Change, again func(error) bool) (table.Result, error) {
	k := &commit{t: t, c: &c, cur: newState()}
	if base != nil {
		st, err := t.stateOf(ctx, base)
		if err != nil {
			return table.Result{}, err
		}
		k.base, k.cur = st, st
	}
	if err := k.prepare(); err != nil {
		return table.Result{}, err
	}
	for v := k.cur.version + 1; ; v++ {
		body, err := k.body(ctx)
		if err != nil {
			return table.Result{}, err
		}
		err = k.create(ctx, v, body)
		switch {
		case err != nil && !mayPass(err):
			return table.Result{}, err
		case err == nil, !again(err):
			return table.Result{Version: v, Attempt: c.Attempt}, nil
		}
	}
}

// typeBlind forgets that files of others may have come with the old types.
func typeBlind(ctx context.Context, t *Table, base *table.Snapshot, c table.Change) (table.Result, error) {
	k := &commit{t: t, c: &c, cur: newState()}
	if base == nil {
		return t.Commit(ctx, nil, c)
	}
	st, err := t.stateOf(ctx, base)
	if err != nil {
		return table.Result{}, err
	}
	k.base, k.cur = st, st
	if k.lands(k.cur.txns[c.App]) {
		return t.locate(ctx, k.cur.version, c.App, c.Batch)
	}
	if err := k.prepare(); err != nil {
		return table.Result{}, err
	}
	k.retypes = false
	return k.run(ctx)
}

// TestSweepFindsPlantedBugs shows that the sweeps see what they are there for.
func TestSweepFindsPlantedBugs(t *testing.T) {
	if _, err := sweep(fault.Plan{Kind: fault.Ambiguous}, blindRetry); err == nil {
		t.Error("a create that is repeated blindly went unnoticed")
	}
	if _, err := interleave("landfall/a", fault.None, atOnce, blindRetry); err == nil {
		t.Error("a batch that is landed beside another process went unnoticed")
	}
	if _, err := sweep(fault.Plan{Kind: fault.Fail}, trustingCommit); err == nil {
		t.Error("a create taken for done went unnoticed")
	}
	if _, err := interleave("landfall/b", fault.None, eachCall, trustingCommit); err == nil {
		t.Error("ignoring who won went unnoticed")
	}
	if _, err := interleave("landfall/b", fault.None, justOne, typeBlind); err == nil {
		t.Error("files of the old type that came in between went unnoticed")
	}
}

// testOptions make checkpoints at each second version, so that sweeps meet them.
func testOptions() Options {
	return Options{
		Now:             func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC) },
		CheckpointEvery: 2,
	}
}

func text(name string) schema.Field {
	return schema.Field{Name: name, Type: schema.String, Nullable: true}
}

func withColumn(s schema.Struct, name string) schema.Struct {
	if slices.ContainsFunc(s.Fields, func(f schema.Field) bool { return f.Name == name }) {
		return s
	}
	return schema.Struct{Fields: append(slices.Clone(s.Fields), text(name))}
}

func dataFile(path string) table.File {
	return table.File{
		Path: path, Size: 4, ModTime: time.UnixMilli(1700000000000), Rows: 1,
		Stats: `{"numRecords":1,"nullCount":{"a":0}}`,
	}
}
