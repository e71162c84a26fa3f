package fault

import (
	"context"
	"iter"

	"landfall/internal/store"
)

// URL implements [store.Store]; it asks nothing of the store, so it never fails.
func (s *Store) URL(key string) string { return s.s.URL(key) }

// List implements [store.Store].
func (s *Store) List(ctx context.Context, prefix, after string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		if err := s.call(List, prefix, func() error { return nil }); err != nil {
			yield(store.Info{}, err)
			return
		}
		for info, err := range s.s.List(ctx, prefix, after) {
			if err == nil {
				err = s.call(Next, info.Key, func() error { return nil })
			}
			if err != nil {
				yield(store.Info{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

// Stat implements [store.Store].
func (s *Store) Stat(ctx context.Context, key string) (info store.Info, err error) {
	err = s.call(Stat, key, func() (err error) {
		info, err = s.s.Stat(ctx, key)
		return err
	})
	if err != nil {
		return store.Info{}, err
	}
	return info, nil
}

// Open implements [store.Store].
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	var o store.Object
	err := s.call(Open, key, func() (err error) {
		o, err = s.s.Open(ctx, key)
		return err
	})
	if err == nil {
		return &object{Object: o, read: func(p []byte, off int64) (n int, err error) {
			err = s.call(Read, key, func() (err error) {
				n, err = o.ReadAt(p, off)
				return err
			})
			return n, err
		}}, nil
	}
	if o != nil { // opened, but nobody will know it
		_ = o.Close()
	}
	return nil, err
}

type object struct {
	store.Object
	read func(p []byte, off int64) (int, error)
}

func (o *object) ReadAt(p []byte, off int64) (int, error) { return o.read(p, off) }

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	return s.call(Create, key, func() error { return s.s.Create(ctx, key, data) })
}

// Replace implements [store.Store].
func (s *Store) Replace(ctx context.Context, key string, data []byte) error {
	return s.call(Replace, key, func() error { return s.s.Replace(ctx, key, data) })
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string) error {
	return s.call(Delete, key, func() error { return s.s.Delete(ctx, key) })
}

// Upload implements [store.Store]. An upload whose beginning was answered by an
// error stays with the store for ever, as one does that nobody knows of.
func (s *Store) Upload(ctx context.Context, key string) (store.Upload, error) {
	var u store.Upload
	err := s.call(Upload, key, func() (err error) {
		u, err = s.s.Upload(ctx, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &upload{s: s, u: u, key: key, write: func(p []byte) (n int, err error) {
		err = s.call(Write, key, func() (err error) {
			n, err = u.Write(p)
			return err
		})
		return n, err
	}}, nil
}

type upload struct {
	s     *Store
	u     store.Upload
	key   string
	write func(p []byte) (int, error)
}

func (u *upload) Write(p []byte) (int, error) { return u.write(p) }

func (u *upload) Commit(ctx context.Context) (info store.Info, err error) {
	err = u.s.call(Commit, u.key, func() (err error) {
		info, err = u.u.Commit(ctx)
		return err
	})
	if err != nil {
		return store.Info{}, err
	}
	return info, nil
}

// Abort is no call of its own: a writer that was told of a fault cleans up. Only
// a crashed one does not.
func (u *upload) Abort(ctx context.Context) error {
	if u.s.Crashed() {
		return ErrCrashed
	}
	return u.u.Abort(ctx)
}
