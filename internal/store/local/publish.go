package local

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

// Publish gives the store's folder another name, in one step: readers of that name see
// nothing, or all of it. What killed writers left behind is removed before, and folders
// without files. The name must be free, or that of an empty folder; else the error is
// store.ErrExist. The store is of no use afterwards. Both names lie in one file system.
func (s *Store) Publish(ctx context.Context, to string) error {
	whatever := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	if _, err := s.SweepTemp(ctx, whatever); err != nil {
		return err
	}
	if err := removeEmpty(s.root); err != nil {
		return s.fault("clean up", "", err)
	}
	_ = syscall.Rmdir(to) // if it is an empty folder; else renaming tells
	err := renameIfAbsent(s.root, to)
	if errors.Is(err, syscall.ENOTEMPTY) {
		err = fs.ErrExist
	}
	if err != nil {
		return s.fault("publish", "", err)
	}
	for _, dir := range []string{filepath.Dir(to), filepath.Dir(s.root)} {
		if err := syncFolder(dir); err != nil {
			return fmt.Errorf("make the name %s durable: %w", to, err)
		}
	}
	return nil
}

// removeEmpty removes the folders below root in which no file is.
func removeEmpty(root string) error {
	var folders []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return gone(err)
		}
		if d.IsDir() && path != root {
			folders = append(folders, path)
		}
		return nil
	})
	for i := len(folders) - 1; err == nil && i >= 0; i-- {
		if err = os.Remove(folders[i]); errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return err
}
