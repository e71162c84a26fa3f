package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"landfall/internal/diag"
	"landfall/internal/pipeline/record"
	"landfall/internal/store"
)

// Update is the record of a run of a pipeline in which something happened. It is written
// when the run ends: of one that died there is none.
type Update struct {
	Format   int       `json:"format"`
	ID       string    `json:"id"`
	Pipeline string    `json:"pipeline"`
	Began    time.Time `json:"began"`
	Ended    time.Time `json:"ended"`
	// State is COMPLETED, FAILED if a dataset failed, or CANCELED.
	State string `json:"state"`
	// Refresh names the datasets that were made anew on demand.
	Refresh []string `json:"full_refresh,omitempty"`
	// Datasets are those of which there is something to tell, in the order of the run.
	Datasets []DatasetUpdate `json:"datasets"`
}

// DatasetUpdate is what became of a dataset.
type DatasetUpdate struct {
	Dataset string `json:"dataset"`
	Status  Status `json:"status"`
	// Code and Message are those of the error.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// The states of a run that has ended.
const (
	completed = "COMPLETED"
	failed    = "FAILED"
	canceled  = "CANCELED"
)

func newUpdate(job Job) *Update {
	return &Update{Format: record.Format, ID: job.NewID(), Pipeline: job.Name, Began: job.Now().UTC(), State: completed, Refresh: slices.Sorted(maps.Keys(job.Refresh))}
}

// add notes what became of a dataset. What an engine says of a value is kept out if values
// are.
func (u *Update) add(o Outcome, redact bool) {
	if o.Status == Unchanged {
		return
	}
	d := DatasetUpdate{Dataset: o.Dataset.Name, Status: o.Status}
	if o.Err != nil {
		u.State = failed
		code := diag.CodeOf(o.Err)
		d.Code = string(code)
		if d.Message = reason(o.Err); redact && code == diag.QueryFailed {
			d.Message = "the query failed"
		}
	}
	u.Datasets = append(u.Datasets, d)
}

// keep writes the record, if there is something to tell.
func (u *Update) keep(ctx context.Context, job Job) error {
	if ctx.Err() != nil {
		u.State = canceled
	}
	if job.Runs == nil || len(u.Datasets) == 0 {
		return nil
	}
	u.Ended = job.Now().UTC()
	data, err := json.Marshal(u)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s%s-%s.json", runsFolder(u.Pipeline), u.Began.Format("20060102T150405.000Z"), u.ID)
	return job.Runs.Create(context.WithoutCancel(ctx), key, data)
}

func runsFolder(name string) string { return "_landfall/runs/" + record.KeyPart(name) + "/" }

// Updates are the records of the runs of a pipeline in a store, the oldest first.
func Updates(ctx context.Context, runs store.Store, name string) ([]Update, error) {
	var out []Update
	for info, err := range runs.List(ctx, runsFolder(name), "") {
		if err != nil {
			return nil, err
		}
		data, err := store.Read(ctx, runs, info.Key)
		if err != nil {
			return nil, err
		}
		var u Update
		if err := json.Unmarshal(data, &u); err != nil {
			return nil, record.Unreadable(runs.URL(info.Key), fmt.Errorf("%w: %w", record.ErrBroken, err))
		}
		if u.Format > record.Format {
			return nil, record.Unreadable(runs.URL(info.Key), fmt.Errorf("%w: format %d, and this program knows %d", record.ErrNewer, u.Format, record.Format))
		}
		out = append(out, u)
	}
	return out, nil
}
