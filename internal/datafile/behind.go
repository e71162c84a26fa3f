package datafile

import (
	"context"

	"landfall/internal/column"
)

// behind writes the rows of a large object in a goroutine of its own where somebody is
// idle, so that whoever reads the object goes on meanwhile. What is written is the same.
type behind struct {
	*stream
	// on says that somebody is idle.
	on bool
	// Batches go around: those that are full are written and come back free. full is
	// nil while nothing is written; ended then has the error of all.
	full, free chan *handed
	ended      chan error
}

// handed is a batch that was handed over; err says why it was not written.
type handed struct {
	column.Copy
	batch column.Batch
	err   error
}

// aheadBatches is how many batches may wait or be written.
const aheadBatches = 3

// write adds the rows of b, of which it keeps nothing. Its error may be that of a batch
// before.
func (w *behind) write(ctx context.Context, b column.Batch) error {
	if !w.on {
		return w.stream.write(ctx, b)
	}
	if w.full == nil {
		w.begin(ctx)
	}
	h := <-w.free
	if h.err != nil {
		w.free <- h
		return h.err
	}
	h.batch = h.Of(b)
	w.full <- h
	return nil
}

func (w *behind) begin(ctx context.Context) {
	w.full, w.ended = make(chan *handed, aheadBatches), make(chan error, 1)
	if w.free == nil {
		w.free = make(chan *handed, aheadBatches)
		for range aheadBatches {
			w.free <- &handed{}
		}
	}
	full := w.full
	go func() {
		var err error
		for h := range full {
			if err == nil {
				err = w.stream.write(ctx, h.batch)
			}
			h.err = err
			w.free <- h
		}
		w.ended <- err
	}()
}

// wait returns when all that was handed over is written.
func (w *behind) wait() error {
	if w.full == nil {
		return nil
	}
	close(w.full)
	w.full = nil
	err := <-w.ended
	for range aheadBatches { // for the next object
		h := <-w.free
		h.err = nil
		w.free <- h
	}
	return err
}

// finish ends the last file and returns all.
func (w *behind) finish(ctx context.Context) ([]File, error) {
	if err := w.wait(); err != nil {
		return nil, err
	}
	return w.stream.finish(ctx)
}

// abort drops what is not finished. Finished files stay in the store, unreferenced.
func (w *behind) abort(ctx context.Context) error {
	_ = w.wait() // of what is dropped
	return w.stream.abort(ctx)
}
