package state

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"landfall/internal/event"
)

// Quarantine keeps records of an attempt, in the order of the calls to Put.
// Nothing is written when nothing is put.
type Quarantine struct{ lines lines }

// Quarantine begins a part of the quarantine of an attempt. Each time that the
// attempt reads objects it begins another, from 1 on.
func (st *State) Quarantine(batch int64, id string, part int) *Quarantine {
	return &Quarantine{lines{st: st, key: quarantineKey(batch, id, part)}}
}

// quarantineKey is the key of a part; part 0 is how attempts of one part alone
// were written first.
func quarantineKey(batch int64, id string, part int) string {
	key := attemptFolder(batch, id) + "/quarantine"
	if part > 0 {
		key += fmt.Sprintf("-%d", part)
	}
	return key + ".ndjson"
}

// Put keeps one record.
func (q *Quarantine) Put(ctx context.Context, r event.Quarantined) error { return q.lines.put(ctx, r) }

// Close makes what was put durable.
func (q *Quarantine) Close(ctx context.Context) error { return q.lines.close(ctx) }

// Abort drops what was put and not closed.
func (q *Quarantine) Abort(ctx context.Context) error { return q.lines.abort(ctx) }

// quarantined yields the records of one part that an attempt kept, in the order
// they were put; none if it kept none.
func (st *State) quarantined(ctx context.Context, batch int64, id string, part int) iter.Seq2[event.Quarantined, error] {
	return readLines[event.Quarantined](ctx, st, quarantineKey(batch, id, part))
}

// KeptOut yields what the attempt of a mark kept out of the table: whole
// files first, then records of files that landed.
func (st *State) KeptOut(ctx context.Context, m Mark) iter.Seq2[event.Quarantined, error] {
	return func(yield func(event.Quarantined, error) bool) {
		part, parts := map[string]int{}, map[int]bool{}
		for _, o := range m.Objects {
			if o.Fate == Landed && o.Quarantined > 0 {
				part[o.Path], parts[o.Part] = o.Part, true
			}
			q := event.Quarantined{Path: o.Path, Length: o.Size, Code: o.Code, Reason: o.Reason}
			if o.Fate == Quarantined && !yield(q, nil) {
				return
			}
		}
		for _, p := range slices.Sorted(maps.Keys(parts)) {
			for q, err := range st.quarantined(ctx, m.Batch, m.Attempt, p) {
				if of, counts := part[q.Path]; err == nil && (!counts || of != p) {
					continue // the file was put back, or read again, after its records were kept
				}
				if !yield(q, err) || err != nil {
					return
				}
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
