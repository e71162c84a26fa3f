package reconcile

import (
	"bytes"
	"math"
	"math/big"
	"math/bits"
)

// hash is a sum of 128 bits over values, each multiplied with a number of its place:
// it does not depend on the order in which they are added, but on where each is.
type hash struct{ high, low uint64 }

// add adds a value at a place.
func (h *hash) add(digest, place uint64) {
	high, low := bits.Mul64(digest, place)
	var carry uint64
	h.low, carry = bits.Add64(h.low, low, 0)
	h.high += high + carry
}

func (h *hash) merge(o hash) {
	var carry uint64
	h.low, carry = bits.Add64(h.low, o.low, 0)
	h.high += o.high + carry
}

// placeOf is the number of a row of a file. What is below arrays and maps has one of
// its own, which within gives.
func placeOf(row int64) uint64 { return mix(uint64(row)) }

func within(place, at uint64) uint64 { return mix(place ^ at) }

// sum is what is compared of a path of one file: how many values, and their hash.
type sum struct {
	values int64
	hash   hash
}

func (s *sum) merge(o sum) {
	s.values += o.values
	s.hash.merge(o.hash)
}

// figures sum up the values of a path that have the form of its pair.
type figures struct {
	// n counts them, but for NaN.
	n           int64
	least, most datum
	whole       wholeSum
	float       *floatSum
	// nan counts those, up and down the infinities.
	nan, up, down int64
}

// add adds a value of the form.
func (s *figures) add(d *datum) {
	switch d.kind {
	case float:
		s.addFloat(d.f)
		return
	case text:
		s.bound(d)
	default:
		s.bound(d)
		s.whole.add(d.n.High, d.n.Low)
	}
	s.n++
}

func (s *figures) addFloat(f float64) {
	switch {
	case f != f:
		s.nan++
		return
	case f > math.MaxFloat64:
		s.up++
	case f < -math.MaxFloat64:
		s.down++
	default:
		if s.float == nil {
			s.float = new(floatSum)
		}
		s.float.add(f)
	}
	if s.n == 0 || f < s.least.f {
		s.least = datum{kind: float, f: f + 0} // of two zeros either is the least
	}
	if s.n == 0 || f > s.most.f {
		s.most = datum{kind: float, f: f + 0}
	}
	s.n++
}

// bound keeps the least and the greatest value, of texts in memory of its own.
func (s *figures) bound(d *datum) {
	if s.n == 0 || compare(d, &s.least) < 0 {
		s.least.keep(d)
	}
	if s.n == 0 || compare(d, &s.most) > 0 {
		s.most.keep(d)
	}
}

func (d *datum) keep(o *datum) {
	own := append(d.text[:0], o.text...)
	*d = *o
	d.text = own
}

// compare compares values of one form.
func compare(a, b *datum) int {
	switch {
	case a.kind == text:
		return bytes.Compare(a.text, b.text)
	case a.kind == float && a.f != b.f:
		if a.f < b.f {
			return -1
		}
		return 1
	case a.kind == float || a.n == b.n:
		return 0
	case a.n.High < b.n.High || a.n.High == b.n.High && a.n.Low < b.n.Low:
		return -1
	}
	return 1
}

// addInts adds integers of 64 bits, of which there are n: their bounds and their sum.
func (s *figures) addInts(f form, n, least, most int64, sum wholeSum) {
	if n == 0 {
		return
	}
	for _, v := range [...]int64{least, most} {
		d := short(f.kind, v)
		d.scale = f.scale
		s.bound(&d)
		s.n += n
		n = 0
	}
	s.whole.merge(&sum)
}

// merge adds what other figures of the same form have.
func (s *figures) merge(o *figures) {
	if o.n > 0 {
		s.bound(&o.least)
		most := o.most
		if s.n == 0 {
			s.most.keep(&most)
		}
		s.n += o.n
		s.bound(&most)
	}
	s.whole.merge(&o.whole)
	if o.float != nil {
		if s.float == nil {
			s.float = new(floatSum)
		}
		s.float.merge(o.float)
	}
	s.nan, s.up, s.down = s.nan+o.nan, s.up+o.up, s.down+o.down
}

// total is the exact sum of finite numbers.
func (s *figures) total(f form) *big.Rat {
	if f.kind == float {
		if s.float == nil {
			return new(big.Rat)
		}
		return s.float.rat()
	}
	return new(big.Rat).SetFrac(s.whole.big(), power(f.scale))
}
