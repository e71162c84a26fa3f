package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"landfall/internal/store"
)

// OddKeys returns keys that break careless stores: characters with a meaning in
// URLs and shells, folders that sort otherwise than their names, long names.
func OddKeys() []string {
	return []string{
		"a", "a-b", "a.b", "ab/c", "a b/c d", "a!/x", "aa", "0", "A",
		"d/1", "d/1.json", "d/10", "d/2", "d-/1", "d./1", "d0/1", "d/sub/x", "d/sub-/x", "d/sub0",
		"percent%20", "100%", "hash#tag", "plus+plus", "question?mark=1&b=2", "semi;colon:", "back\\slash",
		"new\nline", "tab\tstop", "quote\"'`", "star*[x]{y}", "dollar$HOME", "~tilde", "equals=1/dt=2024-01-01",
		".hidden", "._x", "...", "_under/score", "-dash", "d/.hidden/..y",
		"é", "e\u0301", "日本/語", "🙂", "\u00a0", "\U0010ffff", "\x7f",
		strings.Repeat("l", 200) + "/" + strings.Repeat("m", 200),
	}
}

func testList(t *testing.T, s store.Store) {
	all := OddKeys()
	wantKeys(t, s, "", "", nil)
	for _, key := range all {
		must(t, s.Create(t.Context(), key, []byte(key)))
		wantContent(t, s, key, key)
	}
	slices.Sort(all)
	prefixes := []string{"", "a", "a-", "a/", "d", "d/", "d/1", "d/s", "d/sub/", "d/none/", "none", "none/x", "../", "d/../", "//", "日", "日本/", "\xe6\x97"}
	afters := slices.Concat([]string{"", "d/", "d/1.", "d/sub/", "d/sub/y", "d0", "\x00", "\xff", "a /"}, all)
	for _, prefix := range prefixes {
		for _, after := range afters {
			var want []string
			for _, key := range all {
				if strings.HasPrefix(key, prefix) && key > after {
					want = append(want, key)
				}
			}
			wantKeys(t, s, prefix, after, want)
		}
	}
	for info, err := range s.List(t.Context(), "", "") {
		if must(t, err); info != stat(t, s, info.Key) {
			t.Errorf("list says %+v, stat %+v", info, stat(t, s, info.Key))
		}
	}
}

// testListWhileCreating: keys that stand during the whole listing are in it
// once, and none that were never made.
func testListWhileCreating(t *testing.T, s store.Store) {
	const n = 40
	var old []string
	for i := range n {
		old = append(old, fmt.Sprintf("%02d/old", i))
		must(t, s.Create(t.Context(), old[i], nil))
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range n {
			if err := s.Create(t.Context(), fmt.Sprintf("%02d/new", i), nil); err != nil {
				t.Error(err)
			}
		}
	})
	for range 5 {
		found := keys(t, s, "", "")
		if !slices.IsSorted(found) || len(slices.Compact(slices.Clone(found))) != len(found) {
			t.Errorf("not in order, or twice: %q", found)
		}
		found = slices.DeleteFunc(found, func(k string) bool { return strings.HasSuffix(k, "/new") })
		if !slices.Equal(found, old) {
			t.Errorf("found %q, wanted %q", found, old)
		}
	}
	wg.Wait()
	if found := keys(t, s, "", ""); len(found) != 2*n {
		t.Errorf("found %d keys, wanted %d", len(found), 2*n)
	}
}

func testListEnds(t *testing.T, s store.Store) {
	for _, key := range []string{"a/1", "a/2", "b/1"} {
		must(t, s.Create(t.Context(), key, nil))
	}
	for stop := range 3 {
		seen := 0
		for _, err := range s.List(t.Context(), "", "") {
			must(t, err)
			if seen++; seen > stop {
				break
			}
		}
		if seen != stop+1 {
			t.Errorf("found %d entries, wanted %d", seen, stop+1)
		}
	}
}
