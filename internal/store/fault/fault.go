// Package fault makes a store fail on purpose.
//
// A [Store] counts the calls made to the store it decorates, and its plans say
// which of them go wrong and how. A sweep tries call 0, 1, 2 … until a run
// meets no fault:
//
//	for i := 0; ; i++ {
//		s := fault.New(memory.New(nil), fault.Plan{Kind: fault.Crash, At: i})
//		… run over s, then land again over what it left …
//		if !s.Struck() {
//			break
//		}
//	}
//
// The optional powers of the decorated store are hidden, so that nothing gets
// past the count.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"landfall/internal/store"
)

// ErrCrashed is the answer to every call that a crashed process would not have
// lived to see.
var ErrCrashed = errors.New("crashed on purpose")

// Op names what a call does.
type Op string

// The calls that are counted: each method of a store, and the end of an upload.
const (
	List    Op = "list" // the start of a listing
	Stat    Op = "stat"
	Open    Op = "open"
	Create  Op = "create"
	Upload  Op = "upload"
	Commit  Op = "commit"
	Replace Op = "replace"
	Delete  Op = "delete"
)

// The steps within calls, of which there are many. Only plans that ask for Fine
// see them, and Calls never shows them.
const (
	Next  Op = "next" // one more entry of a listing; Key is the entry's
	Read  Op = "read"
	Write Op = "write"
)

// Call is one call to the store.
type Call struct {
	N   int // from 0
	Op  Op
	Key string // List: the prefix
}

// Kind is a way to go wrong.
type Kind int

// The ways to go wrong.
const (
	// None: nothing goes wrong; of use with Before.
	None Kind = iota
	// Fail: the call does nothing and answers an error.
	Fail
	// Ambiguous: the call does its work and answers an error.
	Ambiguous
	// Crash: the call does its work; it and all later calls, matching or not,
	// answer ErrCrashed. Nothing is done any more, no upload aborted.
	Crash
)

// Plan says which calls go wrong and how. The zero value is no fault.
type Plan struct {
	Kind Kind
	// Match picks the calls that the plan is about; nil picks all. It must not
	// call the store.
	Match func(Call) bool
	// At is the first of the picked calls to meet the fault, counted from 0.
	At int
	// Times is how many picked calls in a row meet it: 0 means one, Forever all.
	Times int
	// Err is the answer of Fail and Ambiguous; nil means store.ErrTransient.
	Err error
	// Before runs before the call is made: the place for another writer.
	Before func()
	// Fine makes Next, Read and Write count as calls of this plan.
	Fine bool
}

// Forever is a number of times.
const Forever = -1

// Store decorates a store with faults.
type Store struct {
	s     store.Store
	plans []Plan

	mu      sync.Mutex
	seen    []int // calls that each plan picked
	calls   []Call
	struck  bool
	crashed bool
}

var _ store.Store = (*Store)(nil)

// New returns s with the faults of the plans. Of plans that hit one call, all
// hooks run and the first fault counts.
func New(s store.Store, plans ...Plan) *Store {
	return &Store{s: s, plans: plans, seen: make([]int, len(plans))}
}

// Calls returns the calls made so far, in the order of their beginning.
func (s *Store) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Struck reports whether any plan has met its call.
func (s *Store) Struck() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.struck
}

// Crashed reports whether a Crash has happened.
func (s *Store) Crashed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.crashed
}

// call runs do as a call, with the fault that the plans have for it.
func (s *Store) call(op Op, key string, do func() error) error {
	p, hooks, err := s.begin(op, key)
	if err != nil {
		return err
	}
	for _, hook := range hooks {
		hook()
	}
	switch p.Kind {
	case Fail:
		return answer(op, key, p.Err)
	case Ambiguous:
		_ = do() // its answer is what gets lost
		return answer(op, key, p.Err)
	case Crash:
		_ = do()
		return fmt.Errorf("%s %q: %w", op, key, ErrCrashed)
	case None:
	}
	return do()
}

func answer(op Op, key string, err error) error {
	if err == nil {
		err = store.ErrTransient
	}
	return fmt.Errorf("%s %q: %w (planned)", op, key, err)
}

// begin counts a call and returns its fault and the hooks to run before it.
func (s *Store) begin(op Op, key string) (fault Plan, hooks []func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.crashed {
		return Plan{}, nil, fmt.Errorf("%s %q: %w", op, key, ErrCrashed)
	}
	c := Call{N: len(s.calls), Op: op, Key: key}
	fine := op == Next || op == Read || op == Write
	if !fine {
		s.calls = append(s.calls, c)
	}
	for i, p := range s.plans {
		if fine && !p.Fine || p.Match != nil && !p.Match(c) {
			continue
		}
		n := s.seen[i]
		s.seen[i]++
		if n < p.At || p.Times != Forever && n >= p.At+max(p.Times, 1) {
			continue
		}
		s.struck = true
		if p.Before != nil {
			hooks = append(hooks, p.Before)
		}
		if fault.Kind == None {
			fault = p
		}
	}
	s.crashed = fault.Kind == Crash
	return fault, hooks, nil
}
