package alert

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// Command runs a program that reads the letter as JSON on its standard input. It has
// the letter if it ends with status 0.
type Command struct {
	// Args are the program and its arguments; no shell reads them. They may hold
	// secrets.
	Args []string
	// Dir is the folder that it runs in.
	Dir string
}

// Send implements [Sender].
func (c Command) Send(ctx context.Context, l Letter) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	body, err := encode(l.document())
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...) //nolint:gosec // the project names it
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = c.Dir, bytes.NewReader(body), time.Second
	err = cmd.Run()
	var ended *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.New("the command did not end in time")
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &ended):
		return fmt.Errorf("the command ended with status %d", ended.ExitCode())
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it ended with 0, and left somebody with its output
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("there is no such program")
	}
	return errors.New("the command cannot be started")
}
