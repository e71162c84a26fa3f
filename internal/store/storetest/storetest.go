// Package storetest is the suite that every store passes.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"landfall/internal/store"
)

// Run tests a kind of store. open returns a new, empty one each time.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(t *testing.T, s store.Store)
	}{
		{"create", testCreate},
		{"create races", testCreateRaces},
		{"bad keys", testBadKeys},
		{"absent", testAbsent},
		{"list", testList},
		{"list while creating", testListWhileCreating},
		{"list ends", testListEnds},
		{"upload", testUpload},
		{"upload taken", testUploadTaken},
		{"upload races", testUploadRaces},
		{"upload abort", testAbort},
		{"replace", testReplace},
		{"replace is whole", testReplaceWhole},
		{"versions", testVersions},
		{"ranges", testRanges},
		{"delete", testDelete},
		{"below", testBelow},
		{"cancelled", testCancelled},
		{"urls", testURLs},
		{"data are not kept", testDataNotKept},
		{"large object", testLarge},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func testCreate(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, data := range []string{"", "x", strings.Repeat("0123456789", 10_000)} {
		key := "a/b/" + string(rune('k'+len(data)%7))
		must(t, s.Create(ctx, key, []byte(data)))
		wantContent(t, s, key, data)
		wantErr(t, s.Create(ctx, key, []byte("other")), store.ErrExist)
		wantContent(t, s, key, data)
	}
}

func testCreateRaces(t *testing.T, s store.Store) {
	for _, key := range []string{"k", "new/folder/k"} {
		must(t, RaceCreate(t.Context(), s, key, 20))
	}
}

func testBadKeys(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, key := range []string{"", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a\x00b"} {
		_, stat := s.Stat(ctx, key)
		_, open := s.Open(ctx, key)
		_, upload := s.Upload(ctx, key)
		for op, err := range map[string]error{
			"stat": stat, "open": open, "upload": upload,
			"create": s.Create(ctx, key, nil), "replace": s.Replace(ctx, key, nil), "delete": s.Delete(ctx, key),
		} {
			if err == nil {
				t.Errorf("%s %q: accepted", op, key)
			}
		}
	}
}

func testAbsent(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.Create(ctx, "folder/k", []byte("x")))
	// A folder is no object, and there is nothing below an object.
	for _, key := range []string{"k", "no/such/folder/k", "folder", "folder/k/below"} {
		_, err := s.Stat(ctx, key)
		wantErr(t, err, store.ErrNotExist)
		_, err = s.Open(ctx, key)
		wantErr(t, err, store.ErrNotExist)
		must(t, s.Delete(ctx, key))
	}
	wantContent(t, s, "folder/k", "x")
}

func testReplace(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, data := range []string{"old", "newer", ""} {
		must(t, s.Replace(ctx, "hint/k", []byte(data)))
		wantContent(t, s, "hint/k", data)
	}
	wantErr(t, s.Create(ctx, "hint/k", []byte("other")), store.ErrExist)
	wantKeys(t, s, "", "", []string{"hint/k"})
}

func testVersions(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.Create(ctx, "k", []byte("one")))
	one := stat(t, s, "k")
	if again := stat(t, s, "k"); again.Version != one.Version || !again.ModTime.Equal(one.ModTime) {
		t.Errorf("unchanged object: found %+v, then %+v", one, again)
	}
	must(t, s.Replace(ctx, "k", []byte("two")))
	if two := stat(t, s, "k"); two.Version == one.Version {
		t.Errorf("replaced object of the same size: version is still %q", two.Version)
	}
}

func testRanges(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.Create(ctx, "k", []byte("0123456789")))
	o, err := s.Open(ctx, "k")
	must(t, err)
	defer closeIt(t, o)
	for _, c := range []struct {
		off, n int64
		want   string
		eof    bool
	}{
		{0, 4, "0123", false},
		{3, 4, "3456", false},
		{8, 4, "89", true},
		{10, 1, "", true},
		{11, 1, "", true},
		{0, 11, "0123456789", true},
	} {
		buf := make([]byte, c.n)
		n, err := o.ReadAt(buf, c.off)
		if string(buf[:n]) != c.want || c.eof != errors.Is(err, io.EOF) || !c.eof && err != nil {
			t.Errorf("read %d at %d: found %q, %v; wanted %q, end %v", c.n, c.off, buf[:n], err, c.want, c.eof)
		}
	}
	// A read that ends at the end may say so or not, but is whole.
	buf := make([]byte, 10)
	if n, err := o.ReadAt(buf, 0); n != 10 || err != nil && !errors.Is(err, io.EOF) {
		t.Errorf("read all: found %d bytes, %v", n, err)
	}
}

func testDelete(t *testing.T, s store.Store) {
	ctx := t.Context()
	must(t, s.Create(ctx, "a/k", []byte("x")))
	must(t, s.Create(ctx, "a/l", []byte("y")))
	for range 2 {
		must(t, s.Delete(ctx, "a/k"))
	}
	_, err := s.Stat(ctx, "a/k")
	wantErr(t, err, store.ErrNotExist)
	wantKeys(t, s, "", "", []string{"a/l"})
	must(t, s.Create(ctx, "a/k", []byte("again")))
	wantContent(t, s, "a/k", "again")
}

func testBelow(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, key := range []string{"a", "in/a", "in/deep/b", "in-out", "inn/c"} {
		must(t, s.Create(ctx, key, []byte(key)))
	}
	in := store.Below(s, "/in/")
	wantKeys(t, in, "", "", []string{"a", "deep/b"})
	wantKeys(t, in, "de", "", []string{"deep/b"})
	wantKeys(t, in, "", "a", []string{"deep/b"})
	wantContent(t, in, "a", "in/a")
	must(t, in.Create(ctx, "new", []byte("n")))
	wantContent(t, s, "in/new", "n")
	deep := store.Below(in, "deep")
	wantKeys(t, deep, "", "", []string{"b"})
	if info := stat(t, deep, "b"); info.Key != "b" {
		t.Errorf("found key %q, wanted b", info.Key)
	}
	u, err := deep.Upload(ctx, "u")
	must(t, err)
	info, err := u.Commit(ctx)
	must(t, err)
	if info.Key != "u" {
		t.Errorf("commit below: found key %q, wanted u", info.Key)
	}
	o, err := deep.Open(ctx, "u")
	must(t, err)
	defer closeIt(t, o)
	if o.Info().Key != "u" {
		t.Errorf("open below: found key %q, wanted u", o.Info().Key)
	}
	if found, want := deep.URL("b"), s.URL("in/deep/b"); found != want {
		t.Errorf("found URL %q, wanted %q", found, want)
	}
	if found, want := deep.URL(""), s.URL("in/deep"); found != want {
		t.Errorf("found root %q, wanted %q", found, want)
	}
	must(t, deep.Replace(ctx, "b", []byte("r")))
	wantContent(t, s, "in/deep/b", "r")
	must(t, deep.Delete(ctx, "b"))
	wantKeys(t, s, "in/deep/", "", []string{"in/deep/u"})
	if _, err := in.Stat(ctx, "../a"); err == nil {
		t.Error("a key left the folder")
	}
}

func testCancelled(t *testing.T, s store.Store) {
	must(t, s.Create(t.Context(), "k", []byte("x")))
	u, err := s.Upload(t.Context(), "u")
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	o, err := s.Open(ctx, "k")
	must(t, err)
	defer closeIt(t, o)
	cancel()
	_, stat := s.Stat(ctx, "k")
	_, open := s.Open(ctx, "k")
	_, upload := s.Upload(ctx, "l")
	_, commit := u.Commit(ctx)
	_, read := o.ReadAt(make([]byte, 1), 0)
	var list error
	for _, err := range s.List(ctx, "", "") {
		list = err
	}
	for op, err := range map[string]error{
		"stat": stat, "open": open, "upload": upload, "commit": commit, "read": read, "list": list,
		"create": s.Create(ctx, "l", nil), "replace": s.Replace(ctx, "k", nil), "delete": s.Delete(ctx, "k"),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s after cancel: found %v", op, err)
		}
	}
	must(t, u.Abort(t.Context()))
	wantKeys(t, s, "", "", []string{"k"})
}

func testURLs(t *testing.T, s store.Store) {
	seen := map[string]string{}
	root := s.URL("")
	for _, key := range OddKeys() {
		u := s.URL(key)
		if other, taken := seen[u]; taken || !strings.HasPrefix(u, root) || strings.ContainsAny(u, " \n\"") {
			t.Errorf("%q has URL %q (also of %q; root %q)", key, u, other, root)
		}
		seen[u] = key
	}
}

func testDataNotKept(t *testing.T, s store.Store) {
	ctx := t.Context()
	data := []byte("before")
	must(t, s.Create(ctx, "c", data))
	must(t, s.Replace(ctx, "r", data))
	u, err := s.Upload(ctx, "u")
	must(t, err)
	_, err = u.Write(data)
	must(t, err)
	copy(data, "AFTER!")
	_, err = u.Commit(ctx)
	must(t, err)
	for _, key := range []string{"c", "r", "u"} {
		wantContent(t, s, key, "before")
	}
}

func testLarge(t *testing.T, s store.Store) {
	ctx := t.Context()
	block := make([]byte, 1<<20)
	for i := range block {
		block[i] = byte(i * i >> 7)
	}
	u, err := s.Upload(ctx, "large")
	must(t, err)
	const blocks = 9
	for i := range blocks {
		block[0] = byte(i)
		n, err := u.Write(block)
		if must(t, err); n != len(block) {
			t.Fatalf("wrote %d of %d bytes", n, len(block))
		}
	}
	info, err := u.Commit(ctx)
	if must(t, err); info.Size != blocks<<20 {
		t.Fatalf("found %d bytes, wanted %d", info.Size, blocks<<20)
	}
	o, err := s.Open(ctx, "large")
	must(t, err)
	defer closeIt(t, o)
	buf := make([]byte, 1<<20)
	for _, i := range []int{blocks - 1, 0, 4} {
		_, err := o.ReadAt(buf, int64(i)<<20)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if block[0] = byte(i); !bytes.Equal(buf, block) {
			t.Errorf("block %d differs", i)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("found error %v, wanted %v", err, want)
	}
}

func wantContent(t *testing.T, s store.Store, key, want string) {
	t.Helper()
	found, err := store.Read(t.Context(), s, key)
	must(t, err)
	if string(found) != want {
		t.Fatalf("%s: found %.40q, wanted %.40q", key, found, want)
	}
	info := stat(t, s, key)
	if info.Key != key || info.Size != int64(len(want)) || info.Version == "" || info.ModTime.IsZero() {
		t.Fatalf("%s: found %+v, wanted %d bytes", key, info, len(want))
	}
}

func wantKeys(t *testing.T, s store.Store, prefix, after string, want []string) {
	t.Helper()
	if found := keys(t, s, prefix, after); !slices.Equal(found, want) {
		t.Fatalf("list %q after %q:\nfound  %q\nwanted %q", prefix, after, found, want)
	}
}

func keys(t *testing.T, s store.Store, prefix, after string) []string {
	t.Helper()
	var found []string
	for info, err := range s.List(t.Context(), prefix, after) {
		must(t, err)
		found = append(found, info.Key)
	}
	return found
}

func stat(t *testing.T, s store.Store, key string) store.Info {
	t.Helper()
	info, err := s.Stat(t.Context(), key)
	must(t, err)
	return info
}

func closeIt(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
