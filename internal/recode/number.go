package recode

import (
	"math"
	"strconv"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// rangeOf bounds the values of a type of integers.
func rangeOf(t schema.Type) (low, high int64, ok bool) {
	switch t {
	case schema.Type(schema.Byte):
		return math.MinInt8, math.MaxInt8, true
	case schema.Type(schema.Short):
		return math.MinInt16, math.MaxInt16, true
	case schema.Type(schema.Integer):
		return math.MinInt32, math.MaxInt32, true
	case schema.Type(schema.Long):
		return math.MinInt64, math.MaxInt64, true
	}
	return 0, 0, false
}

func isNumber(t schema.Type) bool {
	_, _, integer := rangeOf(t)
	_, decimal := t.(schema.Decimal)
	return integer || decimal || formOf(t) == floats
}

// moveNumber converts between numbers of types that have not the same form.
func moveNumber(from, to schema.Type) move {
	_, fromDecimal := from.(schema.Decimal)
	switch {
	case formOf(to) == floats && fromDecimal:
		return moveDecimalToFloat(from, to)
	case formOf(to) == floats && formOf(from) == floats: // a float is a double in any case
		return func(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
			v := from.Floats[i]
			return to.float(v, float64(float32(v)) == v || v != v)
		}
	case formOf(to) == floats:
		single := to == schema.Type(schema.Float)
		return func(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
			v := from.Ints[i]
			f := float64(v)
			if single {
				f = float64(float32(v))
			}
			return to.float(f, f < 1<<63 && int64(f) == v)
		}
	}
	return moveExact(from, to)
}

// moveDecimalToFloat finds the floating-point number that has the digits of a
// decimal, as the same digits in text would be read.
func moveDecimalToFloat(from, to schema.Type) move {
	write := writerOf(from)
	single := to == schema.Type(schema.Float)
	return func(r *Recoder, from *column.Leaf, i int, to *sink) bool {
		r.scratch, _ = write(r.scratch[:0], from, i)
		if single {
			v, ok := r.forms.Float(r.scratch)
			return to.float(float64(v), ok)
		}
		return to.float(r.forms.Double(r.scratch))
	}
}

// moveExact converts any number into an integer or a decimal that is equal.
func moveExact(from, to schema.Type) move {
	d, toDecimal := to.(schema.Decimal)
	if toDecimal && formOf(from) == floats {
		return moveDigits(from, d)
	}
	read := exactOf(from)
	shift := scaleOf(to) - scaleOf(from)
	if toDecimal {
		bound, _ := magnitude{low: 1}.timesTen(d.Precision)
		return func(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
			v, ok := read(from, i)
			m, negative := magnitudeOf(v)
			if ok {
				m, ok = m.shift(shift)
			}
			return ok && m.less(bound) && to.decimal(m.signed(negative))
		}
	}
	low, high, _ := rangeOf(to)
	return func(_ *Recoder, from *column.Leaf, i int, to *sink) bool {
		v, ok := read(from, i)
		m, negative := magnitudeOf(v)
		if ok {
			m, ok = m.shift(shift)
		}
		v = m.signed(negative)
		n := int64(v.Low)
		return to.int(n, ok && v.High == n>>63 && n >= low && n <= high)
	}
}

// moveDigits finds the decimal that a floating-point number is: an integral one the
// integer, any other the fewest digits that are its own, as text has them.
func moveDigits(from schema.Type, to schema.Decimal) move {
	bound, _ := magnitude{low: 1}.timesTen(to.Precision)
	bits := 64
	if from == schema.Type(schema.Float) {
		bits = 32
	}
	return func(r *Recoder, from *column.Leaf, i int, sink *sink) bool {
		f := from.Floats[i]
		if v, ok := integral(f); ok {
			m, negative := magnitudeOf(v)
			m, ok = m.shift(to.Scale)
			return ok && m.less(bound) && sink.decimal(m.signed(negative))
		}
		if a := math.Abs(f); a < minDecimal || a >= 1<<53 || a != a {
			return false
		}
		r.scratch = strconv.AppendFloat(r.scratch[:0], f, 'f', -1, bits)
		v, ok := new(value.Forms).Decimal(r.scratch, to.Precision, to.Scale)
		return ok && sink.decimal(v)
	}
}

// minDecimal is less than any decimal but 0.
const minDecimal = 1e-39

// exactOf returns how to read a number as an integer, of decimals the digits.
func exactOf(t schema.Type) func(*column.Leaf, int) (value.Int128, bool) {
	switch formOf(t) {
	case wides:
		return func(l *column.Leaf, i int) (value.Int128, bool) { return l.Wide[i], true }
	case floats:
		return func(l *column.Leaf, i int) (value.Int128, bool) { return integral(l.Floats[i]) }
	}
	return func(l *column.Leaf, i int) (value.Int128, bool) {
		v := l.Ints[i]
		return value.Int128{High: v >> 63, Low: uint64(v)}, true
	}
}

// integral returns the integer that a double is; −0 is none.
func integral(v float64) (value.Int128, bool) {
	a := math.Abs(v)
	if v != math.Trunc(v) || a >= 1<<126 || v == 0 && math.Signbit(v) {
		return value.Int128{}, false
	}
	if a < 1<<53 {
		return value.Int128{High: int64(v) >> 63, Low: uint64(int64(v))}, true
	}
	fraction, exponent := math.Frexp(a)
	m := magnitude{low: uint64(fraction * (1 << 53))}
	for range exponent - 53 {
		m = magnitude{m.high<<1 | m.low>>63, m.low << 1}
	}
	return m.signed(v < 0), true
}
