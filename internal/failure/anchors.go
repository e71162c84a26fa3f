package failure

import (
	"fmt"
	"math/bits"
	"strings"
)

// keyed is how many bytes of an anchor are looked up.
const keyed = 6

// anchors finds where the anchors of all patterns stand, in one pass over the text: of
// each anchor six bytes are a key, and a filter of bits says quickly that most bytes of a
// text are the end of none.
type anchors struct {
	filter [1 << 10]uint64
	keys   map[uint64][]keyedAt
}

// keyedAt is a pattern whose anchor has the key, which ends after so many bytes of it.
type keyedAt struct{ pattern, end int }

// index prepares the search; an error says that an anchor is too short for it.
func index(patterns []pattern) (*anchors, error) {
	times := map[uint64]int{} // anchors that have the key
	for i := range patterns {
		seen := map[uint64]bool{}
		for _, k := range keysOf(patterns[i].anchor) {
			seen[k] = true
		}
		for k := range seen {
			times[k]++
		}
	}
	a := &anchors{keys: map[uint64][]keyedAt{}}
	for i := range patterns {
		best := -1
		all := keysOf(patterns[i].anchor)
		for n, k := range all {
			if best < 0 || times[k] < times[all[best]] {
				best = n
			}
		}
		if best < 0 {
			return nil, fmt.Errorf("found %q as the longest words of a text, want %d bytes", patterns[i].anchor, keyed)
		}
		k := all[best]
		a.keys[k] = append(a.keys[k], keyedAt{i, best + keyed})
		a.filter[slot(k)>>6] |= 1 << (slot(k) & 63)
	}
	return a, nil
}

// keysOf are the keys of a text, by where they begin.
func keysOf(text string) (all []uint64) {
	var k uint64
	for i := range len(text) {
		k = next(k, text[i])
		if i+1 >= keyed {
			all = append(all, k)
		}
	}
	return all
}

// next is the key after another byte.
func next(k uint64, ch byte) uint64 { return (k<<8 | uint64(ch)) & (1<<(8*keyed) - 1) }

// slot is a key's place in the filter.
func slot(k uint64) uint64 {
	hi, lo := bits.Mul64(k, 0x9E3779B97F4A7C15)
	return (hi ^ lo) >> 7 & (1<<16 - 1)
}

// in returns for each pattern where its anchor begins in a text, in order.
func (a *anchors) in(text string, patterns []pattern) [][]int {
	found := make([][]int, len(patterns))
	var k uint64
	for i := range len(text) {
		k = next(k, text[i])
		s := slot(k)
		if a.filter[s>>6]>>(s&63)&1 == 0 {
			continue
		}
		for _, c := range a.keys[k] {
			from := i + 1 - c.end
			if from >= 0 && strings.HasPrefix(text[from:], patterns[c.pattern].anchor) {
				found[c.pattern] = append(found[c.pattern], from)
			}
		}
	}
	return found
}
