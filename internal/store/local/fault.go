package local

import (
	"errors"
	"fmt"
	"syscall"

	"landfall/internal/diag"
	"landfall/internal/store"
)

// fault says what was being done to which file when err came; nil stays nil.
// The paths that the os package put into err are dropped for the one path that
// the user knows, since temporary names tell nothing.
func (s *Store) fault(op, key string, err error) error {
	if err == nil {
		return nil
	}
	var errno syscall.Errno
	if diag.CodeOf(err) == "" && errors.As(err, &errno) {
		err = classify(errno)
	}
	return fmt.Errorf("%s %s: %w", op, s.LocalPath(key), err)
}

// classify gives the system's errors the meaning they have for a store. Absent,
// taken and forbidden are already what errors.Is takes them for, but for ENOTDIR.
func classify(errno syscall.Errno) error {
	switch errno {
	case syscall.ENOTDIR:
		return fmt.Errorf("%w: %w", store.ErrNotExist, errno)
	case syscall.ENOSPC, syscall.EDQUOT:
		return fmt.Errorf("%w: %w", store.ErrFull, errno)
	case syscall.EINTR, syscall.EAGAIN, syscall.ETIMEDOUT, syscall.ESTALE:
		return fmt.Errorf("%w: %w", store.ErrTransient, errno)
	}
	return errno
}
