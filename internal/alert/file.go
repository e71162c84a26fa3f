package alert

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// File appends letters to a file, one line of JSON each.
type File struct{ Path string }

// Send implements [Sender].
func (f File) Send(_ context.Context, l Letter) (err error) {
	body, err := encode(l.document())
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // the project names it
	if err != nil {
		return unwritten(err)
	}
	defer func() { err = errors.Join(err, unwritten(file.Close())) }()
	if _, err := file.Write(body); err != nil {
		return unwritten(err)
	}
	return unwritten(file.Sync())
}

// unwritten says why a file was not written, without its path.
func unwritten(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return errors.New("the file cannot be written: " + p.Err.Error())
	}
	return err
}
