// Package exact adds up numbers without rounding.
//
// Its sums are values whose zero is the empty sum. They do not depend on the order of
// what is added, nor on the parts in which it is.
package exact

import (
	"math"
	"math/big"
	"math/bits"
)

// Wholes is the sum of integers of 128 bits, in two's complement of 192: 2^64 of
// them fit.
type Wholes [3]uint64

// Add adds an integer of 128 bits in two's complement.
func (s *Wholes) Add(high int64, low uint64) {
	var carry uint64
	s[0], carry = bits.Add64(s[0], low, 0)
	s[1], carry = bits.Add64(s[1], uint64(high), carry)
	s[2] += uint64(high>>63) + carry
}

// Merge adds another sum.
func (s *Wholes) Merge(o *Wholes) {
	var carry uint64
	s[0], carry = bits.Add64(s[0], o[0], 0)
	s[1], carry = bits.Add64(s[1], o[1], carry)
	s[2] += o[2] + carry
}

// Big is the sum.
func (s *Wholes) Big() *big.Int {
	b := big.NewInt(int64(s[2]))
	for _, word := range []uint64{s[1], s[0]} {
		b.Lsh(b, 64)
		b.Add(b, new(big.Int).SetUint64(word))
	}
	return b
}

const (
	// lowest is the exponent of the last bit of a double.
	lowest = -1074
	// limbBits are the bits of a limb that count; the others take its carries.
	limbBits = 32
	limbs    = (1024-lowest+53)/limbBits + 3
	// mostAdded is how many doubles are added before carries are passed on.
	mostAdded = 1 << 29
)

// Floats is the exact sum of doubles: an integer of enough bits for all of them,
// so that their order does not matter.
type Floats struct {
	limb  [limbs]int64
	added int
}

// Add adds a finite double.
func (s *Floats) Add(f float64) {
	b := math.Float64bits(f)
	mantissa, exponent := b&(1<<52-1), int(b>>52&(1<<11-1))
	if exponent == 0 {
		exponent = 1
	} else {
		mantissa |= 1 << 52
	}
	at := exponent - 1
	shift := uint(at % limbBits)
	low, high := mantissa<<shift, uint64(0)
	if shift > 0 {
		high = mantissa >> (64 - shift)
	}
	first, second, third := int64(low&math.MaxUint32), int64(low>>limbBits), int64(high)
	if b>>63 != 0 {
		first, second, third = -first, -second, -third
	}
	at /= limbBits
	s.limb[at] += first
	s.limb[at+1] += second
	s.limb[at+2] += third
	if s.added++; s.added == mostAdded {
		s.carry()
	}
}

// carry makes every limb but the last one of 32 bits that is not negative.
func (s *Floats) carry() {
	for i := range limbs - 1 {
		s.limb[i+1] += s.limb[i] >> limbBits
		s.limb[i] &= math.MaxUint32
	}
	s.added = 1
}

// Merge adds another sum, whose value stays.
func (s *Floats) Merge(o *Floats) {
	s.carry()
	o.carry()
	for i := range s.limb {
		s.limb[i] += o.limb[i]
	}
	s.carry()
}

// Rat is the sum.
func (s *Floats) Rat() *big.Rat {
	n := new(big.Int)
	for i := limbs - 1; i >= 0; i-- {
		n.Lsh(n, limbBits)
		n.Add(n, big.NewInt(s.limb[i]))
	}
	return new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), -lowest))
}
