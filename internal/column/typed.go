package column

import "landfall/internal/schema"

// NewTypedObserver returns an observer of an object that declares the types of
// its fields, which are those of its header, in order. It takes slabs that have
// Columns of these types.
func NewTypedObserver(types []schema.Type) *Observer {
	o := NewObserver(nil, 0)
	for _, t := range types {
		c := typedColumn{}
		c.top = c.node(t, true, 0, 0)
		o.typed = append(o.typed, c)
	}
	return o
}

// typedColumn counts the values of one column.
type typedColumn struct {
	top *node
	// leaves count the entries of its leaves by their levels.
	leaves []histogram
}

// node counts the values of one path of a typed column. Of a value that is in
// several leaves the first one tells where it is.
type node struct {
	typ schema.Type
	// place is the definition level at which there is a value or a null, there
	// that of a value. Entries up to the repetition level rep begin one.
	place, there, rep uint8
	// leaf is the first leaf at or below the path, -1 for none.
	leaf          int
	nulls         int64
	values, empty counter
	known         measure
	// parts are the fields of a struct, the element of an array, or the key and
	// the value of a map.
	parts []*node
}

// node lays out a type as [Leaves] does.
func (c *typedColumn) node(t schema.Type, nullable bool, def, rep uint8) *node {
	n := &node{typ: t, place: def, rep: rep, leaf: len(c.leaves)}
	if nullable {
		def++
	}
	n.there = def
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			n.parts = append(n.parts, c.node(f.Type, f.Nullable, def, rep))
		}
	case schema.Array:
		n.parts = []*node{c.node(t.Element, t.ContainsNull, def+1, rep+1)}
	case schema.Map:
		n.parts = []*node{c.node(t.Key, false, def+1, rep+1), c.node(t.Value, t.ValueContainsNull, def+1, rep+1)}
	default:
		c.leaves = append(c.leaves, newHistogram(def, rep))
	}
	if n.leaf == len(c.leaves) {
		n.leaf = -1 // a struct without fields
	}
	return n
}

// histogram counts entries by their levels.
type histogram struct {
	width  int
	counts []int64
}

func newHistogram(maxDef, maxRep uint8) histogram {
	width := int(maxDef) + 1
	return histogram{width: width, counts: make([]int64, width*(int(maxRep)+1))}
}

// take counts the entries of a leaf; so many rows are flat where it has no
// levels.
func (h *histogram) take(l *Leaf, rows int) {
	clear(h.counts)
	last := h.width - 1
	switch {
	case l.Defs == nil && l.Reps == nil:
		h.counts[last] = int64(rows)
	case l.Reps == nil:
		for _, d := range l.Defs {
			h.counts[d]++
		}
	case l.Defs == nil:
		for _, r := range l.Reps {
			h.counts[int(r)*h.width+last]++
		}
	default:
		for i, d := range l.Defs {
			h.counts[int(l.Reps[i])*h.width+int(d)]++
		}
	}
}

// of counts the entries of a definition level from def on and a repetition level
// up to rep.
func (h *histogram) of(def, rep uint8) int64 {
	var n int64
	for r := range int(rep) + 1 {
		for _, count := range h.counts[r*h.width+int(def) : (r+1)*h.width] {
			n += count
		}
	}
	return n
}

// add counts the values of a slab's column.
func (c *typedColumn) add(column *Column, records []int64) {
	if len(column.Leaves) == 0 {
		c.top.nulls += int64(len(records)) // all null
		return
	}
	for i := range c.leaves {
		c.leaves[i].take(&column.Leaves[i], len(records))
	}
	c.top.add(c.leaves, column.Leaves, records)
}

func (n *node) add(counts []histogram, leaves []Leaf, records []int64) {
	if n.leaf < 0 {
		return
	}
	h, l := &counts[n.leaf], &leaves[n.leaf]
	places, values := h.of(n.place, n.rep), h.of(n.there, n.rep)
	if n.typ == schema.Unknown {
		values = 0
	}
	n.nulls += places - values
	n.count(&n.values, l, values, n.there, 255, records)
	switch n.typ.(type) {
	case schema.Array:
		n.count(&n.empty, l, values-h.of(n.there+1, n.rep), n.there, n.there, records)
	case schema.Map, schema.Struct:
	default:
		n.known.take(n.typ, l)
	}
	for _, part := range n.parts {
		part.add(counts, leaves, records)
	}
}

// count adds to a counter. What it counts are the entries of definition levels
// from..to.
func (n *node) count(c *counter, l *Leaf, more int64, from, to uint8, records []int64) {
	if c.count == 0 && more > 0 {
		c.first = records[n.first(l, from, to)]
	}
	c.count += more
}

// first is the row of the first such entry.
func (n *node) first(l *Leaf, from, to uint8) int {
	row := -1
	for i := range max(len(l.Defs), len(l.Reps)) {
		if l.Reps == nil || l.Reps[i] == 0 {
			row++
		}
		if (l.Reps == nil || l.Reps[i] <= n.rep) && (l.Defs == nil || from <= l.Defs[i] && l.Defs[i] <= to) {
			return row
		}
	}
	return 0 // without levels all are values
}

// evidence is what was seen at a path.
func (n *node) evidence() Evidence {
	e := Evidence{Nulls: n.nulls}
	switch t := n.typ.(type) {
	case schema.Struct:
		e.Objects = n.values.seen()
		for i, f := range t.Fields {
			e.Fields = append(e.Fields, FieldEvidence{Name: f.Name, Evidence: n.parts[i].evidence()})
		}
	case schema.Array:
		e.Arrays, e.EmptyArrays = n.values.seen(), n.empty.seen()
		element := n.parts[0].evidence()
		e.Element = &element
	case schema.Map:
		e.Maps = n.values.seen()
		key, element := n.parts[0].evidence(), n.parts[1].evidence()
		e.Key, e.Element = &key, &element
	default:
		e.Types = []Declared{{
			Type: n.typ.String(), Count: n.values.count, First: n.values.first,
			Whole: n.known.whole, Scale: n.known.scale, Inexact: n.known.inexact,
		}}
	}
	return e
}
