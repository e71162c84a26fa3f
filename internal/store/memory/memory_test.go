package memory_test

import (
	"slices"
	"testing"
	"time"

	"landfall/internal/store"
	"landfall/internal/store/memory"
)

func TestClones(t *testing.T) {
	ctx, s := t.Context(), memory.New(nil)
	if err := s.Create(ctx, "k", []byte("old")); err != nil {
		t.Fatal(err)
	}
	u, err := s.Upload(ctx, "u")
	if err != nil {
		t.Fatal(err)
	}
	for name, clone := range map[string]*memory.Store{"clone": s.Clone(), "crash clone": s.CrashClone()} {
		if err := clone.Replace(ctx, "k", []byte("new")); err != nil {
			t.Fatal(err)
		}
		if found, err := store.Read(ctx, s, "k"); string(found) != "old" {
			t.Errorf("%s: a write to the copy reached the original: %q, %v", name, found, err)
		}
		if clone.Pending() != 0 {
			t.Errorf("%s: an upload survived", name)
		}
	}
	after := s.CrashClone()
	if _, err := u.Commit(ctx); err != nil {
		t.Fatal(err)
	}
	if found := after.Keys(); !slices.Equal(found, []string{"k"}) {
		t.Errorf("found %q: the copy sees what was committed later", found)
	}
	if found := s.CrashClone().Keys(); !slices.Equal(found, []string{"k", "u"}) {
		t.Errorf("found %q, wanted what is committed", found)
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		clock func() time.Time
		want  time.Time
	}{
		{nil, time.Date(2000, 1, 1, 0, 0, 2, 0, time.UTC)},
		{func() time.Time { return now }, now},
	} {
		s := memory.New(c.clock)
		for _, key := range []string{"a", "b"} {
			if err := s.Create(t.Context(), key, nil); err != nil {
				t.Fatal(err)
			}
		}
		info, err := s.Stat(t.Context(), "b")
		if err != nil || !info.ModTime.Equal(c.want) {
			t.Errorf("found %v, %v; wanted %v", info.ModTime, err, c.want)
		}
	}
}
