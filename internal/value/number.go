package value

import (
	"bytes"
	"math"
	mathbits "math/bits"
	"strconv"
)

// number is the text of a number in its parts.
type number struct {
	sign            byte // '-', '+' or 0
	whole, fraction []byte
	exponent        []byte // digits; nil for none
	exponentSign    byte
}

// scan takes a text apart: digits, a point and digits, an exponent; all but the
// first may be missing. It returns the number, since a buffer whose parts are
// stored through a pointer would be on the heap.
func scan(text []byte) (n number, ok bool) {
	i := 0
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		n.sign, i = text[0], 1
	}
	end := digitsEnd(text, i)
	if end == i {
		return number{}, false
	}
	n.whole, i = text[i:end], end
	if i < len(text) && text[i] == '.' {
		i++
		if end = digitsEnd(text, i); end == i {
			return number{}, false
		}
		n.fraction, i = text[i:end], end
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		if i < len(text) && (text[i] == '-' || text[i] == '+') {
			n.exponentSign = text[i]
			i++
		}
		if end = digitsEnd(text, i); end == i {
			return number{}, false
		}
		n.exponent, i = text[i:end], end
	}
	return n, i == len(text)
}

// digitsEnd returns where the digits that begin at i end.
func digitsEnd(text []byte, i int) int {
	for i < len(text) && isDigit(text[i]) {
		i++
	}
	return i
}

// canonical reports whether nothing is lost with the text before the point: no
// plus sign, no leading zero.
func (n *number) canonical() bool {
	return n.sign != '+' && (len(n.whole) == 1 || n.whole[0] != '0')
}

// minusZero reports whether the number is -0, which only a double holds.
func (n *number) minusZero() bool {
	return n.sign == '-' && len(n.digitsBefore()) == 0 && len(n.digitsAfter()) == 0
}

// digitsBefore are the digits before the point without leading zeros.
func (n *number) digitsBefore() []byte { return bytes.TrimLeft(n.whole, "0") }

// digitsAfter are the digits after the point without zeros at the end.
func (n *number) digitsAfter() []byte { return bytes.TrimRight(n.fraction, "0") }

// exactDigits is the number of digits that a double always holds: no two
// decimals of so many digits share one.
const exactDigits = 15

// numberShape returns the shape of text, false if it is no number. Bare numbers
// are those of JSON.
func numberShape(text []byte, bare bool) (Shape, bool) {
	n, ok := scan(text)
	if !ok {
		return Shape{}, false
	}
	switch {
	case !n.canonical():
		return Shape{Class: Code}, true
	case n.exponent != nil:
		return Shape{Class: n.exponentClass(bare)}, true
	case n.minusZero():
		return Shape{Class: Float}, true
	}
	s := Shape{Whole: len(n.digitsBefore()), Scale: len(n.digitsAfter())}
	_, exact := n.float(64)
	switch {
	case n.fraction != nil && exact:
		s.Class = DecimalExact
	case n.fraction != nil:
		s.Class = DecimalInexact
	default:
		s.Class = IntegerBig
		if _, ok := n.long(); ok && exact {
			s.Class = IntegerExact
		} else if ok {
			s.Class = IntegerLong
		}
	}
	return s, true
}

// exponentClass tells numbers from ids that look like them. Whoever writes a
// number with an exponent writes a point or the exponent's sign; an id of digits
// with an E in it has neither.
func (n *number) exponentClass(bare bool) Class {
	if !bare && n.fraction == nil && n.exponentSign == 0 {
		return Code
	}
	if _, ok := n.float(64); ok {
		return Float
	}
	if bare {
		return Text
	}
	return Code
}

// float returns the double, or float of 32 bits, that has the number: whose
// shortest text has the same digits. An integer must also be the very value
// that the float is, so that it can be made an integer again.
func (n *number) float(bits int) (float64, bool) {
	s := n.scientific()
	if n.fraction == nil && n.exponent == nil && !s.whole(bits) {
		return 0, false
	}
	v, ok := s.float(bits)
	if !ok {
		return 0, false
	}
	if n.sign == '-' {
		v = math.Copysign(v, -1) // of zero too
	}
	return v, true
}

// mostDigits is the most that the shortest text of a double has.
const mostDigits = 17

// scientific is a number without its sign, digits × 10^exponent, without zeros
// at either end of the digits: equal numbers have equal ones.
type scientific struct {
	digits   uint64 // valid up to mostDigits of them
	count    int    // the number of digits
	exponent int
}

func (n *number) scientific() scientific {
	before, after := n.digitsBefore(), n.digitsAfter()
	s := scientific{exponent: -len(after)}
	if len(after) == 0 {
		all := len(before)
		before = bytes.TrimRight(before, "0")
		s.exponent = all - len(before)
	}
	if len(before) == 0 {
		after = bytes.TrimLeft(after, "0")
	}
	s.count = len(before) + len(after)
	if s.count == 0 {
		return scientific{}
	}
	if s.count <= mostDigits {
		s.digits = appendDigits(appendDigits(0, before), after)
	}
	s.exponent += n.exponentValue()
	return s
}

func appendDigits(v uint64, digits []byte) uint64 {
	for _, c := range digits {
		v = v*10 + uint64(c-'0')
	}
	return v
}

// exponentValue returns the exponent, or one beyond every float.
func (n *number) exponentValue() int {
	digits := bytes.TrimLeft(n.exponent, "0")
	v := 1 << 40 // no text is so long that its digits make up for it
	if len(digits) < 12 {
		v = int(appendDigits(0, digits))
	}
	if n.exponentSign == '-' {
		return -v
	}
	return v
}

// float returns the float that has the digits of s.
func (s scientific) float(bits int) (float64, bool) {
	if s.count == 0 {
		return 0, true
	}
	if s.count > mostDigits || s.exponent > 400 || s.exponent < -400 {
		return 0, false
	}
	if bits == 64 && s.count <= exactDigits && -22 <= s.exponent && s.exponent <= 22 {
		// Both are doubles, so that one operation rounds once.
		if s.exponent < 0 {
			return float64(s.digits) / power(-s.exponent), true
		}
		return float64(s.digits) * power(s.exponent), true
	}
	var buffer [32]byte
	text := strconv.AppendUint(buffer[:0], s.digits, 10)
	text = strconv.AppendInt(append(text, 'e'), int64(s.exponent), 10)
	v, err := strconv.ParseFloat(string(text), bits)
	if err != nil {
		return 0, false // infinite
	}
	return v, s.shortest(v, bits)
}

// power returns 10^n, for n up to 22, where it is a double.
func power(n int) float64 {
	return [...]float64{
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	}[n]
}

// shortest reports whether the shortest text of v has the digits of s.
func (s scientific) shortest(v float64, bits int) bool {
	var buffer [32]byte
	n, ok := scan(strconv.AppendFloat(buffer[:0], v, 'e', -1, bits))
	return ok && n.scientific() == s
}

// whole reports whether s, an integer, is the very value of a float: what
// remains without its factors of two fits the mantissa.
func (s scientific) whole(bits int) bool {
	if s.count > mostDigits {
		return false // its digits are not there; and they are too many anyway
	}
	limit := uint64(1) << 53
	if bits == 32 {
		limit = 1 << 24
	}
	odd := s.digits >> mathbits.TrailingZeros64(s.digits)
	for range s.exponent { // 10^n = 5^n × 2^n
		if odd > limit {
			return false
		}
		odd *= 5
	}
	return odd <= limit
}
