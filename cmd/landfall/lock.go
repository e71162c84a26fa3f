package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockPause is how long a process waits before it asks again for a lock.
const lockPause = 10 * time.Millisecond

// alone does something while no other process of the machine does so for the same
// folder. The lock is the system's: it leaves no file, and goes with a process that
// dies.
func alone(ctx context.Context, folder string, do func() error) (err error) {
	d, err := os.Open(folder) //nolint:gosec // the project's folder
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
		case <-time.After(lockPause):
		}
	}
}
