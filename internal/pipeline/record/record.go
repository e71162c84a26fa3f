// Package record is what flows of pipelines keep of their batches, beside the tables that they
// make: what a batch read and wrote, where its rows come from, what was counted.
//
// The log of a table says which batches it holds and which attempt landed each; records are
// written before, under names of their own, and never changed.
package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"landfall/internal/event"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Format is the format version of the records of flows and of runs. Those of a newer one are refused.
const Format = 1

// folder is where a dataset's records are, in its table's folder.
const folder = "_landfall/pipeline"

// Attempt is the record of one try at a batch of a flow. It is written before the commit,
// under a name of its own, and never changed; the table's log says which one came true.
type Attempt struct {
	Format int    `json:"format"`
	Flow   string `json:"flow"`
	Batch  int64  `json:"batch"`
	ID     string `json:"id"`
	// Time is when it began.
	Time time.Time `json:"time"`
	// Query is the text of the query, in one layout.
	Query string `json:"query"`
	// Anew is the ID of the attempt that made the table anew last, which may be this one;
	// "" if none did. Batches with another one have no rows in the table any more.
	Anew string `json:"anew,omitempty"`
	// Sources are how far each table was read.
	Sources []Offset `json:"sources"`
	// Files are the data files that it wrote, with where their rows come from.
	Files []DataFile `json:"files"`
	// Dropped are the rows that rules dropped; nil if there are none.
	Dropped *Dropped `json:"dropped,omitempty"`
	// Event is what there is to tell of it.
	Event event.Dataset `json:"event"`
}

// Offset is how far a table was read.
type Offset struct {
	// Table is its name in the query, TableID metaData.id.
	Table   string `json:"table"`
	TableID string `json:"table_id"`
	Version int64  `json:"version"`
	// Stream tells that it was read as a stream: a table may be read both ways.
	Stream bool `json:"stream,omitempty"`
	// Files are the data files of a stream that were read.
	Files []string `json:"files,omitempty"`
	// Moves tell, in order, which data files of a stream were written again since the last
	// batch, without a change of their rows.
	Moves []Moved `json:"moves,omitempty"`
}

// Moved is rows that were in some data files and then in others.
type Moved struct {
	Before []string `json:"before"`
	After  []string `json:"after"`
}

// DataFile is a data file of the dataset. Its rows come in runs, in the order of Parts.
type DataFile struct {
	Path string `json:"path"`
	Rows int64  `json:"rows"`
	// Flow is the one that made the rows, "" for that of the attempt: batches of others
	// write files again too.
	Flow  string `json:"flow,omitempty"`
	Parts []Part `json:"parts,omitempty"`
}

// Dropped are rows that rules dropped: files beside the record, and their schema as in a
// table's log. Behind the columns of the dataset are _landfall_broken, the names of the rules that a
// row breaks, and _landfall_origin, the URL of its source file, null if that is not known.
type Dropped struct {
	Files   []DroppedFile `json:"files"`
	Columns string        `json:"columns"`
}

// DroppedFile is a file of rows that rules dropped.
type DroppedFile struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
	Size int64  `json:"size"`
}

// Part is a run of rows that come from one data file of a source.
type Part struct {
	Table string `json:"table"`
	File  string `json:"file"`
	Rows  int64  `json:"rows"`
}

// Mark says which attempt landed a batch. It is a hint: without it the log is asked.
type Mark struct {
	Format  int    `json:"format"`
	Attempt string `json:"attempt"`
	// Version is that of the table with the batch.
	Version int64 `json:"table_version"`
}

// begunKey is a record of a folder in which a pipeline began to make a table: from then on
// files that are there are its own.
const begunKey = folder + "/begun.json"

// begun is what it says.
type begun struct {
	Format   int    `json:"format"`
	Pipeline string `json:"pipeline"`
}

// Begin notes that a pipeline makes a table in the folder, before it writes anything else.
func (r Book) Begin(ctx context.Context, pipeline string) error {
	data, err := json.Marshal(begun{Format: Format, Pipeline: pipeline})
	if err != nil {
		return err
	}
	if err := r.Data.Create(ctx, begunKey, data); !errors.Is(err, store.ErrExist) {
		return err
	}
	return nil
}

// App names a flow in the log of its table.
func App(flow string) string { return AppPrefix + flow }

// AppPrefix is what the names of all flows begin with there.
const AppPrefix = "landfall/flow/"

// Book is the records in the folder of a dataset's table.
type Book struct {
	Data  store.Store
	Table table.Table
}

// AttemptKey is where the record of an attempt is.
func (Book) AttemptKey(flow string, batch int64, id string) string {
	return fmt.Sprintf("%s/%s/attempts/%08d-%s/attempt.json", folder, KeyPart(flow), batch, id)
}

func (Book) markKey(flow string, batch int64) string {
	return fmt.Sprintf("%s/%s/marks/%08d.json", folder, KeyPart(flow), batch)
}

// KeyPart is a name of a flow as a part of a key.
func KeyPart(name string) string {
	out := []byte(name)
	for i, c := range out {
		if c == '/' || c == '\\' || c == 0 || c < ' ' {
			out[i] = '_'
		}
	}
	return string(out)
}

// ErrBroken says that a record is there and cannot be read, ErrNewer that a newer release
// wrote it.
var (
	ErrBroken = errors.New("the record is damaged")
	ErrNewer  = errors.New("a newer release wrote the record")
)

// Winner says which attempt landed a batch, and whether a mark says so. The error is
// fs.ErrNotExist if that cannot be told.
func (r Book) Winner(ctx context.Context, flow string, batch int64, snap *table.Snapshot) (m Mark, marked bool, err error) {
	data, err := store.Read(ctx, r.Data, r.markKey(flow, batch))
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &m); err != nil {
			return m, true, fmt.Errorf("%w: %s: %w", ErrBroken, r.markKey(flow, batch), err)
		}
		return m, true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return m, false, err
	}
	m, err = r.committed(ctx, flow, batch, snap)
	return m, false, err
}

// Read reads the record under a key.
func (r Book) Read(ctx context.Context, key string) (*Attempt, error) {
	data, err := store.Read(ctx, r.Data, key)
	if err != nil {
		return nil, err
	}
	a := &Attempt{}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrBroken, key, err)
	}
	if a.Format > Format {
		return nil, fmt.Errorf("%w: format %d, and this program knows %d", ErrNewer, a.Format, Format)
	}
	return a, nil
}

// committed asks the log which attempt landed a batch.
func (r Book) committed(ctx context.Context, flow string, batch int64, snap *table.Snapshot) (Mark, error) {
	for v := snap.Version; v >= 0; v-- {
		for c, err := range r.Table.Commits(ctx, v, v) {
			if errors.Is(err, table.ErrCleaned) {
				return Mark{}, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
			}
			if err != nil {
				return Mark{}, err
			}
			if c.App == App(flow) && c.Batch == batch {
				return Mark{Format: Format, Attempt: c.Attempt, Version: v}, nil
			}
		}
	}
	return Mark{}, fs.ErrNotExist
}

// SetMark notes which attempt landed a batch.
func (r Book) SetMark(ctx context.Context, flow string, batch int64, m Mark) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := r.Data.Create(ctx, r.markKey(flow, batch), data); !errors.Is(err, store.ErrExist) {
		return err
	}
	return nil
}

// Write keeps the record of an attempt, before its commit.
func (r Book) Write(ctx context.Context, a *Attempt) error {
	return r.create(ctx, r.AttemptKey(a.Flow, a.Batch, a.ID), a)
}

// Fail keeps the record of a batch of which nothing was written because of a rule.
func (r Book) Fail(ctx context.Context, a *Attempt) error {
	return r.create(ctx, fmt.Sprintf("%s/%s/attempts/%08d-%s/failed.json", folder, KeyPart(a.Flow), a.Batch, a.ID), a)
}

// Look keeps what a rule said of the table as it is, once until there is another batch.
func (r Book) Look(ctx context.Context, rule string, a *Attempt) error {
	err := r.create(ctx, fmt.Sprintf("%s/%s/looks/%08d-%s.json", folder, KeyPart(a.Flow), a.Batch, KeyPart(rule)), a)
	if errors.Is(err, store.ErrExist) {
		return nil
	}
	return err
}

func (r Book) create(ctx context.Context, key string, a *Attempt) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return r.Data.Create(ctx, key, data)
}

// Begun tells whether a pipeline began to make a table in the folder.
func (r Book) Begun(ctx context.Context) (bool, error) {
	_, err := r.Data.Stat(ctx, begunKey)
	if errors.Is(err, store.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// ConfigKey says in a table's configuration which pipeline makes it, AnewKey which attempt
// made it anew last.
const (
	ConfigKey = "landfall.pipeline"
	AnewKey   = "landfall.pipeline.anew"
)

// URL is the place of the records, for people.
func (r Book) URL() string { return r.Data.URL(folder) }
