package recode

import (
	"landfall/internal/column"
)

// Expand returns the leaves of a column that may be null, whatever its form: text,
// one value for all rows, or no value at all. A text lends its bytes to its leaf.
func Expand(c column.Column, rows int) []column.Leaf {
	return expand(c, column.Leaves(c.Type, true), rows)
}

// expand does so of a column that has those leaves.
func expand(c column.Column, infos []column.LeafInfo, rows int) []column.Leaf {
	switch {
	case c.Leaves != nil && c.Constant == nil:
		return c.Leaves
	case c.Constant != nil:
		return []column.Leaf{repeated(c.Constant, rows)}
	case c.Text != nil:
		return []column.Leaf{ofText(c.Text)}
	}
	out := make([]column.Leaf, len(infos))
	for i := range out {
		out[i].Defs = make([]uint8, rows)
		if infos[i].MaxRep > 0 {
			out[i].Reps = make([]uint8, rows)
		}
	}
	return out
}

// repeated is a leaf of one value for all rows.
func repeated(v any, rows int) column.Leaf {
	switch v := v.(type) {
	case string:
		t := &column.Text{Data: []byte(v)}
		t.Spans = times(column.NewSpan(0, len(v), false), rows)
		return column.Leaf{Text: t}
	case float64:
		return column.Leaf{Floats: times(v, rows)}
	case bool:
		return column.Leaf{Bools: times(v, rows)}
	case int64:
		return column.Leaf{Ints: times(v, rows)}
	}
	return column.Leaf{Defs: make([]uint8, rows)}
}

func times[T any](v T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// ofText is a leaf of text that has nulls among its spans.
func ofText(t *column.Text) column.Leaf {
	out := column.Leaf{
		Text: &column.Text{Data: t.Data, Spans: make([]column.Span, 0, len(t.Spans))},
		Defs: make([]uint8, len(t.Spans)),
	}
	for i, s := range t.Spans {
		if !s.Null() {
			out.Text.Spans = append(out.Text.Spans, s)
			out.Defs[i] = 1
		}
	}
	return out
}
