package vector

import (
	"slices"
	"testing"
)

// Decoding never panics, never gives more rows than promised, and gives them in
// order.
func FuzzVector(f *testing.F) {
	for _, as := range []encoding{asArray, asRuns} {
		f.Add(encodeVector(map[int64][]int64{0: {1, 2, 3}, 1 << 16: {7}}, as), int64(4))
	}
	f.Add(encodeVector(map[int64][]int64{0: bigContainer()}, asBitmap), int64(arrayMax+1))
	f.Fuzz(func(t *testing.T, data []byte, rows int64) {
		got, err := decode(data, min(rows, 1<<20))
		if err != nil {
			return
		}
		if int64(len(got)) != rows || !slices.IsSorted(got) || len(got) > 0 && got[0] < 0 {
			t.Fatalf("found %v for %d rows", got, rows)
		}
	})
}

func bigContainer() []int64 {
	var values []int64
	for v := range int64(arrayMax + 1) {
		values = append(values, 2*v)
	}
	return values
}
