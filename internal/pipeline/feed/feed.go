// Package feed tells what a table gained and lost between two of its versions.
//
// It adds up what the log says, version by version, so that rows which only moved from
// file to file count for nothing, and files that came and went count for nothing either.
// What it cannot add up, because the log does not tell or the table is another one, is a
// Break.
package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/table"
)

// Range says which changes are asked for.
type Range struct {
	// ID is metaData.id of the table that was read before, "" for whichever it is.
	ID string
	// From is the version that was read, and whose changes are not told; -1 if none was.
	From int64
	// To is the last version whose changes are told, -1 for the newest.
	To int64
	// Present tells of files alone that are there: those that come at To, those that go at
	// From, so that none is Moved. Where rows that are new were put into one file with
	// others, or rows of one file went and others stay, more rows go and come than have to.
	Present bool
}

// Kind is what became of a table's rows.
type Kind int

const (
	// Same rows: no file, or the same rows in other files.
	Same Kind = iota
	// Grown says that rows came and none went.
	Grown
	// Changed says that rows went.
	Changed
)

// Feed is what a table gained and lost: the rows of To are those of From, those that were
// added, less those that were removed.
type Feed struct {
	// From and To are as in the Range, To as a version.
	From, To int64
	// Snapshot is the table at To, which has the schema to read all files with.
	Snapshot *table.Snapshot
	Kind     Kind
	// Added are files all of whose rows came: those that their deletion vectors leave. They
	// are in the order of the versions, or of their times if From is -1. Moved says of one
	// that its rows are in other files by now, together with rows that are not new, and
	// that it may have been vacuumed.
	Added []table.File
	// Removed are files all of whose rows went. Moved says of one that its rows were in
	// other files at From, together with rows that stay.
	Removed []table.File
	// Partly are files of which some rows went or came.
	Partly []Part
	// Moves are the rows that other files have by now and that the other fields do not
	// account for.
	Moves []Move
}

// Part is a file of which some rows went, or came back.
type Part struct {
	// File is as at To, with its deletion vector; Moved is as in Feed.Added.
	File table.File
	// Removed and Added are positions of rows, from 0 and ascending.
	Removed, Added []int64
}

// Reason is why changes cannot be told.
type Reason string

// Reasons of a Break.
const (
	// Cleaned: the log does not reach back to the versions asked for.
	Cleaned Reason = "cleaned"
	// Recreated: the table is not the one that was read before.
	Recreated Reason = "recreated"
	// Restored: a version between brought an older one back.
	Restored Reason = "restored"
	// Rewound: the version that was read is after the newest.
	Rewound Reason = "rewound"
)

// Break is the error of changes that cannot be told: what was computed of the table before
// has to be computed anew. It wraps a diagnostic.
type Break struct {
	Reason Reason
	// Version is the one at which it happened; of a table that was rewound the newest.
	Version int64
	told    *diag.Diagnostic
}

// Error is what the diagnostic says.
func (b *Break) Error() string { return b.told.Error() }

// Unwrap returns the diagnostic.
func (b *Break) Unwrap() error { return b.told }

func broken(reason Reason, version int64, code diag.Code, text string, args ...any) *Break {
	d := diag.New(code, text, args...).Hinted("what was computed of the table has to be computed anew, of all of its rows")
	return &Break{Reason: reason, Version: version, told: d}
}

// Read returns what a table gained and lost. The table must be a table.Journal, and a
// table.Past for a Range.To that is not the newest version. The error is a *Break if there
// is no telling, and table.ErrNoTable without a table.
func Read(ctx context.Context, t table.Table, r Range) (*Feed, error) {
	snapshot, err := snapshotAt(ctx, t, r)
	if err != nil {
		return nil, err
	}
	f := &Feed{From: r.From, To: snapshot.Version, Snapshot: snapshot}
	switch {
	case r.ID != "" && snapshot.ID != r.ID:
		return nil, broken(Recreated, snapshot.Version, diag.TableRecreated, "the table is another one: found the id %s, want %s", snapshot.ID, r.ID)
	case r.From < 0:
		f.everything()
	case r.From > snapshot.Version:
		return nil, broken(Rewound, snapshot.Version, diag.TableRestored, "the table went back: found the version %d, want one after %d", snapshot.Version, r.From)
	case r.From < snapshot.Version:
		b := &book{t: t, r: r, feed: f, files: map[table.Key]*line{}}
		if err := b.read(ctx); err != nil {
			return nil, err
		}
		if err := b.close(ctx); err != nil {
			return nil, err
		}
	}
	switch {
	case len(f.Removed) > 0 || slices.ContainsFunc(f.Partly, func(p Part) bool { return len(p.Removed) > 0 }):
		f.Kind = Changed
	case len(f.Added) > 0 || len(f.Partly) > 0:
		f.Kind = Grown
	}
	return f, nil
}

// snapshotAt is the table at the end of a range.
func snapshotAt(ctx context.Context, t table.Table, r Range) (*table.Snapshot, error) {
	if r.To < 0 {
		return t.Snapshot(ctx)
	}
	if r.To < r.From {
		return nil, fmt.Errorf("changes from version %d to %d", r.From, r.To)
	}
	past, ok := t.(table.Past)
	if !ok {
		return nil, errors.New("the table tells nothing of older versions")
	}
	s, err := past.SnapshotAt(ctx, r.To)
	if errors.Is(err, table.ErrCleaned) {
		return nil, cleaned(r.To)
	}
	return s, err
}

func cleaned(version int64) *Break {
	return broken(Cleaned, version, diag.ChangesGone, "the log no longer holds version %d, want every one since the last that was read", version)
}

// everything is the feed of a table that was not read before.
func (f *Feed) everything() {
	for _, file := range f.Snapshot.Files() {
		f.Added = append(f.Added, file)
	}
	slices.SortFunc(f.Added, func(a, b table.File) int {
		return cmp.Or(a.ModTime.Compare(b.ModTime), cmp.Compare(a.Path, b.Path), cmp.Compare(a.DV.ID(), b.DV.ID()))
	})
}
