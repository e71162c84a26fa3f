package reconcile

import (
	"math"
	"math/bits"

	"github.com/zeebo/xxh3"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// kind is what a datum is.
type kind uint8

const (
	absent  kind = iota
	whole        // an integer, or the digits of a decimal
	float        // a float or a double
	boolean      // 0 or 1
	day          // days since 1970
	instant      // µs since 1970
	clock        // µs since 1970 of a wall clock, as if it stood in UTC
	text         // bytes
)

// datum is one value, whatever the type that it came in.
type datum struct {
	kind kind
	// scale is how many of the digits of a whole are behind the point.
	scale int
	// n holds all kinds but floats and texts; of moments and booleans 64 bits.
	n value.Int128
	f float64
	// single says that a float has 32 bits; it is for showing it.
	single bool
	text   []byte
}

// short is a datum of 64 bits.
func short(k kind, v int64) datum {
	return datum{kind: k, n: value.Int128{High: v >> 63, Low: uint64(v)}}
}

// reading says how the values of a type stand in a leaf.
type reading struct {
	form
	single bool
}

func readingOf(t schema.Type) reading { return reading{formOf(t), t == schema.Type(schema.Float)} }

// datum is value i of a leaf.
func (r reading) datum(l *column.Leaf, i int) datum {
	switch r.kind {
	case text:
		return datum{kind: text, text: l.Text.Value(i)}
	case float:
		return datum{kind: float, f: l.Floats[i], single: r.single}
	case boolean:
		return truth(l.Bools[i])
	case instant:
		if f := l.Flaw(i); f != nil && f.Kind == column.Skipped {
			return short(clock, l.Ints[i])
		}
	case whole:
		if l.Wide != nil {
			return datum{kind: whole, scale: r.scale, n: l.Wide[i]}
		}
		out := short(whole, l.Ints[i])
		out.scale = r.scale
		return out
	}
	return short(r.kind, l.Ints[i])
}

// formOf is the kind and the scale of values of a scalar type.
func formOf(t schema.Type) form {
	if d, ok := t.(schema.Decimal); ok {
		return form{whole, d.Scale}
	}
	switch t {
	case schema.Type(schema.String), schema.Type(schema.Binary):
		return form{kind: text}
	case schema.Type(schema.Float), schema.Type(schema.Double):
		return form{kind: float}
	case schema.Type(schema.Boolean):
		return form{kind: boolean}
	case schema.Type(schema.Date):
		return form{kind: day}
	case schema.Type(schema.Timestamp):
		return form{kind: instant}
	case schema.Type(schema.TimestampNTZ):
		return form{kind: clock}
	}
	return form{kind: whole}
}

// form is what values are brought into before they are compared.
type form struct {
	kind  kind
	scale int
}

// is reports whether a datum has a form.
func (f form) is(d *datum) bool { return f.kind == d.kind && (d.kind != whole || d.scale == f.scale) }

// The seeds of digests, which are arbitrary: no value of 64 bits has the digest 0
// because it is 0.
const (
	seedShort = 0x9e3779b97f4a7c15
	seedHigh  = 0xd1b54a32d192ed03
	seedOther = 0x8cb92ba72f3d8dd7
)

func digestShort(v int64) uint64 { return uint64(v) ^ seedShort }

func digestFloat(f float64) uint64 {
	if f != f {
		f = math.NaN() // whichever it was
	}
	return math.Float64bits(f) ^ seedShort
}

func digestWide(v value.Int128) uint64 {
	if v.High == int64(v.Low)>>63 {
		return digestShort(int64(v.Low))
	}
	high, low := bits.Mul64(uint64(v.High)^seedHigh, v.Low^seedOther)
	return high ^ low
}

// digest is a number of 64 bits for a datum among others of a form. Those of one
// form and no wider than 64 bits have different ones.
func (f form) digest(d *datum) uint64 {
	var h uint64
	switch d.kind {
	case text:
		h = xxh3.Hash(d.text)
	case float:
		h = digestFloat(d.f)
	default:
		h = digestWide(d.n)
	}
	if !f.is(d) {
		h = mix(h ^ mix(uint64(d.kind)<<32|uint64(d.scale)))
	}
	return h
}

// mix spreads a number over 64 bits, each its own (splitmix64).
func mix(x uint64) uint64 {
	x += seedShort
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
