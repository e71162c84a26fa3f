package parquetfile

// pieces keep many values one after the other in pieces, so that growing moves
// nothing and what was allocated for one row group serves the next.
type pieces[T any] struct {
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
func (p *pieces[T]) room() *[]T {
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

// one adds a value.
func (p *pieces[T]) one(v T) {
	if p.last < len(p.list) {
		if c := p.list[p.last]; len(c) < cap(c) {
			p.list[p.last] = append(c, v)
			return
		}
	}
	c := p.room()
	*c = append(*c, v)
}

// put adds values.
func (p *pieces[T]) put(v []T) {
	for len(v) > 0 {
		c := p.room()
		n := min(len(v), cap(*c)-len(*c))
		*c = append(*c, v[:n]...)
		v = v[n:]
	}
}

// fill adds a value n times.
func (p *pieces[T]) fill(v T, n int) {
	for range n {
		p.one(v)
	}
}

// reset forgets the values and keeps their room.
func (p *pieces[T]) reset() {
	for i := range p.list {
		p.list[i] = p.list[i][:0]
	}
	p.last = 0
}

// walker walks values in order.
type walker[T any] struct {
	list [][]T
	rest []T
}

func (p *pieces[T]) walk() walker[T] { return walker[T]{list: p.list} }

// more returns the values that are left in this piece, those of the next if
// there are none.
func (w *walker[T]) more() []T {
	for len(w.rest) == 0 {
		w.rest, w.list = w.list[0], w.list[1:]
	}
	return w.rest
}

func (w *walker[T]) next() T {
	if len(w.rest) == 0 {
		w.more()
	}
	v := w.rest[0]
	w.rest = w.rest[1:]
	return v
}

// take appends the next n values to dst.
func (w *walker[T]) take(dst []T, n int) []T {
	for n > 0 {
		v := w.more()
		v = v[:min(n, len(v))]
		dst = append(dst, v...)
		w.rest = w.rest[len(v):]
		n -= len(v)
	}
	return dst
}

// pile keeps texts in pieces; none lies across two.
type pile struct {
	pieces [][]byte
	last   int
}

// put copies v to the end.
func (p *pile) put(v []byte) {
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

// reset forgets the values and keeps their room, but for that of long ones.
func (p *pile) reset() {
	kept := p.pieces[:0]
	for _, c := range p.pieces {
		if cap(c) <= mostPiece {
			kept = append(kept, c[:0])
		}
	}
	clear(p.pieces[len(kept):])
	p.pieces, p.last = kept, 0
}

// reader walks the values of a pile in order.
type reader struct {
	pieces [][]byte
	at     int
}

func (p *pile) reader() reader { return reader{pieces: p.pieces} }

// next returns the next value, whose length the caller kept.
func (r *reader) next(length int) []byte {
	if length == 0 {
		return []byte{}
	}
	for r.at == len(r.pieces[0]) {
		r.pieces, r.at = r.pieces[1:], 0
	}
	r.at += length
	return r.pieces[0][r.at-length : r.at : r.at]
}
