package storetest

import (
	"strconv"
	"strings"
	"testing"

	"landfall/internal/store"
)

func begin(t *testing.T, s store.Store, key, data string) store.Upload {
	t.Helper()
	u, err := s.Upload(t.Context(), key)
	must(t, err)
	for part := range strings.SplitAfterSeq(data, ",") {
		n, err := u.Write([]byte(part))
		if must(t, err); n != len(part) {
			t.Fatalf("wrote %d of %d bytes", n, len(part))
		}
	}
	return u
}

// testUpload: invisible before Commit, whole after it, and Abort is then void.
func testUpload(t *testing.T, s store.Store) {
	ctx := t.Context()
	for _, data := range []string{"one,two,three", ""} {
		key := "in/" + strconv.Itoa(len(data))
		u := begin(t, s, key, data)
		_, err := s.Stat(ctx, key)
		wantErr(t, err, store.ErrNotExist)
		wantKeys(t, s, key, "", nil)
		info, err := u.Commit(ctx)
		must(t, err)
		must(t, u.Abort(ctx))
		if found := stat(t, s, key); found != info {
			t.Errorf("commit says %+v, stat %+v", info, found)
		}
		wantContent(t, s, key, data)
		if _, err := u.Commit(ctx); err == nil {
			t.Error("a second commit was accepted")
		}
		if _, err := u.Write([]byte("x")); err == nil {
			t.Error("a write after the commit was accepted")
		}
		wantContent(t, s, key, data)
	}
}

func testUploadTaken(t *testing.T, s store.Store) {
	ctx := t.Context()
	late := begin(t, s, "k", "late")
	must(t, s.Create(ctx, "k", []byte("first")))
	_, err := late.Commit(ctx)
	wantErr(t, err, store.ErrExist)
	must(t, late.Abort(ctx))
	// Whether a taken key is seen at the beginning is the store's choice.
	u, err := s.Upload(ctx, "k")
	if err == nil {
		_, err = u.Commit(ctx)
	}
	wantErr(t, err, store.ErrExist)
	wantContent(t, s, "k", "first")
	wantKeys(t, s, "", "", []string{"k"})
}

func testUploadRaces(t *testing.T, s store.Store) {
	must(t, RaceUpload(t.Context(), s, "new/k", 20))
}

func testAbort(t *testing.T, s store.Store) {
	ctx := t.Context()
	u := begin(t, s, "k", "data")
	must(t, u.Abort(ctx))
	must(t, u.Abort(ctx))
	if _, err := u.Commit(ctx); err == nil {
		t.Error("a commit after the abort was accepted")
	}
	wantKeys(t, s, "", "", nil)
	must(t, s.Create(ctx, "k", []byte("free")))
	wantContent(t, s, "k", "free")
}
