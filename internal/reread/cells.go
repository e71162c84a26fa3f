package reread

import (
	"bytes"
	"slices"

	"landfall/internal/column"
	"landfall/internal/recode"
	"landfall/internal/rescue"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Cells writes the cells of rows as text, in the types of a table: two cells have
// one text if and only if they hold the same value there. It is for one goroutine.
type Cells struct {
	columns []cell
	row     [][]byte
}

// cell is a column of the table and the columns that its values come from.
type cell struct {
	origins []origin
	text    []byte
}

// origin is a column of what is read.
type origin struct {
	at     int
	recode *recode.Recoder
	part   *rescue.Part
	cursor *rescue.Cursor
	// misfits are the rows whose values the table's type does not hold; they are
	// written in their own.
	misfits       map[int]bool
	own           *rescue.Part
	ownCursor     *rescue.Cursor
	before, after column.Column
}

// NewCells prepares to write rows that have the columns from under the names and
// types of table. Of a column of the table also knows other names, whose values it
// takes where it has none of its own; nil knows none. A column that is not there is
// null. forms, which may be nil, say in which zone days begin.
func NewCells(table []schema.Field, from []schema.Field, forms *value.Forms, also func(schema.Field) []string) (*Cells, error) {
	c := &Cells{columns: make([]cell, len(table)), row: make([][]byte, len(table))}
	for i, f := range table {
		names := []string{schema.PhysicalName(f), f.Name}
		if also != nil {
			names = append(names, also(f)...)
		}
		for _, name := range names {
			at := slices.IndexFunc(from, func(g schema.Field) bool { return schema.Fold(g.Name) == schema.Fold(name) })
			if at < 0 || slices.ContainsFunc(c.columns[i].origins, func(o origin) bool { return o.at == at }) {
				continue
			}
			o, err := newOrigin(at, from[at].Type, f.Type, forms)
			if err != nil {
				return nil, err
			}
			c.columns[i].origins = append(c.columns[i].origins, o)
		}
	}
	return c, nil
}

func newOrigin(at int, from, to schema.Type, forms *value.Forms) (origin, error) {
	from, to = asClocks(from, to), asClocks(to, to)
	r, err := recode.New(from, to, recode.Options{Match: matchStored, Forms: forms})
	if err != nil {
		return origin{}, err
	}
	o := origin{at: at, recode: r, part: rescue.NewPart(to), own: rescue.NewPart(from)}
	o.cursor, o.ownCursor = rescue.NewCursor(o.part), rescue.NewCursor(o.own)
	return o, nil
}

// asClocks makes every part of a type one that may be null, and those instants wall
// clocks that the table has as such: files do not always say which they are.
func asClocks(t, table schema.Type) schema.Type {
	switch t := t.(type) {
	case schema.Struct:
		other, _ := table.(schema.Struct)
		out := schema.Struct{Fields: slices.Clone(t.Fields)}
		for i, f := range out.Fields {
			var below schema.Type
			if at := matchStored(other, f); at >= 0 {
				below = other.Fields[at].Type
			}
			out.Fields[i] = schema.Field{Name: schema.PhysicalName(f), Type: asClocks(f.Type, below), Nullable: true}
		}
		return out
	case schema.Array:
		other, _ := table.(schema.Array)
		return schema.Array{Element: asClocks(t.Element, other.Element), ContainsNull: true}
	case schema.Map:
		other, _ := table.(schema.Map)
		return schema.Map{Key: asClocks(t.Key, other.Key), Value: asClocks(t.Value, other.Value), ValueContainsNull: true}
	}
	if t == schema.Type(schema.Timestamp) && table == schema.Type(schema.TimestampNTZ) {
		return schema.TimestampNTZ
	}
	return t
}

// matchStored finds the field for one of another type by its stored name.
func matchStored(from schema.Struct, f schema.Field) int {
	return slices.IndexFunc(from.Fields, func(g schema.Field) bool {
		return schema.Fold(schema.PhysicalName(g)) == schema.Fold(schema.PhysicalName(f))
	})
}

// Rows writes the rows of a batch: row counts from 0, cells are those of the table's
// columns as JSON, valid during the call.
func (c *Cells) Rows(b column.Batch, use func(row int, cells [][]byte) error) error {
	for i := range c.columns {
		for k := range c.columns[i].origins {
			c.columns[i].origins[k].reset(b)
		}
	}
	for row := range b.Rows {
		for i := range c.columns {
			c.row[i] = c.columns[i].next(row)
		}
		if err := use(row, c.row); err != nil {
			return err
		}
	}
	return nil
}

// reset goes to the first row of a batch.
func (o *origin) reset(b column.Batch) {
	o.before = column.Column{Type: o.own.Type, Leaves: leavesOf(b.Columns[o.at], o.own.Type, b.Rows)}
	var misfits []recode.Misfit
	o.after, misfits = o.recode.Recode(o.before, b.Rows)
	o.misfits = nil
	for _, m := range misfits {
		if o.misfits == nil {
			o.misfits = map[int]bool{}
		}
		o.misfits[m.Row] = true
	}
	o.cursor.Reset(o.after)
	o.ownCursor.Reset(o.before)
}

// next writes the cell of the next row.
func (c *cell) next(row int) []byte {
	null := []byte("null")
	found := false
	for i := range c.origins {
		o := &c.origins[i]
		if !found {
			c.text = o.append(c.text[:0], row)
			found = !bytes.Equal(c.text, null)
		}
		o.cursor.Skip(o.part)
		o.ownCursor.Skip(o.own)
	}
	if !found {
		return null
	}
	return c.text
}

func (o *origin) append(b []byte, row int) []byte {
	if o.misfits[row] {
		return o.ownCursor.Append(b, o.own)
	}
	if o.cursor.Null(o.part) {
		return append(b, "null"...)
	}
	return o.cursor.Append(b, o.part)
}

// leavesOf gives a column its leaves.
func leavesOf(c column.Column, t schema.Type, rows int) []column.Leaf {
	switch {
	case c.Leaves != nil:
		return c.Leaves
	case c.Constant == nil && c.Text == nil:
		leaves := make([]column.Leaf, len(column.Leaves(t, true)))
		for i, info := range column.Leaves(t, true) {
			leaves[i].Defs = make([]uint8, rows)
			if info.MaxRep > 0 {
				leaves[i].Reps = make([]uint8, rows)
			}
			leaves[i].Text = &column.Text{}
		}
		return leaves
	case c.Text != nil:
		return []column.Leaf{textLeaf(c.Text)}
	}
	leaf := column.Leaf{}
	switch v := c.Constant.(type) {
	case string:
		text := &column.Text{}
		text.AppendValue([]byte(v))
		leaf.Text = &column.Text{Data: text.Data, Spans: slices.Repeat(text.Spans, rows)}
	case int64:
		leaf.Ints = slices.Repeat([]int64{v}, rows)
	}
	return []column.Leaf{leaf}
}

// textLeaf takes the nulls out of a text.
func textLeaf(t *column.Text) column.Leaf {
	leaf := column.Leaf{Text: &column.Text{Data: t.Data}, Defs: make([]uint8, len(t.Spans))}
	for i, s := range t.Spans {
		if !s.Null() {
			leaf.Defs[i] = 1
			leaf.Text.Spans = append(leaf.Text.Spans, s)
		}
	}
	return leaf
}
