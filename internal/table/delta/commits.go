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
		for e, err := range t.Entries(ctx, from, to) {
			if !yield(e.Commit, err) {
				return
			}
		}
	}
}

// Entries implements table.Journal.
func (t *Table) Entries(ctx context.Context, from, to int64) iter.Seq2[table.Entry, error] {
	return func(yield func(table.Entry, error) bool) {
		for v := max(from, 0); v <= to; v++ {
			e, err := t.entry(ctx, v)
			if errors.Is(err, store.ErrNotExist) {
				err = t.whyMissing(ctx, v, err)
			}
			if !yield(e, err) || err != nil {
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
	e, err := t.entry(ctx, v)
	return e.Commit, err
}

// entry tells what one version did.
func (t *Table) entry(ctx context.Context, v int64) (table.Entry, error) {
	acts, err := t.version(ctx, v)
	if err != nil {
		return table.Entry{}, err
	}
	info := readInfo(acts)
	e := table.Entry{Commit: table.Commit{Version: v, Operation: info.Operation, Attempt: info.Attempt}}
	for _, a := range acts {
		switch {
		case a.Txn != nil && strings.HasPrefix(a.Txn.AppID, ourApps):
			e.App, e.Batch = a.Txn.AppID, a.Txn.Version
		case a.MetaData != nil:
			e.ID = a.MetaData.ID
		case a.Add != nil:
			f := a.Add.File()
			f.Moved = !a.Add.DataChange
			e.Adds = append(e.Adds, f)
		case a.Remove != nil:
			f := a.Remove.File()
			f.Moved = !a.Remove.DataChange
			e.Removes, e.Removed = append(e.Removes, f), append(e.Removed, a.Remove.Key())
		}
	}
	e.Time, err = t.timeOf(ctx, v, info)
	return e, err
}

// timeOf is when a version was made.
func (t *Table) timeOf(ctx context.Context, v int64, info commitInfo) (time.Time, error) {
	switch {
	case info.InCommitTimestamp > 0:
		return time.UnixMilli(info.InCommitTimestamp).UTC(), nil
	case info.Timestamp > 0:
		return time.UnixMilli(info.Timestamp).UTC(), nil
	}
	stat, err := t.s.Stat(ctx, versionKey(v))
	if err != nil {
		return time.Time{}, fmt.Errorf("read the time of version %d: %w", v, err)
	}
	return stat.ModTime.UTC(), nil
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
