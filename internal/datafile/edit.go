package datafile

import (
	"fmt"

	"landfall/internal/column"
	"landfall/internal/recode"
)

// edit changes the rows of a batch as the shape asks for it.
func (r *reshaper) edit(b *column.Batch) error {
	if r.shape.Edit == nil {
		return nil
	}
	edits, err := r.shape.Edit(*b)
	if err != nil {
		return err
	}
	for _, e := range edits {
		t := r.targets[e.At]
		in := e.Column
		in.Type = r.shape.Schema.Fields[e.At].Type
		in, err := t.edited(in, len(e.Rows))
		if err != nil {
			return err
		}
		b.Columns[e.At] = replace(b.Columns[e.At], in, e.Rows, b.Rows)
	}
	return nil
}

// edited gives a column of the schema's type that of the file, which may have
// fields of structs that the schema lacks.
func (t *target) edited(c column.Column, rows int) (column.Column, error) {
	r, err := recode.New(c.Type, t.field.Type, recode.Options{Match: matchStored})
	if err != nil {
		return c, fmt.Errorf("column %q: %w", t.field.Name, err)
	}
	c.Leaves = recode.Expand(c, rows)
	c, misfits := r.Recode(column.Column{Type: c.Type, Leaves: c.Leaves}, rows)
	if len(misfits) > 0 {
		return c, fmt.Errorf("column %q: a value that is no %v", t.field.Name, t.field.Type)
	}
	return c, nil
}

// replace puts rows of a column in the place of those of another, which has as
// many rows as it says.
func replace(c, with column.Column, at []int, rows int) column.Column {
	c.Leaves = recode.Expand(c, rows)
	old, instead, s := wind(c), wind(with), splice{}
	k := 0
	for row := range rows {
		for k < len(at) && at[k] < row {
			if k++; k < len(at) {
				instead.next()
			}
		}
		if k < len(at) && at[k] == row {
			s.add(instead)
		} else {
			s.add(old)
		}
		if row < rows-1 {
			old.next()
		}
	}
	return column.Column{Type: c.Type, Leaves: s.leaves}
}
