package state

import (
	"bufio"
	"context"
	"errors"

	"landfall/internal/store"
)

// Ledger walks along what the marks say of each path, in ascending byte order of
// paths. Of a path that no mark since the last compaction names, nothing is decoded
// but path and version unless it is asked for.
type Ledger struct {
	st *State
	h  heads
	// old is the compaction that is read, and used which of heads it is.
	old  compaction
	used int
	// more tells that old is at an entry, spent that this one is done with.
	more, spent bool
	// news are the changes by marks since old that are still to come.
	news []change
	// entry is the one at hand if news changed it.
	entry   Entry
	changed bool
	// at is the path at hand, or the last one before a compaction turned out to be
	// broken; begun tells that there is one.
	at    []byte
	begun bool
}

// compaction is a file that says what the marks up to its bound say, read entry by
// entry. Path and version are valid until the next one.
type compaction interface {
	next() (more bool, err error)
	path() []byte
	version() []byte
	short() bool
	entry() (Entry, error)
	close()
}

// none is the compaction before the first.
type none struct{}

func (none) next() (bool, error)   { return false, nil }
func (none) path() []byte          { return nil }
func (none) version() []byte       { return nil }
func (none) short() bool           { return false }
func (none) entry() (Entry, error) { return Entry{}, nil }
func (none) close()                {}

// Ledger opens the ledger at its first path. The caller closes it.
func (st *State) Ledger(ctx context.Context) (*Ledger, error) {
	h, err := st.heads(ctx)
	if err != nil {
		return nil, err
	}
	return st.open(ctx, h)
}

func (st *State) open(ctx context.Context, h heads) (*Ledger, error) {
	l := &Ledger{st: st, h: h, old: none{}, used: -1}
	return l, l.back(ctx)
}

// back goes on with the next older compaction, and the marks since that one. A
// compaction is a memory of the marks: where it is broken, they are read.
func (l *Ledger) back(ctx context.Context) error {
	l.old.close()
	l.used++
	var from compacted
	if l.used < len(l.h.compactions) {
		from = l.h.compactions[l.used]
	}
	news, err := l.st.recent(ctx, from.bound, l.h.last)
	if err != nil {
		return err
	}
	l.news, l.old, l.more, l.spent = news.changes, none{}, false, true
	for l.begun && len(l.news) > 0 && l.news[0].Path <= string(l.at) {
		l.news = l.news[1:]
	}
	if from.bound == 0 || news.anew {
		return nil
	}
	if l.old, err = l.st.compaction(ctx, from); err == nil {
		return nil
	}
	l.old = none{}
	return l.mend(ctx, err)
}

// mend goes back if what was read of a compaction is broken, or if it is gone by
// now. Other errors stay.
func (l *Ledger) mend(ctx context.Context, err error) error {
	if l.used >= len(l.h.compactions) || !IsBroken(err) && !errors.Is(err, store.ErrNotExist) {
		return err
	}
	l.st.damaged.Store(true)
	return l.back(ctx)
}

func (st *State) compaction(ctx context.Context, c compacted) (compaction, error) {
	o, err := st.s.Open(ctx, c.key)
	if err != nil {
		return nil, st.fault("open", c.key, err)
	}
	if c.ledger {
		return openBlocks(st, c, o)
	}
	return openLines(st, c, o)
}

// Next goes to the next path; more is false behind the last.
func (l *Ledger) Next(ctx context.Context) (more bool, err error) {
	for {
		if l.spent {
			if l.more, err = l.old.next(); err != nil {
				if err = l.mend(ctx, err); err != nil {
					return false, err
				}
				continue
			}
			l.spent = false
		}
		if !l.more && len(l.news) == 0 {
			return false, nil
		}
		met := false
		if len(l.news) == 0 || l.more && string(l.old.path()) < l.news[0].Path {
			l.changed, l.spent, met = false, true, !l.passed(l.old.path())
		} else if met, err = l.change(); err != nil {
			if err = l.mend(ctx, err); err != nil {
				return false, err
			}
			continue
		}
		if met {
			l.begun = true
			return true, nil
		}
	}
}

// passed takes note of a path, and tells whether it was met before a compaction
// turned out to be broken.
func (l *Ledger) passed(path []byte) bool {
	if l.begun && string(path) <= string(l.at) {
		return true
	}
	l.at = append(l.at[:0], path...)
	return false
}

// change applies the news of the next path; known is false if no mark settled it.
func (l *Ledger) change() (known bool, err error) {
	e := Entry{Object: Object{Path: l.news[0].Path}}
	if l.more && string(l.old.path()) == e.Path {
		if e, err = l.old.entry(); err != nil {
			return false, err
		}
		known, l.spent = true, true
	}
	for path := e.Path; len(l.news) > 0 && l.news[0].Path == path; l.news = l.news[1:] {
		e, known = l.news[0].apply(e, known)
	}
	if !known {
		return false, nil
	}
	l.entry, l.changed, l.at = e, true, append(l.at[:0], e.Path...)
	return true, nil
}

// Path is the path at hand. It is valid until Next is called.
func (l *Ledger) Path() []byte { return l.at }

// Version is that of the newest settled version of the path at hand. It is valid
// until Next is called.
func (l *Ledger) Version() []byte {
	if l.changed {
		return []byte(l.entry.Version)
	}
	return l.old.version()
}

// Short tells what [Entry.Short] does.
func (l *Ledger) Short() bool {
	if l.changed {
		return l.entry.Short()
	}
	return l.old.short()
}

// Entry is all that the marks say of the path at hand.
func (l *Ledger) Entry() (Entry, error) {
	if l.changed {
		return l.entry, nil
	}
	return l.old.entry()
}

// Close ends the walk.
func (l *Ledger) Close() { l.old.close() }

// writeTo writes the ledger as a compaction of the marks up to bound.
func (l *Ledger) writeTo(ctx context.Context, to *bufio.Writer, bound int64) error {
	w, err := newBlocks(to, bound)
	if err != nil {
		return err
	}
	for {
		more, err := l.Next(ctx)
		if err != nil {
			return err
		}
		if !more {
			return w.end()
		}
		e, err := l.Entry()
		if err != nil {
			return err
		}
		if err := w.add(&e); err != nil {
			return err
		}
	}
}
