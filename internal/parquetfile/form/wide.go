package form

import (
	"math"
	"math/bits"

	"landfall/internal/value"
)

// magnitude is the absolute value of a 128-bit integer.
type magnitude struct{ high, low uint64 }

func (m magnitude) less(o magnitude) bool {
	return m.high < o.high || m.high == o.high && m.low < o.low
}

func magnitudeOf(v value.Int128) magnitude {
	m := magnitude{uint64(v.High), v.Low}
	if v.High < 0 {
		var borrow uint64
		m.low, borrow = bits.Sub64(0, m.low, 0)
		m.high, _ = bits.Sub64(0, m.high, borrow)
	}
	return m
}

// power returns 10 to the n, for n up to 38.
func power(n int) magnitude {
	m := magnitude{0, 1}
	for range n {
		carry, low := bits.Mul64(m.low, 10)
		m = magnitude{m.high*10 + carry, low}
	}
	return m
}

// fits tells whether all values below m in magnitude fit in n bytes of two's
// complement, n up to 16.
func fits(m magnitude, n int) bool {
	limit := magnitude{0, 1}
	if shift := 8*n - 1; shift < 64 {
		limit.low <<= shift
	} else {
		limit = magnitude{1 << (shift - 64), 0}
	}
	return !limit.less(m)
}

// PutWide writes the lowest len(dst) bytes of v, the highest of them first.
func PutWide(dst []byte, v value.Int128) {
	for i := range dst {
		at := 8 * (len(dst) - 1 - i)
		if at < 64 {
			dst[i] = byte(v.Low >> at)
		} else {
			dst[i] = byte(uint64(v.High) >> (at - 64))
		}
	}
}

// LongestWide is the length in bytes of the longest decimal.
const LongestWide = 16

// GetWide reads what PutWide wrote.
func GetWide(src []byte) (v value.Int128) {
	if len(src) > 0 && src[0] >= 1<<7 {
		v = value.Int128{High: -1, Low: math.MaxUint64}
	}
	for _, b := range src {
		v.High = v.High<<8 | int64(v.Low>>56)
		v.Low = v.Low<<8 | uint64(b)
	}
	return v
}

// LessWide tells whether v is less than o.
func LessWide(v, o value.Int128) bool {
	return v.High < o.High || v.High == o.High && v.Low < o.Low
}

// WideBytes is the number of bytes that hold so many digits and a sign.
func WideBytes(digits int) int {
	n := 1
	for !fits(power(digits), n) {
		n++
	}
	return n
}

// Digits tells decimals that have no more than so many digits.
type Digits struct{ limit magnitude }

// DigitsOf returns the Digits of a precision, up to 38.
func DigitsOf(precision int) Digits { return Digits{power(precision)} }

// Hold tells whether v has no more digits.
func (d Digits) Hold(v value.Int128) bool { return magnitudeOf(v).less(d.limit) }
