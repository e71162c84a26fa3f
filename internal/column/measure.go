package column

import (
	"math"
	"math/bits"
	"unicode/utf8"

	"landfall/internal/schema"
	"landfall/internal/value"
)

// measure is what the values of a leaf are known to be, as [Declared] says.
type measure struct {
	whole, scale int
	inexact      int64
	// text is room for the digits of a decimal.
	text [maxDigits + 8]byte
}

const (
	// maxDigits is the largest precision of a decimal.
	maxDigits = 38
	// exactDigits is the number of digits that a double always holds.
	exactDigits = 15
	// half is the number of digits by which long decimals are cut in two.
	half = 19
	// mantissa is the number of bits that a double has for an integer.
	mantissa = 53
)

// take measures the values of a leaf of type t.
func (m *measure) take(t schema.Type, l *Leaf) {
	switch t := t.(type) {
	case schema.Decimal:
		m.decimals(l.Ints, t.Scale)
		m.wide(l.Wide, t.Scale)
	case schema.Primitive:
		switch t {
		case schema.Byte, schema.Short, schema.Integer, schema.Long:
			m.integers(l.Ints)
		case schema.Float, schema.Double:
			m.floats(l.Floats)
		case schema.Binary:
			m.bytes(l.Text)
		}
	}
}

// longest is the greatest magnitude of integers.
func longest(values []int64) uint64 {
	var least, most int64
	for _, v := range values {
		least, most = min(least, v), max(most, v)
	}
	return max(magnitude(least), magnitude(most))
}

// magnitude is a number without its sign.
func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// digitsOf is the number of digits of an integer, 0 of 0.
func digitsOf(v uint64) int {
	n := 0
	for ; v > 0; v /= 10 {
		n++
	}
	return n
}

// power is 10 to the n, for n to 19.
func power(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

func (m *measure) integers(values []int64) {
	most := longest(values)
	m.whole = max(m.whole, digitsOf(most))
	if most <= 1<<mantissa {
		return
	}
	for _, v := range values {
		if u := magnitude(v); bits.Len64(u)-bits.TrailingZeros64(u) > mantissa {
			m.inexact++
		}
	}
}

// decimals measures unscaled values.
func (m *measure) decimals(values []int64, scale int) {
	most := longest(values)
	m.whole = max(m.whole, digitsOf(most)-scale)
	if m.scale < scale {
		m.fractions(values, scale)
	}
	if most < power(exactDigits) {
		return
	}
	for _, v := range values {
		if u := magnitude(v); u >= power(exactDigits) && !m.isDouble(0, u, scale) {
			m.inexact++
		}
	}
}

// fractions looks for digits after the point behind those that are known: once
// the scale is reached there are no more.
func (m *measure) fractions(values []int64, scale int) {
	unit := int64(power(scale - m.scale))
	for _, v := range values {
		if v%unit == 0 {
			continue
		}
		for v%unit != 0 {
			m.scale++
			unit /= 10
		}
		if m.scale == scale {
			return
		}
	}
}

// wide measures unscaled values of 128 bits.
func (m *measure) wide(values []value.Int128, scale int) {
	for _, v := range values {
		high, low := cut(v)
		digits := digitsOf(low)
		if high > 0 {
			digits = half + digitsOf(high)
		}
		m.whole = max(m.whole, digits-scale)
		for m.scale < scale && !endsInZeros(high, low, scale-m.scale) {
			m.scale++
		}
		if digits > exactDigits && !m.isDouble(high, low, scale) {
			m.inexact++
		}
	}
}

// cut returns the magnitude of a number in two: the digits before the last 19,
// and these.
func cut(v value.Int128) (high, low uint64) {
	h, l := uint64(v.High), v.Low
	if v.High < 0 {
		var borrow uint64
		l, borrow = bits.Sub64(0, l, 0)
		h, _ = bits.Sub64(0, h, borrow)
	}
	return bits.Div64(h, l, power(half)) // 2^127 has 39 digits
}

// endsInZeros reports whether the last n digits of a number are zeros.
func endsInZeros(high, low uint64, n int) bool {
	if n <= half {
		return low%power(n) == 0
	}
	return low == 0 && high%power(n-half) == 0
}

// isDouble reports whether a double has the digits of a decimal.
func (m *measure) isDouble(high, low uint64, scale int) bool {
	at, count := len(m.text), 0
	for high > 0 || low > 0 || count <= scale {
		if count == scale && scale > 0 {
			at--
			m.text[at] = '.'
		}
		if count == half {
			high, low = 0, high
		}
		at--
		m.text[at] = byte('0' + low%10)
		low /= 10
		count++
	}
	_, ok := new(value.Forms).Double(m.text[at:])
	return ok
}

func (m *measure) floats(values []float64) {
	for _, v := range values {
		whole := v == math.Trunc(v) && v >= math.MinInt64 && v < -math.MinInt64
		if !whole || v == 0 && math.Signbit(v) {
			m.inexact++
		}
	}
}

func (m *measure) bytes(t *Text) {
	if t == nil {
		return
	}
	for i := range t.Spans {
		if !utf8.Valid(t.Value(i)) {
			m.inexact++
		}
	}
}
