package land

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"

	"landfall/internal/diag"
	"landfall/internal/store"
)

// input reads an open object once and hashes what it reads.
type input struct {
	store.Object
	section *io.SectionReader
	hash    *xxh3.Hasher
}

func newInput(o store.Object) *input {
	return &input{o, io.NewSectionReader(o, 0, o.Info().Size), xxh3.New()}
}

func (in *input) Read(p []byte) (int, error) {
	n, err := in.section.Read(p)
	in.hash.Write(p[:n]) //nolint:errcheck // a hash never fails
	return n, err
}

func (in *input) Size() int64 { return in.section.Size() }

// sum reads to the end and returns the hash of all bytes.
func (in *input) sum() (string, error) {
	if _, err := io.Copy(io.Discard, in); err != nil {
		return "", err
	}
	b := in.hash.Sum128().Bytes()
	return hex.EncodeToString(b[:]), nil
}

// fileFault sorts the error of reading an object: what the file is to blame
// for is a diagnostic already and quarantines it; what the store did is an
// error of the run, which lost nothing.
func fileFault(url string, err error) error {
	var d *diag.Diagnostic
	at := diag.Place{File: url}
	switch {
	case err == nil || errors.As(err, &d):
		return err
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, store.ErrPermission):
		return diag.New(diag.NoPermission, "file may not be read").In(at).
			Hinted("give this user the right to read it and run again; nothing of its batch has landed").Because(err)
	case errors.Is(err, store.ErrTransient):
		return diag.New(diag.StoreUnreachable, "the store did not answer while the file was read").In(at).
			Hinted("nothing was lost; run again").Because(err)
	}
	return fmt.Errorf("read %s: %w", url, err)
}
