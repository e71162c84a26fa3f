package store_test

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/store/memory"
	"landfall/internal/store/retry"
)

func openLocal(t *testing.T, root string) *local.Store {
	t.Helper()
	s, err := local.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPowersPassOn: Below and retry have the powers of the store they stand on,
// no more and no less.
func TestPowersPassOn(t *testing.T) {
	root := t.TempDir()
	l, m := openLocal(t, root), memory.New(nil)
	for name, c := range map[string]struct {
		s    store.Store
		path string // of the root; empty for a store without powers
	}{
		"local":             {l, root},
		"below local":       {store.Below(l, "in/deep"), root + "/in/deep"},
		"below below local": {store.Below(store.Below(l, "in"), "deep"), root + "/in/deep"},
		"retry":             {retry.New(l, retry.Policy{}), root},
		"below retry":       {store.Below(retry.New(l, retry.Policy{}), "in"), root + "/in"},
		"retry below":       {retry.New(store.Below(l, "in"), retry.Policy{}), root + "/in"},
		"memory":            {m, ""},
		"below memory":      {store.Below(m, "in"), ""},
		"retry memory":      {retry.New(m, retry.Policy{}), ""},
	} {
		l, has := c.s.(store.Local)
		if has != (c.path != "") {
			t.Errorf("%s: is local: %v", name, has)
		}
		if !has {
			_, localizer := c.s.(store.Localizer)
			_, folder := c.s.(store.Folder)
			_, sweeper := c.s.(store.Sweeper)
			if localizer || folder || sweeper {
				t.Errorf("%s: found some of the powers of a local store, wanted none", name)
			}
			continue
		}
		if found := l.LocalPath("k"); found != c.path+"/k" {
			t.Errorf("%s: found path %s, wanted %s/k", name, found, c.path)
		}
		if err := l.CheckRoot(t.Context()); (err == nil) != (c.path == root) {
			t.Errorf("%s: CheckRoot says %v", name, err)
		}
		if n, err := l.SweepTemp(t.Context(), time.Time{}); n != 0 || err != nil {
			t.Errorf("%s: SweepTemp says %d, %v", name, n, err)
		}
	}
}

func TestCheckRoot(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(root+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, wanted := range map[string]func(error) bool{
		"":        func(err error) bool { return err == nil },
		"missing": func(err error) bool { return errors.Is(err, store.ErrNotExist) },
		"file": func(err error) bool {
			return diag.CodeOf(err) == diag.FolderMissing && !errors.Is(err, store.ErrNotExist)
		},
		"file/deep": func(err error) bool { return errors.Is(err, store.ErrNotExist) },
	} {
		for how, f := range map[string]any{"open": openLocal(t, root+"/"+name), "below": store.Below(openLocal(t, root), name)} {
			if err := f.(store.Folder).CheckRoot(t.Context()); !wanted(err) {
				t.Errorf("%s %q: found %v", how, name, err)
			}
		}
	}
}

func TestCheckKey(t *testing.T) {
	for key, want := range map[string]bool{
		"a": true, "a/b": true, ".a": true, "...": true, "a/..b/c..": true, "a b": true,
		"": false, "/": false, "/a": false, "a/": false, "a//b": false, ".": false, "..": false, "a/..": false, "./a": false, "a\x00": false,
	} {
		if err := store.CheckKey(key); (err == nil) != want {
			t.Errorf("%q: found %v", key, err)
		}
	}
}

func ExampleBelow() {
	lake := memory.New(nil)
	log := store.Below(lake, "orders/_delta_log")
	fmt.Println(log.URL("0.json"))
	// Output: memory:///orders/_delta_log/0.json
}
