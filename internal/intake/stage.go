package intake

import (
	"context"

	"landfall/internal/column"
)

const (
	// alone is how many slabs of an object one worker takes by itself: of a small file
	// all, so that nothing of it is copied.
	alone = 4
	// ahead is how many slabs, and how many batches, of one object wait in memory for the
	// next stage.
	ahead = 3
	// longest is the size from which on a slab, which has a very long record, is not
	// copied: it waits for the others and is taken alone.
	longest = 16 << 20
)

// stage does one step of reading an object on another goroutine, slab by slab in their
// order. So what comes of the object is what one worker makes of it.
type stage struct {
	jobs  chan job
	spare chan *column.Copy
	over  chan struct{}
	ended bool
	// err is the first of a job, after which none is done. It may be read once over is
	// closed.
	err error
}

// job is something to do with what is in a copy.
type job struct {
	copied *column.Copy
	do     func() error
}

// newStage returns a stage, which whoever begins it ends.
func newStage() *stage {
	s := &stage{jobs: make(chan job, ahead), spare: make(chan *column.Copy, ahead), over: make(chan struct{})}
	for range ahead {
		s.spare <- new(column.Copy)
	}
	go s.run()
	return s
}

func (s *stage) run() {
	defer close(s.over)
	for j := range s.jobs {
		if s.err = j.do(); s.err != nil {
			return
		}
		s.spare <- j.copied
	}
}

// give has the stage do what copied makes of a copy, when there is one. It returns the
// error of a job before.
func (s *stage) give(ctx context.Context, copied func(*column.Copy) func() error) error {
	select {
	case c := <-s.spare:
		s.jobs <- job{c, copied(c)} // there is room for as many as there are copies
		return nil
	case <-s.over:
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// end waits until all is done, and returns the error of the jobs. It may be called
// again, and on nil.
func (s *stage) end() error {
	if s == nil {
		return nil
	}
	if !s.ended {
		s.ended = true
		close(s.jobs)
	}
	<-s.over
	return s.err
}

// next takes the next slab: here, or on the stage that does so.
func (d *decoding) next(ctx context.Context, s *column.Slab) error {
	if d.slabs++; len(s.Data) > longest {
		if err := d.join(); err != nil {
			return err
		}
	} else if d.slabs > alone {
		d.spread()
	}
	if d.fitting == nil {
		return d.slab(ctx, s)
	}
	return d.fitting.give(ctx, func(c *column.Copy) func() error {
		own := c.Slab(s)
		return func() error { return d.slab(ctx, own) }
	})
}

// spread takes a worker that has nothing to do, if there is one, for a stage of its own:
// first for encoding, which is about half of the work, then for fitting.
func (d *decoding) spread() {
	if d.src.Typed || d.fitting != nil {
		return
	}
	select {
	case <-d.idle:
		if d.writing == nil {
			d.writing = newStage()
		} else {
			d.fitting = newStage()
		}
	default:
	}
}

// write writes rows: here, or on the stage that does so.
func (d *decoding) write(ctx context.Context, b column.Batch) error {
	if d.writing == nil {
		return d.encode(ctx, b)
	}
	return d.writing.give(ctx, func(c *column.Copy) func() error {
		own := c.Batch(b)
		return func() error { return d.encode(ctx, own) }
	})
}

// join waits for the stages, and lets their workers go. It returns what the first of
// them met, as if the slabs had been taken one by one.
func (d *decoding) join() error {
	err := d.fitting.end()
	if wrote := d.writing.end(); err == nil {
		err = wrote
	}
	for _, s := range []*stage{d.fitting, d.writing} {
		if s != nil {
			d.idle <- struct{}{}
		}
	}
	d.fitting, d.writing = nil, nil
	return err
}
