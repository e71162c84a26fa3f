package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Format is the format version of the records of a flow. Those of a newer one are refused.
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

// mark says which attempt landed a batch. It is a hint: without it the log is asked.
type mark struct {
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

// begin notes that a pipeline makes a table in the folder, before it writes anything else.
func (r records) begin(ctx context.Context, pipeline string) error {
	data, err := json.Marshal(begun{Format: Format, Pipeline: pipeline})
	if err != nil {
		return err
	}
	if err := r.data.Create(ctx, begunKey, data); !errors.Is(err, store.ErrExist) {
		return err
	}
	return nil
}

// app names a flow in the log of its table.
func app(flow string) string { return appPrefix + flow }

const appPrefix = "landfall/flow/"

// records are what flows keep in the folder of a dataset's table.
type records struct {
	data  store.Store
	table table.Table
}

func (records) attemptKey(flow string, batch int64, id string) string {
	return fmt.Sprintf("%s/%s/attempts/%08d-%s/attempt.json", folder, keyPart(flow), batch, id)
}

func (records) markKey(flow string, batch int64) string {
	return fmt.Sprintf("%s/%s/marks/%08d.json", folder, keyPart(flow), batch)
}

// keyPart is a name of a flow as a part of a key.
func keyPart(name string) string {
	out := []byte(name)
	for i, c := range out {
		if c == '/' || c == '\\' || c == 0 || c < ' ' {
			out[i] = '_'
		}
	}
	return string(out)
}

// landed returns the attempt that the table holds of a batch.
func (r *runner) landed(ctx context.Context, flow string, batch int64, snap *table.Snapshot) (*Attempt, error) {
	m, marked, err := r.winner(ctx, flow, batch, snap)
	if err != nil {
		return nil, r.illegible(flow, batch, err)
	}
	a, err := r.attempt(ctx, r.attemptKey(flow, batch, m.Attempt))
	if err != nil {
		return nil, r.illegible(flow, batch, err)
	}
	a.Event.TableVersion = m.Version
	if marked {
		return a, nil
	}
	return a, r.mark(ctx, flow, batch, m)
}

// errBroken says that a record is there and cannot be read, errNewer that a newer release
// wrote it.
var (
	errBroken = errors.New("the record is damaged")
	errNewer  = errors.New("a newer release wrote the record")
)

// winner says which attempt landed a batch, and whether a mark says so. The error is
// fs.ErrNotExist if that cannot be told.
func (r records) winner(ctx context.Context, flow string, batch int64, snap *table.Snapshot) (m mark, marked bool, err error) {
	data, err := store.Read(ctx, r.data, r.markKey(flow, batch))
	switch {
	case err == nil:
		if err := json.Unmarshal(data, &m); err != nil {
			return m, true, fmt.Errorf("%w: %s: %w", errBroken, r.markKey(flow, batch), err)
		}
		return m, true, nil
	case !errors.Is(err, fs.ErrNotExist):
		return m, false, err
	}
	m, err = r.committed(ctx, flow, batch, snap)
	return m, false, err
}

// attempt reads the record of one.
func (r records) attempt(ctx context.Context, key string) (*Attempt, error) {
	data, err := store.Read(ctx, r.data, key)
	if err != nil {
		return nil, err
	}
	a := &Attempt{}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errBroken, key, err)
	}
	if a.Format > Format {
		return nil, fmt.Errorf("%w: format %d, and this program knows %d", errNewer, a.Format, Format)
	}
	return a, nil
}

// illegible says what to do about a record that cannot be read.
func (r *runner) illegible(flow string, batch int64, err error) error {
	switch {
	case errors.Is(err, errNewer):
		return r.problem(diag.PipelineState, "%s: %v", r.dataset.Name, err).Hinted("run it with the newer release that wrote it")
	case errors.Is(err, errBroken), errors.Is(err, fs.ErrNotExist):
		return r.lost(flow, batch, err)
	}
	return err
}

// lost is the problem of records that are gone while the table is there.
func (r *runner) lost(flow string, batch int64, err error) error {
	return r.problem(diag.PipelineState, "%s: the record of batch %d of flow %s is gone from %s, and the table holds its rows", r.dataset.Name, batch, flow, r.data.URL(folder)).
		Because(err).Hinted("put the folder back from a backup; or make the table anew from all that its sources have: landfall run --full-refresh %s", r.dataset.Name)
}

// committed asks the log which attempt landed a batch.
func (r records) committed(ctx context.Context, flow string, batch int64, snap *table.Snapshot) (mark, error) {
	for v := snap.Version; v >= 0; v-- {
		for c, err := range r.table.Commits(ctx, v, v) {
			if errors.Is(err, table.ErrCleaned) {
				return mark{}, fmt.Errorf("%w: %w", fs.ErrNotExist, err)
			}
			if err != nil {
				return mark{}, err
			}
			if c.App == app(flow) && c.Batch == batch {
				return mark{Format: Format, Attempt: c.Attempt, Version: v}, nil
			}
		}
	}
	return mark{}, fs.ErrNotExist
}

// mark notes which attempt landed a batch.
func (r records) mark(ctx context.Context, flow string, batch int64, m mark) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := r.data.Create(ctx, r.markKey(flow, batch), data); !errors.Is(err, store.ErrExist) {
		return err
	}
	return nil
}

// write keeps the record of an attempt, before its commit.
func (r records) write(ctx context.Context, a *Attempt) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return r.data.Create(ctx, r.attemptKey(a.Flow, a.Batch, a.ID), data)
}
