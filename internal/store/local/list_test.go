package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// tree makes a store with so many files in each of its folders, and returns their
// keys in order.
func tree(t *testing.T, folders, files int) (s *Store, keys []string) {
	t.Helper()
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.patience = 0 // as if it were slow
	for d := range folders {
		folder := fmt.Sprintf("y%d/d%03d", d%3, d)
		if err := os.MkdirAll(s.LocalPath(folder), 0o777); err != nil {
			t.Fatal(err)
		}
		for f := range files {
			key := fmt.Sprintf("%s/%04d", folder, f)
			if err := os.WriteFile(s.LocalPath(key), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return s, keys
}

func listed(ctx context.Context, s *Store, each func(key string)) (keys []string, err error) {
	for info, err := range s.List(ctx, "", "") {
		if err != nil {
			return keys, err
		}
		keys = append(keys, info.Key)
		each(info.Key)
	}
	return keys, nil
}

func nothing(string) {}

// On a store that takes a second for each folder, many folders take no longer than a
// few: no more than the limit are read at a time, and hardly fewer. The clock is not
// the real one.
func TestListSideBySide(t *testing.T) {
	s, want := tree(t, 150, 2)
	synctest.Test(t, func(t *testing.T) {
		s.patience = patience
		var mu sync.Mutex
		now, most := 0, 0
		s.open = func(path string) (*folder, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return openFolder(path)
		}
		began := time.Now()
		keys, err := listed(t.Context(), s, nothing)
		if err != nil || !slices.Equal(keys, want) {
			t.Errorf("found %d keys, %v; wanted %d in order", len(keys), err, len(want))
		}
		// The one who lists works too when it waits for a folder that nobody has.
		if took := time.Since(began); took > 25*time.Second || most < workers || most > workers+1 {
			t.Errorf("154 folders took %v, at most %d at a time; wanted %d", took, most, workers)
		}
	})
}

// The keys before a folder that cannot be read are yielded, then its error, and no
// key behind it; also when it was read long before it is its turn.
func TestListErrorInTurn(t *testing.T) {
	s, all := tree(t, 30, 3)
	s.open = func(path string) (*folder, error) {
		if strings.HasSuffix(path, "y1/d013") || strings.HasSuffix(path, "y2/d002") {
			return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EIO}
		}
		return openFolder(path)
	}
	keys, err := listed(t.Context(), s, nothing)
	want := all[:slices.Index(all, "y1/d013/0000")]
	if !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "y1/d013") || !slices.Equal(keys, want) {
		t.Errorf("found %q, %v; wanted %q and an error of y1/d013", keys, err, want)
	}
}

// A folder that vanishes while it, or one before it, is listed is no error; nor does
// the listing lose one that stands, or an open folder.
func TestListVanishing(t *testing.T) {
	s, all := tree(t, 30, 3)
	keys, err := listed(t.Context(), s, func(key string) {
		if key == "y0/d003/0000" {
			for _, gone := range []string{"y0/d003", "y0/d006", "y2"} {
				if err := os.RemoveAll(s.LocalPath(gone)); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
	if err != nil || !slices.IsSorted(keys) {
		t.Errorf("found %q, %v", keys, err)
	}
	for _, key := range all {
		stands := strings.HasPrefix(key, "y1") || key < "y0/d003" || strings.HasPrefix(key, "y0") && key > "y0/d007"
		if stands && !slices.Contains(keys, key) {
			t.Errorf("%s is missing", key)
		}
	}
}

// However a listing ends, nothing of it stays: no worker, and no open folder.
func TestListLeavesNothing(t *testing.T) {
	s, all := tree(t, 100, 5)
	opened := func() int {
		found, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		return len(found)
	}
	before := opened()
	for _, stop := range []int{0, 1, 7, len(all) / 2, len(all)} {
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		_, err := listed(ctx, s, func(string) {
			if seen++; seen == stop {
				cancel()
			}
		})
		if cancelled := stop > 0 && stop < len(all); cancelled != errors.Is(err, context.Canceled) || cancelled && seen != stop {
			t.Errorf("cancelled after %d: found %d keys, %v", stop, seen, err)
		}
		seen = 0
		for _, err := range s.List(t.Context(), "", "") {
			if err != nil {
				t.Fatal(err)
			}
			if seen++; seen > stop {
				break
			}
		}
		cancel()
	}
	if after := opened(); after != before {
		t.Errorf("%d files are open, %d were", after, before)
	}
}

// A folder of more names than may be held ahead is read in parts.
func TestListHoldsLittle(t *testing.T) {
	s, want := tree(t, 6, 700)
	l := &listing{s: s, cancelled: t.Context().Err, first: &step{}, slow: true}
	l.ready.L = &l.mu
	l.held = namesAhead // others are ahead with as many as may be
	defer l.end()
	var keys []string
	desk := new(desk)
	for done := l.await(desk); done != nil; done = l.await(desk) {
		for _, info := range done.infos {
			keys = append(keys, info.Key)
		}
	}
	if !slices.Equal(keys, want) || l.held != namesAhead {
		t.Errorf("found %d keys of %d, and %d names are held", len(keys), len(want), l.held)
	}
}
