// Package store keeps named bytes: files of a folder, objects of a bucket.
//
// A store has one root; keys are slash-separated paths below it. The whole
// exactly-once protocol stands on one power: [Store.Create] makes a key only if
// it is absent, all of it or nothing, also when two processes race or the
// machine dies. A store that cannot promise this must refuse to open.
package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"time"
)

// Errors that implementations return or wrap. Everything else is a fault of
// the store itself.
var (
	// ErrNotExist: the key is absent.
	ErrNotExist = fs.ErrNotExist
	// ErrExist: Create or Commit found the key taken; nothing was changed.
	ErrExist = fs.ErrExist
	// ErrPermission: the store refuses this caller (403, EACCES).
	ErrPermission = fs.ErrPermission
	// ErrFull: no room left (ENOSPC, quota).
	ErrFull = errors.New("no space left")
	// ErrTransient marks a fault that may pass: a time-out, 503, a broken
	// connection. The call may or may not have done its work.
	ErrTransient = errors.New("transient fault of the store")
)

// Info describes an object at one moment.
type Info struct {
	Key     string
	Size    int64
	ModTime time.Time
	// Version tells two contents of one key apart: an ETag, or for local files
	// size, mtime in ns and inode. Opaque; equal means unchanged.
	Version string
}

// Object is an open object. The context given to Open governs its reads. The
// bytes are those of the version in Info, or ReadAt fails; local files, whose
// content can change underneath, are the exception: callers Stat again.
type Object interface {
	io.ReaderAt
	io.Closer
	Info() Info
}

// Upload receives the bytes of a new object. Nothing is visible under the key
// before Commit. Abort after Commit does nothing, so it may be deferred.
type Upload interface {
	io.Writer
	// Commit makes the object visible if its key is absent, durably, else
	// returns ErrExist. An error that is ErrTransient leaves it unknown
	// whether the object is there.
	Commit(ctx context.Context) (Info, error)
	// Abort drops what was written.
	Abort(ctx context.Context) error
}

// Store is safe for concurrent use. Keys are non-empty, valid UTF-8, without
// empty, "." or ".." elements.
type Store interface {
	// URL returns the address of a key ("" for the root) as people and other
	// tools write it: file:///…, s3://…
	URL(key string) string
	// List yields every object whose key starts with prefix and sorts after
	// the key `after` ("" for all), recursively, in ascending byte order of
	// keys. It ends after the first error. A missing folder yields nothing.
	List(ctx context.Context, prefix, after string) iter.Seq2[Info, error]
	// Stat describes one object; ErrNotExist if absent.
	Stat(ctx context.Context, key string) (Info, error)
	// Open opens an object for reading; ErrNotExist if absent.
	Open(ctx context.Context, key string) (Object, error)
	// Create makes an object of data if key is absent, durably and
	// atomically; ErrExist if taken. ErrTransient as for Upload.Commit.
	Create(ctx context.Context, key string, data []byte) error
	// Upload begins a large object.
	Upload(ctx context.Context, key string) (Upload, error)
	// Replace sets the content of a key whether present or not. Readers see
	// the old or the new content. Only for hints, never for truth.
	Replace(ctx context.Context, key string, data []byte) error
	// Delete removes a key; absent is no error. May be repeated.
	Delete(ctx context.Context, key string) error
}

// Read returns the whole content of an object that is known to be small.
func Read(ctx context.Context, s Store, key string) ([]byte, error) {
	o, err := s.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer o.Close() //nolint:errcheck // nothing was written
	buf := make([]byte, o.Info().Size)
	n, err := io.ReadFull(io.NewSectionReader(o, 0, int64(len(buf))), buf)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return buf[:n], nil
}
