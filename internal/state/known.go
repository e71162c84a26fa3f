package state

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

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

// CompactEvery is the number of marks after which Compact writes a new file.
const CompactEvery = 64

// Known yields an entry for each path that a mark settled, in ascending byte
// order of paths. Deferred and superseded objects are not known. It streams:
// only the marks since the last compaction are held in memory.
func (st *State) Known(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		bound, news, err := st.recent(ctx)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		merge(st.compacted(ctx, bound, news.anew), news.changes, yield)
	}
}

// change is what one mark says of a path.
type change struct {
	Outcome
	batch   int64
	options string
}

// recent is what the marks since the last compaction say.
type recent struct {
	// changes are sorted by path, then batch.
	changes []change
	last    int64
	// anew is set when a reprocessing took all earlier rows out: what was
	// known before it is forgotten.
	anew bool
}

func (st *State) recent(ctx context.Context) (bound int64, news recent, err error) {
	bound, err = st.newest(ctx, "known", ".ndjson", 0)
	if err != nil {
		return 0, recent{}, err
	}
	last, err := st.newest(ctx, "marks", ".json", bound+1)
	if err != nil {
		return 0, recent{}, err
	}
	for n := last; n > bound && !news.anew; n-- {
		m, ok, err := st.Mark(ctx, n)
		if err != nil {
			return 0, recent{}, err
		}
		if !ok {
			return 0, recent{}, st.broken(numbered("marks", n, ".json"), fmt.Errorf("it is missing, but mark %d exists", last))
		}
		// What was known before a reprocessing is not even read: it may be
		// broken, and be the reason for it.
		news.anew = m.Kind == KindReprocess
		for _, o := range m.Objects {
			news.changes = append(news.changes, change{o, m.Batch, m.Options})
		}
	}
	news.last = last
	slices.SortStableFunc(news.changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.batch, b.batch))
	})
	return bound, news, nil
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

// merge yields the entries of old as changed by news; both are sorted by path.
func merge(old iter.Seq2[Entry, error], news []change, yield func(Entry, error) bool) {
	next, stop := iter.Pull2(old)
	defer stop()
	e, err, more := next()
	for err == nil && (more || len(news) > 0) {
		var out Entry
		known := more && (len(news) == 0 || e.Path <= news[0].Path)
		if known {
			out = e
			e, err, more = next()
		} else {
			out.Path = news[0].Path
		}
		for len(news) > 0 && news[0].Path == out.Path {
			out, known = news[0].apply(out, known)
			news = news[1:]
		}
		if known && !yield(out, nil) {
			return
		}
	}
	if err != nil {
		yield(Entry{}, err)
	}
}

// A compaction is NDJSON: a head, the entries by path, and a tail that tells a
// whole file from a part of one.
type (
	knownHead struct {
		Format int   `json:"format"`
		Bound  int64 `json:"bound"`
	}
	knownLine struct {
		*Entry
		// End is set on the last line: the number of entries before it.
		End *int64 `json:"end,omitempty"`
	}
)

// compacted yields the entries of a compaction; none for bound 0, or anew.
func (st *State) compacted(ctx context.Context, bound int64, anew bool) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if bound == 0 || anew {
			return
		}
		key := numbered("known", bound, ".ndjson")
		o, err := st.s.Open(ctx, key)
		if err != nil {
			yield(Entry{}, st.fault("open", key, err))
			return
		}
		defer o.Close() //nolint:errcheck // nothing was written
		dec := json.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(o, 0, o.Info().Size), 1<<18))
		var head knownHead
		if err := dec.Decode(&head); err != nil || head.Format != Format {
			yield(Entry{}, st.broken(key, errors.Join(err, fmt.Errorf("found format %d, want %d", head.Format, Format))))
			return
		}
		for count := int64(0); ; count++ {
			line := knownLine{Entry: &Entry{}}
			if err := dec.Decode(&line); err != nil {
				yield(Entry{}, st.broken(key, err))
				return
			}
			if line.End != nil {
				if *line.End != count {
					yield(Entry{}, st.broken(key, fmt.Errorf("found %d entries, want %d", count, *line.End)))
				}
				return
			}
			if !yield(*line.Entry, nil) {
				return
			}
		}
	}
}

// Compact writes what all marks say into one file when `every` marks have come
// since the last (0 means CompactEvery). What it writes follows from the marks,
// so two runs write the same. Marks and intents stay until a vacuum.
func (st *State) Compact(ctx context.Context, every int64) error {
	if every <= 0 {
		every = CompactEvery
	}
	bound, news, err := st.recent(ctx)
	if err != nil || news.last-bound < every {
		return err
	}
	key := numbered("known", news.last, ".ndjson")
	up, err := st.s.Upload(ctx, key)
	if err != nil {
		return st.fault("create", key, err)
	}
	defer up.Abort(ctx) //nolint:errcheck // after Commit it does nothing; before, the first error counts
	buf := bufio.NewWriterSize(up, 1<<18)
	if err := st.writeKnown(buf, bound, news, st.compacted(ctx, bound, news.anew)); err != nil {
		return st.fault("write", key, err)
	}
	if _, err := up.Commit(ctx); err != nil && !errors.Is(err, store.ErrExist) {
		return st.fault("create", key, err)
	}
	return nil
}

func (st *State) writeKnown(buf *bufio.Writer, bound int64, news recent, old iter.Seq2[Entry, error]) error {
	enc := json.NewEncoder(buf)
	err := enc.Encode(knownHead{Format, news.last})
	count := int64(0)
	merge(old, news.changes, func(e Entry, broken error) bool {
		err = errors.Join(err, broken)
		if err == nil {
			count++
			err = enc.Encode(e)
		}
		return err == nil
	})
	if err == nil {
		err = enc.Encode(knownLine{End: &count})
	}
	if err != nil {
		return err
	}
	return buf.Flush()
}
