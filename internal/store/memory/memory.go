// Package memory keeps objects in memory.
//
// It is a real store, not a stand-in: the same suite holds for it as for every
// other one. Its copies show what another process would find after a crash.
package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"landfall/internal/store"
)

// Store is a store in memory.
type Store struct {
	clock func() time.Time

	mu      sync.Mutex
	objects map[string]content
	writes  uint64 // counts writes; the source of versions
	pending int
}

// content is one version of an object; its data are never changed.
type content struct {
	info store.Info
	data []byte
}

// New returns an empty store. Modification times are read from clock; if it is
// nil, the n-th write has the time of 2000-01-01 plus n seconds.
func New(clock func() time.Time) *Store {
	return &Store{clock: clock, objects: map[string]content{}}
}

// Clone returns a copy that shares nothing with s from now on, but the clock.
func (s *Store) Clone() *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Store{clock: s.clock, objects: maps.Clone(s.objects), writes: s.writes}
}

// CrashClone returns what a power cut at this moment would leave: the objects
// that are committed. Uploads under way are gone. A Create or Replace under way
// is there as a whole or not at all. Writers of s cannot reach the copy.
func (s *Store) CrashClone() *Store { return s.Clone() }

// Keys returns all keys in ascending order.
func (s *Store) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Pending returns the number of uploads that were neither committed nor aborted.
func (s *Store) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending
}

// URL implements [store.Store].
func (s *Store) URL(key string) string {
	return (&url.URL{Scheme: "memory", Path: "/" + key}).String()
}

// List implements [store.Store]. It shows the store as it was at the start.
func (s *Store) List(ctx context.Context, prefix, after string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		for _, info := range s.infos(prefix, after) {
			if err := ctx.Err(); err != nil {
				yield(store.Info{}, fmt.Errorf("list %s: %w", s.URL(prefix), err))
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

func (s *Store) infos(prefix, after string) []store.Info {
	s.mu.Lock()
	defer s.mu.Unlock()
	var infos []store.Info
	for key, c := range s.objects {
		if strings.HasPrefix(key, prefix) && key > after {
			infos = append(infos, c.info)
		}
	}
	slices.SortFunc(infos, func(a, b store.Info) int { return strings.Compare(a.Key, b.Key) })
	return infos
}

// Stat implements [store.Store].
func (s *Store) Stat(ctx context.Context, key string) (store.Info, error) {
	c, err := s.find(ctx, key)
	if err != nil {
		return store.Info{}, fmt.Errorf("stat %s: %w", s.URL(key), err)
	}
	return c.info, nil
}

// Open implements [store.Store]. The object stays readable as it is, whatever
// happens to its key.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	c, err := s.find(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", s.URL(key), err)
	}
	return object{bytes.NewReader(c.data), c.info, ctx.Err}, nil
}

func (s *Store) find(ctx context.Context, key string) (content, error) {
	if err := errors.Join(ctx.Err(), store.CheckKey(key)); err != nil {
		return content{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.objects[key]
	if !ok {
		return content{}, store.ErrNotExist
	}
	return c, nil
}

// Create implements [store.Store].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	if _, err := s.put(ctx, key, bytes.Clone(data), false); err != nil {
		return fmt.Errorf("create %s: %w", s.URL(key), err)
	}
	return nil
}

// Replace implements [store.Store].
func (s *Store) Replace(ctx context.Context, key string, data []byte) error {
	if _, err := s.put(ctx, key, bytes.Clone(data), true); err != nil {
		return fmt.Errorf("replace %s: %w", s.URL(key), err)
	}
	return nil
}

// put takes over data.
func (s *Store) put(ctx context.Context, key string, data []byte, replace bool) (store.Info, error) {
	if err := errors.Join(ctx.Err(), store.CheckKey(key)); err != nil {
		return store.Info{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, taken := s.objects[key]; taken && !replace {
		return store.Info{}, store.ErrExist
	}
	s.writes++
	info := store.Info{
		Key: key, Size: int64(len(data)), ModTime: s.now(),
		Version: strconv.FormatUint(s.writes, 10),
	}
	s.objects[key] = content{info, data}
	return info, nil
}

func (s *Store) now() time.Time {
	if s.clock != nil {
		return s.clock()
	}
	return time.Date(2000, 1, 1, 0, 0, int(s.writes), 0, time.UTC)
}

// Delete implements [store.Store].
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := errors.Join(ctx.Err(), store.CheckKey(key)); err != nil {
		return fmt.Errorf("delete %s: %w", s.URL(key), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, key)
	return nil
}

// Upload implements [store.Store].
func (s *Store) Upload(ctx context.Context, key string) (store.Upload, error) {
	if err := errors.Join(ctx.Err(), store.CheckKey(key)); err != nil {
		return nil, fmt.Errorf("upload %s: %w", s.URL(key), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending++
	return &upload{s: s, key: key}, nil
}

type upload struct {
	s     *Store
	key   string
	data  []byte
	ended bool
}

var errEnded = errors.New("upload has ended")

func (u *upload) Write(p []byte) (int, error) {
	if u.ended {
		return 0, fmt.Errorf("write %s: %w", u.s.URL(u.key), errEnded)
	}
	u.data = append(u.data, p...)
	return len(p), nil
}

func (u *upload) Commit(ctx context.Context) (store.Info, error) {
	if u.ended {
		return store.Info{}, fmt.Errorf("commit %s: %w", u.s.URL(u.key), errEnded)
	}
	u.end()
	info, err := u.s.put(ctx, u.key, u.data, false)
	if err != nil {
		return store.Info{}, fmt.Errorf("commit %s: %w", u.s.URL(u.key), err)
	}
	return info, nil
}

func (u *upload) Abort(context.Context) error {
	if !u.ended {
		u.end()
		u.data = nil
	}
	return nil
}

func (u *upload) end() {
	u.ended = true
	u.s.mu.Lock()
	defer u.s.mu.Unlock()
	u.s.pending--
}

type object struct {
	data      *bytes.Reader
	info      store.Info
	cancelled func() error
}

var _ io.ReaderAt = object{}

func (o object) Info() store.Info { return o.info }

func (o object) ReadAt(p []byte, off int64) (int, error) {
	if err := o.cancelled(); err != nil {
		return 0, err
	}
	return o.data.ReadAt(p, off)
}

func (o object) Close() error { return nil }
