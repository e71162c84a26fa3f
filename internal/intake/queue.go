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
	pack  func(context.Context, datafile.Load) error

	mu             sync.Mutex
	handed, packed int
	waiting        map[int]datafile.Load
}

func newQueue(units, out int, pack func(context.Context, datafile.Load) error) *queue {
	return &queue{units: units, slots: make(chan struct{}, out), pack: pack, waiting: map[int]datafile.Load{}}
}

// next returns a unit that nobody has; more is false if there is none left.
func (q *queue) next(ctx context.Context) (unit int, more bool, err error) {
	select {
	case q.slots <- struct{}{}:
	case <-ctx.Done():
		return 0, false, ctx.Err()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.handed == q.units {
		<-q.slots
		return 0, false, nil
	}
	q.handed++
	return q.handed - 1, true, nil
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
		if err := q.pack(ctx, l); err != nil {
			return err
		}
		q.packed++
		<-q.slots
	}
}
