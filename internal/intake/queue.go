package intake

import (
	"context"
	"sync"

	"landfall/internal/datafile"
)

// queue hands units out in their order, and packs what comes of them in the same
// order, whoever is done first. What waits for a unit before it is in memory, so
// that only so many are out at a time.
type queue struct {
	units int
	slots chan struct{}
	// idle holds one for each worker that has no unit and helps nobody.
	idle chan struct{}
	pack func(ctx context.Context, unit int, l datafile.Load) error

	mu             sync.Mutex
	handed, packed int
	waiting        map[int]datafile.Load
}

// newQueue returns a queue for workers of which as many as there are units have one.
// There is room in it for the loads of out units.
func newQueue(units, workers, out int, pack func(ctx context.Context, unit int, l datafile.Load) error) *queue {
	q := &queue{units: units, slots: make(chan struct{}, out), idle: make(chan struct{}, workers), pack: pack, waiting: map[int]datafile.Load{}}
	for range workers - units {
		q.idle <- struct{}{}
	}
	return q
}

// next returns a unit that nobody has; more is false if there is none left. While it
// waits for its turn, and when there is none, the worker is one of the idle.
func (q *queue) next(ctx context.Context) (unit int, more bool, err error) {
	select {
	case q.slots <- struct{}{}:
	default:
		if err := q.wait(ctx); err != nil {
			return 0, false, err
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.handed == q.units {
		<-q.slots
		q.idle <- struct{}{}
		return 0, false, nil
	}
	q.handed++
	return q.handed - 1, true, nil
}

// wait waits for a turn, and then for whoever took the worker meanwhile.
func (q *queue) wait(ctx context.Context) error {
	q.idle <- struct{}{}
	select {
	case q.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-q.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// done takes what came of a unit, and packs all whose turn it is.
func (q *queue) done(ctx context.Context, unit int, l datafile.Load) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting[unit] = l
	for {
		l, ready := q.waiting[q.packed]
		if !ready {
			return nil
		}
		delete(q.waiting, q.packed)
		if err := q.pack(ctx, q.packed, l); err != nil {
			return err
		}
		q.packed++
		<-q.slots
	}
}
