// Package pile keeps many values one after the other in pieces, so that growing moves
// nothing and what was allocated for one row group serves the next.
//
// The zero values of [Pieces] and [Texts] are empty and ready. Values are walked in the
// order in which they came; nobody adds any while they are walked.
package pile

// Pieces keep values of one type.
type Pieces[T any] struct {
	list [][]T
	// last is the piece that is being filled.
	last int
}

// Sizes of the first and of the later pieces: small, since a file may have
// thousands of columns.
const (
	firstPiece = 4 << 10
	mostPiece  = 256 << 10
	// firstValues and mostValues are those of values other than text.
	firstValues = 256
	mostValues  = 32 << 10
)

// room returns the piece that is being filled, which is not full.
func (p *Pieces[T]) room() *[]T {
	for p.last < len(p.list) {
		if c := &p.list[p.last]; len(*c) < cap(*c) {
			return c
		}
		p.last++
	}
	size := min(firstValues<<min(len(p.list), 16), mostValues)
	p.list = append(p.list, make([]T, 0, size))
	return &p.list[p.last]
}

// Add adds a value.
func (p *Pieces[T]) Add(v T) {
	if p.last < len(p.list) {
		if c := p.list[p.last]; len(c) < cap(c) {
			p.list[p.last] = append(c, v)
			return
		}
	}
	c := p.room()
	*c = append(*c, v)
}

// Put adds values.
func (p *Pieces[T]) Put(v []T) {
	for len(v) > 0 {
		c := p.room()
		n := min(len(v), cap(*c)-len(*c))
		*c = append(*c, v[:n]...)
		v = v[n:]
	}
}

// Fill adds a value n times.
func (p *Pieces[T]) Fill(v T, n int) {
	for range n {
		p.Add(v)
	}
}

// Reset forgets the values and keeps their room.
func (p *Pieces[T]) Reset() {
	for i := range p.list {
		p.list[i] = p.list[i][:0]
	}
	p.last = 0
}

// List returns the pieces in order, some of them empty. They are not the caller's to
// change.
func (p *Pieces[T]) List() [][]T { return p.list }

// Walker walks values in order. Its caller knows how many there are: beyond the last it
// panics.
type Walker[T any] struct {
	list [][]T
	rest []T
}

// Walk returns a walk from the first value.
func (p *Pieces[T]) Walk() Walker[T] { return Walker[T]{list: p.list} }

// More returns the values that are left in this piece, those of the next if
// there are none.
func (w *Walker[T]) More() []T {
	for len(w.rest) == 0 {
		w.rest, w.list = w.list[0], w.list[1:]
	}
	return w.rest
}

// Next returns the next value.
func (w *Walker[T]) Next() T {
	if len(w.rest) == 0 {
		w.More()
	}
	v := w.rest[0]
	w.rest = w.rest[1:]
	return v
}

// Take appends the next n values to dst.
func (w *Walker[T]) Take(dst []T, n int) []T {
	for n > 0 {
		v := w.More()
		v = v[:min(n, len(v))]
		dst = append(dst, v...)
		w.rest = w.rest[len(v):]
		n -= len(v)
	}
	return dst
}

// Texts keep byte strings, whose lengths the caller keeps; none lies across two pieces.
type Texts struct {
	pieces [][]byte
	last   int
}

// Put copies v to the end.
func (p *Texts) Put(v []byte) {
	for p.last < len(p.pieces) {
		if c := p.pieces[p.last]; cap(c)-len(c) >= len(v) {
			p.pieces[p.last] = append(c, v...)
			return
		}
		p.last++
	}
	size := min(firstPiece<<min(len(p.pieces), 16), mostPiece)
	p.pieces = append(p.pieces, append(make([]byte, 0, max(size, len(v))), v...))
	p.last = len(p.pieces) - 1
}

// Reset forgets the values and keeps their room, but for that of long ones.
func (p *Texts) Reset() {
	kept := p.pieces[:0]
	for _, c := range p.pieces {
		if cap(c) <= mostPiece {
			kept = append(kept, c[:0])
		}
	}
	clear(p.pieces[len(kept):])
	p.pieces, p.last = kept, 0
}

// Reader walks texts in order.
type Reader struct {
	pieces [][]byte
	at     int
}

// Reader returns a walk from the first text.
func (p *Texts) Reader() Reader { return Reader{pieces: p.pieces} }

// Next returns the next value, whose length the caller kept.
func (r *Reader) Next(length int) []byte {
	if length == 0 {
		return []byte{}
	}
	for r.at == len(r.pieces[0]) {
		r.pieces, r.at = r.pieces[1:], 0
	}
	r.at += length
	return r.pieces[0][r.at-length : r.at : r.at]
}
