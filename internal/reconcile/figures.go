package reconcile

import (
	"math"
	"math/big"
	"math/bits"

	"landfall/internal/reconcile/datum"
	"landfall/internal/reconcile/exact"
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
func placeOf(row int64) uint64 { return datum.Mix(uint64(row)) }

func within(place, at uint64) uint64 { return datum.Mix(place ^ at) }

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
	least, most datum.Value
	whole       exact.Wholes
	float       *exact.Floats
	// nan counts those, up and down the infinities.
	nan, up, down int64
}

// add adds a value of the form.
func (s *figures) add(d *datum.Value) {
	switch d.Kind {
	case datum.Float:
		s.addFloat(d.F)
		return
	case datum.Text:
		s.bound(d)
	default:
		s.bound(d)
		s.whole.Add(d.N.High, d.N.Low)
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
			s.float = new(exact.Floats)
		}
		s.float.Add(f)
	}
	if s.n == 0 || f < s.least.F {
		s.least = datum.Value{Kind: datum.Float, F: f + 0} // of two zeros either is the least
	}
	if s.n == 0 || f > s.most.F {
		s.most = datum.Value{Kind: datum.Float, F: f + 0}
	}
	s.n++
}

// bound keeps the least and the greatest value, of texts in memory of its own.
func (s *figures) bound(d *datum.Value) {
	if s.n == 0 || datum.Compare(d, &s.least) < 0 {
		s.least.Keep(d)
	}
	if s.n == 0 || datum.Compare(d, &s.most) > 0 {
		s.most.Keep(d)
	}
}

// addInts adds integers of 64 bits, of which there are n: their bounds and their sum.
func (s *figures) addInts(f datum.Form, n, least, most int64, sum exact.Wholes) {
	if n == 0 {
		return
	}
	for _, v := range [...]int64{least, most} {
		d := datum.Of(f.Kind, v)
		d.Scale = f.Scale
		s.bound(&d)
		s.n += n
		n = 0
	}
	s.whole.Merge(&sum)
}

// merge adds what other figures of the same form have.
func (s *figures) merge(o *figures) {
	if o.n > 0 {
		s.bound(&o.least)
		most := o.most
		if s.n == 0 {
			s.most.Keep(&most)
		}
		s.n += o.n
		s.bound(&most)
	}
	s.whole.Merge(&o.whole)
	if o.float != nil {
		if s.float == nil {
			s.float = new(exact.Floats)
		}
		s.float.Merge(o.float)
	}
	s.nan, s.up, s.down = s.nan+o.nan, s.up+o.up, s.down+o.down
}

// total is the exact sum of finite numbers.
func (s *figures) total(f datum.Form) *big.Rat {
	if f.Kind == datum.Float {
		if s.float == nil {
			return new(big.Rat)
		}
		return s.float.Rat()
	}
	return f.Rat(s.whole.Big())
}
