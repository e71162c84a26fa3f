package pipeline

import (
	"context"
	"errors"
	"math"

	"landfall/internal/event"
	"landfall/internal/pipeline/record"
	"landfall/internal/sqlpipe"
	"landfall/internal/table"
)

// Stands is the number of the last batch of each flow of a dataset, 0 of one without any.
func Stands(ctx context.Context, job Job, d *sqlpipe.Dataset) (map[string]int64, error) {
	out := make(map[string]int64, len(d.Flows))
	data, err := job.Target(d.Name)
	if err != nil {
		return nil, err
	}
	snap, err := job.Open(data).Snapshot(ctx)
	if err != nil && !errors.Is(err, table.ErrNoTable) {
		return nil, err
	}
	for _, f := range d.Flows {
		if out[f.Name] = 0; snap != nil {
			out[f.Name] = snap.Txns[record.App(f.Name)]
		}
	}
	return out, nil
}

// Since are the events of a dataset's batches after some of each flow, in order: all, if the
// table began anew since. after may be [math.MaxInt64] for a flow of which none are wanted.
func Since(ctx context.Context, job Job, d *sqlpipe.Dataset, after func(flow string) (int64, error)) ([]event.Dataset, error) {
	r := &runner{Job: job, dataset: d}
	var err error
	if r.book.Data, err = job.Target(d.Name); err != nil {
		return nil, err
	}
	r.book.Table = job.Open(r.book.Data)
	snap, err := r.book.Table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []event.Dataset
	for _, f := range d.Flows {
		from, err := after(f.Name)
		if err != nil {
			return nil, err
		}
		last := snap.Txns[record.App(f.Name)]
		if from == math.MaxInt64 {
			continue
		}
		if from > last {
			from = 0
		}
		for n := from + 1; n <= last; n++ {
			a, err := r.landed(ctx, f.Name, n, snap)
			if err != nil {
				return nil, err
			}
			out = append(out, a.Event)
		}
	}
	return out, nil
}
