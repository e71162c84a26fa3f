package main

import (
	"syscall"
	"testing"
	"time"
)

// The first signal cancels; work that goes on regardless is ended by the second.
func TestSecondSignalKills(t *testing.T) {
	killed := make(chan struct{})
	ctx, stop := interruptible(func() { close(killed) })
	defer stop()
	for _, c := range []struct {
		what string
		done <-chan struct{}
	}{{"cancel", ctx.Done()}, {"kill", killed}} {
		select {
		case <-c.done:
			t.Fatalf("%s came before its signal", c.what)
		default:
		}
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case <-c.done:
		case <-time.After(patience / 2):
			t.Fatalf("no %s", c.what)
		}
	}
}

// Work that does not heed the cancellation is ended when patience is over.
func TestPatienceEnds(t *testing.T) {
	killed := make(chan struct{})
	_, stop := interruptible(func() { close(killed) })
	defer stop()
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	select {
	case <-killed:
	case <-time.After(5 * patience):
		t.Fatal("still alive")
	}
}
