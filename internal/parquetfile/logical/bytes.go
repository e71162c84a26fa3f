package logical

import (
	"encoding/hex"
	"fmt"
	"math"

	"landfall/internal/column"
	"landfall/internal/value"
)

func appendText(dst *column.Leaf, v []byte) {
	if dst.Text == nil {
		dst.Text = &column.Text{}
	}
	dst.Text.AppendValue(v)
}

// wide reads a number of two's complement, its highest byte first.
func wide(v []byte) (value.Int128, bool) {
	var n value.Int128
	if len(v) == 0 {
		return n, false
	}
	sign := byte(int8(v[0]) >> 7)
	for ; len(v) > 16; v = v[1:] {
		if v[0] != sign || v[1]>>7 != sign&1 {
			return n, false
		}
	}
	n = value.Int128{High: int64(int8(sign)), Low: uint64(int64(int8(sign)))}
	for _, b := range v {
		n.High = n.High<<8 | int64(n.Low>>56)
		n.Low = n.Low<<8 | uint64(b)
	}
	return n, true
}

// half returns a float of 16 bits.
func half(b uint16) float64 {
	const (
		digits  = 10
		special = 1<<5 - 1
		bias    = 15
	)
	exponent, fraction := int(b>>digits&special), float64(b&(1<<digits-1))/(1<<digits)
	v := 0.0
	switch {
	case exponent == 0:
		v = math.Ldexp(fraction, 1-bias)
	case exponent < special:
		v = math.Ldexp(1+fraction, exponent-bias)
	case fraction == 0:
		v = math.Inf(1)
	default:
		return math.NaN()
	}
	if b>>15 != 0 {
		return -v
	}
	return v
}

// uuid returns the canonical text of 16 bytes.
func uuid(v []byte) []byte {
	out := make([]byte, 0, 36)
	for i, from := range [...]int{0, 4, 6, 8, 10, 16} {
		if i == 0 {
			continue
		}
		if i > 1 {
			out = append(out, '-')
		}
		out = hex.AppendEncode(out, v[[...]int{0, 4, 6, 8, 10}[i-1]:from])
	}
	return out
}

// timeOf writes a time of day, with as many digits as the value has.
func timeOf(v, unit int64) ([]byte, bool) {
	if v < 0 || v >= 24*60*60*unit {
		return nil, false
	}
	seconds, fraction := v/unit, v%unit
	out := fmt.Appendf(nil, "%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if fraction == 0 {
		return out, true
	}
	digits := int(math.Round(math.Log10(float64(unit))))
	for fraction%10 == 0 {
		fraction /= 10
		digits--
	}
	return fmt.Appendf(out, ".%0*d", digits, fraction), true
}
