package datum

import (
	"bytes"
	"math/big"
)

// Compare compares values of one form: −1, 0 or 1, which is also what any NaN gives.
func Compare(a, b *Value) int {
	switch {
	case a.Kind == Text:
		return bytes.Compare(a.Text, b.Text)
	case a.Kind == Float && a.F != b.F:
		if a.F < b.F {
			return -1
		}
		return 1
	case a.Kind == Float || a.N == b.N:
		return 0
	case a.N.High < b.N.High || a.N.High == b.N.High && a.N.Low < b.N.Low:
		return -1
	}
	return 1
}

// Same reports whether values have one form and compare as equal.
func Same(a, b Value) bool {
	return a.Kind == b.Kind && a.Scale == b.Scale && Compare(&a, &b) == 0
}

// Less compares numbers of any form, or other values of one kind.
func Less(a, b *Value) bool {
	if a.Kind == b.Kind && a.Scale == b.Scale {
		return Compare(a, b) < 0
	}
	x, y := a.rat(), b.rat()
	if x == nil || y == nil { // an infinity
		return a.near() < b.near()
	}
	return x.Cmp(y) < 0
}

// rat is a number, nil for infinities.
func (d *Value) rat() *big.Rat {
	if d.Kind == Float {
		return new(big.Rat).SetFloat64(d.F)
	}
	return Form{Whole, d.Scale}.Rat(bigOf(d.N))
}

// Rat is the number that so many units of the last digit of a whole are.
func (f Form) Rat(units *big.Int) *big.Rat { return new(big.Rat).SetFrac(units, power(f.Scale)) }

// near is a double near a number.
func (d *Value) near() float64 {
	if d.Kind == Float {
		return d.F
	}
	f, _ := d.rat().Float64()
	return f
}

// Keep makes a value another one, whose text it copies into memory of its own.
func (d *Value) Keep(o *Value) {
	own := append(d.Text[:0], o.Text...)
	*d = *o
	d.Text = own
}
