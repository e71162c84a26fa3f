package supply

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/store"
)

// Finish does what the source says of files that were read: it moves or deletes them,
// and no other. It goes after the outputs are in their place, and may be repeated. A file
// that changed since it was read stays where it is, as an error.
func (s *Supply) Finish(ctx context.Context) error {
	if !s.source.Purge && s.source.MoveTo == "" {
		return nil
	}
	if err := s.Same(ctx); err != nil {
		return err
	}
	var problems diag.List
	for _, f := range s.Files {
		var err error
		if s.source.Purge {
			err = s.store.Delete(ctx, f.Path)
		} else {
			err = s.move(f.Path)
		}
		if err != nil {
			problems.Add(diag.New(diag.NoPermission, "source %s: the file was read, but it cannot be moved away", s.source.Name).In(diag.Place{File: f.Path}).Because(err).
				Hinted("move it by hand, or the next run reads it again"))
		}
	}
	return problems.Err()
}

// move gives a file its new path. It is under both for a moment, never under none, and
// another file that is there already stays.
func (s *Supply) move(key string) error {
	places, ok := s.store.(store.Localizer)
	if !ok {
		return errors.New("the store is not on this machine")
	}
	below := strings.TrimPrefix(strings.TrimPrefix(key, s.source.MoveFrom), "/")
	from, to := places.LocalPath(key), places.LocalPath(path.Join(s.source.MoveTo, below))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if err := os.Link(from, to); err != nil {
		if !errors.Is(err, fs.ErrExist) || !sameFile(from, to) {
			return err
		}
	}
	return os.Remove(from)
}

// sameFile tells whether two paths lead to one file.
func sameFile(a, b string) bool {
	ia, erra := os.Stat(a)
	ib, errb := os.Stat(b)
	return erra == nil && errb == nil && os.SameFile(ia, ib)
}
