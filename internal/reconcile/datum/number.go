package datum

import (
	"bytes"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"landfall/internal/value"
)

// maxDigits is the most digits of a decimal.
const maxDigits = 38

// bigOf is an integer of 128 bits.
func bigOf(v value.Int128) *big.Int {
	b := new(big.Int).Lsh(big.NewInt(v.High), 64)
	return b.Add(b, new(big.Int).SetUint64(v.Low))
}

// wideOf is the reverse, false if 128 bits do not hold the number.
func wideOf(b *big.Int) (value.Int128, bool) {
	if b.BitLen() > 127 {
		return value.Int128{}, false
	}
	low := new(big.Int).And(b, new(big.Int).SetUint64(math.MaxUint64))
	return value.Int128{High: new(big.Int).Rsh(b, 64).Int64(), Low: low.Uint64()}, true
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// rescale gives a whole another scale, false if it has more digits than that, or none
// of 128 bits.
func (d Value) rescale(scale int) (Value, bool) {
	if d.Scale == scale {
		return d, true
	}
	if out, ok := d.rescaleShort(scale); ok {
		return out, true
	}
	n, rest := bigOf(d.N), new(big.Int)
	if scale > d.Scale {
		n.Mul(n, power(scale-d.Scale))
	} else if n.QuoRem(n, power(d.Scale-scale), rest); rest.Sign() != 0 {
		return d, false
	}
	v, ok := wideOf(n)
	if !ok {
		return d, false
	}
	return Value{Kind: Whole, Scale: scale, N: v}, true
}

// rescaleShort is rescale for most numbers; false says nothing.
func (d Value) rescaleShort(scale int) (Value, bool) {
	const most = 18 // a power of ten that 64 bits hold
	v, up := int64(d.N.Low), scale-d.Scale
	if d.N.High != v>>63 || up > most || up < -most {
		return d, false
	}
	if up < 0 {
		by := int64(value.Power(-up))
		out := Of(Whole, v/by)
		out.Scale = scale
		return out, v%by == 0
	}
	magnitude := uint64(max(v, -v))
	high, low := bits.Mul64(magnitude, value.Power(up))
	if v < 0 {
		var borrow uint64
		low, borrow = bits.Sub64(0, low, 0)
		high, _ = bits.Sub64(0, high, borrow)
	}
	return Value{Kind: Whole, Scale: scale, N: value.Int128{High: int64(high), Low: low}}, true
}

// digits brings a float to a whole of a scale, if it is one: an integral one is the
// very integer, any other the fewest digits that are its own; -0, infinities and NaN
// are none. single says that it has 32 bits.
func (d Value) digits(scale int, single bool) (Value, bool) {
	a := math.Abs(d.F)
	switch {
	case a != a || math.IsInf(a, 0) || a == 0 && math.Signbit(d.F):
		return d, false
	case a < 1<<63 && a == math.Trunc(a):
		return Of(Whole, int64(d.F)).rescale(scale)
	case a == math.Trunc(a):
		n, _ := big.NewFloat(d.F).Int(nil)
		v, ok := wideOf(n)
		if !ok {
			return d, false
		}
		return Value{Kind: Whole, N: v}.rescale(scale)
	}
	if v, ok := fewDigits(d.F, scale); ok && !single {
		return Value{Kind: Whole, Scale: scale, N: v}, true
	}
	size := 64
	if single {
		size = 32
	}
	var buffer [32]byte
	out, ok := parseDigits(strconv.AppendFloat(buffer[:0], d.F, 'e', -1, size))
	if !ok {
		return d, false
	}
	return out.rescale(scale)
}

// fewDigits finds the digits of most doubles: if no more than 15 of them make the
// double, no others do, nor fewer. false says nothing.
func fewDigits(f float64, scale int) (value.Int128, bool) {
	const most, exact = 1e15, 18
	if scale > exact {
		return value.Int128{}, false
	}
	by := float64(value.Power(scale))
	v := math.Round(f * by)
	if math.Abs(v) >= most || v/by != f {
		return value.Int128{}, false
	}
	return Of(Whole, int64(v)).N, true
}

// parseDigits reads a number that is no integer, with an exponent: d.ddde±dd.
func parseDigits(s []byte) (Value, bool) {
	mantissa, exponent, _ := bytes.Cut(s, []byte{'e'})
	e, err := strconv.Atoi(string(exponent))
	before, after, _ := bytes.Cut(mantissa, []byte{'.'})
	scale := len(after) - e
	if err != nil || scale > maxDigits || scale < 0 {
		return Value{}, false
	}
	var n int64
	for _, c := range append(before, after...) { // over the point
		if c != '-' {
			n = n*10 + int64(c-'0')
		}
	}
	if before[0] == '-' {
		n = -n
	}
	out := Of(Whole, n)
	out.Scale = scale
	return out, true
}

// float is the float that a whole is exactly.
func (d Value) float() (Value, bool) {
	if d.Scale == 0 && d.N.High == int64(d.N.Low)>>63 {
		f := float64(int64(d.N.Low))
		return Value{Kind: Float, F: f}, f < 1<<63 && int64(f) == int64(d.N.Low)
	}
	f, exact := new(big.Rat).SetFrac(bigOf(d.N), power(d.Scale)).Float64()
	return Value{Kind: Float, F: f}, exact
}
