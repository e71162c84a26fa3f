package datafile

import "landfall/internal/column"

// footprint is the memory that a clone of b takes.
func footprint(b column.Batch) (n int64) {
	const cell = 8
	for _, c := range b.Columns {
		if c.Text != nil && c.Constant == nil {
			n += int64(size(c.Text)) + cell*int64(len(c.Text.Spans))
		}
	}
	return n
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
	out := column.Batch{Rows: b.Rows, Columns: make([]column.Column, len(b.Columns))}
	for i, c := range b.Columns {
		out.Columns[i] = c
		if c.Text == nil || c.Constant != nil {
			continue
		}
		t := &column.Text{Data: make([]byte, 0, size(c.Text)), Spans: make([]column.Span, 0, len(c.Text.Spans))}
		for row, s := range c.Text.Spans {
			if s.Null() {
				t.AppendNull()
				continue
			}
			t.AppendValue(c.Text.Value(row))
		}
		out.Columns[i].Text = t
	}
	return out
}
