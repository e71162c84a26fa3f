package state

import (
	"context"
	"iter"

	"landfall/internal/contract"
	"landfall/internal/event"
)

// Contract returns the contract in force since mark m: the proposal of the
// attempt that m, or the last mark before it that landed anything, names.
func (st *State) Contract(ctx context.Context, m Mark) (contract.Version, error) {
	for m.Kind == KindVoid && m.Batch > 1 {
		before, ok, err := st.Mark(ctx, m.Batch-1)
		if err != nil || !ok {
			return contract.Version{}, err
		}
		m = before
	}
	if m.Kind == KindVoid || m.Batch == 0 {
		return contract.Version{}, nil
	}
	a, err := st.Attempt(ctx, m.Batch, m.Attempt)
	return a.Contract, err
}

// Agreed is a version of the contract and the batch that brought it.
type Agreed struct {
	Batch    int64
	Contract contract.Version
}

// Contracts yields the versions that the contract had, oldest first: of each run
// of batches under one version the first. A reset of a state that could not be
// read begins with version 1 again.
func (st *State) Contracts(ctx context.Context) iter.Seq2[Agreed, error] {
	return func(yield func(Agreed, error) bool) {
		last := 0
		for m, err := range st.Marks(ctx) {
			if err == nil && (m.Kind == KindVoid || m.Contract == last) {
				continue
			}
			v := Agreed{Batch: m.Batch}
			if err == nil {
				last = m.Contract
				v.Contract, err = st.Contract(ctx, m)
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// Marks yields the marks in order of batches, from the oldest that is kept.
func (st *State) Marks(ctx context.Context) iter.Seq2[Mark, error] {
	return func(yield func(Mark, error) bool) {
		for info, err := range st.s.List(ctx, "marks/", "") {
			if err != nil {
				yield(Mark{}, st.fault("list", "marks", err))
				return
			}
			n, ok := number(info.Key)
			if !ok {
				continue
			}
			m, _, err := st.Mark(ctx, n)
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// Events yields what the batches of the source met, oldest first.
func (st *State) Events(ctx context.Context) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		for m, err := range st.Marks(ctx) {
			if err != nil {
				yield(event.Event{}, err)
				return
			}
			if m.Kind != KindVoid && !st.batchEvents(ctx, m, yield) {
				return
			}
		}
	}
}

// batchEvents yields the events of one batch; more is false when it ended the
// sequence.
func (st *State) batchEvents(ctx context.Context, m Mark, yield func(event.Event, error) bool) (more bool) {
	a, err := st.Attempt(ctx, m.Batch, m.Attempt)
	if err != nil {
		yield(event.Event{}, err)
		return false
	}
	e := event.Event{Time: m.At, Batch: m.Batch, Attempt: m.Attempt}
	landed := e
	landed.Type, landed.Landed = "batch", &m.Counts
	if !yield(landed, nil) {
		return false
	}
	for i := range a.Drift {
		drift := e
		drift.Type, drift.Drift = "drift", &a.Drift[i]
		if !yield(drift, nil) {
			return false
		}
	}
	for q, err := range st.KeptOut(ctx, m) {
		held := e
		held.Type, held.Quarantined = "quarantined", &q
		if !yield(held, err) || err != nil {
			return false
		}
	}
	return true
}
