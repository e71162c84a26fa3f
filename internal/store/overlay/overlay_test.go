package overlay_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/store/memory"
	"landfall/internal/store/overlay"
	"landfall/internal/store/storetest"
)

func folder(t *testing.T) store.Store {
	t.Helper()
	s, err := local.Open(t.TempDir() + "/made/by the first write")
	ok(t, err)
	return s
}

// An overlay over an empty base is a store like any other; so is one that all of
// the base was deleted from.
func TestStore(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) store.Store{
		"memory": func(*testing.T) store.Store { return overlay.New(memory.New(nil), memory.New(nil)) },
		"local":  func(t *testing.T) store.Store { return overlay.New(folder(t), folder(t)) },
		"mixed":  func(t *testing.T) store.Store { return overlay.New(memory.New(nil), folder(t)) },
		"below":  func(*testing.T) store.Store { return store.Below(overlay.New(memory.New(nil), memory.New(nil)), "a/b") },
		"cleared": func(t *testing.T) store.Store {
			base := memory.New(nil)
			for _, key := range append(storetest.OddKeys(), "k", "u", "c", "r", "large", "hint/k", "a/k", "new/k", "in/deep/b") {
				ok(t, base.Create(t.Context(), key, []byte("of the base")))
			}
			s := overlay.New(base, memory.New(nil))
			for _, key := range base.Keys() {
				ok(t, s.Delete(t.Context(), key))
			}
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, open)
		})
	}
}

// What the suite says of keys that were made holds of those that the base has
// too, but for their version: they are read, taken, hidden and shadowed.
func TestBase(t *testing.T) {
	ctx, base := t.Context(), memory.New(nil)
	for _, key := range []string{"a", "d/1", "d/3", "z"} {
		ok(t, base.Create(ctx, key, []byte("base "+key)))
	}
	before := base.Clone()
	upper := memory.New(nil)
	s := overlay.New(base, upper)
	reads(t, s, "d/1", "base d/1")
	if err := s.Create(ctx, "a", nil); !is(err, store.ErrExist) {
		t.Errorf("create over the base: found %v, want %v", err, store.ErrExist)
	}
	u, err := s.Upload(ctx, "d/3")
	ok(t, err)
	if _, err := u.Commit(ctx); !is(err, store.ErrExist) {
		t.Errorf("upload over the base: found %v, want %v", err, store.ErrExist)
	}
	old := stat(t, s, "d/3")
	ok(t, s.Create(ctx, "d/2", []byte("new")))
	ok(t, s.Replace(ctx, "d/3", []byte("base d/3")))
	if now := stat(t, s, "d/3"); now.Version == old.Version {
		t.Errorf("a replaced key still has version %q", now.Version)
	}
	ok(t, s.Replace(ctx, "d/3", []byte("other")))
	ok(t, s.Delete(ctx, "a"))
	lists(t, s, "", "d/1", "d/2", "d/3", "z")
	lists(t, s, "d/1", "d/2", "d/3", "z")
	reads(t, s, "d/3", "other")
	if _, err := s.Open(ctx, "a"); !is(err, store.ErrNotExist) {
		t.Errorf("a deleted key: found %v, want %v", err, store.ErrNotExist)
	}
	ok(t, s.Create(ctx, "a", []byte("again")))
	reads(t, s, "a", "again")
	ok(t, s.Delete(ctx, "d/3"))
	lists(t, s, "", "a", "d/1", "d/2", "z")
	if !slices.Equal(base.Keys(), before.Keys()) {
		t.Errorf("the base has %q, want %q", base.Keys(), before.Keys())
	}
	reads(t, base, "d/3", "base d/3")
}

// A key's URL is where its bytes are.
func TestURL(t *testing.T) {
	ctx, base := t.Context(), memory.New(nil)
	ok(t, base.Create(ctx, "old", nil))
	upper := folder(t)
	s := overlay.New(base, upper)
	ok(t, s.Create(ctx, "new", nil))
	ok(t, s.Create(ctx, "brief", nil))
	ok(t, s.Delete(ctx, "brief"))
	u, err := s.Upload(ctx, "sent")
	ok(t, err)
	_, err = u.Commit(ctx)
	ok(t, err)
	for key, want := range map[string]string{
		"": base.URL(""), "old": base.URL("old"), "none": base.URL("none"), "brief": base.URL("brief"),
		"new": upper.URL("new"), "sent": upper.URL("sent"),
	} {
		if found := s.URL(key); found != want {
			t.Errorf("%q: found %s, want %s", key, found, want)
		}
	}
}

// A listing ends at the error of either store.
func TestListFails(t *testing.T) {
	for name, s := range map[string]store.Store{
		"base":  overlay.New(refusing{memory.New(nil)}, memory.New(nil)),
		"upper": overlay.New(memory.New(nil), refusing{memory.New(nil)}),
	} {
		ok(t, s.Replace(t.Context(), "k", nil))
		var failed error
		for _, err := range s.List(t.Context(), "", "") {
			failed = err
		}
		if !is(failed, store.ErrPermission) {
			t.Errorf("%s: found %v, want %v", name, failed, store.ErrPermission)
		}
	}
}

// refusing is a store that may not be listed.
type refusing struct{ store.Store }

func (refusing) List(context.Context, string, string) iter.Seq2[store.Info, error] {
	return func(yield func(store.Info, error) bool) { yield(store.Info{}, store.ErrPermission) }
}

func is(err, want error) bool { return errors.Is(err, want) }

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func reads(t *testing.T, s store.Store, key, want string) {
	t.Helper()
	found, err := store.Read(t.Context(), s, key)
	ok(t, err)
	if string(found) != want {
		t.Errorf("%s: found %q, want %q", key, found, want)
	}
}

func stat(t *testing.T, s store.Store, key string) store.Info {
	t.Helper()
	info, err := s.Stat(t.Context(), key)
	ok(t, err)
	return info
}

func lists(t *testing.T, s store.Store, after string, want ...string) {
	t.Helper()
	var found []string
	for info, err := range s.List(t.Context(), "", after) {
		ok(t, err)
		found = append(found, info.Key)
	}
	if !slices.Equal(found, want) {
		t.Errorf("after %q: found %q, want %q", after, found, want)
	}
}
