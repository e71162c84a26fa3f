package retry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
	"landfall/internal/store/retry"
	"landfall/internal/store/storetest"
)

// noWait lets pauses pass at once.
func noWait(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func TestSuite(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return retry.New(memory.New(nil), retry.Policy{}) })
}

// TestSuiteOverFaults: behind retry a store that loses every other answer, and
// every third call, behaves as any other one.
func TestSuiteOverFaults(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store {
		bad := fault.New(
			memory.New(nil),
			fault.Plan{Kind: fault.Ambiguous, Times: fault.Forever, Match: func(c fault.Call) bool { return c.N%2 == 0 }},
			fault.Plan{Kind: fault.Fail, Times: fault.Forever, Match: func(c fault.Call) bool { return c.N%3 == 0 && c.Op != fault.Commit }},
		)
		return retry.New(bad, retry.Policy{Tries: 100, Sleep: noWait})
	})
}

// script makes every kind of call and tells what it was answered.
func script(ctx context.Context, s store.Store) (told []string) {
	tell := func(what any, err error) { told = append(told, fmt.Sprint(what, " ", err)) }
	for _, key := range []string{"a", "b/c", "b/d"} {
		tell("create", s.Create(ctx, key, []byte("data of "+key)))
	}
	u, err := s.Upload(ctx, "up")
	tell("upload", err)
	if err == nil {
		n, err := u.Write([]byte("uploaded"))
		tell(n, err)
		info, err := u.Commit(ctx)
		tell(info, err)
		tell("abort", u.Abort(ctx))
	}
	tell("replace", s.Replace(ctx, "hint", []byte("now")))
	tell("delete", s.Delete(ctx, "b/d"))
	for info, err := range s.List(ctx, "", "") {
		tell(info.Key, err)
	}
	info, err := s.Stat(ctx, "b/c")
	tell(info.Size, err)
	data, err := store.Read(ctx, s, "a")
	tell(string(data), err)
	return told
}

// TestEveryCallOnce: one fault, wherever it strikes, is not seen from above.
func TestEveryCallOnce(t *testing.T) {
	want := script(t.Context(), memory.New(nil))
	for kind, calls := range map[fault.Kind]int{fault.Fail: 14, fault.Ambiguous: 15} {
		struck := 0
		for i := 0; ; i++ {
			m := memory.New(nil)
			bad := fault.New(m, fault.Plan{
				Kind: kind, At: i, Fine: true,
				// What cannot be repeated is tested below.
				Match: func(c fault.Call) bool {
					return c.Op != fault.Write && (c.Op != fault.Commit || kind == fault.Ambiguous)
				},
			})
			found := script(t.Context(), retry.New(bad, retry.Policy{Sleep: noWait}))
			if !bad.Struck() {
				break
			}
			struck++
			if !slices.Equal(found, want) {
				t.Errorf("kind %d, call %d:\nfound  %q\nwanted %q", kind, i, found, want)
			}
		}
		if struck != calls {
			t.Errorf("kind %d: found %d calls, wanted %d", kind, struck, calls)
		}
	}
}

func on(op fault.Op) func(fault.Call) bool { return func(c fault.Call) bool { return c.Op == op } }

func count(s *fault.Store, op fault.Op) int {
	n := 0
	for _, c := range s.Calls() {
		if c.Op == op {
			n++
		}
	}
	return n
}

func TestCreate(t *testing.T) {
	for _, c := range []struct {
		name    string
		kind    fault.Kind
		times   int
		other   string // what another writer creates before our first try
		want    error
		creates int
		content string
	}{
		{"lost before", fault.Fail, 1, "", nil, 2, "ours"},
		{"lost after", fault.Ambiguous, 1, "", nil, 1, "ours"},
		{"lost before, other won", fault.Fail, 1, "them", store.ErrExist, 1, "them"},
		{"lost after, other won", fault.Ambiguous, 1, "them", store.ErrExist, 1, "them"},
		{"lost after, longer won", fault.Ambiguous, 1, "they did", store.ErrExist, 1, "they did"},
		{"the same by another", fault.Ambiguous, 1, "ours", nil, 1, "ours"},
		{"plainly taken", fault.None, 1, "ours", store.ErrExist, 1, "ours"},
		{"always lost", fault.Fail, fault.Forever, "", store.ErrTransient, 5, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := memory.New(nil)
			bad := fault.New(m, fault.Plan{Kind: c.kind, Times: c.times, Match: on(fault.Create), Before: func() {
				if c.other != "" {
					_ = m.Create(t.Context(), "k", []byte(c.other)) // of no effect the second time
				}
			}})
			err := retry.New(bad, retry.Policy{Sleep: noWait}).Create(t.Context(), "k", []byte("ours"))
			if !errors.Is(err, c.want) {
				t.Errorf("found %v, wanted %v", err, c.want)
			}
			if n := count(bad, fault.Create); n != c.creates {
				t.Errorf("found %d creates, wanted %d", n, c.creates)
			}
			if found, _ := store.Read(t.Context(), m, "k"); string(found) != c.content {
				t.Errorf("found content %q, wanted %q", found, c.content)
			}
		})
	}
}

// TestCreateArrivesLate: the first try, believed lost, does its work after the
// key was found absent; the second try then meets our own object.
func TestCreateArrivesLate(t *testing.T) {
	m := memory.New(nil)
	bad := fault.New(
		m,
		fault.Plan{Kind: fault.Fail, Match: on(fault.Create)},
		fault.Plan{Match: on(fault.Create), At: 1, Before: func() {
			if err := m.Create(t.Context(), "k", []byte("ours")); err != nil {
				t.Error(err)
			}
		}},
	)
	if err := retry.New(bad, retry.Policy{Sleep: noWait}).Create(t.Context(), "k", []byte("ours")); err != nil {
		t.Error(err)
	}
}

func TestCommit(t *testing.T) {
	for _, c := range []struct {
		name  string
		kind  fault.Kind
		other string
		want  error
	}{
		{"lost after", fault.Ambiguous, "", nil},
		{"lost before", fault.Fail, "", store.ErrTransient},
		{"other won", fault.Ambiguous, "them", store.ErrExist},
		{"longer won", fault.Fail, "they did", store.ErrExist},
		{"plainly taken", fault.None, "ours", store.ErrExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := memory.New(nil)
			bad := fault.New(m, fault.Plan{Kind: c.kind, Match: on(fault.Commit), Before: func() {
				if c.other != "" {
					if err := m.Create(t.Context(), "k", []byte(c.other)); err != nil {
						t.Error(err)
					}
				}
			}})
			u, err := retry.New(bad, retry.Policy{Sleep: noWait}).Upload(t.Context(), "k")
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{"ou", "rs"} {
				if _, err := u.Write([]byte(part)); err != nil {
					t.Fatal(err)
				}
			}
			info, err := u.Commit(t.Context())
			if !errors.Is(err, c.want) {
				t.Errorf("found %v, wanted %v", err, c.want)
			}
			if err == nil && info.Size != 4 {
				t.Errorf("found %+v", info)
			}
			if n := count(bad, fault.Commit); n != 1 {
				t.Errorf("found %d commits, wanted 1", n)
			}
		})
	}
}

// TestUnknownStaysUnknown: when the key cannot be read back either, the answer
// says that the outcome is unknown.
func TestUnknownStaysUnknown(t *testing.T) {
	m := memory.New(nil)
	bad := fault.New(m, fault.Plan{Kind: fault.Ambiguous, Times: fault.Forever})
	s := retry.New(bad, retry.Policy{Sleep: noWait})
	if err := s.Create(t.Context(), "k", nil); !errors.Is(err, store.ErrTransient) {
		t.Errorf("found %v, wanted %v", err, store.ErrTransient)
	}
	if creates, stats := count(bad, fault.Create), count(bad, fault.Stat); creates != 1 || stats != 5 {
		t.Errorf("found %d creates and %d stats, wanted 1 and 5", creates, stats)
	}
}

// TestFinalFaults: what will not pass is not tried again.
func TestFinalFaults(t *testing.T) {
	for _, want := range []error{store.ErrPermission, store.ErrFull, store.ErrNotExist} {
		bad := fault.New(memory.New(nil), fault.Plan{Kind: fault.Fail, Times: fault.Forever, Err: want})
		s := retry.New(bad, retry.Policy{Sleep: noWait})
		_, err := s.Stat(t.Context(), "k")
		for _, err := range []error{err, s.Create(t.Context(), "k", nil), s.Replace(t.Context(), "k", nil)} {
			if !errors.Is(err, want) {
				t.Errorf("found %v, wanted %v", err, want)
			}
		}
		if n := len(bad.Calls()); n != 3 {
			t.Errorf("found %d calls, wanted 3", n)
		}
	}
}

func TestPauses(t *testing.T) {
	bad := fault.New(memory.New(nil), fault.Plan{Kind: fault.Fail, Times: fault.Forever})
	var pauses []time.Duration
	s := retry.New(bad, retry.Policy{Tries: 10, Sleep: func(_ context.Context, d time.Duration) error {
		pauses = append(pauses, d)
		return nil
	}})
	if _, err := s.Stat(t.Context(), "k"); !errors.Is(err, store.ErrTransient) {
		t.Errorf("found %v, wanted %v", err, store.ErrTransient)
	}
	var want []time.Duration
	for _, ms := range []int{100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000} {
		want = append(want, time.Duration(ms)*time.Millisecond)
	}
	if !slices.Equal(pauses, want) {
		t.Errorf("found %v, wanted %v", pauses, want)
	}
}

// TestCancelledWhileWaiting uses the real sleep, which a cancel ends at once.
func TestCancelledWhileWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	bad := fault.New(memory.New(nil), fault.Plan{Kind: fault.Fail, Times: fault.Forever, Before: cancel})
	s := retry.New(bad, retry.Policy{Pause: func(int) time.Duration { return time.Hour }})
	if _, err := s.Stat(ctx, "k"); !errors.Is(err, context.Canceled) || len(bad.Calls()) != 1 {
		t.Errorf("found %v after %d calls", err, len(bad.Calls()))
	}
}
