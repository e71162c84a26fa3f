package rowgroup

import (
	"bytes"
	"encoding/binary"
	"math"

	"landfall/internal/parquetfile/form"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Bounds gathers the bounds of the values of a leaf, which are all of one kind.
// The zero value has seen none.
type Bounds struct {
	Nulls int64

	// any says that the bounds of numbers are set: lo and hi, which are 0 and 1 for
	// booleans, flo and fhi, or wlo and whi, which wide says.
	any, nan, wide bool
	lo, hi         int64
	flo, fhi       float64
	wlo, whi       value.Int128
	// text says that low and high are set: the first BoundBytes of the least and
	// the greatest text, whose first bytes are in lowWord and highWord too.
	text              bool
	lowCut, highCut   bool
	lowWord, highWord uint64
	low, high         []byte
}

// AddInt counts an integer.
func (b *Bounds) AddInt(v int64) { b.AddInts(v, v) }

// AddInts counts integers of which these are the least and the greatest.
func (b *Bounds) AddInts(least, most int64) {
	if !b.any {
		b.any, b.lo, b.hi = true, least, most
	}
	b.lo, b.hi = min(b.lo, least), max(b.hi, most)
}

// AddFloat counts a number with a point.
func (b *Bounds) AddFloat(v float64) {
	if math.IsNaN(v) {
		b.nan = true
		return
	}
	if !b.any {
		b.any, b.flo, b.fhi = true, v, v
	}
	b.flo, b.fhi = min(b.flo, v), max(b.fhi, v)
}

// AddWide counts the digits of a long decimal.
func (b *Bounds) AddWide(v value.Int128) {
	if !b.any {
		b.any, b.wide, b.wlo, b.whi = true, true, v, v
	}
	if form.LessWide(v, b.wlo) {
		b.wlo = v
	}
	if form.LessWide(b.whi, v) {
		b.whi = v
	}
}

// AddBool counts a boolean.
func (b *Bounds) AddBool(v bool) {
	if v {
		b.AddInt(1)
		return
	}
	b.AddInt(0)
}

// AddText counts a text, of which it keeps a copy if it is a bound.
func (b *Bounds) AddText(v []byte) {
	w := wordOf(v)
	// Where the first bytes differ, they decide; zeros behind a short text are
	// at most equal to what a longer one has there.
	if b.text && b.lowWord < w && w < b.highWord {
		return
	}
	b.addText(v, w)
}

func wordOf(v []byte) uint64 {
	const size = 8
	if len(v) >= size {
		return binary.BigEndian.Uint64(v)
	}
	w := uint64(0)
	for i, c := range v {
		w |= uint64(c) << (56 - 8*i)
	}
	return w
}

func (b *Bounds) addText(v []byte, word uint64) {
	cut := len(v) > BoundBytes
	if cut {
		v = v[:BoundBytes]
	}
	if !b.text {
		b.text = true
		b.low, b.high = append(b.low[:0], v...), append(b.high[:0], v...)
		b.lowWord, b.highWord, b.lowCut, b.highCut = word, word, cut, cut
		return
	}
	switch c := bytes.Compare(v, b.low); {
	case c < 0:
		b.low, b.lowWord, b.lowCut = append(b.low[:0], v...), word, cut
	case c == 0:
		b.lowCut = b.lowCut && cut
	}
	switch c := bytes.Compare(v, b.high); {
	case c > 0:
		b.high, b.highWord, b.highCut = append(b.high[:0], v...), word, cut
	case c == 0:
		b.highCut = b.highCut || cut
	}
}

// Copy makes b what from is; the two share no memory.
func (b *Bounds) Copy(from *Bounds) {
	low, high := b.low, b.high
	*b = *from
	b.low, b.high = append(low[:0], from.low...), append(high[:0], from.high...)
}

// Reset makes b one that has seen nothing, and keeps its memory.
func (b *Bounds) Reset() { *b = Bounds{low: b.low[:0], high: b.high[:0]} }

// Stats returns the statistics of a column of a type, nil if it is none that we
// know.
func (b *Bounds) Stats(t schema.Type) ColumnStats {
	s := ColumnStats{Type: t, Nulls: b.Nulls}
	if t == nil {
		return s
	}
	s.Unbounded = b.nan
	switch {
	case b.text:
		s.Min, s.Max, s.MinCut, s.MaxCut = string(b.low), string(b.high), b.lowCut, b.highCut
	case b.nan || !b.any:
	case b.wide:
		s.Min, s.Max = b.wlo, b.whi
	case t == schema.Boolean:
		s.Min, s.Max = b.lo == 1, b.hi == 1
	case isFloat(t):
		s.Min, s.Max = b.flo, b.fhi
	default:
		s.Min, s.Max = b.lo, b.hi
	}
	return s
}
