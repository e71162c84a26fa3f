package table

import (
	"errors"

	"landfall/internal/diag"
	"landfall/internal/store"
)

// Fault names the faults of a table's store that a person can mend; url is the
// table's place. Other errors, and nil, stay as they are.
func Fault(url string, err error) error {
	var d *diag.Diagnostic
	at := diag.Place{File: url}
	switch {
	case err == nil:
		return nil
	case errors.As(err, &d):
		if d.At.IsZero() {
			d.At = at
		}
		return err
	case errors.Is(err, store.ErrFull):
		return diag.New(diag.StoreFull, "no space left").In(at).
			Hinted("make room and run again; the run goes on where it stopped. Files of attempts that failed go with: landfall vacuum").Because(err)
	case errors.Is(err, store.ErrPermission):
		return diag.New(diag.NoPermission, "no permission to work on the table").In(at).
			Hinted("give this user the right to read and write there and run again").Because(err)
	case errors.Is(err, store.ErrTransient):
		return diag.New(diag.StoreUnreachable, "the store of the table did not answer").In(at).
			Hinted("nothing was lost; run again").Because(err)
	}
	return err
}
