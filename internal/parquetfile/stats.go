package parquetfile

import (
	"bytes"

	"landfall/internal/schema"
)

// ColumnStats are the bounds of one column of a file, or of a field of a struct.
// Arrays and maps are one, whatever they consist of.
type ColumnStats struct {
	// Path leads to it: the column, and the fields below.
	Path []string
	// Type is the type of Min and Max; nil if it is none that we know. Binary has
	// no bounds.
	Type schema.Type
	// Nulls is the number of rows without a value, −1 for arrays and maps.
	Nulls int64
	// Min and Max are a string (in byte order), an int64 (µs for timestamps,
	// days for dates, the digits of decimals), a value.Int128 (those of longer
	// decimals), a float64 or a bool; nil when there is no value, or a NaN.
	Min, Max any
	// MinCut and MaxCut say that the string is longer than BoundBytes and only
	// its first BoundBytes are given, which may end within a character.
	MinCut, MaxCut bool

	low, high []byte
	set       bool
}

// BoundBytes is how much of a long text is kept as a bound.
const BoundBytes = 1 << 10

func (s *ColumnStats) addText(v []byte) {
	cut := len(v) > BoundBytes
	if cut {
		v = v[:BoundBytes]
	}
	if !s.set {
		s.set = true
		s.low, s.high = bytes.Clone(v), bytes.Clone(v)
		s.MinCut, s.MaxCut = cut, cut
		return
	}
	switch c := bytes.Compare(v, s.low); {
	case c < 0:
		s.low, s.MinCut = append(s.low[:0], v...), cut
	case c == 0:
		s.MinCut = s.MinCut && cut
	}
	switch c := bytes.Compare(v, s.high); {
	case c > 0:
		s.high, s.MaxCut = append(s.high[:0], v...), cut
	case c == 0:
		s.MaxCut = s.MaxCut || cut
	}
}

// finish sets Min and Max of text.
func (s *ColumnStats) finish() {
	if s.set {
		s.Min, s.Max = string(s.low), string(s.high)
	}
}
