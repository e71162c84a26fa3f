// Package local keeps objects as files of a folder.
//
// A new object is written to a temporary file beside its place, synced, and
// given its name by link(2), which fails if the name is taken, in one step,
// for any number of processes. File systems without hard links are refused.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"landfall/internal/diag"
	"landfall/internal/store"
)

// Store is a folder of files.
type Store struct {
	root string // absolute
	top  string // the root as it was opened, of which root is part
	// link is os.Link, but for tests of file systems without it.
	link func(from, to string) error
	// open is openFolder, but for tests of file systems that are slow or fail.
	open func(path string) (*folder, error)
	// now tells how long the steps of a listing take, of which patience is enough.
	now      func() time.Time
	patience time.Duration
	// durable holds the folders from top down that were made sure of.
	durable *sync.Map
}

var _ store.Local = (*Store)(nil)

// Open returns the store of a folder. The folder may be missing; the first
// write makes it.
func Open(root string) (*Store, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", root, err)
	}
	return &Store{
		root: abs, top: abs, link: os.Link, open: openFolder, durable: new(sync.Map),
		now: time.Now, patience: patience, //nolint:forbidigo // decides how many threads list, never what they find
	}, nil
}

// Nest implements [store.Nester].
func (s *Store) Nest(folder string) store.Store {
	below := *s
	below.root = s.LocalPath(folder)
	return &below
}

// LocalPath implements [store.Localizer].
func (s *Store) LocalPath(key string) string {
	if key == "" {
		return s.root
	}
	return strings.TrimSuffix(s.root, "/") + "/" + key
}

// URL implements [store.Store].
func (s *Store) URL(key string) string {
	return (&url.URL{Scheme: "file", Path: s.LocalPath(key)}).String()
}

// CheckRoot implements [store.Folder].
func (s *Store) CheckRoot(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return s.fault("look for", "", err)
	}
	info, err := os.Stat(s.root)
	if err != nil {
		return s.fault("look for", "", err)
	}
	if !info.IsDir() {
		return diag.New(diag.FolderMissing, "%s is not a folder: found a file", s.root).
			Hinted("name the folder that holds the file")
	}
	return nil
}

// Stat implements [store.Store]. Folders, devices and pipes are no objects.
func (s *Store) Stat(ctx context.Context, key string) (store.Info, error) {
	info, err := s.stat(ctx, key)
	if err != nil {
		return store.Info{}, s.fault("stat", key, err)
	}
	return info, nil
}

func (s *Store) stat(ctx context.Context, key string) (store.Info, error) {
	if err := check(ctx, key); err != nil {
		return store.Info{}, err
	}
	fi, err := os.Stat(s.LocalPath(key))
	if err != nil {
		return store.Info{}, err
	}
	return infoOf(key, fi)
}

// infoOf describes a regular file; anything else is no object.
func infoOf(key string, fi fs.FileInfo) (store.Info, error) {
	m := metaOf(fi)
	if m.kind != aFile {
		return store.Info{}, store.ErrNotExist
	}
	return store.Info{Key: key, Size: m.size, ModTime: fi.ModTime(), Version: string(m.appendVersion(nil))}, nil
}

func metaOf(fi fs.FileInfo) meta {
	m := meta{
		kind: other, size: fi.Size(), sec: fi.ModTime().Unix(), nsec: int64(fi.ModTime().Nanosecond()), inode: inode(fi),
	}
	switch {
	case fi.Mode().IsRegular():
		m.kind = aFile
	case fi.IsDir():
		m.kind = aFolder
	}
	return m
}

// Open implements [store.Store]. The object's Info is that of the open file;
// its size and content may change while it is read.
func (s *Store) Open(ctx context.Context, key string) (store.Object, error) {
	// A pipe would block when opened, so the kind of file is seen first.
	if _, err := s.stat(ctx, key); err != nil {
		return nil, s.fault("open", key, err)
	}
	f, err := os.Open(s.LocalPath(key))
	if err != nil {
		return nil, s.fault("open", key, err)
	}
	info, err := statOpen(key, f)
	if err != nil {
		return nil, s.fault("open", key, errors.Join(err, f.Close()))
	}
	return &object{f: f, info: info, s: s, cancelled: ctx.Err}, nil
}

func statOpen(key string, f *os.File) (store.Info, error) {
	fi, err := f.Stat()
	if err != nil {
		return store.Info{}, err
	}
	return infoOf(key, fi)
}

// Delete implements [store.Store]. It is not synced: after a power cut the key
// may be back.
func (s *Store) Delete(ctx context.Context, key string) error {
	_, err := s.stat(ctx, key)
	if err == nil {
		err = os.Remove(s.LocalPath(key))
	}
	if err = s.fault("delete", key, err); errors.Is(err, store.ErrNotExist) {
		return nil
	}
	return err
}

type object struct {
	f         *os.File
	info      store.Info
	s         *Store
	cancelled func() error
}

func (o *object) Info() store.Info { return o.info }

func (o *object) ReadAt(p []byte, off int64) (int, error) {
	if err := o.cancelled(); err != nil {
		return 0, o.s.fault("read", o.info.Key, err)
	}
	n, err := o.f.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		err = o.s.fault("read", o.info.Key, err)
	}
	return n, err
}

func (o *object) Close() error { return o.s.fault("close", o.info.Key, o.f.Close()) }

// check refuses what no call may work on.
func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return store.CheckKey(key)
}
