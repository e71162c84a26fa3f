// Package retry repeats calls that a store answered with a transient fault.
//
// What reads, or sets the same thing again, is repeated as it is. What creates
// is not: the call may have done its work, and a blind second one would find
// its own object and report a lost race. So the key is read back first; what is
// there decides.
package retry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"landfall/internal/store"
)

// Policy says how often and when. The zero value is ready.
type Policy struct {
	// Tries is how often a call is made before its fault is final; 0 means 5.
	Tries int
	// Pause is the time before try 2, 3 …; nil means 100 ms, doubled each time up
	// to 10 s.
	Pause func(try int) time.Duration
	// Sleep waits, and returns early with the error of a cancelled context; nil
	// means to wait in real time.
	Sleep func(ctx context.Context, d time.Duration) error
}

// New returns s with its transient faults retried. It has the powers of s.
func New(s store.Store, p Policy) store.Store {
	if p.Tries == 0 {
		p.Tries = 5
	}
	if p.Pause == nil {
		p.Pause = pause
	}
	if p.Sleep == nil {
		p.Sleep = sleep
	}
	r := &retrier{s, p}
	if l, ok := s.(store.Local); ok {
		return &local{r, l}
	}
	return r
}

func pause(try int) time.Duration {
	return min(100*time.Millisecond<<min(try-2, 10), 10*time.Second)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

type retrier struct {
	s store.Store
	p Policy
}

// again decides after try number try has ended in err: nil means to try once
// more, after a pause that is over already.
func (r *retrier) again(ctx context.Context, try int, err error) error {
	if !errors.Is(err, store.ErrTransient) {
		return err
	}
	if try >= r.p.Tries {
		return fmt.Errorf("%d tries: %w", try, err)
	}
	if stop := r.p.Sleep(ctx, r.p.Pause(try+1)); stop != nil {
		return fmt.Errorf("%w, while waiting after: %w", stop, err)
	}
	return nil
}

// repeat makes a call until it succeeds or its fault is final.
func (r *retrier) repeat(ctx context.Context, call func() error) error {
	for try := 1; ; try++ {
		err := call()
		if err == nil {
			return nil
		}
		if err = r.again(ctx, try, err); err != nil {
			return err
		}
	}
}

func (r *retrier) URL(key string) string { return r.s.URL(key) }

// List goes on after the last key it has yielded.
func (r *retrier) List(ctx context.Context, prefix, after string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		after, try := after, 1
		for {
			var failed error
			for info, err := range r.s.List(ctx, prefix, after) {
				if failed = err; err != nil {
					break
				}
				after, try = info.Key, 1
				if !yield(info, nil) {
					return
				}
			}
			if failed == nil {
				return
			}
			if err := r.again(ctx, try, failed); err != nil {
				yield(store.Info{}, err)
				return
			}
			try++
		}
	}
}

func (r *retrier) Stat(ctx context.Context, key string) (info store.Info, err error) {
	err = r.repeat(ctx, func() (err error) {
		info, err = r.s.Stat(ctx, key)
		return err
	})
	return info, err
}

func (r *retrier) Open(ctx context.Context, key string) (store.Object, error) {
	var o store.Object
	err := r.repeat(ctx, func() (err error) {
		o, err = r.s.Open(ctx, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return object{o, func(p []byte, off int64) (n int, err error) {
		err = r.repeat(ctx, func() (err error) {
			n, err = o.ReadAt(p, off)
			return err
		})
		return n, err
	}}, nil
}

type object struct {
	store.Object
	read func(p []byte, off int64) (int, error)
}

func (o object) ReadAt(p []byte, off int64) (int, error) { return o.read(p, off) }

// Create repeats only what is proven absent.
func (r *retrier) Create(ctx context.Context, key string, data []byte) error {
	for try := 1; ; try++ {
		err := r.s.Create(ctx, key, data)
		// At the first try "exists" is another writer's; later it may be our own.
		settled := err == nil || try == 1 && errors.Is(err, store.ErrExist)
		if settled || !errors.Is(err, store.ErrExist) && !errors.Is(err, store.ErrTransient) {
			return err
		}
		ours, absent, lost := r.holds(ctx, key, data)
		switch {
		case lost != nil:
			return fmt.Errorf("%w; reading it back: %w", err, lost)
		case ours:
			return nil
		case !absent:
			return taken(key, r)
		}
		if err = r.again(ctx, try, err); err != nil {
			return err
		}
	}
}

func taken(key string, r *retrier) error {
	return fmt.Errorf("create %s: another writer was first: %w", r.s.URL(key), store.ErrExist)
}

// holds reports whether the key has these very bytes, or is absent.
func (r *retrier) holds(ctx context.Context, key string, data []byte) (ours, absent bool, err error) {
	info, err := r.Stat(ctx, key)
	if err == nil && info.Size == int64(len(data)) {
		var found []byte
		found, err = store.Read(ctx, r, key)
		ours = err == nil && bytes.Equal(found, data)
	}
	if errors.Is(err, store.ErrNotExist) {
		return false, true, nil
	}
	return ours, false, err
}

func (r *retrier) Replace(ctx context.Context, key string, data []byte) error {
	return r.repeat(ctx, func() error { return r.s.Replace(ctx, key, data) })
}

func (r *retrier) Delete(ctx context.Context, key string) error {
	return r.repeat(ctx, func() error { return r.s.Delete(ctx, key) })
}

// local is a retrier with the powers of a local store.
type local struct {
	*retrier
	l store.Local
}

var _ store.Local = (*local)(nil)

func (l *local) LocalPath(key string) string { return l.l.LocalPath(key) }

func (l *local) CheckRoot(ctx context.Context) error {
	return l.repeat(ctx, func() error { return l.l.CheckRoot(ctx) })
}

func (l *local) SweepTemp(ctx context.Context, olderThan time.Time) (int, error) {
	return l.l.SweepTemp(ctx, olderThan)
}

func (l *local) Nest(folder string) store.Store { return New(l.l.Nest(folder), l.p) }
