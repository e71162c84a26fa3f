// Package overlay lays a store over another that it never changes.
//
// What is written goes to the upper store, what is deleted is remembered, and
// what is read comes from the upper store or, where it has nothing, from the
// base. A table seen through an overlay can be landed in for show: everything
// happens as it would, and the base knows nothing of it.
package overlay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"landfall/internal/store"
)

// Store is a store over a base.
type Store struct {
	base, upper store.Store

	mu sync.Mutex
	// gone are keys that were deleted: those of the base are not seen any more.
	gone map[string]bool
	// written are keys that the upper store holds.
	written map[string]bool
}

// New lays upper, which must be empty, over base.
func New(base, upper store.Store) *Store {
	return &Store{base: base, upper: upper, gone: map[string]bool{}, written: map[string]bool{}}
}

// mine marks a version as one of the upper store, which may count its own as the
// base does.
func mine(info store.Info) store.Info {
	if info.Version != "" {
		info.Version = "overlay " + info.Version
	}
	return info
}

// note remembers that a key was written to the upper store. Where the store does
// not say whether it was, it may have been.
func (s *Store) note(key string, err error) {
	if err != nil && !errors.Is(err, store.ErrTransient) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.written[key] = true
}

func (s *Store) isGone(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone[key]
}

// URL implements [store.Store]: the address of the bytes, in whichever store
// they are.
func (s *Store) URL(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.written[key] {
		return s.upper.URL(key)
	}
	return s.base.URL(key)
}

// List implements [store.Store].
func (s *Store) List(ctx context.Context, prefix, after string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		nextUpper, stopUpper := iter.Pull2(s.upper.List(ctx, prefix, after))
		defer stopUpper()
		nextBase, stopBase := iter.Pull2(s.base.List(ctx, prefix, after))
		defer stopBase()
		above, err, isAbove := nextUpper()
		below, errBelow, isBelow := nextBase()
		for (isAbove || isBelow) && err == nil && errBelow == nil {
			if isAbove && (!isBelow || above.Key <= below.Key) {
				shadowed := isBelow && above.Key == below.Key
				if !yield(mine(above), nil) {
					return
				}
				above, err, isAbove = nextUpper()
				if shadowed {
					below, errBelow, isBelow = nextBase()
				}
				continue
			}
			if !s.isGone(below.Key) && !yield(below, nil) {
				return
			}
			below, errBelow, isBelow = nextBase()
		}
		if err := cmp.Or(err, errBelow); err != nil {
			yield(store.Info{}, err)
		}
	}
}

// Stat implements [store.Store].
func (s *Store) Stat(ctx context.Context, key string) (store.Info, error) {
	info, err := s.upper.Stat(ctx, key)
	if errors.Is(err, store.ErrNotExist) && !s.isGone(key) {
		return s.base.Stat(ctx, key)
	}
	return mine(info), err
}

// Open implements [store.Store].
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	o, err := s.upper.Open(ctx, key)
	if errors.Is(err, store.ErrNotExist) && !s.isGone(key) {
		return s.base.Open(ctx, key)
	}
	if err != nil {
		return nil, err
	}
	return object{o}, nil
}

type object struct{ store.Object }

func (o object) Info() store.Info { return mine(o.Object.Info()) }

// absent returns an error if the base holds a key that is still seen. The upper
// store itself decides among those who create a key in it.
func (s *Store) absent(ctx context.Context, key string) error {
	if err := errors.Join(ctx.Err(), store.CheckKey(key)); err != nil {
		return fmt.Errorf("create %s: %w", strings.ReplaceAll(key, "\n", " "), err)
	}
	if s.isGone(key) {
		return nil
	}
	_, err := s.base.Stat(ctx, key)
	switch {
	case err == nil:
		return fmt.Errorf("create %s: %w", s.base.URL(key), store.ErrExist)
	case errors.Is(err, store.ErrNotExist):
		return nil
	}
	return err
}

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	if err := s.absent(ctx, key); err != nil {
		return err
	}
	err := s.upper.Create(ctx, key, data)
	s.note(key, err)
	return err
}

// Replace implements [store.Store].
func (s *Store) Replace(ctx context.Context, key string, data []byte) error {
	err := s.upper.Replace(ctx, key, data)
	s.note(key, err)
	return err
}

// Delete implements [store.Store]. The base keeps what it has.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := s.upper.Delete(ctx, key); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone[key] = true
	delete(s.written, key)
	return nil
}

// Upload implements [store.Store].
func (s *Store) Upload(ctx context.Context, key string) (store.Upload, error) {
	u, err := s.upper.Upload(ctx, key)
	if err != nil {
		return nil, err
	}
	return &upload{u, s, key}, nil
}

type upload struct {
	store.Upload
	s   *Store
	key string
}

func (u *upload) Commit(ctx context.Context) (store.Info, error) {
	if err := u.s.absent(ctx, u.key); err != nil {
		return store.Info{}, err
	}
	info, err := u.Upload.Commit(ctx)
	u.s.note(u.key, err)
	return mine(info), err
}
