package deliver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// system is the calls of the file system that change something. before, if set, is asked
// ahead of each: tests let calls fail, or a process die there.
type system struct {
	before func(op, path string) error
}

func (y system) ask(op, path string) error {
	if y.before == nil {
		return nil
	}
	return y.before(op, path)
}

// mkdir makes a folder as other programs make folders of data.
func (y system) mkdir(path string) error {
	if err := y.ask("mkdir", path); err != nil {
		return err
	}
	return os.MkdirAll(path, 0o777) //nolint:gosec // see above
}

// write writes a file and makes it durable.
func (y system) write(path string, data []byte, mode fs.FileMode) error {
	if err := y.ask("write", path); err != nil {
		return err
	}
	if err := os.WriteFile(path, data, mode); err != nil {
		return err
	}
	return y.sync(path)
}

func (y system) link(from, to string) error {
	if err := y.ask("link", to); err != nil {
		return err
	}
	return os.Link(from, to)
}

func (y system) rename(from, to string) error {
	if err := y.ask("rename", to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

func (y system) remove(path string) error {
	if err := y.ask("remove", path); err != nil {
		return err
	}
	return os.Remove(path)
}

// removeTree takes a folder away with all that is in it; one that is absent is no error.
func (y system) removeTree(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		inside := filepath.Join(path, e.Name())
		if e.IsDir() {
			err = y.removeTree(inside)
		} else {
			err = y.remove(inside)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := y.remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeFolders removes a tree that has no files.
func (y system) removeFolders(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() {
			return &fs.PathError{Op: "remove", Path: filepath.Join(root, e.Name()), Err: fs.ErrExist}
		}
		if err := y.removeFolders(filepath.Join(root, e.Name())); err != nil {
			return err
		}
	}
	return y.remove(root)
}

// sync makes a file or a folder durable.
func (y system) sync(path string) error {
	if err := y.ask("sync", path); err != nil {
		return err
	}
	f, err := os.Open(path) //nolint:gosec // ours
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncTree makes the names in all folders of a tree durable.
func (y system) syncTree(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return y.sync(path)
	})
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
		got, err := locked(d)
		if err != nil {
			return fmt.Errorf("lock %s: %w", folder, err)
		}
		if got {
			return do()
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// locked locks an open folder until it is closed; false says that somebody else has.
func locked(d *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

// full tells whether an error says that there is no room left.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
