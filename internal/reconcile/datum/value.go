// Package datum holds single values of any type and says when two are the same.
//
// A [Pair] has two types, and brings the values of both into one [Form]. Values of one
// form are the same if their digests are equal: so hashes of columns can be compared
// that are stored in different types.
package datum

import (
	"math"
	"math/bits"

	"github.com/zeebo/xxh3"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Kind is what a value is. Numbers come before moments, and moments before texts.
type Kind uint8

// The kinds, and what stands in a value of each.
const (
	Absent  Kind = iota
	Whole        // an integer, or the digits of a decimal
	Float        // a float or a double
	Boolean      // 0 or 1
	Day          // days since 1970
	Instant      // µs since 1970
	Clock        // µs since 1970 of a wall clock, as if it stood in UTC
	Text         // bytes
)

// Value is one value, whatever the type that it came in.
type Value struct {
	Kind Kind
	// Scale is how many of the digits of a whole are behind the point.
	Scale int
	// N holds all kinds but floats and texts; of moments and booleans 64 bits.
	N value.Int128
	// F is a float.
	F float64
	// Single says that a float has 32 bits; it is for showing it.
	Single bool
	// Text has the bytes of a text, which are not copied.
	Text []byte
}

// Of is a value of 64 bits of a kind that N holds; of a whole without a scale.
func Of(k Kind, v int64) Value {
	return Value{Kind: k, N: value.Int128{High: v >> 63, Low: uint64(v)}}
}

// Reading says how the values of a type stand in a leaf.
type Reading struct {
	Form
	single bool
}

// ReadingOf is the reading of a scalar type.
func ReadingOf(t schema.Type) Reading { return Reading{FormOf(t), t == schema.Type(schema.Float)} }

// Value is value i of a leaf, as long as the leaf is valid. A wall clock that a leaf of
// instants has is a clock.
func (r Reading) Value(l *column.Leaf, i int) Value {
	switch r.Kind {
	case Text:
		return Value{Kind: Text, Text: l.Text.Value(i)}
	case Float:
		return Value{Kind: Float, F: l.Floats[i], Single: r.single}
	case Boolean:
		return truth(l.Bools[i])
	case Instant:
		if f := l.Flaw(i); f != nil && f.Kind == column.Skipped {
			return Of(Clock, l.Ints[i])
		}
	case Whole:
		if l.Wide != nil {
			return Value{Kind: Whole, Scale: r.Scale, N: l.Wide[i]}
		}
		out := Of(Whole, l.Ints[i])
		out.Scale = r.Scale
		return out
	}
	return Of(r.Kind, l.Ints[i])
}

// FormOf is the kind and the scale of values of a scalar type.
func FormOf(t schema.Type) Form {
	if d, ok := t.(schema.Decimal); ok {
		return Form{Whole, d.Scale}
	}
	switch t {
	case schema.Type(schema.String), schema.Type(schema.Binary):
		return Form{Kind: Text}
	case schema.Type(schema.Float), schema.Type(schema.Double):
		return Form{Kind: Float}
	case schema.Type(schema.Boolean):
		return Form{Kind: Boolean}
	case schema.Type(schema.Date):
		return Form{Kind: Day}
	case schema.Type(schema.Timestamp):
		return Form{Kind: Instant}
	case schema.Type(schema.TimestampNTZ):
		return Form{Kind: Clock}
	}
	return Form{Kind: Whole}
}

// Form is what values are brought into before they are compared.
type Form struct {
	Kind Kind
	// Scale is that of wholes, 0 of others.
	Scale int
}

// Is reports whether a value has the form.
func (f Form) Is(d *Value) bool { return f.Kind == d.Kind && (d.Kind != Whole || d.Scale == f.Scale) }

// The seeds of digests, which are arbitrary: no value of 64 bits has the digest 0
// because it is 0.
const (
	seedShort = 0x9e3779b97f4a7c15
	seedHigh  = 0xd1b54a32d192ed03
	seedOther = 0x8cb92ba72f3d8dd7
)

// DigestInt is the digest of a value of 64 bits in its form.
func DigestInt(v int64) uint64 { return uint64(v) ^ seedShort }

// DigestFloat is that of a float in its form: all NaN have one, two zeros have two.
func DigestFloat(f float64) uint64 {
	if f != f {
		f = math.NaN() // whichever it was
	}
	return math.Float64bits(f) ^ seedShort
}

// DigestText is that of a text in its form.
func DigestText(b []byte) uint64 { return xxh3.Hash(b) }

func digestWide(v value.Int128) uint64 {
	if v.High == int64(v.Low)>>63 {
		return DigestInt(int64(v.Low))
	}
	high, low := bits.Mul64(uint64(v.High)^seedHigh, v.Low^seedOther)
	return high ^ low
}

// Digest is a number of 64 bits for a value among others of a form. Those of one
// form and no wider than 64 bits have different ones.
func (f Form) Digest(d *Value) uint64 {
	var h uint64
	switch d.Kind {
	case Text:
		h = DigestText(d.Text)
	case Float:
		h = DigestFloat(d.F)
	default:
		h = digestWide(d.N)
	}
	if !f.Is(d) {
		h = Mix(h ^ Mix(uint64(d.Kind)<<32|uint64(d.Scale)))
	}
	return h
}

// Mix spreads a number over 64 bits, each its own (splitmix64).
func Mix(x uint64) uint64 {
	x += seedShort
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
