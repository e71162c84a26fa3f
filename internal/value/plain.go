package value

import (
	"encoding/binary"
	"math/bits"
)

// Plain is a number as most are written: digits, perhaps with a point among them, at
// most 15, canonical and not -0. Every double, and every type of integers and decimals
// with room for it, has such a number. Of more than four fields it would be kept in
// memory.
type Plain struct {
	// Digits are all of them, as if there were no point, with the sign.
	Digits int64
	// Whole counts the digits before the point without leading zeros, After those
	// behind it, Scale them without zeros at the end.
	Whole, After, Scale uint8
}

// Plain returns the number that text is if it is plain, and if that is what it means
// in these forms. It reports false for other numbers too.
func (f *Forms) Plain(text []byte) (p Plain, ok bool) {
	if len(text) == 0 || !isDigit(text[0]) && text[0] != '-' || !f.Usual() {
		return p, false
	}
	return plainNumber(text)
}

// plainNumber reads a plain number, all of text. It reports false for other numbers
// too.
func plainNumber(text []byte) (p Plain, ok bool) {
	if n := len(text); n <= wordLength && n > 0 && cap(text) >= wordLength && text[0] != '-' {
		return wordNumber(binary.LittleEndian.Uint64(text[:wordLength]), n)
	}
	return longNumber(text)
}

const (
	wordLength = 8
	zeros      = 0x3030303030303030
	sevens     = 0x7f7f7f7f7f7f7f7f
	highs      = 0x8080808080808080
)

// wordNumber is plainNumber for the first n bytes of a word, the lowest first.
func wordNumber(w uint64, n int) (p Plain, ok bool) {
	d := w ^ zeros
	// The high bit of every byte that is 10 or more, so no digit.
	odd := (d&sevens + 0x7676767676767676 | d) & highs & (^uint64(0) >> (8 * (wordLength - n)))
	whole, after := n, 0
	if odd != 0 {
		whole = bits.TrailingZeros64(odd) >> 3
		after = n - whole - 1
		if odd&(odd-1) != 0 || byte(w>>(8*whole)) != '.' || whole == 0 || after == 0 {
			return p, false
		}
		before := uint64(1)<<(8*whole) - 1
		d = d&before | d>>8&^before // without the point
	}
	if d&0xff == 0 {
		if whole > 1 {
			return p, false
		}
		whole--
	}
	count := n
	if after > 0 {
		count--
	}
	d <<= 8 * (wordLength - count)
	p.Scale = uint8(max(after-bits.LeadingZeros64(d)>>3, 0))
	p.Digits, p.Whole, p.After = int64(joined(d)), uint8(whole), uint8(after)
	return p, true
}

// longNumber is plainNumber for text of any length.
func longNumber(text []byte) (p Plain, ok bool) {
	begin, point, v := 0, 0, int64(0)
	if len(text) > 0 && text[0] == '-' {
		begin = 1
	}
	if len(text)-begin > exactDigits+1 || begin == len(text) {
		return p, false
	}
	for i := begin; i < len(text); i++ {
		d := text[i] - '0'
		if d > 9 {
			if text[i] != '.' || point > 0 || i == begin {
				return p, false
			}
			point = i
			continue
		}
		v = v*10 + int64(d)
	}
	whole, after, scale := len(text)-begin, 0, 0
	if point > 0 {
		whole, after = point-begin, len(text)-point-1
		if after == 0 {
			return p, false
		}
		for scale = after; scale > 0 && text[point+scale] == '0'; {
			scale--
		}
	}
	if text[begin] == '0' {
		if whole > 1 {
			return p, false
		}
		whole = 0
	}
	if whole+after > exactDigits || v == 0 && begin > 0 {
		return p, false
	}
	if begin > 0 {
		v = -v
	}
	return Plain{Digits: v, Whole: uint8(whole), After: uint8(after), Scale: uint8(scale)}, true
}

// Shape is that of the number.
func (p Plain) Shape() Shape {
	s := Shape{Class: IntegerExact, Whole: int(p.Whole), Scale: int(p.Scale)}
	if p.After > 0 {
		s.Class = DecimalExact
	}
	return s
}

// long returns the number if it is whole.
func (p Plain) long() (int64, bool) {
	if p.After == 0 {
		return p.Digits, true
	}
	if p.Scale > 0 {
		return 0, false
	}
	return p.Digits / int64(Power(int(p.After))), true
}

// double returns the double that has the digits.
func (p Plain) double() float64 { return Scaled(p.Digits, int(p.After)) }

// Scaled returns the double of digits / 10^scale, for digits up to 53 bits and a scale
// up to 22: both are doubles then, so that one operation rounds once.
func Scaled(digits int64, scale int) float64 {
	if scale == 0 {
		return float64(digits)
	}
	return float64(digits) / power(scale)
}

// decimal returns the unscaled value of the number as a decimal(precision, scale). It
// reports false too where that takes more than 18 digits.
func (p Plain) decimal(precision, scale int) (Int128, bool) {
	after := int(p.After)
	if int(p.Whole) > precision-scale || int(p.Scale) > scale || int(p.Whole)+scale > 18 {
		return Int128{}, false
	}
	v := p.Digits
	if scale > after {
		v *= int64(Power(scale - after))
	} else {
		v /= int64(Power(after - scale))
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
	d := binary.LittleEndian.Uint64(eight) & 0x0f0f0f0f0f0f0f0f
	before := 8 * (8 - n)
	return joined(d >> before << before)
}

// joined returns the number whose digits are the bytes of a word, the first the lowest
// byte. Each step adds one half of pairs, fours and eights, times a power of ten, to the
// other.
func joined(d uint64) uint64 {
	d = d * (10<<8 + 1) >> 8 & 0x00ff00ff00ff00ff
	d = d * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
	return d * (10000<<32 + 1) >> 32
}
