package recode

import (
	"math/bits"

	"landfall/internal/value"
)

// magnitude is an unsigned integer of 128 bits: a decimal without its sign, which
// takes up 127.
type magnitude struct{ high, low uint64 }

func magnitudeOf(v value.Int128) (m magnitude, negative bool) {
	m = magnitude{uint64(v.High), v.Low}
	if v.High < 0 {
		return m.negated(), true
	}
	return m, false
}

func (m magnitude) negated() magnitude {
	low, borrow := bits.Sub64(0, m.low, 0)
	high, _ := bits.Sub64(0, m.high, borrow)
	return magnitude{high, low}
}

func (m magnitude) signed(negative bool) value.Int128 {
	if negative {
		m = m.negated()
	}
	return value.Int128{High: int64(m.high), Low: m.low}
}

func (m magnitude) less(o magnitude) bool {
	return m.high < o.high || m.high == o.high && m.low < o.low
}

// tens is the most digits of a power of ten that 64 bits hold.
const tens = 19

func power(n int) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

// shift returns m × 10^n, false if that is no integer of 128 bits.
func (m magnitude) shift(n int) (magnitude, bool) {
	if n >= 0 {
		return m.timesTen(n)
	}
	for n = -n; n > 0; {
		step := min(n, tens)
		var rest uint64
		if m, rest = m.over(power(step)); rest != 0 {
			return magnitude{}, false
		}
		n -= step
	}
	return m, true
}

func (m magnitude) timesTen(n int) (magnitude, bool) {
	for n > 0 {
		step := min(n, tens)
		factor := power(step)
		overflow, high := bits.Mul64(m.high, factor)
		carry, low := bits.Mul64(m.low, factor)
		high, more := bits.Add64(high, carry, 0)
		if overflow != 0 || more != 0 {
			return magnitude{}, false
		}
		m = magnitude{high, low}
		n -= step
	}
	return m, true
}

// over divides.
func (m magnitude) over(by uint64) (quotient magnitude, rest uint64) {
	quotient.high, rest = m.high/by, m.high%by
	quotient.low, rest = bits.Div64(rest, m.low, by)
	return quotient, rest
}
