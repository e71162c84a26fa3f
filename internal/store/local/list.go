package local

import (
	"context"
	"io/fs"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"landfall/internal/store"
)

// List implements [store.Store]. It reads only folders that can hold a wanted key,
// several at a time. Links are followed; a folder inside itself is not. Names that
// are not UTF-8 become keys as they are.
func (s *Store) List(ctx context.Context, prefix, after string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) {
		l := &listing{s: s, prefix: prefix, after: after, cancelled: ctx.Err, first: &step{}}
		l.ready.L = &l.mu
		defer l.end()
		for desk := new(desk); ; {
			done := l.await(desk)
			if done == nil || !l.hand(done, yield) {
				return
			}
		}
	}
}

// What a listing may do at a time, and ahead of the keys that are yielded.
const (
	// workers is the number of folders that are read, or looked into, at a time: a
	// file system over a network answers them side by side.
	workers = 16
	// window is the number of steps that are done ahead, and names that of the names
	// in folders that were read ahead: past it only the first folder is read on.
	window, namesAhead = 64, 1 << 18
	// runLength is the number of files that are looked at in one step: their keys and
	// versions share one string.
	runLength = 256
	// patience is how long a step may take before others are done beside it: several
	// times what one takes on a disk of this machine.
	patience = 4 * time.Millisecond
)

// listing is one listing: a row of steps in the order of their keys. The first is
// awaited and its files are yielded; workers take the first ones that nobody has.
type listing struct {
	s             *Store
	prefix, after string
	cancelled     func() error

	// over tells workers to stop.
	over   atomic.Bool
	joined sync.WaitGroup

	mu sync.Mutex
	// ready is signalled when the first step is done.
	ready sync.Cond
	first *step
	// slow tells that steps took longer than the patience of the store, late by how
	// much: a single one says nothing where other programs want the processors too.
	slow bool
	late time.Duration
	// busy is the number of workers, held that of the names in folders that were read
	// ahead.
	busy, held int
	// desks and infos are for later steps.
	desks []*desk
	infos [][]store.Info
}

// step is a part of a listing. What was found in a folder takes its place.
type step struct {
	next  *step
	what  what
	state progress
	// base is what the keys in a folder begin with; above are the folders it lies in.
	base  string
	above []fs.FileInfo
	// of is the folder that the step is in: a run has its names from..to, a rest those
	// after from. in is what was read of a folder.
	of, in   *reading
	from, to int
	// infos are the files of a run. The error comes behind them; at is its key.
	infos []store.Info
	err   error
	at    string
}

// what is to be done in a step.
type what uint8

const (
	toRead what = iota // a folder to read
	toLook             // a run of files to look at
	toCut              // the rest of a folder, to be cut into steps
)

// progress is how far a step is.
type progress uint8

const (
	waits progress = iota
	begun          // it waits to be the first, since it holds much
	taken
	done
)

// await returns the first step with its files, and takes it out of the row; nil at
// the end.
func (l *listing) await(desk *desk) *step {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.first != nil {
		if of := l.first.of; of != nil { // it is not ahead any more
			l.held, of.held = l.held-of.held, 0
		}
		switch s := l.first; {
		case s.what == toCut:
			l.cut(s)
		case s.state == done:
			l.first = s.next
			l.hire()
			return s
		case s.state == taken:
			l.ready.Wait()
		default:
			s.state = taken
			l.hire()
			l.mu.Unlock()
			began := l.s.now()
			l.do(s, desk)
			took := l.s.now().Sub(began)
			l.mu.Lock()
			l.late = max(0, l.late+took-l.s.patience)
			l.slow = l.slow || l.late >= 25*l.s.patience
			l.finish(s)
		}
	}
	return nil
}

// hand yields the files of a step; it returns false to end the listing.
func (l *listing) hand(s *step, yield func(store.Info, error) bool) bool {
	for _, info := range s.infos {
		if err := l.cancelled(); err != nil {
			yield(store.Info{}, l.s.fault("list", info.Key, err))
			return false
		}
		if !yield(info, nil) {
			return false
		}
	}
	if s.err != nil {
		yield(store.Info{}, l.s.fault("list", s.at, s.err))
		return false
	}
	if s.infos != nil {
		clear(s.infos) // the strings are their receiver's
		l.mu.Lock()
		l.infos = append(l.infos, s.infos[:0])
		l.mu.Unlock()
	}
	return true
}

// hire gives steps that can be done to new workers, if the store is slow: where a step
// takes less than to wake another thread, they would only cost.
func (l *listing) hire() {
	for l.slow && l.busy < workers {
		s := l.take()
		if s == nil {
			return
		}
		l.busy++
		l.joined.Go(func() { l.work(s) })
	}
}

// work does a step, and others until there is none to do.
func (l *listing) work(s *step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := new(desk)
	if n := len(l.desks); n > 0 {
		d, l.desks = l.desks[n-1], l.desks[:n-1]
	}
	for s != nil {
		l.mu.Unlock()
		l.do(s, d)
		l.mu.Lock()
		l.finish(s)
		s = l.take()
		l.hire()
	}
	l.desks = append(l.desks, d)
	l.busy--
}

// take returns the first step that nobody has taken, if it may be done yet.
func (l *listing) take() *step {
	if l.over.Load() {
		return nil
	}
	ahead := 0
	for s := l.first; s != nil && ahead < window; s = s.next {
		if s.what == toCut {
			l.cut(s)
		}
		if s.state == waits && (s.what == toLook || l.held < namesAhead) {
			s.state = taken
			return s
		}
		ahead++
	}
	return nil
}

// cut makes a step of what comes first in the rest of a folder, and one of the rest
// behind it.
func (l *listing) cut(s *step) {
	of, to := s.of, s.from+1
	all := of.found.all
	if all[s.from].kind == aFolder {
		*s = step{next: s.next, of: of, base: of.base + of.found.key(s.from), above: of.above}
	} else {
		for to < len(all) && to-s.from < runLength && all[to].kind == aFile {
			to++
		}
		*s = step{next: s.next, what: toLook, of: of, from: s.from, to: to}
		of.users++
	}
	if to == len(all) {
		l.leave(of)
		return
	}
	s.next = &step{next: s.next, what: toCut, of: of, from: to}
}

// do does a step that was taken.
func (l *listing) do(s *step, desk *desk) {
	err := l.cancelled()
	switch {
	case err != nil:
		s.err, s.at = err, s.base
	case s.what == toRead:
		l.read(s, desk)
	default:
		l.mu.Lock()
		if n := len(l.infos); n > 0 {
			s.infos, l.infos = l.infos[n-1], l.infos[:n-1]
		}
		l.mu.Unlock()
		l.look(s, desk)
	}
}

// finish puts what came of a step in its place.
func (l *listing) finish(s *step) {
	s.state = done
	switch in := s.in; {
	case s.what == toLook:
		l.leave(s.of)
	case in == nil:
	case s.err != nil || in.whole && len(in.found.all) == 0:
		l.leave(in)
	case in.whole:
		*s = step{next: s.next, what: toCut, of: in}
	default:
		s.state = begun
	}
	if s == l.first {
		l.ready.Signal()
	}
}

// leave closes a folder that no run or rest is of any more.
func (l *listing) leave(r *reading) {
	if r.users--; r.users == 0 {
		l.held -= r.held
		r.d.close()
	}
}

// mayHold takes note of the names in a folder that is read, and tells whether it may
// be read on.
func (l *listing) mayHold(s *step, names int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held += names - s.in.held
	s.in.held = names
	return s == l.first || l.held < namesAhead
}

// end stops the workers, and closes what is open.
func (l *listing) end() {
	l.over.Store(true)
	l.joined.Wait()
	for s := l.first; s != nil; s = s.next {
		switch {
		case s.state == begun:
			l.leave(s.in)
		case s.what == toCut || s.what == toLook && s.state == waits:
			l.leave(s.of)
		}
	}
}
