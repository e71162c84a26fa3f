package value

import "math/bits"

// Long returns the integer that text is: digits, and a fraction of zeros. It
// refuses codes, -0 and what 64 bits do not hold.
func (f *Forms) Long(text []byte) (int64, bool) {
	if p, ok := plainNumber(text); ok {
		return p.long()
	}
	n, ok := scan(text)
	if !ok || !n.canonical() || n.exponent != nil || n.minusZero() || len(n.digitsAfter()) > 0 {
		return 0, false
	}
	return n.long()
}

// long returns the digits before the point as a signed integer.
func (n *number) long() (int64, bool) {
	digits := n.digitsBefore()
	if len(digits) > 19 {
		return 0, false
	}
	v := appendDigits(0, digits)
	if n.sign == '-' {
		return -int64(v), v <= 1<<63
	}
	return int64(v), v < 1<<63
}

// maxPrecision is the most digits of a decimal; 128 bits hold them.
const maxPrecision = 38

// Decimal returns the unscaled value of text as a decimal(precision, scale). It
// takes integers and decimals that have at most precision − scale digits before
// the point and, zeros at the end aside, scale behind it; never codes or -0.
func (f *Forms) Decimal(text []byte, precision, scale int) (Int128, bool) {
	if precision < 0 || precision > maxPrecision || scale < 0 || scale > precision {
		return Int128{}, false
	}
	if p, ok := plainNumber(text); ok {
		if v, ok := p.decimal(precision, scale); ok {
			return v, true
		}
	}
	return anyDecimal(text, precision, scale)
}

// anyDecimal is Decimal for any number.
func anyDecimal(text []byte, precision, scale int) (Int128, bool) {
	n, ok := scan(text)
	if !ok || !n.canonical() || n.exponent != nil || n.minusZero() {
		return Int128{}, false
	}
	before, after := n.digitsBefore(), n.digitsAfter()
	if len(before) > precision-scale || len(after) > scale {
		return Int128{}, false
	}
	v := wide{}.digits(before).digits(after).zeros(scale - len(after))
	return v.signed(n.sign == '-'), true
}

// wide is an unsigned integer of 128 bits.
type wide struct{ high, low uint64 }

// chunk is the most digits that fit 64 bits.
const chunk = 19

// digits appends digits to the decimal text of w.
func (w wide) digits(digits []byte) wide {
	for len(digits) > 0 {
		n := min(chunk, len(digits))
		w = w.zeros(n)
		var carry uint64
		w.low, carry = bits.Add64(w.low, appendDigits(0, digits[:n]), 0)
		w.high += carry
		digits = digits[n:]
	}
	return w
}

// zeros returns w × 10^n.
func (w wide) zeros(n int) wide {
	for n > 0 {
		step := min(n, chunk)
		factor := uint64(1)
		for range step {
			factor *= 10
		}
		high, low := bits.Mul64(w.low, factor)
		w = wide{high + w.high*factor, low}
		n -= step
	}
	return w
}

func (w wide) signed(negative bool) Int128 {
	if negative {
		var borrow uint64
		w.low, borrow = bits.Sub64(0, w.low, 0)
		w.high, _ = bits.Sub64(0, w.high, borrow)
	}
	return Int128{High: int64(w.high), Low: w.low}
}

// Double returns the double that has the digits of text: the shortest text of
// the double has the same, and an integer is the very value of it. It takes NaN
// and infinities; never codes.
func (f *Forms) Double(text []byte) (float64, bool) {
	if p, ok := plainNumber(text); ok && !f.renamed() {
		return p.double(), true
	}
	if v, ok := f.special(text); ok {
		return v, true
	}
	return float(text, 64, false)
}

// Float is Double for floats of 32 bits.
func (f *Forms) Float(text []byte) (float32, bool) {
	if v, ok := f.special(text); ok {
		return float32(v), true
	}
	v, ok := float(text, 32, false)
	return float32(v), ok
}

// NumberDouble is Double for a number that stands bare in JSON, where any form
// of exponent is one.
func (f *Forms) NumberDouble(raw []byte) (float64, bool) {
	if p, ok := plainNumber(raw); ok && !f.renamed() {
		return p.double(), true
	}
	if v, ok := f.bareSpecial(raw); ok {
		return v, true
	}
	return float(raw, 64, true)
}

// float reads a number of which [numberShape] makes no Code.
func float(text []byte, bits int, bare bool) (float64, bool) {
	n, ok := scan(text)
	if !ok || !n.canonical() {
		return 0, false
	}
	if !bare && n.exponent != nil && n.fraction == nil && n.exponentSign == 0 {
		return 0, false
	}
	return n.float(bits)
}
