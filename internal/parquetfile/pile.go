package parquetfile

// pile keeps many values one after the other in pieces, so that growing moves
// nothing and what was allocated for one row group serves the next. No value
// lies across two pieces.
type pile struct {
	pieces [][]byte
	// last is the piece that is being filled.
	last int
}

// Sizes of the first and of the later pieces: small, since a file may have
// thousands of columns.
const (
	firstPiece = 4 << 10
	mostPiece  = 256 << 10
)

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
