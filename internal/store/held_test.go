package store_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"landfall/internal/store"
	"landfall/internal/store/memory"
)

// A held object is read from memory, whatever becomes of the object.
func TestHeld(t *testing.T) {
	s := memory.New(nil)
	if err := s.Replace(t.Context(), "a", []byte("some bytes")); err != nil {
		t.Fatal(err)
	}
	o, err := s.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	h, err := store.Hold(o, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.Close() //nolint:errcheck // nothing was written
	p := make([]byte, 5)
	if n, err := h.ReadAt(p, 5); n != 5 || err != nil || string(p) != "bytes" {
		t.Errorf("found %q, %d, %v", p, n, err)
	}
	if n, err := h.ReadAt(p, 8); n != 2 || !errors.Is(err, io.EOF) {
		t.Errorf("found %d, %v at the end", n, err)
	}
	if !bytes.Equal(h.Slice(0, 4), []byte("some")) || h.Slice(8, 3) != nil || h.Slice(-1, 2) != nil {
		t.Errorf("found slices %q, %q, %q", h.Slice(0, 4), h.Slice(8, 3), h.Slice(-1, 2))
	}
	again, err := store.Hold(cut{o}, h.Room())
	if err != nil || string(again.Slice(0, 4)) != "some" || again.Slice(0, 5) != nil {
		t.Errorf("found %q, %v of a file that was cut", again.Slice(0, 4), err)
	}
}

// cut is an object of which four bytes are left.
type cut struct{ store.Object }

func (cut) ReadAt(p []byte, _ int64) (int, error) { return copy(p, "some"), io.EOF }
