package column

// Digits is the hint of a number that is digits, or digits, a point and digits,
// with no zero too many in front, no exponent, at most MostDigits of them, and not
// -0: of most numbers. From the low bits: digits after the point without zeros at
// the end (4), digits before it without leading zeros (4), all digits after the
// point (4), set.
type Digits uint16

const (
	// MostDigits is the number of digits that 53 bits hold in any case.
	MostDigits = 15
	digitsSet  = Digits(1) << 12
)

// NewDigits returns the hint of a number with so many digits: whole before the
// point, without leading zeros; after it, and of these the ones up to the last that
// is no zero.
func NewDigits(whole, after, scale int) Digits {
	return digitsSet | Digits(after)<<8 | Digits(whole)<<4 | Digits(scale)
}

// Known reports whether there is a hint.
func (d Digits) Known() bool { return d != 0 }

// Whole is the number of digits before the point without leading zeros.
func (d Digits) Whole() int { return int(d >> 4 & 15) }

// Scale is the number of digits after the point without zeros at the end.
func (d Digits) Scale() int { return int(d & 15) }

// After is the number of digits after the point, 0 where there is no point.
func (d Digits) After() int { return int(d >> 8 & 15) }

// Digits is the hint of a Number.
func (n *Node) Digits() Digits { return Digits(n.Hint) }

// initialSet is set in the hint of a String whose first byte it has.
const initialSet = 1 << 8

// Initial returns the first byte of a String without escapes that is not empty,
// false where there is no hint.
func (n *Node) Initial() (first byte, known bool) {
	return byte(n.Hint), n.Hint&initialSet != 0
}

// NewInitial returns the hint of a string that begins with a byte.
func NewInitial(first byte) uint16 { return initialSet | uint16(first) }
