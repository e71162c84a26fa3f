// Command landfall lands changing files in lake tables without breaking runs
// and without losing data.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // zones by name, on machines that have none

	"landfall/internal/diag"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{stdout: stdout, stderr: stderr, now: time.Now, newID: newID}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	code := status(ctx, err)
	if err != nil && code != diag.ExitInterrupted {
		a.fail(err)
	}
	return int(code)
}

// status chooses the exit code for a command's error.
func status(ctx context.Context, err error) diag.Exit {
	if err == nil {
		return diag.ExitOK
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return diag.ExitInterrupted
	}
	if e, ok := diag.Explain(diag.CodeOf(err)); ok {
		return e.Exit
	}
	return diag.ExitError
}

// newID returns a random UUID (version 4).
func newID() string {
	var b [16]byte
	rand.Read(b[:]) // never returns an error
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
