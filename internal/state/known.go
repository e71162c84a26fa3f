package state

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"landfall/internal/store"
)

// Entry is what the marks say of one path of the source.
type Entry struct {
	// Object is the newest settled version of the path. Object.Landed is the
	// batch whose rows of the path stand in the table, 0 if none, and
	// Object.Hash the hash of the bytes they came from.
	Object
	Fate   Fate   `json:"fate"`
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Batch settled the newest version.
	Batch int64 `json:"batch"`
	// Rows are the rows of the path that Landed put into the table, Rescued the
	// values of these that no column took, and Held its records in quarantine.
	Rows    int64 `json:"rows"`
	Rescued int64 `json:"rescued,omitempty"`
	Held    int64 `json:"held,omitempty"`
	// Left are the names of the rescued values, where a reclamation has told them.
	Left []string `json:"left,omitempty"`
	// Options is the digest of the options under which it was read.
	Options string `json:"options,omitempty"`
}

// Short tells that not all of the object landed: it is in quarantine, or records of
// it are.
func (e *Entry) Short() bool { return e.Fate == Quarantined || e.Held > 0 }

// CompactEvery is the number of marks after which Compact writes a new file.
const CompactEvery = 64

// Known yields an entry for each path that a mark settled, in ascending byte
// order of paths. Deferred and superseded objects are not known. It streams:
// only the marks since the last compaction are held in memory.
func (st *State) Known(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		l, err := st.Ledger(ctx)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		defer l.Close()
		for {
			more, err := l.Next(ctx)
			var e Entry
			if more {
				e, err = l.Entry()
			}
			if err == nil && !more || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// change is what one mark says of a path.
type change struct {
	Outcome
	batch   int64
	options string
}

// recent is what the marks since a compaction say.
type recent struct {
	// changes are sorted by path, then batch.
	changes []change
	// anew is set when a reprocessing took all earlier rows out: what was
	// known before it is forgotten.
	anew bool
}

// recent reads the marks bound+1..last.
func (st *State) recent(ctx context.Context, bound, last int64) (news recent, err error) {
	for n := last; n > bound && !news.anew; n-- {
		m, ok, err := st.Mark(ctx, n)
		if err != nil {
			return recent{}, err
		}
		if !ok {
			return recent{}, st.broken(numbered("marks", n, ".json"), fmt.Errorf("it is missing, but mark %d exists", last))
		}
		// What was known before a reprocessing is not even read: it may be
		// broken, and be the reason for it.
		news.anew = m.Kind == KindReprocess
		for _, o := range m.Objects {
			news.changes = append(news.changes, change{o, m.Batch, m.Options})
		}
	}
	slices.SortStableFunc(news.changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.batch, b.batch))
	})
	return news, nil
}

// apply returns e after the change; ok tells whether the path is known then.
func (c change) apply(e Entry, known bool) (after Entry, ok bool) {
	if c.Fate == Deferred || c.Fate == Superseded {
		return e, known
	}
	if c.Fate == Reclaimed {
		if known {
			e.Rescued, e.Left = c.Rescued, c.Left
		}
		return e, known
	}
	after = Entry{Object: c.Object, Fate: c.Fate, Code: c.Code, Reason: c.Reason, Batch: c.batch}
	after.Again = false
	after.Landed, after.Hash, after.Options = e.Landed, e.Hash, c.options
	after.Rows, after.Rescued, after.Held, after.Left = e.Rows, e.Rescued, e.Held, e.Left
	if c.Fate == Landed {
		after.Landed, after.Hash = c.batch, c.Bytes
		after.Rows, after.Rescued, after.Held = c.Rows, c.Rescued, c.Quarantined
		after.Left = nil
	}
	return after, true
}

// heads are what a listing shows of the compactions and of the marks since.
type heads struct {
	// compactions are newest first; of one bound the ledger comes first.
	compactions []compacted
	// last is the newest mark, 0 if there is none, and fresh the bytes of the marks
	// since the newest compaction.
	last, fresh int64
}

// compacted is a compaction by its name.
type compacted struct {
	key         string
	bound, size int64
	// ledger tells the form of today from the lines that came before it.
	ledger bool
}

const ledgerSuffix, linesSuffix = ".ledger", ".ndjson"

func (st *State) heads(ctx context.Context) (h heads, err error) {
	for info, err := range st.s.List(ctx, "known/", "") {
		if err != nil {
			return heads{}, st.fault("list", "known", err)
		}
		n, ok := number(info.Key)
		ledger := strings.HasSuffix(info.Key, ledgerSuffix)
		if ok && (ledger || strings.HasSuffix(info.Key, linesSuffix)) {
			h.compactions = append(h.compactions, compacted{info.Key, n, info.Size, ledger})
		}
	}
	slices.SortStableFunc(h.compactions, func(a, b compacted) int { return cmp.Compare(b.bound, a.bound) })
	after := ""
	if len(h.compactions) > 0 {
		h.last = h.compactions[0].bound
		after = numbered("marks", h.last, ".json")
	}
	for info, err := range st.s.List(ctx, "marks/", after) {
		if err != nil {
			return heads{}, st.fault("list", "marks", err)
		}
		if n, ok := number(info.Key); ok && strings.HasSuffix(info.Key, ".json") {
			h.last = max(h.last, n)
			h.fresh += info.Size
		}
	}
	return h, nil
}

// The marks since a compaction are read by every landing, and slowly. So many bytes
// of them, and such a part of the compaction's, are worth a new one.
const freshEnough, freshPart = 128 << 10, 16

// due tells whether a compaction is worth while: so many marks came since the last,
// or much was said by them, or it is of a form that is slow to read.
func (h heads) due(every int64) bool {
	if h.last == 0 {
		return false
	}
	if len(h.compactions) == 0 {
		return h.last >= every || h.fresh >= freshEnough
	}
	newest := h.compactions[0]
	return h.last-newest.bound >= every || !newest.ledger || h.fresh >= max(freshEnough, newest.size/freshPart)
}

// Compact writes what all marks say into one file when that is due: `every` marks
// have come since the last (0 means CompactEvery), or long ones. What it writes
// follows from the marks, so two runs write the same. Marks and intents stay.
func (st *State) Compact(ctx context.Context, every int64) error {
	if every <= 0 {
		every = CompactEvery
	}
	h, err := st.heads(ctx)
	if err != nil || !h.due(every) && (!st.damaged.Load() || !h.grown()) {
		return err
	}
	l, err := st.open(ctx, h)
	if err != nil {
		return err
	}
	defer l.Close()
	key := numbered("known", h.last, ledgerSuffix)
	up, err := st.s.Upload(ctx, key)
	if err != nil {
		return st.fault("create", key, err)
	}
	defer up.Abort(ctx) //nolint:errcheck // after Commit it does nothing; before, the first error counts
	buf := bufio.NewWriterSize(up, 1<<18)
	if err := l.writeTo(ctx, buf, h.last); err != nil {
		return st.fault("write", key, err)
	}
	if _, err := up.Commit(ctx); err != nil && !errors.Is(err, store.ErrExist) {
		return st.fault("create", key, err)
	}
	// The newest one before stays for those who read it now.
	for _, c := range h.compactions[min(1, len(h.compactions)):] {
		if c.bound < h.compactions[0].bound {
			_ = st.s.Delete(ctx, c.key) // the next compaction tries again
		}
	}
	return nil
}

// grown tells whether a mark came since the newest compaction.
func (h heads) grown() bool { return len(h.compactions) == 0 || h.last > h.compactions[0].bound }
