package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/project"
)

// entry is a decision that was added to a project's file. The zero value is none.
type entry struct {
	file string
	// before is what the file was, nil if there was none; after is what it is.
	before, after []byte
}

// writable refuses a decision that cannot be written down and come into force. What
// the contract in force has against it comes first: no edit of the file changes that.
func (a *app) writable(ctx context.Context, t target, p contract.Policy, d contract.Decision) error {
	v, err := t.version(ctx, 0)
	if err != nil {
		return err
	}
	if _, err := contract.Decide(v.contract, d, p, nil); err != nil {
		return err
	}
	_, err = a.written(t.name, d)
	return err
}

// writeDown adds a decision to the project's file, if it is not there: it is on the
// disk when this returns. Several processes may do so at once.
func (a *app) writeDown(ctx context.Context, source string, d contract.Decision) (e entry, err error) {
	p, err := a.loadProject()
	if err != nil {
		return e, err
	}
	err = alone(ctx, filepath.Dir(p.File), func() error {
		if e, err = a.written(source, d); err != nil || e.after == nil {
			return err
		}
		return replaceFile(e.file, e.after)
	})
	if err != nil || e.after == nil {
		return entry{}, err
	}
	return e, nil
}

// written is the project's file of decisions with one more; its text is nil if the
// decision stands there.
func (a *app) written(source string, d contract.Decision) (e entry, err error) {
	p, err := a.loadProject()
	if err != nil {
		return e, err
	}
	e.file = filepath.Join(filepath.Dir(p.File), project.DecisionsFile)
	if s, ok := p.Source(source); ok && slices.ContainsFunc(s.Policy.Decisions, d.Says) {
		return e, nil
	}
	e.before, err = os.ReadFile(e.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, projectFault(e.file, err)
	}
	e.after, err = p.AddDecision(e.file, e.before, source, d)
	return e, err
}

// refused is the error of a decision that was written down and did not come into
// force. One that the contract, or the rows that stand, refuse is taken out of the
// file again: every run would stop at it. Any other stays, since it may be under way.
func (e entry) refused(ctx context.Context, err error) error {
	if e.after == nil {
		return err
	}
	var why *diag.Diagnostic
	if diag.CodeOf(err) != diag.BadDecision || !errors.As(err, &why) {
		return fmt.Errorf("the decision is in %s, and the next run puts it in force: %w", e.file, err)
	}
	if failed := alone(ctx, filepath.Dir(e.file), e.takeOut); failed != nil {
		kept := *why
		return kept.Hinted("%s; and take the entry out of %s, where it still stands: %v", why.Hint, e.file, failed)
	}
	return err
}

// takeOut makes the file what it was, and leaves what others have added since.
func (e entry) takeOut() error {
	now, err := os.ReadFile(e.file)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(now, e.after):
		item := e.item()
		if bytes.Count(now, item) != 1 {
			return errors.New("somebody else has changed the file")
		}
		return replaceFile(e.file, bytes.Replace(now, item, nil, 1))
	case e.before == nil:
		return removeFile(e.file)
	}
	return replaceFile(e.file, e.before)
}

// item is the text of the decision in the file: the last of the list.
func (e entry) item() []byte {
	begin, at := 0, 0
	for line := range bytes.Lines(e.after) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("- source: ")) {
			begin = at
		}
		at += len(line)
	}
	return e.after[begin:]
}

// replaceFile gives a file another text: whenever the machine stops, the file is the
// one or the other. A file cut short would stop every run.
func replaceFile(file string, text []byte) (err error) {
	next := file + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644) //nolint:gosec // others of the project read it
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(next, file)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", file, err), os.Remove(next))
	}
	return syncFolder(filepath.Dir(file))
}

// removeFile removes a file for good.
func removeFile(file string) error {
	if err := os.Remove(file); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(file))
}

// syncFolder makes the names in a folder last.
func syncFolder(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the project's folder
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
