package leaf

import (
	"bytes"

	"landfall/internal/column"
	"landfall/internal/schema"
)

// Values counts the values of a leaf.
func Values(l *column.Leaf) int {
	if l.Text != nil {
		return len(l.Text.Spans)
	}
	return len(l.Ints) + len(l.Wide) + len(l.Floats) + len(l.Bools)
}

// Entries counts the entries of a leaf, those without a value included.
func Entries(l *column.Leaf) int {
	if l.Defs != nil {
		return len(l.Defs)
	}
	return Values(l)
}

// Rows counts the rows that a leaf has entries of.
func Rows(l *column.Leaf) int {
	if l.Reps == nil {
		return Entries(l)
	}
	return bytes.Count(l.Reps, []byte{0})
}

// Data is what the texts of a leaf lie in, nil for other leaves.
func Data(l *column.Leaf) []byte {
	if l.Text == nil {
		return nil
	}
	return l.Text.Data
}

// Without returns what a column that may be null has in other rows than those
// that are gone.
func Without(c column.Column, t schema.Type, gone func(row int) bool) column.Column {
	rest := column.Column{Type: c.Type, Leaves: make([]column.Leaf, len(c.Leaves))}
	for i, info := range column.Leaves(t, true) {
		rest.Leaves[i] = without(&c.Leaves[i], info, gone)
	}
	return rest
}

func without(l *column.Leaf, info column.LeafInfo, gone func(row int) bool) column.Leaf {
	b := New(info)
	b.text.Data = Data(l)
	row, at := -1, 0
	isGone := false
	for entry := range Entries(l) {
		var rep uint8
		if l.Reps != nil {
			rep = l.Reps[entry]
		}
		if rep == 0 {
			row++
			isGone = gone(row)
		}
		def := info.MaxDef
		if l.Defs != nil {
			def = l.Defs[entry]
		}
		there := def == info.MaxDef
		switch {
		case isGone:
		case there:
			b.Take(l, at)
			b.There(rep)
		default:
			b.Null(rep, def)
		}
		if there {
			at++
		}
	}
	return b.Column()
}

// SlabWithout returns a slab that lacks the rows of s that are gone, and shares its text.
// types are those of its columns, if it has some.
func SlabWithout(s *column.Slab, types []schema.Type, gone func(row int) bool) *column.Slab {
	rest := &column.Slab{Data: s.Data, Fields: make([]column.Text, len(s.Fields))}
	for i := range s.Fields {
		all := s.Fields[i]
		rest.Fields[i] = column.Text{Data: all.Data, UTF8: all.UTF8, Spans: sift(all.Spans, gone)}
	}
	for i, c := range s.Columns {
		rest.Columns = append(rest.Columns, Without(c, types[i], gone))
	}
	rest.Records, rest.Where = sift(s.Records, gone), sift(s.Where, gone)
	if t := s.Tape; t != nil {
		rest.Tape = &column.Tape{Data: t.Data, UTF8: t.UTF8, Nodes: t.Nodes, Roots: sift(t.Roots, gone), Shapes: t.Shapes}
	}
	less, row := 0, 0
	for _, r := range s.Ragged {
		for ; row <= r.Row; row++ {
			if gone(row) {
				less++
			}
		}
		if !gone(r.Row) {
			r.Row -= less
			rest.Ragged = append(rest.Ragged, r)
		}
	}
	return rest
}

func sift[T any](s []T, gone func(row int) bool) []T {
	rest := make([]T, 0, len(s))
	for row, x := range s {
		if !gone(row) {
			rest = append(rest, x)
		}
	}
	return rest
}
