package land

import (
	"context"
	"errors"
	"fmt"

	"landfall/internal/diag"
	"landfall/internal/store"
)

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
