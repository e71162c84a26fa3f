package delta

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/table/delta/action"
)

// defaultTries is the number of times a commit is tried when others win.
const defaultTries = 50

// Commit applies c to base, or creates the table if base is nil. The next
// version is created only if it is absent. Whatever the store answers, who won
// is read from the log, so that an answer that was lost on its way back is
// neither taken for a defeat nor tried again in another version.
//
// Versions that others created meanwhile are overcome unless they touch what c
// builds on: then *table.Conflict tells that c must be computed anew.
func (t *Table) Commit(ctx context.Context, base *table.Snapshot, c table.Change) (table.Result, error) {
	if t.o.Now == nil {
		return table.Result{}, errors.New("a table without a clock cannot be changed")
	}
	k := &commit{t: t, c: &c, cur: newState()}
	if base != nil {
		st, err := t.stateOf(ctx, base)
		if err != nil {
			return table.Result{}, fmt.Errorf("read version %d of the table: %w", base.Version, err)
		}
		k.base, k.cur = st, st
	}
	if k.lands(k.cur.txns[c.App]) {
		return t.locate(ctx, k.cur.version, c.App, c.Batch)
	}
	if err := k.prepare(); err != nil {
		return table.Result{}, err
	}
	return k.run(ctx)
}

// commit is one change on its way into the log.
type commit struct {
	t *Table
	c *table.Change
	// base is the state that the change was computed on, nil to create the
	// table; cur is base and all versions seen since.
	base, cur *state
	// protocol and meta are the new ones, nil if they stay. retypes says that
	// meta changes existing columns, so that files written for the old ones no
	// longer fit.
	protocol *action.Protocol
	meta     *action.MetaData
	retypes  bool
	// time is the in-commit timestamp of cur's version, 0 until it is read.
	time int64
	// rival is the first version seen that c cannot be reconciled with.
	rival *table.Conflict
}

// lands reports whether a txn action says that the batch is in the table.
func (k *commit) lands(txn *action.Txn) bool {
	return k.c.App != "" && txn != nil && txn.AppID == k.c.App && txn.Version >= k.c.Batch
}

// run tries to create the next version until it is known how that ended.
func (k *commit) run(ctx context.Context) (table.Result, error) {
	var last error
	for tries := k.t.tries(); ; tries-- {
		before := k.cur.version
		landed, err := k.catchUp(ctx)
		if err != nil {
			return table.Result{}, afterwards(last, err)
		}
		if landed != nil {
			if landed.Attempt == k.c.Attempt && landed.Version == k.cur.version {
				k.settle(ctx)
			}
			return *landed, nil
		}
		if last != nil && before == k.cur.version && !mayPass(last) {
			return table.Result{}, last
		}
		if tries == 0 {
			return table.Result{}, k.lost(last)
		}
		body, err := k.body(ctx)
		if err != nil {
			return table.Result{}, err
		}
		next := k.cur.version + 1
		if last = k.create(ctx, next, body); last == nil {
			k.advance(body)
			k.settle(ctx)
			return table.Result{Version: next, Attempt: k.c.Attempt}, nil
		}
	}
}

// afterwards is the error of reading who won. It leaves open how a create
// ended that may have done its work, so that one is told too.
func afterwards(create, reading error) error {
	var c *table.Conflict
	if create == nil || errors.Is(create, store.ErrExist) || errors.As(reading, &c) {
		return reading
	}
	return fmt.Errorf("%w: %w; before that: %w", table.ErrUncertain, reading, create)
}

func (t *Table) tries() int {
	if t.o.Tries > 0 {
		return t.o.Tries
	}
	return defaultTries
}

func (k *commit) create(ctx context.Context, version int64, body []*action.Action) error {
	var data []byte
	for _, a := range body {
		var err error
		if data, err = action.Append(data, a); err != nil {
			return err
		}
	}
	if err := k.t.s.Create(ctx, versionKey(version), data); err != nil {
		return fmt.Errorf("commit version %d: %w", version, err)
	}
	return nil
}

// mayPass reports whether another try may end otherwise than err.
func mayPass(err error) bool {
	return errors.Is(err, store.ErrExist) || errors.Is(err, store.ErrTransient)
}

// lost is the error of a commit that was tried too often.
func (k *commit) lost(last error) error {
	if !errors.Is(last, store.ErrExist) {
		return last
	}
	return diag.New(diag.ConflictLost, "table changed %d times before this commit: version %d is the newest now",
		k.t.tries(), k.cur.version).
		In(diag.Place{File: k.t.s.URL(logFolder)}).
		Hinted("run again when the other writers are done").Because(last)
}

// settle takes note of the version that landed the change, which is cur.
func (k *commit) settle(ctx context.Context) {
	if stamp, err := k.t.stamp(ctx, k.cur.version); err == nil {
		k.cur.stamp = stamp
	}
	k.t.keep(k.cur)
	if err := k.t.checkpointIfDue(ctx, k.cur); err != nil {
		k.t.note(fmt.Errorf("checkpoint of version %d: %w", k.cur.version, err))
	}
}

// advance applies the next version to a copy of cur: base stays as it was.
func (k *commit) advance(acts []*action.Action) {
	next := k.cur.clone()
	for _, a := range acts {
		next.apply(a)
	}
	next.version++
	k.cur = next
}

func (t *Table) note(err error) {
	if t.o.Note != nil {
		t.o.Note(err)
	}
}

// locate finds the version that landed a batch which is in the table at
// version `from`. Its attempt is what the mark of the batch must name.
func (t *Table) locate(ctx context.Context, from int64, app string, batch int64) (table.Result, error) {
	found := table.Result{Version: -1}
	v := from
	for ; v >= 0; v-- {
		acts, err := t.version(ctx, v)
		if errors.Is(err, store.ErrNotExist) {
			break
		}
		if err != nil {
			return table.Result{}, err
		}
		i := slices.IndexFunc(acts, func(a *action.Action) bool { return a.Txn != nil && a.Txn.AppID == app })
		if i < 0 {
			continue
		}
		if acts[i].Txn.Version < batch {
			return found, nil // the commit seen before is the first with the batch
		}
		found = table.Result{Version: v, Attempt: attemptOf(acts)}
		if acts[i].Txn.Version == batch {
			return found, nil
		}
	}
	if v < 0 && found.Version >= 0 {
		return found, nil
	}
	return table.Result{}, fmt.Errorf("batch %d of %s is in the table, but not the version that landed it: %w",
		batch, app, table.ErrCleaned)
}

// version reads all actions of one version.
func (t *Table) version(ctx context.Context, v int64) ([]*action.Action, error) {
	var acts []*action.Action
	for a, err := range actions(ctx, t.s, v) {
		if err != nil {
			return nil, fmt.Errorf("read version %d of the log: %w", v, err)
		}
		acts = append(acts, a)
	}
	return acts, nil
}

// millis is the time of an action, as the protocol counts it.
func millis(t time.Time) int64 { return t.UnixMilli() }
