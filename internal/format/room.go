package format

import (
	"bufio"
	"io"
)

// Room is the memory in which one text at a time is read and held. The zero value has
// none yet.
type Room struct {
	raw  *bufio.Reader
	held []byte
}

// mostHeld is how much text a room keeps space for, in bytes, when its text is done.
const mostHeld = 4 << 20

// reader returns a buffered reader of r.
func (m *Room) reader(r io.Reader) *bufio.Reader {
	if m.raw == nil {
		m.raw = bufio.NewReaderSize(r, rawBuffer)
	} else {
		m.raw.Reset(r)
	}
	return m.raw
}

// hold returns space for so much text.
func (m *Room) hold(size int) []byte {
	held := m.held
	m.held = nil
	if cap(held) < size {
		held = make([]byte, 0, size)
	}
	return held[:0]
}

// Leave gives the space of the window to the room of its text, for another. Nothing of
// the text is held from then on.
func (w *Window) Leave() {
	m := w.src.room
	if cap(w.Held) <= mostHeld {
		m.held = w.Held[:0]
	}
	m.raw.Reset(nil)
	w.Held, w.At, w.counted, w.started = nil, 0, 0, 0
}
