package duckdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/store"
)

// downloads bounds the files that are fetched at a time.
const downloads = 8

// locate returns a local path for each file of the view, one that DuckDB reads
// literally. Files of local stores are read where they lie.
func (s *session) locate(ctx context.Context, v engine.View) ([]string, error) {
	paths := make([]string, len(v.Files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(downloads)
	for i, f := range v.Files {
		path, err := localPath(v.Store, f.Path)
		if err != nil {
			return nil, errors.Join(err, group.Wait())
		}
		switch {
		case path == "":
			paths[i] = s.stagedName()
			group.Go(func() error { return fetch(ctx, v.Store, f.Path, paths[i]) })
		case isPattern(path):
			paths[i] = s.stagedName()
			if err := link(path, paths[i]); err != nil {
				return nil, errors.Join(fmt.Errorf("stage %s: %w", f.Path, err), group.Wait())
			}
			s.allowed = append(s.allowed, path) // DuckDB looks where the link leads
		default:
			paths[i] = path
			s.allowed = append(s.allowed, path)
		}
		s.keys[paths[i]] = f.Path
	}
	return paths, group.Wait()
}

func (s *session) stagedName() string {
	s.staged++
	return filepath.Join(s.files, strconv.Itoa(s.staged)+".parquet")
}

// localPath returns "" for a file that must be fetched.
func localPath(st store.Store, key string) (string, error) {
	if strings.Contains(key, "://") || strings.HasPrefix(key, "file:/") {
		u, err := url.Parse(key)
		if err != nil || u.Scheme != "file" {
			return "", diag.New(diag.FileUnreadable, "found a file in another store, want one in the table's own").
				In(diag.Place{File: key})
		}
		return filepath.FromSlash(u.Path), nil
	}
	l, ok := st.(store.Localizer)
	if !ok {
		return "", nil
	}
	path, err := filepath.Abs(l.LocalPath(key))
	if err != nil {
		return "", fmt.Errorf("locate %s: %w", key, err)
	}
	return path, nil
}

// link makes the file at path readable under another name, without a copy
// where the file system can.
func link(path, name string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if os.Symlink(path, name) == nil || os.Link(path, name) == nil {
		return nil
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // nothing was written
	return fill(name, in)
}

func fetch(ctx context.Context, st store.Store, key, name string) error {
	o, err := st.Open(ctx, key)
	if errors.Is(err, store.ErrNotExist) {
		return diag.New(diag.FileUnreadable, "the table lists this file, but it is gone").
			In(diag.Place{File: key}).Because(err)
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", key, err)
	}
	defer o.Close() //nolint:errcheck // nothing was written
	if err := fill(name, io.NewSectionReader(o, 0, o.Info().Size)); err != nil {
		return fmt.Errorf("stage %s: %w", key, err)
	}
	return nil
}

func fill(name string, from io.Reader) error {
	out, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Close())
}
