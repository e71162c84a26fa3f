package kernel

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// The modes of round, as the service numbers them.
const (
	roundUp int64 = iota + 1
	roundDown
	roundCeiling
	roundFloor
	roundHalfUp
	roundHalfDown
	roundHalfEven
	roundUnnecessary
)

// rational reads a number as an engine writes it; false if it is none, or not
// finite.
func rational(text string) (*big.Rat, bool) {
	if strings.ContainsAny(text, "/_") || len(text) > 4000 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// divide is the quotient of two decimals with so many digits behind the point,
// half away from zero; nil for a divisor of zero.
func divide(a, b string, scale int64) (any, error) {
	x, okA := rational(a)
	y, okB := rational(b)
	if !okA || !okB || y.Sign() == 0 {
		return nil, nil
	}
	return rounded(x.Quo(x, y), scale, roundHalfUp), nil
}

// round rounds a number that stands in decimal digits. What is not finite stays.
func round(text string, scale, mode int64) (any, error) {
	x, ok := rational(text)
	if !ok {
		return text, nil
	}
	if out := rounded(x, scale, mode); out != "" {
		return out, nil
	}
	return nil, nil
}

// rounded writes a number with so many digits behind the point; "" if the mode
// allows no rounding and one is needed, or does not exist.
func rounded(x *big.Rat, scale, mode int64) string {
	scale = min(max(scale, -400), 400)
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(scale, -scale)), nil)
	shift := new(big.Rat).SetInt(power)
	if scale < 0 {
		shift.Inv(shift)
	}
	scaled := new(big.Rat).Mul(x, shift)
	whole, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	half := new(big.Int).Abs(rest)
	beyond := half.Lsh(half, 1).Cmp(scaled.Denom())
	if mode == roundUnnecessary && rest.Sign() != 0 || mode < roundUp || mode > roundUnnecessary {
		return ""
	}
	if rest.Sign() != 0 && away(mode, scaled.Sign(), beyond, whole.Bit(0) == 1) {
		whole.Add(whole, big.NewInt(int64(scaled.Sign())))
	}
	return new(big.Rat).Quo(new(big.Rat).SetInt(whole), shift).FloatString(int(max(scale, 0)))
}

// away reports whether a mode rounds away from zero: of a number of a sign whose
// fraction is below, at or beyond a half, and whose whole part is odd or not.
func away(mode int64, sign, beyond int, odd bool) bool {
	switch mode {
	case roundUp:
		return true
	case roundCeiling:
		return sign > 0
	case roundFloor:
		return sign < 0
	case roundHalfUp:
		return beyond >= 0
	case roundHalfDown:
		return beyond > 0
	case roundHalfEven:
		return beyond > 0 || beyond == 0 && odd
	}
	return false
}

// doubleText writes a double as Java does: with a point, and with an exponent
// below a thousandth and from ten million on.
func doubleText(x float64) string { return javaText(x, 64) }

// floatText writes a float as Java does.
func floatText(x float64) string { return javaText(x, 32) }

func javaText(x float64, bits int) string {
	switch size := math.Abs(x); {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	case size == 0 || size >= 1e-3 && size < 1e7:
		return pointed(strconv.FormatFloat(x, 'f', -1, bits))
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'E', -1, bits), "E")
	n, _ := strconv.Atoi(exponent) // FormatFloat wrote it
	return pointed(mantissa) + "E" + strconv.Itoa(n)
}

// pointed has a digit behind the point.
func pointed(text string) string {
	if strings.Contains(text, ".") {
		return text
	}
	return text + ".0"
}

// littleEndian is the last bytes of a whole number, so many of them, the lowest
// first.
func littleEndian(n, size int64) (any, error) {
	return binary.LittleEndian.AppendUint64(nil, uint64(n))[:min(max(size, 0), 8)], nil //nolint:gosec // the bits are wanted
}

// doubleBytes is the bits of a double, the lowest byte first.
func doubleBytes(x float64) []byte {
	return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))
}

// floatBytes is the bits of a float, the lowest byte first.
func floatBytes(x float64) []byte {
	return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(x)))
}
