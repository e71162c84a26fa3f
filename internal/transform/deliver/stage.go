package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"landfall/internal/diag"
)

// stagePrefix is what names of stages begin with. Readers leave such folders out.
const stagePrefix = ".landfall-"

// stage is the hidden folder in which a run works. It lies beside the folder that it
// writes, and is locked while its process lives:
//
//	folder    the name of the folder that it is for
//	written/  what the engine writes
//	new/      what the folder is to hold; after the exchange, what it held
//	old       the number of new, and the files that the folder held, written before the exchange
type stage struct {
	folder string
	dir    string
	lock   *os.File
}

func (s *stage) path(name string) string { return filepath.Join(s.dir, name) }

// open makes a stage, once what dead runs left is put right.
func open(ctx context.Context, o Options) (*stage, error) {
	parent := filepath.Dir(o.Folder)
	if err := os.MkdirAll(parent, 0o777); err != nil { //nolint:gosec // as other programs make folders of data
		return nil, err
	}
	s := &stage{folder: o.Folder, dir: filepath.Join(parent, stagePrefix+o.Run)}
	err := alone(ctx, parent, func() error {
		if err := recoverAll(ctx, parent); err != nil {
			return err
		}
		return s.make()
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// make makes the folders of a stage and locks it.
func (s *stage) make() (err error) {
	for n := 0; ; n++ { // a flow may have several sinks beside each other
		if err = os.Mkdir(s.dir, 0o700); !errors.Is(err, fs.ErrExist) {
			break
		}
		s.dir = fmt.Sprintf("%s-%d", strings.TrimSuffix(s.dir, fmt.Sprintf("-%d", n)), n+1)
	}
	if err != nil {
		return err
	}
	if s.lock, err = os.Open(s.dir); err != nil {
		return err
	}
	if err := syscall.Flock(int(s.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(err, s.close())
	}
	if err := os.WriteFile(s.path("folder"), []byte(filepath.Base(s.folder)), 0o600); err != nil {
		return errors.Join(err, s.close())
	}
	return os.Mkdir(s.path("new"), 0o777) //nolint:gosec // it becomes a folder of data
}

// close takes the stage away. What it held before an exchange was settled by then.
func (s *stage) close() error {
	if s.lock == nil {
		return nil
	}
	err := os.RemoveAll(s.dir)
	err = errors.Join(err, s.lock.Close())
	s.lock = nil
	return err
}

// recoverAll puts right what dead runs left in a folder.
func recoverAll(ctx context.Context, parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), stagePrefix) {
			continue
		}
		if err := recoverOne(ctx, filepath.Join(parent, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// recoverOne puts right what one dead run left; it leaves those of live ones alone.
func recoverOne(ctx context.Context, dir string) error {
	lock, err := os.Open(dir) //nolint:gosec // a stage of ours
	if err != nil {
		return err
	}
	s := &stage{dir: dir, lock: lock}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		err = errors.Join(lock.Close())
		return err // somebody works there
	}
	base, err := os.ReadFile(s.path("folder"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, lock.Close())
	}
	s.folder = filepath.Join(filepath.Dir(dir), string(base))
	if err := s.settle(ctx); err != nil {
		return errors.Join(err, lock.Close())
	}
	return s.close()
}

// note adds a record of the run to what the folder is to hold.
func (s *stage) note(name string, record []byte) error {
	to := filepath.Join(s.path("new"), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil { //nolint:gosec // as other programs make folders of data
		return err
	}
	if err := os.WriteFile(to, record, 0o644); err != nil { //nolint:gosec // as data beside it
		return err
	}
	return syncFile(to)
}

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
	if err := syncTree(s.path("new")); err != nil {
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
	return removed, s.settle(ctx)
}

// first gives a folder that is absent, or without files, all that is new.
func (s *stage) first(ctx context.Context, disk Disk) error {
	if err := removeFolders(s.folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return disk.Publish(ctx, s.path("new"), s.folder)
}

// foreign refuses folders whose files a log lists: those of a table would become
// invisible rows, or be torn out of it.
func foreign(folder string, was map[string]string) error {
	for path := range was {
		if strings.HasPrefix(path, "_delta_log/") {
			return diag.New(diag.FlowInput, "found a Delta table, want a folder of files").In(diag.Place{File: folder}).
				Hinted("write to it as a table, with format: 'delta', or to another folder")
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
		to := filepath.Join(s.path("new"), filepath.FromSlash(path))
		if truncate && !strings.HasPrefix(path, recordFolder+"/") {
			removed++
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil { //nolint:gosec // as other programs make folders of data
			return 0, err
		}
		err := os.Link(filepath.Join(s.folder, filepath.FromSlash(path)), to)
		switch {
		case errors.Is(err, fs.ErrExist):
			removed++ // a file of the same name takes its place
		case errors.Is(err, fs.ErrNotExist):
			removed++ // somebody deleted it meanwhile
		case err != nil:
			return 0, err
		}
	}
	return removed, syncTree(s.path("new"))
}

// recordFolder is the folder of a sink in which runs are noted down.
const recordFolder = "_landfall"

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
	if err := os.WriteFile(s.path("old"), data, 0o600); err != nil {
		return err
	}
	if err := syncFile(s.path("old")); err != nil {
		return err
	}
	return syncFile(s.dir)
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
		if err := os.Remove(from); err != nil {
			return err
		}
	}
	return nil
}

// bring links a file that came late into the folder.
func (s *stage) bring(from, path string) error {
	to := filepath.Join(s.folder, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil { //nolint:gosec // as other programs make folders of data
		return err
	}
	err := os.Link(from, to)
	if errors.Is(err, fs.ErrExist) {
		return diag.New(diag.FlowInput, "found a file that somebody wrote while the folder was exchanged, and another of its name in the folder").
			In(diag.Place{File: from}).Hinted("move the one that you want into the folder, and delete the other")
	}
	return err
}

// list returns what tells the files of a folder from others of their paths; none if it is
// absent. A link is a file, wherever it leads.
func list(ctx context.Context, folder string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir():
			return ctx.Err()
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		id, err := inode(info)
		out[filepath.ToSlash(rel)] = fmt.Sprintf("%s %d %d", id, info.Size(), info.ModTime().UnixNano())
		return err
	})
	return out, err
}

// identity tells a folder from others that had its name.
func identity(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	return inode(info)
}

func inode(info fs.FileInfo) (string, error) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("a file system without inodes")
	}
	return fmt.Sprintf("%d-%d", st.Dev, st.Ino), nil
}

// alone does something while no other process of the machine does so for the folder.
func alone(ctx context.Context, folder string, do func() error) (err error) {
	d, err := os.Open(folder) //nolint:gosec // where a sink writes
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return do()
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return fmt.Errorf("lock %s: %w", folder, err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// syncFile makes a file or a folder durable.
func syncFile(path string) error {
	f, err := os.Open(path) //nolint:gosec // ours
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncTree makes the names in all folders of a tree durable.
func syncTree(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return syncFile(path)
	})
}

// removeFolders removes a tree that has no files.
func removeFolders(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return &fs.PathError{Op: "remove", Path: filepath.Join(root, e.Name()), Err: fs.ErrExist}
		}
		if err := removeFolders(filepath.Join(root, e.Name())); err != nil {
			return err
		}
	}
	return os.Remove(root)
}

// full tells whether an error says that there is no room left.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
