package rescue

import (
	"math"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"landfall/internal/column"
)

// fewKeys is how many keys are compared one by one.
const fewKeys = 16

// Odd reports whether the map here cannot be an object: keys are equal, or no
// text. Of many keys it may say so of two whose hashes are equal.
func (c *Cursor) Odd(p *Part) bool {
	if c.Empty(p) {
		return false
	}
	if len(p.Key.Fields) > 0 || p.Key.Element != nil {
		return c.oddParts(p)
	}
	leaf, from := &c.leaves[p.First], c.Value(p.Key)
	to := from + c.end(p.First, p.Depth) - c.at[p.First].entry
	for i := from; leaf.Text != nil && i < to; i++ {
		if !utf8.Valid(leaf.Text.Value(i)) {
			return true
		}
	}
	if to-from > fewKeys {
		return c.oddMany(p, from, to)
	}
	for i := from + 1; i < to; i++ {
		for k := from; k < i; k++ {
			if equal(leaf, i, k) {
				return true
			}
		}
	}
	return false
}

// equal reports whether two values of a leaf have the same text.
func equal(l *column.Leaf, i, k int) bool {
	switch {
	case l.Text != nil:
		return string(l.Text.Value(i)) == string(l.Text.Value(k))
	case l.Wide != nil:
		return l.Wide[i] == l.Wide[k]
	case l.Bools != nil:
		return l.Bools[i] == l.Bools[k]
	case l.Floats != nil:
		a, b := l.Floats[i], l.Floats[k]
		return a == b && math.Signbit(a) == math.Signbit(b) || a != a && b != b
	default:
		return l.Ints[i] == l.Ints[k]
	}
}

func (c *Cursor) oddMany(p *Part, from, to int) bool {
	met := make(map[uint64]struct{}, to-from)
	for i := from; i < to; i++ {
		c.scratch = appendKey(c.scratch[:0], p.Key, &c.leaves[p.First], i)
		met[xxh3.Hash(c.scratch)] = struct{}{}
	}
	return len(met) < to-from
}

func appendKey(b []byte, key *Part, l *column.Leaf, i int) []byte {
	if l.Text != nil {
		return append(b, l.Text.Value(i)...)
	}
	return AppendValue(b, key.Type, l, i)
}

// oddParts is Odd for keys that have parts.
func (c *Cursor) oddParts(p *Part) bool {
	c.Save(p)
	defer c.Restore(p)
	met := make(map[string]struct{})
	for more := true; more; more = c.More(p) {
		key := c.Text(p.Key)
		if _, twice := met[key]; twice {
			return true
		}
		met[key] = struct{}{}
		c.Skip(p.Key)
		c.Skip(p.Element)
	}
	return false
}
