package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// SweepTemp implements [store.Sweeper]. A temporary file whose writer still
// writes is younger than its last write. Links are not followed.
func (s *Store) SweepTemp(ctx context.Context, olderThan time.Time) (int, error) {
	swept := 0
	err := filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || !d.Type().IsRegular() || !isTemp(d.Name()) {
			return gone(err)
		}
		info, err := d.Info()
		if err != nil || !info.ModTime().Before(olderThan) {
			return gone(err)
		}
		if err := os.Remove(path); err != nil {
			return gone(err)
		}
		swept++
		return nil
	})
	return swept, s.fault("sweep", "", err)
}

// gone drops the error that another process removed the file first.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
