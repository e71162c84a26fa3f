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

// KeptOut yields what the attempt of a mark kept out of the table: whole
// files first, then records of files that landed.
func (st *State) KeptOut(ctx context.Context, m Mark) iter.Seq2[event.Quarantined, error] {
	return func(yield func(event.Quarantined, error) bool) {
		landed := map[string]bool{}
		for _, o := range m.Objects {
			landed[o.Path] = o.Fate == Landed
			q := event.Quarantined{Path: o.Path, Length: o.Size, Code: o.Code, Reason: o.Reason}
			if o.Fate == Quarantined && !yield(q, nil) {
				return
			}
		}
		for q, err := range st.Quarantined(ctx, m.Batch, m.Attempt) {
			if err == nil && !landed[q.Path] {
				continue // the file was put back after its records were kept
			}
			if !yield(q, err) || err != nil {
				return
			}
		}
	}
}

// Held yields what is in quarantine now: entries close when a later version of
// their file lands.
func (st *State) Held(ctx context.Context) iter.Seq2[event.Quarantined, error] {
	return func(yield func(event.Quarantined, error) bool) {
		// The batches whose entries of a path stand: the one that landed its rows,
		// and the one that kept its newest version out.
		type standing struct{ landed, out int64 }
		stands := map[string]standing{}
		batches := map[int64]bool{}
		for e, err := range st.Known(ctx) {
			if err != nil {
				yield(event.Quarantined{}, err)
				return
			}
			s := standing{landed: e.Landed}
			if e.Fate == Quarantined {
				s.out = e.Batch
			}
			stands[e.Path] = s
			batches[s.landed], batches[s.out] = true, true
		}
		for m, err := range st.Marks(ctx) {
			if err != nil {
				yield(event.Quarantined{}, err)
				return
			}
			if m.Kind == KindVoid || !batches[m.Batch] {
				continue
			}
			for q, err := range st.KeptOut(ctx, m) {
				if s := stands[q.Path]; err == nil && m.Batch != s.landed && m.Batch != s.out {
					continue
				}
				if !yield(q, err) || err != nil {
					return
				}
			}
		}
	}
}
