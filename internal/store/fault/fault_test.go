package fault_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"landfall/internal/store"
	"landfall/internal/store/fault"
	"landfall/internal/store/memory"
)

// work makes one call of each kind and stops at the first error.
func work(ctx context.Context, s store.Store) error {
	if err := s.Create(ctx, "created", []byte("x")); err != nil {
		return err
	}
	u, err := s.Upload(ctx, "uploaded")
	if err != nil {
		return err
	}
	if _, err := io.WriteString(u, "yy"); err != nil {
		return errors.Join(err, u.Abort(ctx))
	}
	if _, err := u.Commit(ctx); err != nil {
		return errors.Join(err, u.Abort(ctx))
	}
	if err := s.Replace(ctx, "replaced", nil); err != nil {
		return err
	}
	for _, err := range s.List(ctx, "", "") {
		if err != nil {
			return err
		}
	}
	if _, err := s.Stat(ctx, "created"); err != nil {
		return err
	}
	if _, err := store.Read(ctx, s, "created"); err != nil {
		return err
	}
	return s.Delete(ctx, "created")
}

// effects are the keys present after each number of calls done.
func effects() [][]string {
	c, u, r := "created", "uploaded", "replaced"
	return [][]string{nil, {c}, {c}, {c, u}, {c, r, u}, {c, r, u}, {c, r, u}, {c, r, u}, {r, u}}
}

func TestCalls(t *testing.T) {
	s := fault.New(memory.New(nil))
	if err := work(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	want := []fault.Call{
		{0, fault.Create, "created"},
		{1, fault.Upload, "uploaded"},
		{2, fault.Commit, "uploaded"},
		{3, fault.Replace, "replaced"},
		{4, fault.List, ""},
		{5, fault.Stat, "created"},
		{6, fault.Open, "created"},
		{7, fault.Delete, "created"},
	}
	if found := s.Calls(); !slices.Equal(found, want) {
		t.Errorf("found  %v\nwanted %v", found, want)
	}
	if s.Struck() || s.Crashed() {
		t.Error("a fault without a plan")
	}
}

// TestSweep: in each place a failing call leaves the effects of those before
// it, an ambiguous or crashing one its own as well.
func TestSweep(t *testing.T) {
	for _, c := range []struct {
		kind fault.Kind
		own  int
		want error
	}{
		{fault.Fail, 0, store.ErrTransient},
		{fault.Ambiguous, 1, store.ErrTransient},
		{fault.Crash, 1, fault.ErrCrashed},
	} {
		i := 0
		for ; ; i++ {
			m := memory.New(nil)
			s := fault.New(m, fault.Plan{Kind: c.kind, At: i})
			err := work(t.Context(), s)
			if !s.Struck() {
				break
			}
			if !errors.Is(err, c.want) {
				t.Errorf("kind %d, call %d: found %v, wanted %v", c.kind, i, err, c.want)
			}
			if found, want := m.Keys(), effects()[i+c.own]; !slices.Equal(found, want) {
				t.Errorf("kind %d, call %d: found %q, wanted %q", c.kind, i, found, want)
			}
		}
		if i != 8 {
			t.Errorf("kind %d: the sweep ended at %d, wanted 8", c.kind, i)
		}
	}
}

// TestNothingAfterCrash: not even an upload that was under way goes on.
func TestNothingAfterCrash(t *testing.T) {
	ctx, m := t.Context(), memory.New(nil)
	s := fault.New(m, fault.Plan{Kind: fault.Crash, At: 3})
	var errs []error
	errs = append(errs, s.Create(ctx, "k", []byte("x")))
	o, err := s.Open(ctx, "k")
	errs = append(errs, err)
	u, err := s.Upload(ctx, "u")
	errs = append(errs, err)
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	_, stat := s.Stat(ctx, "k")
	_, write := u.Write(nil)
	_, commit := u.Commit(ctx)
	_, read := o.ReadAt(make([]byte, 1), 0)
	_, open := s.Open(ctx, "k")
	_, upload := s.Upload(ctx, "v")
	var list error
	for _, err := range s.List(ctx, "", "") {
		list = err
	}
	for i, err := range []error{
		stat, write, commit, u.Abort(ctx), read, open, upload, list,
		s.Create(ctx, "l", nil), s.Replace(ctx, "k", nil), s.Delete(ctx, "k"),
	} {
		if !errors.Is(err, fault.ErrCrashed) {
			t.Errorf("answer %d after the crash: found %v", i, err)
		}
	}
	if found := m.CrashClone().Keys(); !slices.Equal(found, []string{"k"}) || m.Pending() != 1 {
		t.Errorf("found %q and %d uploads under way, wanted k and 1", found, m.Pending())
	}
}

func TestPlans(t *testing.T) {
	full := errors.Join(errors.New("quota"), store.ErrFull)
	for _, c := range []struct {
		name string
		plan fault.Plan
		want error
	}{
		{"full on commit", fault.Plan{
			Kind: fault.Fail, Err: full, Times: fault.Forever,
			Match: func(c fault.Call) bool { return c.Op == fault.Commit && c.Key == "uploaded" },
		}, store.ErrFull},
		{"other key", fault.Plan{
			Kind: fault.Fail, Err: full, Times: fault.Forever,
			Match: func(c fault.Call) bool { return c.Op == fault.Commit && c.Key == "other" },
		}, nil},
		{"no such turn", fault.Plan{
			Kind: fault.Fail, At: 1,
			Match: func(c fault.Call) bool { return c.Op == fault.Open },
		}, nil},
		{"write", fault.Plan{
			Kind: fault.Fail, Err: full, Fine: true,
			Match: func(c fault.Call) bool { return c.Op == fault.Write },
		}, store.ErrFull},
		{"write unasked", fault.Plan{
			Kind: fault.Fail, Err: full,
			Match: func(c fault.Call) bool { return c.Op == fault.Write },
		}, nil},
		{"read", fault.Plan{
			Kind: fault.Fail, Fine: true,
			Match: func(c fault.Call) bool { return c.Op == fault.Read },
		}, store.ErrTransient},
		{"second entry of a list", fault.Plan{
			Kind: fault.Fail, Fine: true, At: 1, Err: store.ErrPermission,
			Match: func(c fault.Call) bool { return c.Op == fault.Next },
		}, store.ErrPermission},
	} {
		m := memory.New(nil)
		s := fault.New(m, c.plan)
		if err := work(t.Context(), s); !errors.Is(err, c.want) || s.Struck() != (c.want != nil) {
			t.Errorf("%s: found %v, struck %v; wanted %v", c.name, err, s.Struck(), c.want)
		}
		if m.Pending() != 0 {
			t.Errorf("%s: an upload was left", c.name)
		}
	}
}

func TestTimes(t *testing.T) {
	s := fault.New(memory.New(nil), fault.Plan{Kind: fault.Fail, At: 1, Times: 2})
	var found []bool
	for range 5 {
		found = append(found, s.Replace(t.Context(), "k", nil) != nil)
	}
	if want := []bool{false, true, true, false, false}; !slices.Equal(found, want) {
		t.Errorf("found %v, wanted %v", found, want)
	}
}

// TestBefore: another writer comes between our look and our write.
func TestBefore(t *testing.T) {
	ctx, m := t.Context(), memory.New(nil)
	s := fault.New(m, fault.Plan{At: 1, Before: func() {
		if err := m.Create(ctx, "k", []byte("them")); err != nil {
			t.Error(err)
		}
	}})
	if _, err := s.Stat(ctx, "k"); !errors.Is(err, store.ErrNotExist) {
		t.Errorf("found %v, wanted %v", err, store.ErrNotExist)
	}
	if err := s.Create(ctx, "k", []byte("us")); !errors.Is(err, store.ErrExist) {
		t.Errorf("found %v, wanted %v", err, store.ErrExist)
	}
}
