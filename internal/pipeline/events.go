package pipeline

import (
	"context"
	"errors"
	"math"

	"landfall/internal/event"
	"landfall/internal/sqlpipe"
	"landfall/internal/table"
)

// Since are the events of a dataset's batches after some of each flow, in order. after may
// be [math.MaxInt64] for a flow of which none are wanted.
func Since(ctx context.Context, job Job, d *sqlpipe.Dataset, after func(flow string) (int64, error)) ([]event.Dataset, error) {
	r := &runner{Job: job, dataset: d}
	var err error
	if r.data, err = job.Target(d.Name); err != nil {
		return nil, err
	}
	r.table = job.Open(r.data)
	snap, err := r.table.Snapshot(ctx)
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
		if from == math.MaxInt64 {
			continue
		}
		for n := from + 1; n <= snap.Txns[app(f.Name)]; n++ {
			a, err := r.landed(ctx, f.Name, n, snap)
			if err != nil {
				return nil, err
			}
			out = append(out, a.Event)
		}
	}
	return out, nil
}
