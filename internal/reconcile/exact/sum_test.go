package exact

import (
	"math/big"
	"testing"
)

// A number of the sum's smallest limbs carries far more often than tests add.
func TestFloatSumCarries(t *testing.T) {
	var s Floats
	const n = 1000
	for i := range n {
		if i%10 == 0 {
			s.carry()
		}
		s.Add(-0.3)
	}
	want := new(big.Rat).Mul(new(big.Rat).SetFloat64(-0.3), big.NewRat(n, 1))
	if got := s.Rat(); got.Cmp(want) != 0 {
		t.Errorf("got %s, want %s", got, want)
	}
}
