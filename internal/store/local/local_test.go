package local_test

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/store/memory"
)

func open(t *testing.T, root string) *local.Store {
	t.Helper()
	s, err := local.Open(root)
	must(t, err)
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes files of a tree: name to content.
func write(t *testing.T, root string, files ...string) {
	t.Helper()
	for _, name := range files {
		must(t, os.MkdirAll(filepath.Dir(root+"/"+name), 0o755))
		must(t, os.WriteFile(root+"/"+name, []byte(name), 0o644))
	}
}

func list(s store.Store, prefix, after string) (keys []string, err error) {
	for info, err := range s.List(context.Background(), prefix, after) {
		if err != nil {
			return keys, err
		}
		keys = append(keys, info.Key)
	}
	return keys, nil
}

func wantKeys(t *testing.T, s store.Store, prefix, after string, want ...string) {
	t.Helper()
	found, err := list(s, prefix, after)
	if must(t, err); !slices.Equal(found, want) {
		t.Errorf("list %q after %q: found %q, wanted %q", prefix, after, found, want)
	}
}

// names returns all names in a tree, hidden ones too.
func names(t *testing.T, root string) (names []string) {
	t.Helper()
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(path, root+"/"))
		}
		return err
	}))
	return names
}

func TestPlaces(t *testing.T) {
	for _, c := range []struct{ root, key, path, url string }{
		{"/data/in", "a/b", "/data/in/a/b", "file:///data/in/a/b"},
		{"/data/in/", "", "/data/in", "file:///data/in"},
		{"/", "a", "/a", "file:///a"},
		{"/", "", "/", "file:///"},
		{"/x", "a b%20#1?+é\n\xff", "/x/a b%20#1?+é\n\xff", "file:///x/a%20b%2520%231%3F+%C3%A9%0A%FF"},
	} {
		s := open(t, c.root)
		if path, url := s.LocalPath(c.key), s.URL(c.key); path != c.path || url != c.url {
			t.Errorf("%s %q: found %q and %s, wanted %q and %s", c.root, c.key, path, url, c.path, c.url)
		}
	}
}

// TestNoTraces: files have the mode that the umask leaves, and no temporary
// name stays.
func TestNoTraces(t *testing.T) {
	ctx, root := t.Context(), t.TempDir()
	write(t, root, "plain")
	s := open(t, root)
	must(t, s.Create(ctx, "new/created", nil))
	must(t, s.Replace(ctx, "new/replaced", nil))
	must(t, s.Replace(ctx, "new/replaced", nil))
	u, err := s.Upload(ctx, "new/uploaded")
	must(t, err)
	if n := len(names(t, root)); n != 4 {
		t.Errorf("found %d files during an upload, wanted 4", n)
	}
	wantKeys(t, s, "", "", "new/created", "new/replaced", "plain")
	_, err = u.Commit(ctx)
	must(t, err)
	aborted, err := s.Upload(ctx, "new/aborted")
	must(t, err)
	must(t, aborted.Abort(ctx))
	if err := s.Create(ctx, "new/created", nil); !errors.Is(err, store.ErrExist) {
		t.Errorf("found %v", err)
	}
	want := []string{"new/created", "new/replaced", "new/uploaded", "plain"}
	if found := names(t, root); !slices.Equal(found, want) {
		t.Errorf("found %q, wanted %q", found, want)
	}
	plain, err := os.Stat(root + "/plain")
	must(t, err)
	for _, name := range want {
		fi, err := os.Stat(root + "/" + name)
		if must(t, err); fi.Mode().Perm() != plain.Mode().Perm()&0o666 && name != "plain" {
			t.Errorf("%s: found mode %v", name, fi.Mode())
		}
	}
}

func TestReservedNames(t *testing.T) {
	s := open(t, t.TempDir())
	const key = "in/.landfall-1.tmp"
	_, err := s.Upload(t.Context(), key)
	for _, err := range []error{err, s.Create(t.Context(), key, nil), s.Replace(t.Context(), key, nil)} {
		if err == nil {
			t.Error("a key that no listing would show was accepted")
		}
	}
}

// TestFolderRemovedBetween: a store that has made a folder makes it again.
func TestFolderRemovedBetween(t *testing.T) {
	root := t.TempDir() + "/root"
	s := open(t, root)
	must(t, s.Create(t.Context(), "a/b/c", nil))
	must(t, os.RemoveAll(root))
	must(t, s.Create(t.Context(), "a/b/c", nil))
	wantKeys(t, s, "", "", "a/b/c")
}

func TestListLinks(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	write(t, other, "x", "deep/y")
	write(t, root, "a/1", "b-/1", "b.csv", "z")
	for name, target := range map[string]string{
		"b":        other, // a folder: sorts as b/
		"file":     "z",
		"a/self":   ".",
		"a/up":     "..",
		"a/again":  "../a",
		"dangling": "nowhere",
		"knot":     "knot",
		"through":  "z/below a file",
	} {
		must(t, os.Symlink(target, root+"/"+name))
	}
	must(t, syscall.Mkfifo(root+"/pipe", 0o600))
	s := open(t, root)
	wantKeys(t, s, "", "", "a/1", "b-/1", "b.csv", "b/deep/y", "b/x", "file", "z")
	wantKeys(t, s, "b", "b.", "b.csv", "b/deep/y", "b/x")
	wantKeys(t, s, "b/d", "", "b/deep/y")
	wantKeys(t, s, "a/up/", "")
	wantKeys(t, s, "a/self/a", "")
	for _, key := range []string{"pipe", "a", "b", "dangling", "knot"} {
		_, err := s.Open(t.Context(), key)
		if key != "knot" && !errors.Is(err, store.ErrNotExist) || err == nil {
			t.Errorf("open %s: found %v", key, err)
		}
		must(t, ignoreKnot(key, s.Delete(t.Context(), key)))
	}
	must(t, s.Delete(t.Context(), "file"))
	wantKeys(t, s, "", "file", "z")
}

func ignoreKnot(key string, err error) error {
	if key == "knot" {
		return nil
	}
	return err
}

// TestListBytes: names that are not text are keys as they are.
func TestListBytes(t *testing.T) {
	root := t.TempDir()
	want := []string{"\x01", "a\xff/\xfe", "caf\xe9.csv"}
	write(t, root, want...)
	s := open(t, root)
	wantKeys(t, s, "", "", want...)
	data, err := store.Read(t.Context(), s, "caf\xe9.csv")
	if must(t, err); string(data) != "caf\xe9.csv" {
		t.Errorf("found %q", data)
	}
}

// TestListPrunes: no folder is read that cannot hold a wanted key. Each folder
// but the wanted one is a trap: to read it is an error.
func TestListPrunes(t *testing.T) {
	trapped := func(files []string, traps ...string) store.Store {
		root := t.TempDir()
		write(t, root, files...)
		for _, trap := range traps {
			must(t, os.MkdirAll(root+"/"+trap, 0o755))
			must(t, os.Symlink(strings.Repeat("long", 100), root+"/"+trap+"/trap"))
		}
		return open(t, root)
	}
	s := trapped([]string{"p/b/1", "p/b/2"}, "", "p", "p/a", "p/b-", "p/b0", "p/c", "q")
	wantKeys(t, s, "p/b/", "", "p/b/1", "p/b/2")
	wantKeys(t, s, "p/b/", "p/b/1", "p/b/2")
	wantKeys(t, s, "p/b/", "p/c")
	wantKeys(t, s, "p/a/", "p/b")
	wantKeys(t, trapped([]string{"p/b/1", "r/1"}, "a", "p/a", "p/b-"), "", "p/b/0", "p/b/1", "r/1")
	for _, prefix := range []string{"", "p/", "p/a/", "p/b", "q"} {
		if keys, err := list(s, prefix, ""); !errors.Is(err, syscall.ENAMETOOLONG) {
			t.Errorf("list %q: found %q, %v; wanted the trap's error", prefix, keys, err)
		}
	}
}

func TestMissing(t *testing.T) {
	root := t.TempDir()
	write(t, root, "file")
	wantKeys(t, open(t, root+"/none"), "", "")
	wantKeys(t, open(t, root+"/file"), "", "")
	wantKeys(t, open(t, root), "none/", "")
	wantKeys(t, open(t, root), "file/", "")
	if err := open(t, root+"/file").Create(t.Context(), "k", nil); err == nil {
		t.Error("created a key below a file")
	}
}

// TestListAsMemory: local and memory list alike, whatever the names.
func TestListAsMemory(t *testing.T) {
	name := rapid.StringMatching(`[ab\-.0 ]{1,3}`).Filter(func(n string) bool { return strings.Trim(n, ".") != "" })
	key := rapid.Map(rapid.SliceOfN(name, 1, 3), func(p []string) string { return strings.Join(p, "/") })
	bound := rapid.StringMatching(`[ab\-./0 ]{0,4}`)
	rapid.Check(t, func(r *rapid.T) {
		root, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		s, m, taken := open(t, root), memory.New(nil), map[string]bool{}
		for _, k := range rapid.SliceOfN(key, 0, 12).Draw(r, "keys") {
			if os.MkdirAll(filepath.Dir(root+"/"+k), 0o755) != nil || os.WriteFile(root+"/"+k, nil, 0o600) != nil {
				continue // a folder here is a file there
			}
			taken[k] = true
		}
		for k := range taken {
			must(t, m.Create(t.Context(), k, nil))
		}
		prefix, after := bound.Draw(r, "prefix"), bound.Draw(r, "after")
		found, err := list(s, prefix, after)
		must(t, err)
		want, err := list(m, prefix, after)
		must(t, err)
		if !slices.Equal(found, want) {
			r.Fatalf("list %q after %q of %q: found %q, wanted %q", prefix, after, slices.Collect(maps.Keys(taken)), found, want)
		}
	})
}

// TestGrowing: an open file shows what it was when opened; reads see more.
func TestGrowing(t *testing.T) {
	root := t.TempDir()
	write(t, root, "log")
	s := open(t, root)
	o, err := s.Open(t.Context(), "log")
	must(t, err)
	f, err := os.OpenFile(root+"/log", os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(" grows")
	must(t, errors.Join(err, f.Close()))
	buf := make([]byte, 20)
	n, _ := o.ReadAt(buf, 0)
	if o.Info().Size != 3 || string(buf[:n]) != "log grows" {
		t.Errorf("found %d bytes in Info and %q", o.Info().Size, buf[:n])
	}
	now, err := s.Stat(t.Context(), "log")
	if must(t, err); now.Version == o.Info().Version {
		t.Error("the version did not change")
	}
	must(t, os.Remove(root+"/log"))
	if n, _ := o.ReadAt(buf, 0); n != 9 {
		t.Errorf("found %d bytes of a removed file that is open", n)
	}
	must(t, o.Close())
}

func TestSweepTemp(t *testing.T) {
	ctx, root := t.Context(), t.TempDir()
	s := open(t, root)
	must(t, s.Create(ctx, "in/k", nil))
	for _, key := range []string{"in/a", "in/b", "c"} {
		_, err := s.Upload(ctx, key) // never ended
		must(t, err)
	}
	info, err := s.Stat(ctx, "in/k")
	must(t, err)
	for _, c := range []struct {
		s    store.Store
		than time.Time
		want int
	}{
		{s, info.ModTime.Add(-time.Hour), 0},
		{store.Below(s, "in"), info.ModTime.Add(time.Hour), 2},
		{s, info.ModTime.Add(time.Hour), 1},
		{s, info.ModTime.Add(time.Hour), 0},
		{store.Below(s, "none"), info.ModTime.Add(time.Hour), 0},
	} {
		if n, err := c.s.(store.Sweeper).SweepTemp(ctx, c.than); n != c.want || err != nil {
			t.Errorf("found %d, %v; wanted %d", n, err, c.want)
		}
	}
	if found := names(t, root); !slices.Equal(found, []string{"in/k"}) {
		t.Errorf("found %q, wanted in/k", found)
	}
}
