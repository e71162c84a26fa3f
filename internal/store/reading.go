package store

import (
	"encoding/hex"
	"io"

	"github.com/zeebo/xxh3"
)

// Reading reads an open object once, from start to end, and hashes what it reads.
// ReadAt gives a second look at a part, which is not hashed.
type Reading struct {
	Object
	section *io.SectionReader
	hash    *xxh3.Hasher
}

// NewReading begins to read an object, which its caller closes.
func NewReading(o Object) *Reading {
	return &Reading{o, io.NewSectionReader(o, 0, o.Info().Size), xxh3.New()}
}

// Read reads on.
func (r *Reading) Read(p []byte) (int, error) {
	n, err := r.section.Read(p)
	r.hash.Write(p[:n]) //nolint:errcheck // a hash never fails
	return n, err
}

// Size is the number of bytes of the object.
func (r *Reading) Size() int64 { return r.section.Size() }

// Sum reads to the end and returns the xxh3 of all bytes, of 128 bits, in hex.
func (r *Reading) Sum() (string, error) {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return "", err
	}
	b := r.hash.Sum128().Bytes()
	return hex.EncodeToString(b[:]), nil
}
