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
// and no other. It goes after the outputs are in their place, and may be repeated: what it
// has done it does not do again. A file that changed since it was read stays where it is,
// as an error.
func (s *Supply) Finish(ctx context.Context) error {
	if !s.source.Purge && s.source.MoveTo == "" {
		return nil
	}
	if err := s.Same(ctx); err != nil {
		return err
	}
	var problems diag.List
	for i := range s.Files {
		f := &s.Files[i]
		if f.gone {
			continue
		}
		var err error
		if s.source.Purge {
			err = s.store.Delete(ctx, f.Path)
		} else {
			err = s.move(f.Path)
		}
		if err != nil {
			problems.Add(diag.New(diag.NoPermission, "source %s: the file was read, but it cannot be moved away", s.source.Name).In(diag.Place{File: f.Path}).Because(err).
				Hinted("move it by hand, or the next run reads it again"))
			continue
		}
		f.gone = true
	}
	return problems.Err()
}

// movable refuses what cannot be moved after the run as the source says.
func (s *Supply) movable(ctx context.Context) error {
	if s.source.MoveTo == "" {
		return nil
	}
	var problems diag.List
	for _, f := range s.Files {
		to, ok := s.moved(f.Path)
		if !ok {
			problems.Add(diag.New(diag.FlowInput, "source %s: found a file outside of %s, from where moveFiles moves", s.source.Name, diag.Quote(s.source.MoveFrom)).In(diag.Place{File: f.Path}).
				Hinted("name the folder that holds all files of the source"))
			continue
		}
		if to == f.Path {
			problems.Add(diag.New(diag.FlowInput, "source %s: found moveFiles from and to %s, want two folders", s.source.Name, diag.Quote(s.source.MoveTo)).In(s.source.At).
				Hinted("move the files where the source does not read"))
			break
		}
		if _, err := s.store.Stat(ctx, to); err == nil {
			problems.Add(diag.New(diag.FlowInput, "source %s: moveFiles finds another file at %s", s.source.Name, diag.Quote(to)).In(diag.Place{File: f.Path}).
				Hinted("move that one away first; it is not overwritten"))
		}
	}
	return problems.Err()
}

// moved is where a file goes; false if it lies outside of what is moved.
func (s *Supply) moved(key string) (string, bool) {
	below := key
	if s.source.MoveFrom != "" {
		var ok bool
		if below, ok = strings.CutPrefix(key, s.source.MoveFrom+"/"); !ok {
			return "", false
		}
	}
	return path.Join(s.source.MoveTo, below), true
}

// move gives a file its new path. It is under both for a moment, never under none, and
// another file that is there already stays.
func (s *Supply) move(key string) error {
	places, ok := s.store.(store.Localizer)
	if !ok {
		return errors.New("the store is not on this machine")
	}
	target, ok := s.moved(key)
	if !ok {
		return errors.New("it lies outside of the folder that is moved from")
	}
	from, to := places.LocalPath(key), places.LocalPath(target)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if sameFile(filepath.Dir(from), filepath.Dir(to)) {
		return errors.New("both folders are one")
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
