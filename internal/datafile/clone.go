package datafile

import (
	"slices"

	"landfall/internal/column"
)

// Sizes of a value in memory.
const (
	spanSize = 8
	longSize = 8
	wideSize = 16
)

// footprint is the memory that a clone of b takes.
func footprint(b column.Batch) (n int64) {
	for _, c := range b.Columns {
		switch {
		case c.Constant != nil:
		case c.Leaves != nil:
			for i := range c.Leaves {
				n += leafFootprint(&c.Leaves[i])
			}
		case c.Text != nil:
			n += textFootprint(c.Text)
		}
	}
	return n
}

func leafFootprint(l *column.Leaf) int64 {
	n := len(l.Defs) + len(l.Reps) + len(l.Bools) + longSize*(len(l.Ints)+len(l.Floats)) + wideSize*len(l.Wide)
	if l.Text == nil {
		return int64(n)
	}
	return int64(n) + textFootprint(l.Text)
}

func textFootprint(t *column.Text) int64 {
	return int64(size(t)) + spanSize*int64(len(t.Spans))
}

// size is the number of bytes of the values of t.
func size(t *column.Text) (n int) {
	for _, s := range t.Spans {
		if !s.Null() {
			n += s.Len()
		}
	}
	return n
}

// clone copies a batch, its values packed: the slab it came from may be far
// larger than what is left of it.
func clone(b column.Batch) column.Batch {
	out := column.Batch{Rows: b.Rows, Columns: slices.Clone(b.Columns)}
	for i, c := range b.Columns {
		switch {
		case c.Constant != nil:
		case c.Leaves != nil:
			out.Columns[i].Leaves = make([]column.Leaf, len(c.Leaves))
			for n := range c.Leaves {
				out.Columns[i].Leaves[n] = cloneLeaf(&c.Leaves[n])
			}
		case c.Text != nil:
			out.Columns[i].Text = cloneText(c.Text)
		}
	}
	return out
}

func cloneLeaf(l *column.Leaf) column.Leaf {
	out := column.Leaf{
		Ints: pack(l.Ints), Wide: pack(l.Wide), Floats: pack(l.Floats), Bools: pack(l.Bools),
		Defs: pack(l.Defs), Reps: pack(l.Reps),
	}
	if l.Text != nil {
		out.Text = cloneText(l.Text)
	}
	return out
}

// pack copies values without room for more. Levels that are there stay there,
// if there are none of them too.
func pack[T any](v []T) []T {
	if v == nil {
		return nil
	}
	out := make([]T, len(v))
	copy(out, v)
	return out
}

func cloneText(from *column.Text) *column.Text {
	t := &column.Text{Data: make([]byte, 0, size(from)), Spans: make([]column.Span, 0, len(from.Spans))}
	for row, s := range from.Spans {
		if s.Null() {
			t.AppendNull()
			continue
		}
		t.AppendValue(from.Value(row))
	}
	return t
}
