package reconcile

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/reconcile/datum"
	"landfall/internal/value"
)

// Sums are exact, in whatever order and in whatever parts.
func TestSumsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		floats := rapid.SliceOf(rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{
			math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64, 1, -0.1,
		}))).Draw(t, "floats")
		wants, want := new(big.Rat), new(big.Int)
		var parts [2]figures
		for _, f := range floats {
			wants.Add(wants, new(big.Rat).SetFloat64(f))
			parts[rapid.IntRange(0, 1).Draw(t, "part")].add(&datum.Value{Kind: datum.Float, F: f})
		}
		parts[0].merge(&parts[1])
		if got := parts[0].total(datum.Form{Kind: datum.Float}); got.Cmp(wants) != 0 {
			t.Errorf("got %s, want %s", got, wants)
		}
		var wholes [2]figures
		for range rapid.IntRange(0, 9).Draw(t, "count") {
			v := value.Int128{High: rapid.Int64().Draw(t, "high"), Low: rapid.Uint64().Draw(t, "low")}
			want.Add(want, new(big.Int).Add(new(big.Int).Lsh(big.NewInt(v.High), 64), new(big.Int).SetUint64(v.Low)))
			wholes[rapid.IntRange(0, 1).Draw(t, "part")].add(&datum.Value{Kind: datum.Whole, N: v})
		}
		wholes[0].merge(&wholes[1])
		if got := wholes[0].whole.Big(); got.Cmp(want) != 0 {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
