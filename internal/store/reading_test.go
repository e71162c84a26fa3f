package store_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"testing"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

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

// counted counts the bytes that are read of an object.
type counted struct {
	store.Object
	bytes int
}

func (c *counted) ReadAt(p []byte, off int64) (int, error) {
	n, err := c.Object.ReadAt(p, off)
	c.bytes += n
	return n, err
}

// What reads an object from end to end in calls that leave something out has it
// hashed on the way; Read and ReadAt do not mind each other.
func TestReadingInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "text")
		s := memory.New(nil)
		if err := s.Replace(t.Context(), "a", text); err != nil {
			t.Fatal(err)
		}
		o, err := s.Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close() //nolint:errcheck // nothing was written
		r, next := store.NewReading(o), 0
		for range rapid.IntRange(0, 12).Draw(t, "calls") {
			p := make([]byte, rapid.IntRange(1, 90).Draw(t, "length"))
			off := next
			var n int
			if rapid.Bool().Draw(t, "at") {
				off = rapid.IntRange(0, len(text)).Draw(t, "off")
				n, err = r.ReadAt(p, int64(off))
			} else {
				n, err = r.Read(p)
				next += n
			}
			if err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			if !bytes.Equal(p[:n], text[off:off+n]) {
				t.Fatalf("found %x at %d, want %x", p[:n], off, text[off:off+n])
			}
		}
		sum, err := r.Sum()
		if want := xxh3.Hash128(text).Bytes(); err != nil || sum != hex.EncodeToString(want[:]) {
			t.Fatalf("found %s, %v", sum, err)
		}
	})
}

func TestReadingHashesOnTheWay(t *testing.T) {
	s := memory.New(nil)
	if err := s.Replace(t.Context(), "a", make([]byte, 200_000)); err != nil {
		t.Fatal(err)
	}
	o, err := s.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close() //nolint:errcheck // nothing was written
	c := &counted{Object: o}
	r := store.NewReading(c)
	for _, at := range []int64{4, 50_000, 120_000} {
		if _, err := r.ReadAt(make([]byte, 45_000), at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Sum(); err != nil || c.bytes != 200_000 {
		t.Errorf("%d bytes were read of 200,000: %v", c.bytes, err)
	}
}
