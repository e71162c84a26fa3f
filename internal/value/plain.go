package value

import "encoding/binary"

// plain is a number as most are written: digits, perhaps with a point among them, at
// most exactDigits, canonical and not -0. Every double, and every type of integers and
// decimals with room for it, has such a number.
type plain struct {
	digits uint64 // all of them, as if there were no point
	minus  bool
	// whole counts the digits before the point without leading zeros, after those
	// behind it, scale them without zeros at the end.
	whole, after, scale int
}

// plainNumber reads a plain number, all of text. It reports false for other numbers
// too.
func plainNumber(text []byte) (p plain, ok bool) {
	i, point := 0, 0
	if len(text) > 0 && text[0] == '-' {
		p.minus, i = true, 1
	}
	begin := i
	if len(text)-i > exactDigits+1 || i == len(text) {
		return p, false
	}
	for ; i < len(text); i++ {
		d := uint64(text[i] - '0')
		if d > 9 {
			if text[i] != '.' || point > 0 || i == begin {
				return p, false
			}
			point = i
			continue
		}
		p.digits = p.digits*10 + d
	}
	p.whole = i - begin
	if point > 0 {
		p.whole, p.after = point-begin, i-point-1
		if p.after == 0 {
			return p, false
		}
		p.scale = p.after
		for p.scale > 0 && text[point+p.scale] == '0' {
			p.scale--
		}
	}
	if text[begin] == '0' {
		if p.whole > 1 {
			return p, false
		}
		p.whole = 0
	}
	return p, p.whole+p.after <= exactDigits && (p.digits > 0 || !p.minus)
}

// shape is that of the number.
func (p *plain) shape() Shape {
	s := Shape{Class: IntegerExact, Whole: p.whole, Scale: p.scale}
	if p.after > 0 {
		s.Class = DecimalExact
	}
	return s
}

// long returns the number if it is whole.
func (p *plain) long() (int64, bool) {
	if p.scale > 0 {
		return 0, false
	}
	v := int64(p.digits)
	if p.after > 0 {
		v /= int64(Power(p.after))
	}
	if p.minus {
		v = -v
	}
	return v, true
}

// double returns the double that has the digits.
func (p *plain) double() float64 {
	v := Scaled(p.digits, p.after)
	if p.minus {
		v = -v
	}
	return v
}

// Scaled returns the double of digits / 10^scale, for digits up to 53 bits and a scale
// up to 22: both are doubles then, so that one operation rounds once.
func Scaled(digits uint64, scale int) float64 {
	if scale == 0 {
		return float64(digits)
	}
	return float64(digits) / power(scale)
}

// decimal returns the unscaled value of the number as a decimal(precision, scale). It
// reports false too where that takes more than 18 digits.
func (p *plain) decimal(precision, scale int) (Int128, bool) {
	if p.whole > precision-scale || p.scale > scale || p.whole+scale > 18 {
		return Int128{}, false
	}
	v := int64(p.digits)
	if scale > p.after {
		v *= int64(Power(scale - p.after))
	} else {
		v /= int64(Power(p.after - scale))
	}
	if p.minus {
		v = -v
	}
	return Int128{High: v >> 63, Low: uint64(v)}, true
}

// Power returns 10^n, for n up to 18.
func Power(n int) uint64 {
	return [...]uint64{
		1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
	}[n]
}

// Digits returns the number that the n digits that end at text[end] are, n at most 16.
// It reads eight at a time, and what stands before them too.
func Digits(text []byte, end, n int) uint64 {
	switch {
	case n == 0:
		return 0
	case n <= 8 && end >= 8:
		return lastDigits(text[end-8:end], n)
	case n > 8 && end >= 16:
		return lastDigits(text[end-16:end-8], n-8)*1e8 + lastDigits(text[end-8:end], 8)
	}
	return appendDigits(0, text[end-n:end])
}

// lastDigits returns the number that the last n of eight bytes are.
func lastDigits(eight []byte, n int) uint64 {
	w := binary.LittleEndian.Uint64(eight) & 0x0f0f0f0f0f0f0f0f
	before := 8 * (8 - n)
	w = w >> before << before // the first byte is the lowest
	// Pairs, then fours, then all: each step adds ten to a power times the first half
	// to the second.
	w = w * (10<<8 + 1) >> 8 & 0x00ff00ff00ff00ff
	w = w * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
	return w * (10000<<32 + 1) >> 32
}
