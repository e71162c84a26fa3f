package audit

import (
	"context"
	"fmt"

	"landfall/internal/state"
)

// lookForUnknown counts the batches that the table holds and the state does not know:
// nobody can tell what they landed. The one whose run ended before its mark is known
// by its intent, and the next run writes the mark.
func (a *Auditor) lookForUnknown(ctx context.Context, id state.Identity, last state.Mark) error {
	known, held := max(last.Batch, id.After), a.Snapshot.Txns[id.App()]
	if held <= known {
		return nil
	}
	_, begun, err := a.State.Intent(ctx, held)
	if err != nil && !state.IsBroken(err) {
		return err
	}
	if held == known+1 && begun && err == nil {
		a.report.Notes = append(a.report.Notes, fmt.Sprintf("batch %d is in the table and has no mark yet: the next run writes it", held))
		return nil
	}
	a.report.Unknown = held - known
	a.report.Notes = append(a.report.Notes, fmt.Sprintf("the table holds batch %d of this source, the state ends at batch %d", held, known))
	return nil
}
