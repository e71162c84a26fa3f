package store

import (
	"encoding/hex"
	"errors"
	"io"

	"github.com/zeebo/xxh3"
)

// Reading reads an open object and hashes what it reads, so that its bytes need
// not be read twice. One goroutine uses it.
type Reading struct {
	Object
	hash *xxh3.Hasher
	// next is where Read goes on, hashed how far the hash is: at least as far.
	next, hashed int64
}

// skippable is how much is read only for the hash to come to where the reader is,
// bulk what a read must have for that: shorter ones look something up.
const (
	skippable = 256 << 10
	bulk      = 32 << 10
)

// NewReading begins to read an object, which its caller closes.
func NewReading(o Object) *Reading { return &Reading{Object: o, hash: xxh3.New()} }

// Read reads on.
func (r *Reading) Read(p []byte) (int, error) {
	p = p[:min(int64(len(p)), r.Size()-r.next)]
	if len(p) == 0 {
		return 0, io.EOF
	}
	n, err := r.Object.ReadAt(p, r.next)
	r.take(p[:n], r.next)
	r.next += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// ReadAt reads at any place. Of calls that go forward through the object each byte
// is hashed on the way.
func (r *Reading) ReadAt(p []byte, off int64) (int, error) {
	if gap := off - r.hashed; gap > 0 && gap <= skippable && len(p) >= bulk && off < r.Size() {
		skipped := make([]byte, gap)
		if _, err := r.Object.ReadAt(skipped, r.hashed); err != nil {
			return 0, err
		}
		r.take(skipped, r.hashed)
	}
	n, err := r.Object.ReadAt(p, off)
	r.take(p[:n], off)
	return n, err
}

// take hashes what was read at a place and is not hashed yet.
func (r *Reading) take(p []byte, at int64) {
	end := at + int64(len(p))
	if at > r.hashed || end <= r.hashed {
		return
	}
	r.hash.Write(p[r.hashed-at:]) //nolint:errcheck // a hash never fails
	r.hashed = end
}

// Size is the number of bytes of the object.
func (r *Reading) Size() int64 { return r.Info().Size }

// Sum reads what is not hashed yet, and returns the xxh3 of all bytes, of 128 bits,
// in hex.
func (r *Reading) Sum() (string, error) {
	r.next = max(r.next, r.hashed)
	const piece = 256 << 10
	for p := make([]byte, min(piece, r.Size()-r.next)); r.next < r.Size(); {
		n, err := r.Read(p)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", err
		}
		if n == 0 {
			break // the object is shorter than it was
		}
	}
	b := r.hash.Sum128().Bytes()
	return hex.EncodeToString(b[:]), nil
}
