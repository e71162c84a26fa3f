package audit

import (
	"context"

	"landfall/internal/contract"
	"landfall/internal/part"
	"landfall/internal/state"
)

// batch is the one at hand.
type batch struct {
	mark    state.Mark
	attempt state.Attempt
	known   bool
	// evidence is that of its objects by path, if policies ask for it.
	evidence map[string]*contract.ObjectEvidence
	// kept are the records in quarantine of its objects by path, and unread is why
	// they cannot be read to their end.
	kept   map[string]records
	unread string
}

// outcome returns what the batch that landed an object came to; nil if that is not
// on record.
func (a *Auditor) outcome(ctx context.Context, e state.Entry) (*state.Outcome, error) {
	if !a.batch.known || a.batch.mark.Batch != e.Landed {
		a.batch = batch{}
		m, ok, err := a.State.Mark(ctx, e.Landed)
		if err != nil || !ok {
			return nil, err
		}
		rec, err := a.State.Attempt(ctx, e.Landed, m.Attempt)
		if err != nil {
			return nil, err
		}
		a.batch = batch{mark: m, attempt: rec, known: true}
		if err := a.evidence(ctx); err != nil {
			return nil, err
		}
		if err := a.readKept(ctx); err != nil {
			return nil, err
		}
	}
	for k := range a.batch.attempt.Outcomes {
		if o := &a.batch.attempt.Outcomes[k]; o.Path == e.Path && o.Fate == state.Landed {
			return o, nil
		}
	}
	return nil, nil //nolint:nilnil // not on record
}

// evidence reads what the objects of the batch looked like, if policies ask for it.
func (a *Auditor) evidence(ctx context.Context) error {
	if !part.TellsApart(a.Objects.Policy) {
		return nil
	}
	a.batch.evidence = map[string]*contract.ObjectEvidence{}
	for o, err := range a.State.Evidence(ctx, a.batch.mark.Batch, a.batch.mark.Attempt) {
		if err != nil {
			return err
		}
		a.batch.evidence[o.Path] = &o
	}
	return nil
}
