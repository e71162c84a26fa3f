package store_test

import (
	"io"
	"testing"

	"landfall/internal/store"
	"landfall/internal/store/memory"
)

// The hash is that of all bytes, however they were read.
func TestReading(t *testing.T) {
	ctx, s := t.Context(), memory.New(nil)
	if err := s.Replace(ctx, "a", []byte("some bytes")); err != nil {
		t.Fatal(err)
	}
	sum := func(first int) string {
		o, err := s.Open(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close() //nolint:errcheck // nothing was written
		r := store.NewReading(o)
		if _, err := io.ReadFull(r, make([]byte, first)); err != nil {
			t.Fatal(err)
		}
		if _, err := r.ReadAt(make([]byte, 4), 2); err != nil {
			t.Fatal(err)
		}
		sum, err := r.Sum()
		if err != nil || r.Size() != 10 {
			t.Fatalf("found %d bytes, %v", r.Size(), err)
		}
		return sum
	}
	if a, b := sum(0), sum(10); a != b || len(a) != 32 {
		t.Errorf("found %s and %s, want one sum of 128 bits", a, b)
	}
}
