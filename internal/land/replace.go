package land

import (
	"context"
	"errors"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/standing"
	"landfall/internal/state"
)

// replace takes the rows that this batch's rewritten objects, or its reprocessing,
// replace out of the table.
func (a *attempt) replace(ctx context.Context) error {
	l := a.l
	if l.Snap == nil {
		return nil
	}
	var err error
	if a.in.Kind != state.KindReprocess {
		err = a.change.Objects(ctx, a.replaced())
	} else if err = l.mayRemove(); err == nil {
		err = a.change.All(ctx)
	}
	var refused *standing.Refusal
	if errors.As(err, &refused) {
		for i, o := range a.Outcomes {
			if o.Path == refused.Path {
				return &refusal{i, refused.Reason}
			}
		}
	}
	a.counts.RowsRemoved = a.change.Rows
	return err
}

// replaced returns the objects whose old rows go, by path, and the batch that
// landed these.
func (a *attempt) replaced() map[string]int64 {
	old := map[string]int64{}
	action, _ := a.l.src.Policy.Action(event.FileRewritten)
	for _, o := range a.Outcomes {
		reread := o.Again && (a.in.Anew || o.Bytes == o.Hash)
		lands := o.Fate == state.Landed || a.in.Anew
		if lands && o.Landed > 0 && (action != "append" || reread) {
			old[o.Path] = o.Landed
		}
	}
	return old
}

// mayRemove refuses when the source's rows cannot be taken out of the table.
func (l *landing) mayRemove() error {
	code, why, keeps := l.keepsRows()
	if !keeps {
		return nil
	}
	return diag.New(code, "%s, so the rows of the source cannot be taken out", why).
		In(diag.Place{File: l.report.Table}).
		Hinted("unset that property, or keep the rows: landfall reset %s --keep", l.src.Args)
}

// refusal sends an attempt back: the object is quarantined instead, since its
// old rows cannot be told from others.
type refusal struct {
	object int
	reason string
}

func (r *refusal) Error() string { return r.reason }
