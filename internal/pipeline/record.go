package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

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
	// Query is the text of the query, in one layout.
	Query string `json:"query"`
	// Sources are how far each table was read.
	Sources []Offset `json:"sources"`
	// Files are the data files that it wrote, with where their rows come from.
	Files []DataFile `json:"files"`
	// Event is what there is to tell of it.
	Event event.Dataset `json:"event"`
}

// Offset is how far a table was read.
type Offset struct {
	// Table is its name in the query, TableID metaData.id.
	Table   string `json:"table"`
	TableID string `json:"table_id"`
	Version int64  `json:"version"`
	// Files are the data files of a stream that were read.
	Files []string `json:"files,omitempty"`
}

// DataFile is a data file of the dataset. Its rows come in runs, in the order of Parts; a
// file that was written again has no parts, and keeps those of the file Of, less what was
// taken out of them.
type DataFile struct {
	Path  string `json:"path"`
	Rows  int64  `json:"rows"`
	Parts []Part `json:"parts,omitempty"`
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
}

// app names a flow in the log of its table.
func app(flow string) string { return "landfall/flow/" + flow }

func (r *runner) attemptKey(flow string, batch int64, id string) string {
	return fmt.Sprintf("%s/%s/attempts/%08d-%s/attempt.json", folder, keyPart(flow), batch, id)
}

func (r *runner) markKey(flow string, batch int64) string {
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
	id := ""
	data, err := store.Read(ctx, r.data, r.markKey(flow, batch))
	switch {
	case err == nil:
		var m mark
		if err := json.Unmarshal(data, &m); err != nil {
			return nil, r.lost(flow, batch, err)
		}
		id = m.Attempt
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	default:
		if id, err = r.committed(ctx, flow, batch, snap); err != nil {
			return nil, err
		}
	}
	a, err := r.attempt(ctx, flow, batch, id)
	if err != nil {
		return nil, err
	}
	return a, r.mark(ctx, flow, batch, id)
}

// attempt reads the record of one.
func (r *runner) attempt(ctx context.Context, flow string, batch int64, id string) (*Attempt, error) {
	data, err := store.Read(ctx, r.data, r.attemptKey(flow, batch, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, r.lost(flow, batch, err)
	}
	if err != nil {
		return nil, err
	}
	a := &Attempt{}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, r.lost(flow, batch, err)
	}
	if a.Format > Format {
		return nil, r.problem(diag.PipelineState, "%s: its records have format %d, and this program knows %d", r.dataset.Name, a.Format, Format).
			Hinted("run it with the newer release that wrote them")
	}
	return a, nil
}

// lost is the problem of records that are gone while the table is there.
func (r *runner) lost(flow string, batch int64, err error) error {
	return r.problem(diag.PipelineState, "%s: the record of batch %d of flow %s is gone from %s, and the table holds its rows", r.dataset.Name, batch, flow, r.data.URL(folder)).
		Because(err).Hinted("put the folder back from a backup; or make the table anew from all that its sources have: landfall run --full-refresh %s", r.dataset.Name)
}

// committed asks the log which attempt landed a batch.
func (r *runner) committed(ctx context.Context, flow string, batch int64, snap *table.Snapshot) (string, error) {
	for v := snap.Version; v >= 0; v-- {
		for c, err := range r.table.Commits(ctx, v, v) {
			if errors.Is(err, table.ErrCleaned) {
				return "", r.lost(flow, batch, err)
			}
			if err != nil {
				return "", err
			}
			if c.App == app(flow) && c.Batch == batch {
				return c.Attempt, nil
			}
		}
	}
	return "", r.lost(flow, batch, nil)
}

// mark notes which attempt landed a batch.
func (r *runner) mark(ctx context.Context, flow string, batch int64, id string) error {
	data, err := json.Marshal(mark{Format: Format, Attempt: id})
	if err != nil {
		return err
	}
	if err := r.data.Create(ctx, r.markKey(flow, batch), data); !errors.Is(err, store.ErrExist) {
		return err
	}
	return nil
}

// write keeps the record of an attempt, before its commit.
func (r *runner) write(ctx context.Context, a *Attempt) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return r.data.Create(ctx, r.attemptKey(a.Flow, a.Batch, a.ID), data)
}
