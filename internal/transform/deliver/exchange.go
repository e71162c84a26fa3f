package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"landfall/internal/diag"
)

// recordFolder is the folder of a table in which runs are noted down.
const recordFolder = "_landfall"

// held are the files that a folder held, as they were, by path.
type held struct {
	// New tells the folder that was to take its place from any other.
	New   string            `json:"new"`
	Files map[string]string `json:"files"`
}

// publish puts what is in new into the folder: in place of all that it holds, or beside
// it. It returns how many files are gone.
func (s *stage) publish(ctx context.Context, disk Disk, truncate bool) (removed int, err error) {
	err = alone(ctx, filepath.Dir(s.folder), func() error {
		removed, err = s.publishAlone(ctx, disk, truncate)
		return err
	})
	return removed, err
}

func (s *stage) publishAlone(ctx context.Context, disk Disk, truncate bool) (int, error) {
	if err := s.syncTree(s.path("new")); err != nil {
		return 0, err
	}
	was, err := list(ctx, s.folder)
	if err != nil {
		return 0, err
	}
	if err := foreign(s.folder, was); err != nil {
		return 0, err
	}
	if len(was) == 0 {
		return 0, s.first(ctx, disk)
	}
	removed, err := s.keep(ctx, was, truncate)
	if err != nil {
		return 0, err
	}
	if err := s.writeHeld(was); err != nil {
		return 0, err
	}
	if err := disk.Exchange(ctx, s.folder, s.path("new")); err != nil {
		return 0, err
	}
	s.done = true
	if err := s.tellRuns(); err != nil {
		return removed, err
	}
	return removed, s.settle(ctx)
}

// first gives a folder that is absent, or without files, all that is new.
func (s *stage) first(ctx context.Context, disk Disk) error {
	if err := s.removeFolders(s.folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := disk.Publish(ctx, s.path("new"), s.folder); err != nil {
		return err
	}
	s.done = true
	return s.tellRuns()
}

// foreign refuses folders whose files a log lists, since those of a table would become
// invisible rows, or be torn out of it, and folders in which other runs work.
func foreign(folder string, was map[string]string) error {
	for path := range was {
		for part := range strings.SplitSeq(filepath.Dir(path), "/") {
			switch {
			case part == "_delta_log":
				return diag.New(diag.FlowInput, "found a Delta table, want a folder of files").In(diag.Place{File: filepath.Join(folder, path)}).
					Hinted("write to it as a table, with format: 'delta', or to another folder")
			case strings.HasPrefix(part, stagePrefix):
				return within(filepath.Join(folder, path), folder)
			}
		}
	}
	return nil
}

// keep links what stays of the folder into new, and counts what does not.
func (s *stage) keep(ctx context.Context, was map[string]string, truncate bool) (removed int, err error) {
	for path := range was {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if truncate {
			removed++
			continue
		}
		to := filepath.Join(s.path("new"), filepath.FromSlash(path))
		if err := s.mkdir(filepath.Dir(to)); err != nil {
			if errors.Is(err, syscall.ENOTDIR) {
				err = diag.New(diag.FlowInput, "found a folder where the output has a file of the same name").In(diag.Place{File: filepath.Join(s.folder, filepath.Dir(path))}).
					Hinted("move the files, or give the new one another name").Because(err)
			}
			return 0, err
		}
		err := s.link(filepath.Join(s.folder, filepath.FromSlash(path)), to)
		switch {
		case isFolder(to):
			return 0, diag.New(diag.FlowInput, "found a file where the output has a folder of the same name").In(diag.Place{File: filepath.Join(s.folder, path)}).
				Hinted("move the file, or give the folder another name")
		case errors.Is(err, fs.ErrExist):
			removed++ // a file of the same name takes its place
		case errors.Is(err, fs.ErrNotExist):
			removed++ // somebody deleted it meanwhile
		case err != nil:
			return 0, err
		}
	}
	if err := s.modeAsBefore(); err != nil {
		return 0, err
	}
	return removed, s.syncTree(s.path("new"))
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// modeAsBefore lets those into the new folder who were let into the old one.
func (s *stage) modeAsBefore() error {
	info, err := os.Stat(s.folder)
	if err != nil {
		return err
	}
	if err := s.ask("chmod", s.path("new")); err != nil {
		return err
	}
	return os.Chmod(s.path("new"), info.Mode())
}

// writeHeld notes what the folder held, before it is exchanged.
func (s *stage) writeHeld(was map[string]string) error {
	id, err := identity(s.path("new"))
	if err != nil {
		return err
	}
	data, err := json.Marshal(held{New: id, Files: was})
	if err != nil {
		return err
	}
	if err := s.write(s.path("old"), data, 0o600); err != nil {
		return err
	}
	return s.sync(s.dir)
}

// settle takes away what the folder held, if it was exchanged. A file that somebody wrote
// to it after it was listed goes into the folder.
func (s *stage) settle(ctx context.Context) error {
	data, err := os.ReadFile(s.path("old"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var h held
	if err := json.Unmarshal(data, &h); err != nil {
		return nil //nolint:nilerr // it was not whole before the power went, so nothing was exchanged
	}
	id, err := identity(s.path("new"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was taken away
	}
	if err != nil || id == h.New {
		return err // it was not exchanged
	}
	now, err := list(ctx, s.path("new"))
	if err != nil {
		return err
	}
	for path, version := range now {
		from := filepath.Join(s.path("new"), filepath.FromSlash(path))
		if h.Files[path] != version {
			if err := s.bring(from, path); err != nil {
				return err
			}
		}
		if err := s.remove(from); err != nil {
			return err
		}
	}
	return nil
}

// bring links a file that came late into the folder.
func (s *stage) bring(from, path string) error {
	to := filepath.Join(s.folder, filepath.FromSlash(path))
	if err := s.mkdir(filepath.Dir(to)); err != nil {
		return err
	}
	err := s.link(from, to)
	if errors.Is(err, fs.ErrExist) {
		if same(from, to) {
			return nil // a run before brought it, and died
		}
		return diag.New(diag.FlowInput, "found a file that somebody wrote while the folder was exchanged, and another of its name in the folder").
			In(diag.Place{File: from}).Hinted("move the one that you want into the folder, and delete the other")
	}
	if err != nil {
		return err
	}
	return s.sync(filepath.Dir(to))
}

// same tells whether two paths lead to one file.
func same(a, b string) bool {
	one, err := os.Lstat(a)
	if err != nil {
		return false
	}
	two, err := os.Lstat(b)
	return err == nil && os.SameFile(one, two)
}
