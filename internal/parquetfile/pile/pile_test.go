package pile_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/parquetfile/pile"
)

// What was put in comes out in its order, however it is put and walked, again after
// what was there before is forgotten.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pile.Pieces[int]
		for range 2 {
			var want []int
			for range rapid.IntRange(0, 8).Draw(t, "puts") {
				n := rapid.IntRange(0, 2000).Draw(t, "n")
				switch rapid.IntRange(0, 2).Draw(t, "way") {
				case 0:
					p.Add(n)
					want = append(want, n)
				case 1:
					p.Fill(n, n)
					want = append(want, slices.Repeat([]int{n}, n)...)
				default:
					some := make([]int, n)
					for i := range some {
						some[i] = len(want) + i
					}
					p.Put(some)
					want = append(want, some...)
				}
			}
			checkWalk(t, &p, want)
			p.Reset()
		}
	})
}

func checkWalk(t *rapid.T, p *pile.Pieces[int], want []int) {
	if got := slices.Concat(p.List()...); !slices.Equal(got, want) {
		t.Fatalf("the list has %d values, want %d", len(got), len(want))
	}
	w := p.Walk()
	var got []int
	for len(got) < len(want) {
		if rapid.Bool().Draw(t, "one") {
			got = append(got, w.Next())
			continue
		}
		if first := w.More()[0]; first != want[len(got)] {
			t.Fatalf("next is %d, want %d", first, want[len(got)])
		}
		got = w.Take(got, rapid.IntRange(1, len(want)-len(got)).Draw(t, "take"))
	}
	if !slices.Equal(got, want) {
		t.Fatalf("walked %v, want %v", got, want)
	}
}

func TestTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pile.Texts
		for range 2 {
			var want [][]byte
			for i := range rapid.IntRange(0, 40).Draw(t, "texts") {
				n := rapid.OneOf(rapid.IntRange(0, 3000), rapid.SampledFrom([]int{4 << 10, 300 << 10})).Draw(t, "length")
				want = append(want, bytes.Repeat([]byte{byte(i)}, n))
				p.Put(want[i])
			}
			r := p.Reader()
			for i, text := range want {
				if got := r.Next(len(text)); !bytes.Equal(got, text) {
					t.Fatalf("text %d has %d bytes, want %d", i, len(got), len(text))
				}
			}
			p.Reset()
		}
	})
}
