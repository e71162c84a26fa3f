package delta

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"
	"time"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/table"
)

// ourApps is what the application ids of our own batches begin with.
const ourApps = "landfall/"

// Commits yields the versions from..to in order. It ends with
// table.ErrCleaned if the log no longer reaches back to from.
func (t *Table) Commits(ctx context.Context, from, to int64) iter.Seq2[table.Commit, error] {
	return func(yield func(table.Commit, error) bool) {
		for v := max(from, 0); v <= to; v++ {
			c, err := t.commitAt(ctx, v)
			if errors.Is(err, store.ErrNotExist) {
				err = t.whyMissing(ctx, v, err)
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

// whyMissing tells a version that was cleaned up from one that never was.
func (t *Table) whyMissing(ctx context.Context, v int64, absent error) error {
	for n, err := range names(ctx, t.s, v) {
		if err != nil {
			return err
		}
		if n.version >= v {
			return fmt.Errorf("version %d: %w", v, table.ErrCleaned)
		}
	}
	return absent
}

// commitAt describes one version.
func (t *Table) commitAt(ctx context.Context, v int64) (table.Commit, error) {
	acts, err := t.version(ctx, v)
	if err != nil {
		return table.Commit{}, err
	}
	info := readInfo(acts)
	c := table.Commit{Version: v, Operation: info.Operation, Attempt: info.Attempt}
	for _, a := range acts {
		switch {
		case a.Txn != nil && strings.HasPrefix(a.Txn.AppID, ourApps):
			c.App, c.Batch = a.Txn.AppID, a.Txn.Version
		case a.Remove != nil:
			c.Removed = append(c.Removed, a.Remove.Key())
		}
	}
	switch {
	case info.InCommitTimestamp > 0:
		c.Time = time.UnixMilli(info.InCommitTimestamp).UTC()
	case info.Timestamp > 0:
		c.Time = time.UnixMilli(info.Timestamp).UTC()
	default:
		stat, err := t.s.Stat(ctx, versionKey(v))
		if err != nil {
			return table.Commit{}, fmt.Errorf("read the time of version %d: %w", v, err)
		}
		c.Time = stat.ModTime.UTC()
	}
	return c, nil
}

// CheckEmpty refuses a folder that holds files but no table: a table made there
// would take them for rubbish one day. Hidden names (with an element that begins
// with "_" or ".") do not count.
//
// A first landing that was killed leaves data files and no table, which cannot
// be told from others here: ask before anything is written, and not again.
func (t *Table) CheckEmpty(ctx context.Context) error {
	for info, err := range t.s.List(ctx, "", "") {
		if err != nil {
			return fmt.Errorf("list the table's folder: %w", err)
		}
		if hidden(info.Key) {
			continue
		}
		return diag.New(diag.NotDelta, "folder holds files, such as %s, and no Delta table", diag.Quote(path.Base(info.Key))).
			In(diag.Place{File: t.s.URL(info.Key)}).
			Hinted("choose an empty folder for the table, or convert this one to Delta first")
	}
	return nil
}

func hidden(key string) bool {
	for e := range strings.SplitSeq(key, "/") {
		if strings.HasPrefix(e, "_") || strings.HasPrefix(e, ".") {
			return true
		}
	}
	return false
}
