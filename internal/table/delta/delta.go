// Package delta keeps tables in the Delta Lake format.
//
// The log is the truth: a snapshot is the newest checkpoint and the commits
// after it, a change is the next commit, created only if it is absent. What a
// table demands of its readers and we do not know is refused by name.
package delta

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"landfall/internal/store"
	"landfall/internal/table"
)

// Options of a table. Only Now is required, and only to commit.
type Options struct {
	// Now is the clock of commit timestamps.
	Now func() time.Time
	// CheckpointEvery is the number of versions between checkpoints; 0 means 10.
	CheckpointEvery int64
	// Engine names the writer in commitInfo; "" means "landfall".
	Engine string
	// Tries bounds how often a commit is tried when others win; 0 means 50.
	Tries int
	// Note is told what went wrong beside a commit that succeeded: a checkpoint
	// that could not be written. Nil means that nobody wants to know.
	Note func(error)
}

// Table is a Delta table at the root of a store. It is safe for concurrent use.
type Table struct {
	s store.Store
	o Options

	mu   sync.Mutex
	last *state // the newest state seen, to advance from; nil at first
}

// Open returns the table whose folder is the root of s. It reads nothing yet:
// the table may be absent.
func Open(s store.Store, o Options) *Table {
	return &Table{s: s, o: o}
}

// Snapshot returns the newest snapshot; table.ErrNoTable if there is none.
func (t *Table) Snapshot(ctx context.Context) (*table.Snapshot, error) {
	st, err := t.advance(ctx)
	if st == nil && err == nil {
		st, err = t.load(ctx)
	}
	if err != nil {
		return nil, err
	}
	t.keep(st)
	return st.snapshot()
}

// advance goes on from the newest state seen, nil if that is not known to be part of
// the log any more, or what follows cannot be read: then the log is replayed.
func (t *Table) advance(ctx context.Context) (*state, error) {
	t.mu.Lock()
	st := t.last
	t.mu.Unlock()
	if st == nil || st.stamp == "" {
		return nil, nil //nolint:nilnil // nothing to go on from
	}
	if stamp, err := t.stamp(ctx, st.version); err != nil || stamp != st.stamp {
		return nil, err
	}
	for {
		stamp, err := t.stamp(ctx, st.version+1)
		if err != nil || stamp == "" {
			return st, err
		}
		next := st.clone()
		if next.replay(ctx, t.s) != nil {
			return nil, nil //nolint:nilnil // the replay will tell
		}
		next.stamp = stamp
		if err := next.check(); err != nil {
			return nil, err
		}
		st = next
	}
}

// stamp is what the store calls the content of a commit's file; "" if it is absent.
func (t *Table) stamp(ctx context.Context, version int64) (string, error) {
	info, err := t.s.Stat(ctx, versionKey(version))
	if errors.Is(err, store.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for version %d: %w", version, err)
	}
	return info.Version, nil
}

// stateOf returns the state behind a snapshot that this table handed out, from
// memory if it is still there, else by replaying the log up to its version.
func (t *Table) stateOf(ctx context.Context, base *table.Snapshot) (*state, error) {
	t.mu.Lock()
	st := t.last
	t.mu.Unlock()
	if st != nil && st.version == base.Version && st.meta.ID == base.ID {
		return st, nil
	}
	return t.loadAt(ctx, base.Version)
}

// keep remembers st for stateOf.
func (t *Table) keep(st *state) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = st
}
