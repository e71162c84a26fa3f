package pipeline

import (
	"context"
	"errors"
	"io/fs"

	"landfall/internal/diag"
	"landfall/internal/pipeline/record"
	"landfall/internal/table"
)

// landed returns the attempt that the table holds of a batch.
func (r *runner) landed(ctx context.Context, flow string, batch int64, snap *table.Snapshot) (*record.Attempt, error) {
	m, marked, err := r.book.Winner(ctx, flow, batch, snap)
	if err != nil {
		return nil, r.illegible(flow, batch, err)
	}
	a, err := r.book.Read(ctx, r.book.AttemptKey(flow, batch, m.Attempt))
	if err != nil {
		return nil, r.illegible(flow, batch, err)
	}
	a.Event.TableVersion = m.Version
	if marked {
		return a, nil
	}
	return a, r.book.SetMark(ctx, flow, batch, m)
}

// illegible says what to do about a record that cannot be read.
func (r *runner) illegible(flow string, batch int64, err error) error {
	switch {
	case errors.Is(err, record.ErrNewer):
		return r.problem(diag.PipelineState, "%s: %v", r.dataset.Name, err).Hinted("run it with the newer release that wrote it")
	case errors.Is(err, record.ErrBroken), errors.Is(err, fs.ErrNotExist):
		return r.lost(flow, batch, err)
	}
	return err
}

// lost is the problem of records that are gone while the table is there.
func (r *runner) lost(flow string, batch int64, err error) error {
	return r.problem(diag.PipelineState, "%s: the record of batch %d of flow %s is gone from %s, and the table holds its rows", r.dataset.Name, batch, flow, r.book.URL()).
		Because(err).Hinted("put the folder back from a backup; or make the table anew from all that its sources have: landfall run --full-refresh %s", r.dataset.Name)
}
