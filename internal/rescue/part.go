package rescue

import (
	"landfall/internal/column"
	"landfall/internal/schema"
)

// Part is a type of a column that may be null, or a part of one, and where its
// values are in the column's leaves.
type Part struct {
	Type schema.Type
	// First and Last bound its leaves.
	First, Last int
	// Def is the definition level at which it has a value. Depth counts the arrays
	// and maps around it: entries of a higher repetition level go on with the
	// value.
	Def, Depth uint8
	// Fields are those of a struct; Element is what an array holds, or the values
	// of a map, whose keys are Key.
	Fields       []Part
	Key, Element *Part

	keys []Key
}

// NewPart returns the part that is a whole column of type t.
func NewPart(t schema.Type) *Part {
	leaves := 0
	p := newPart(t, true, 0, 0, &leaves)
	return &p
}

func newPart(t schema.Type, nullable bool, def, depth uint8, leaves *int) Part {
	if nullable {
		def++
	}
	p := Part{Type: t, First: *leaves, Def: def, Depth: depth}
	below := func(t schema.Type, nullable bool) *Part {
		q := newPart(t, nullable, def+1, depth+1, leaves)
		return &q
	}
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			p.Fields = append(p.Fields, newPart(f.Type, f.Nullable, def, depth, leaves))
		}
		p.keys = structKeys(t)
	case schema.Array:
		p.Element = below(t.Element, t.ContainsNull)
	case schema.Map:
		p.Key = below(t.Key, false)
		p.Element = below(t.Value, t.ValueContainsNull)
	default:
		*leaves++
	}
	p.Last = *leaves
	return p
}

// structKeys are the names of a struct's fields. The k-th of equal ones is
// written as such.
func structKeys(t schema.Struct) []Key {
	keys := make([]Key, len(t.Fields))
	for i, name := range NthNames(t) {
		keys[i] = NewKey(name, false)
	}
	return keys
}

// NthNames returns the names of a struct's fields, with #k behind the k-th of
// equal ones: no two are equal.
func NthNames(t schema.Struct) []string {
	taken := make(map[string]bool, len(t.Fields))
	for _, f := range t.Fields {
		taken[f.Name] = true
	}
	names, met := make([]string, len(t.Fields)), make(map[string]bool, len(t.Fields))
	for i, f := range t.Fields {
		names[i] = f.Name
		for k := 2; met[names[i]] || names[i] != f.Name && taken[names[i]]; k++ {
			names[i] = nth(f.Name, k)
		}
		met[names[i]] = true
	}
	return names
}

// Cursor stands before a value of a column's leaves.
type Cursor struct {
	part   *Part
	leaves []column.Leaf
	max    []uint8
	at     []spot
	saved  []spot
	// scratch holds the text of one key.
	scratch []byte
}

// spot is a place in a leaf: the number of entries, and of values, before it.
type spot struct{ entry, value int }

// NewCursor returns a cursor for columns of a part.
func NewCursor(p *Part) *Cursor {
	infos := column.Leaves(p.Type, true)
	c := &Cursor{part: p, max: make([]uint8, len(infos)), at: make([]spot, len(infos))}
	for i := range infos {
		c.max[i] = infos[i].MaxDef
	}
	return c
}

// Reset goes to the first row of a column, which must have its leaves.
func (c *Cursor) Reset(col column.Column) {
	c.leaves, c.saved = col.Leaves, c.saved[:0]
	clear(c.at)
}

func (c *Cursor) def(leaf int) uint8 {
	if c.leaves[leaf].Defs == nil {
		return c.max[leaf]
	}
	return c.leaves[leaf].Defs[c.at[leaf].entry]
}

// Null reports whether the part has no value here.
func (c *Cursor) Null(p *Part) bool { return p.First < p.Last && c.def(p.First) < p.Def }

// Empty reports whether an array or map that has a value has nothing in it.
func (c *Cursor) Empty(p *Part) bool { return c.def(p.First) == p.Def }

// More reports whether an array or map goes on behind the element that was
// passed.
func (c *Cursor) More(p *Part) bool {
	reps, at := c.leaves[p.First].Reps, c.at[p.First].entry
	return at < len(reps) && reps[at] > p.Depth
}

// Value is the position of a scalar's value in its leaf.
func (c *Cursor) Value(p *Part) int { return c.at[p.First].value }

// Entries counts the entries of the value here.
func (c *Cursor) Entries(p *Part) int64 {
	n := 0
	for leaf := p.First; leaf < p.Last; leaf++ {
		n += c.end(leaf, p.Depth) - c.at[leaf].entry
	}
	return int64(n)
}

// end is the entry behind the value here.
func (c *Cursor) end(leaf int, depth uint8) int {
	reps, at := c.leaves[leaf].Reps, c.at[leaf].entry+1
	for at < len(reps) && reps[at] > depth {
		at++
	}
	return at
}

// Skip passes the value here, and counts its entries.
func (c *Cursor) Skip(p *Part) int64 {
	n := 0
	for leaf := p.First; leaf < p.Last; leaf++ {
		at, defs := &c.at[leaf], c.leaves[leaf].Defs
		end := c.end(leaf, p.Depth)
		n += end - at.entry
		if defs == nil {
			at.value += end - at.entry
		} else {
			for _, def := range defs[at.entry:end] {
				if def == c.max[leaf] {
					at.value++
				}
			}
		}
		at.entry = end
	}
	return int64(n)
}

// Save remembers the places of a part, Restore goes back to what was saved last.
func (c *Cursor) Save(p *Part) { c.saved = append(c.saved, c.at[p.First:p.Last]...) }

// Restore goes back to where the part was saved last.
func (c *Cursor) Restore(p *Part) {
	from := len(c.saved) - (p.Last - p.First)
	copy(c.at[p.First:p.Last], c.saved[from:])
	c.saved = c.saved[:from]
}

// Forget forgets what was saved last.
func (c *Cursor) Forget(p *Part) { c.saved = c.saved[:len(c.saved)-(p.Last-p.First)] }
