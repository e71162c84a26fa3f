package store

import (
	"errors"
	"io"
)

// Held is an object whose bytes are in memory.
type Held struct {
	Object
	bytes []byte
}

// Hold reads an object whole, into room if that is large enough. The object stays
// its caller's to close, and room is the holder's until then. A local file that was
// cut meanwhile ends where it ends now.
func Hold(o Object, room []byte) (*Held, error) {
	size := o.Info().Size
	if int64(cap(room)) < size {
		room = make([]byte, size)
	}
	n, err := o.ReadAt(room[:size], 0)
	if int64(n) < size && err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return &Held{o, room[:n]}, nil
}

// Room returns the memory of a held object, for the next.
func (h *Held) Room() []byte { return h.bytes }

// ReadAt copies from memory.
func (h *Held) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off > int64(len(h.bytes)) {
		return 0, io.EOF
	}
	n := copy(p, h.bytes[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Slice returns bytes as they are in memory, nil if they are not all there.
func (h *Held) Slice(off, n int64) []byte {
	if off < 0 || n < 0 || off+n > int64(len(h.bytes)) {
		return nil
	}
	return h.bytes[off : off+n : off+n]
}
