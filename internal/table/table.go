// Package table describes a lake table: a snapshot of it, and one atomic change.
//
// The table's own log is the truth about what has landed. A [Change] carries the
// writer's batch number and attempt id in the commit itself, so that a batch
// lands once whatever happens to the process that lands it.
package table

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"landfall/internal/schema"
)

// ErrNoTable says that the folder holds no table yet: it is absent or empty.
var ErrNoTable = errors.New("no table")

// ErrNoVersion says that the table has no version as asked for.
var ErrNoVersion = errors.New("no such version")

// ErrUncertain is in the error of a commit of which nobody knows how it ended: it may
// have come true, so that its files have to stay.
var ErrUncertain = errors.New("the commit may have come true")

// ErrCleaned says that the log no longer holds the version asked for.
var ErrCleaned = errors.New("the log was cleaned up")

// File is a data file of a table.
type File struct {
	// Path is relative to the table's folder and decoded (no %-escapes), or
	// an absolute URL for files that a shallow clone borrowed.
	Path string
	Size int64
	// Partition holds a value for each partition column by (physical) name;
	// nil means null.
	Partition map[string]*string
	ModTime   time.Time
	// Stats is Delta's statistics JSON, "" when unknown.
	Stats string
	// Rows is numRecords of the statistics, -1 when unknown.
	Rows int64
	Tags map[string]string
	// Strict says of a file to add that its writer refused every null that the
	// schema wants none of, also where statistics cannot tell.
	Strict bool
	// DV marks rows of the file as deleted; nil when none are.
	DV *DeletionVector
	// Moved says of a file of a Change that its rows are in the table before and
	// after (dataChange=false): those of files that go are in files that come, and
	// the counts of both are equal. A snapshot does not say it.
	Moved bool
}

// DeletionVector is the descriptor of a deletion vector (Delta protocol,
// "Deletion Vectors"); its ID identifies (path, DV) pairs in removes.
type DeletionVector struct {
	StorageType    string `json:"storageType"`
	PathOrInlineDV string `json:"pathOrInlineDv"`
	Offset         *int32 `json:"offset,omitempty"`
	SizeInBytes    int32  `json:"sizeInBytes"`
	Cardinality    int64  `json:"cardinality"`
}

// ID is the unique id of the vector; "" for nil.
func (d *DeletionVector) ID() string {
	if d == nil {
		return ""
	}
	id := d.StorageType + d.PathOrInlineDV
	if d.Offset != nil {
		id += fmt.Sprintf("@%d", *d.Offset)
	}
	return id
}

// Key identifies a live file: its path and its deletion vector.
type Key struct{ Path, DV string }

// Key returns the identity of f.
func (f *File) Key() Key { return Key{f.Path, f.DV.ID()} }

// Protocol is what a table demands of readers and writers.
type Protocol struct {
	MinReader, MinWriter           int
	ReaderFeatures, WriterFeatures []string
}

// Snapshot is a table at one version. It is immutable.
type Snapshot struct {
	Version int64
	// ID is metaData.id, which a table keeps for life.
	ID       string
	Protocol Protocol
	Schema   schema.Struct
	// Partitions names the partition columns.
	Partitions []string
	Config     map[string]string
	// Txns is the newest batch number committed by each application id.
	Txns  map[string]int64
	files func() map[Key]File
}

// With returns the snapshot with its live data files, which are asked for once at
// most, when somebody wants to know them.
func (s Snapshot) With(files func() map[Key]File) *Snapshot {
	s.files = sync.OnceValue(files)
	return &s
}

// Files are the live data files by key. They belong to the snapshot.
func (s *Snapshot) Files() map[Key]File { return s.files() }

// Change is what one commit does, all of it or nothing.
type Change struct {
	// App and Batch are the txn action: the batch lands only if the table has
	// no batch ≥ Batch of App. App "" leaves it out.
	App   string
	Batch int64
	// Attempt identifies this try; it is written to commitInfo, by which a
	// writer recognises its own commit after an ambiguous answer.
	Attempt string
	// Operation and Parameters describe the change to people.
	Operation  string
	Parameters map[string]string
	// TableID is used for metaData.id when the commit creates the table.
	TableID string
	// Schema, if not nil, becomes the table's schema. Files that hold a column
	// which has another type there, or is gone, must be removed: who changes one
	// knows which those are.
	Schema *schema.Struct
	// Widening says that files stay in which columns of Schema are of a narrower
	// type, one that readers take for the new one ([schema.ReadsAs]). The table asks
	// its readers for that from now on, if it does not yet, and is told what widened.
	// No column has to be removed for a type that changes so.
	Widening bool
	// Partitions are the partition columns; only when creating the table.
	Partitions []string
	// Config entries are set in metaData.configuration.
	Config  map[string]string
	Adds    []File
	Removes []File
	// Metrics are numbers for commitInfo.operationMetrics.
	Metrics map[string]string
}

// Result tells how a commit ended well.
type Result struct {
	// Version is the version that holds the batch.
	Version int64
	// Attempt is the attempt that landed it; another than the caller's when
	// somebody else had landed the same batch.
	Attempt string
}

// Conflict is the error of a change that must be computed anew on a fresh
// snapshot: what it built on is gone.
type Conflict struct {
	Version int64  // the version that won
	Reason  string // "metadata", "protocol", "removed", "added"
	Detail  string
}

func (c *Conflict) Error() string {
	return fmt.Sprintf("version %d of the table changed %s: %s", c.Version, c.Reason, c.Detail)
}

// Commit describes a version of the table.
type Commit struct {
	Version   int64
	Time      time.Time
	Operation string
	// Attempt is ours, "" for other writers' commits.
	Attempt string
	// App and Batch are those of a txn action of ours (app ids "landfall/…"),
	// if the version has one.
	App   string
	Batch int64
	// Removed lists the data files that the version removed.
	Removed []Key
}

// Journal is a table that tells what each version did to its files.
type Journal interface {
	// Entries yields the versions from..to in order; ErrCleaned if the log no longer
	// reaches back to from.
	Entries(ctx context.Context, from, to int64) iter.Seq2[Entry, error]
}

// Entry is a version of the log.
type Entry struct {
	Commit
	// ID is the metaData.id that the version writes, "" if it writes none.
	ID string
	// Adds and Removes are the data files that came and went, in the order of the log.
	// Moved says of one that the version changed no rows by it. Of a file that went,
	// Partition is nil and Size -1 if the log does not repeat them.
	Adds, Removes []File
}

// Past is a table of which older versions can be read.
type Past interface {
	// SnapshotAt returns the table at a version; ErrNoVersion if there is none, or none
	// any more.
	SnapshotAt(ctx context.Context, version int64) (*Snapshot, error)
	// VersionAt returns the newest version that was there at a time; ErrNoVersion if the
	// log tells of none, or the time is after the newest.
	VersionAt(ctx context.Context, at time.Time) (int64, error)
}

// Table is a table in a store.
type Table interface {
	// Snapshot returns the newest snapshot; ErrNoTable if there is none.
	Snapshot(ctx context.Context) (*Snapshot, error)
	// Commit applies a change to base (nil creates the table). Conflicts that
	// do not touch the change are overcome; others return *Conflict. A batch
	// that is already in the table is success, with the Attempt that landed it.
	Commit(ctx context.Context, base *Snapshot, c Change) (Result, error)
	// Commits yields the versions from..to in order; ErrCleaned if the log no
	// longer reaches back to from.
	Commits(ctx context.Context, from, to int64) iter.Seq2[Commit, error]
	// CheckEmpty refuses a folder that holds files but no table, as a
	// *diag.Diagnostic. Ask before anything is written.
	CheckEmpty(ctx context.Context) error
	// Deleted returns the positions of the rows of a file that its deletion
	// vector marks as deleted, ascending from 0; none if it has no vector.
	Deleted(ctx context.Context, f File) ([]int64, error)
}
