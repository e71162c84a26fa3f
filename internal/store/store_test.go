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
		p := store.PowersOf(c.s)
		if local := c.path != ""; (p.Localizer != nil) != local || (p.Folder != nil) != local || (p.Sweeper != nil) != local {
			t.Errorf("%s: found powers %+v", name, p)
			continue
		}
		if c.path == "" {
			continue
		}
		if found := p.Localizer.LocalPath("k"); found != c.path+"/k" {
			t.Errorf("%s: found path %s, wanted %s/k", name, found, c.path)
		}
		if err := p.Folder.CheckRoot(t.Context()); (err == nil) != (c.path == root) {
			t.Errorf("%s: CheckRoot says %v", name, err)
		}
		if n, err := p.Sweeper.SweepTemp(t.Context(), time.Time{}); n != 0 || err != nil {
			t.Errorf("%s: SweepTemp says %d, %v", name, n, err)
		}
	}
}

// TestWithPowers: each set of powers arrives as it is.
func TestWithPowers(t *testing.T) {
	s := openLocal(t, t.TempDir())
	for set := range 8 {
		var p store.Powers
		if set&1 != 0 {
			p.Localizer = s
		}
		if set&2 != 0 {
			p.Folder = s
		}
		if set&4 != 0 {
			p.Sweeper = s
		}
		found := store.PowersOf(store.WithPowers(plain{memory.New(nil)}, p))
		if (found.Localizer != nil) != (p.Localizer != nil) || (found.Folder != nil) != (p.Folder != nil) || (found.Sweeper != nil) != (p.Sweeper != nil) {
			t.Errorf("set %d: found %+v", set, found)
		}
	}
}

// plain is a decorator without powers.
type plain struct{ store.Store }

func (p plain) Nest(folder string) store.Store { return plain{store.Below(p.Store, folder)} }

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
