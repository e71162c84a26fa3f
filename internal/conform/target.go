package conform

import (
	"fmt"
	"maps"
	"slices"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/rescue"
	"landfall/internal/schema"
)

// target is a column of the table, and where its values come from.
type target struct {
	schema.Field
	// path is the column's original name.
	path schema.Path
	// constant is the value of every row, if the batch can say so. A fixed
	// column has one value, too, in its leaf.
	constant any
	fixed    bool
	// node takes the values; nil if there are none.
	node *node
	// field is that of the header whose values these are, at its position.
	field *field
	at    int
	// rows counts those that the leaves have; filled is set once the row at hand
	// has a value.
	rows   int
	filled bool
	// left is set if the values are moved by others.
	left bool
	// ready is set if leaves has the slab's column as it will be.
	ready  bool
	leaves []column.Leaf
	text   column.Text
}

// fill takes note that the row at hand has a value.
func (t *target) fill(row int) {
	if t.rows < row {
		t.catchUp(row)
	}
	t.rows++
	t.filled = true
}

// catchUp makes the rows before one null.
func (t *target) catchUp(row int) {
	if t.rows < row {
		for _, l := range t.node.leaves {
			l.NullRows(row - t.rows)
		}
		t.rows = row
	}
}

// planTable prepares the columns of the table and of the contract.
func (f *Fitter) planTable(v contract.Version, table schema.Struct) error {
	if f.rescue < 0 && f.policy.RescueColumn() != "" {
		return fmt.Errorf("the table lacks the rescue column %s", f.policy.RescueColumn())
	}
	f.slots, f.retired = make([]slot, len(v.Columns)), make(map[string]bool)
	ours := make(map[string]int, len(v.Columns))
	for i, c := range v.Columns {
		ours[schema.Fold(c.Name)] = i
		if c.Retired {
			for _, name := range append(v.Aliases(c), c.Original) {
				f.retired[schema.Fold(name)] = true
			}
			f.slots[i].rule = f.book.SpillRule(titleOf(c), contract.WhyUnknown)
		}
	}
	for _, tf := range table.Fields {
		t := &target{Field: tf, path: schema.Path{tf.Name}}
		f.columns = append(f.columns, t)
		isMeta, err := f.planMeta(t)
		if err != nil {
			return err
		}
		if isMeta {
			continue
		}
		c, isOurs := ours[schema.Fold(tf.Name)]
		if !isOurs || v.Columns[c].Retired {
			if !tf.Nullable {
				return f.refuseTable(tf, "may not be null, and no value is known for it", "drop its NOT NULL")
			}
			continue
		}
		delete(ours, schema.Fold(tf.Name))
		if err := f.planColumn(t, c, v.Columns[c]); err != nil {
			return err
		}
	}
	return f.planRest(v, ours)
}

// rescueAt finds the rescue column, and remembers it.
func (f *Fitter) rescueAt(table schema.Struct) int {
	if name := f.policy.RescueColumn(); name != "" {
		f.rescue = table.Lookup(name)
	}
	return f.rescue
}

// planMeta prepares one of our own columns.
func (f *Fitter) planMeta(t *target) (isMeta bool, err error) {
	want := schema.String
	switch schema.Fold(t.Name) {
	case schema.Fold(f.policy.RescueColumn()):
		if !t.Nullable {
			return true, f.refuseTable(t.Field, "may not be null, and most rows have nothing to rescue", "drop its NOT NULL")
		}
	case contract.SourceFile:
		t.constant, f.source = f.object.URL, t
	case contract.IngestedAt:
		t.constant, want, f.ingested = f.object.IngestedAt.UnixMicro(), schema.Timestamp, t
	default:
		return false, nil
	}
	if t.Type != want {
		return true, f.refuseTable(t.Field, "is "+t.Type.String()+", want "+want.String(),
			"give it another name, or for the rescue column set rescuedDataColumn")
	}
	return true, nil
}

// planColumn prepares a column of the contract.
func (f *Fitter) planColumn(t *target, at int, c contract.Column) error {
	known, err := c.SchemaType()
	if err != nil {
		return err
	}
	t.path = titleOf(c)
	t.node = f.compile(t.Type, t.Nullable, t.path, known)
	f.slots[at].node, f.slots[at].target = t.node, t
	if c.Original == rescue.CorruptRecord && c.K < 2 && t.Type == schema.String {
		f.corrupt = t
	}
	return nil
}

func titleOf(c contract.Column) schema.Path {
	if c.K < 2 {
		return schema.Path{c.Original}
	}
	return schema.Path{fmt.Sprintf("%s#%d", c.Original, c.K)}
}

// planRest prepares the columns of the contract that the table does not have:
// those that have no type yet.
func (f *Fitter) planRest(v contract.Version, rest map[string]int) error {
	var lacks []string
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		c := v.Columns[rest[name]]
		known, err := c.SchemaType()
		if err != nil {
			return err
		}
		if _, ok := schema.Storable(known); ok && !c.Retired {
			lacks = append(lacks, c.Name)
			continue
		}
		f.slots[rest[name]].rule = f.book.SpillRule(titleOf(c), contract.WhyType+":"+c.Type)
	}
	if len(lacks) > 0 {
		return fmt.Errorf("the table lacks columns of the contract: %v", lacks)
	}
	return nil
}

func (f *Fitter) refuseTable(tf schema.Field, message, hint string) error {
	d := diag.New(diag.Constraint, "the table's column %s", message).In(diag.Place{File: f.object.Path})
	d.Path = tf.Name
	return d.Hinted("%s", hint)
}

// reserves reports whether a name is that of a metadata column, which no file's
// field has.
func (f *Fitter) reserves(name string) bool {
	switch folded := schema.Fold(schema.TrimName(name)); folded {
	case contract.RescuedData, contract.SourceFile, contract.IngestedAt:
		return true
	default:
		return folded == schema.Fold(f.policy.RescueColumn()) && folded != ""
	}
}

// batch returns the columns of a slab that was fitted, and of the malformed
// records behind it.
func (f *Fitter) batch(s *column.Slab, malformed []column.Bad) column.Batch {
	b := column.Batch{Rows: s.Rows() + len(malformed), Columns: make([]column.Column, len(f.columns))}
	for i, t := range f.columns {
		c := column.Column{Type: t.Type, Constant: t.constant}
		switch {
		case t.constant != nil:
		case i == f.rescue:
			c.Text = f.writer.Column()
		case t == f.corrupt && len(malformed) > 0:
			c.Text = f.corruptText(s, malformed)
		case t.left:
		case t.ready:
			c.Leaves = t.leaves
		case t.fixed && b.Rows == 0:
		case t.fixed:
			t.node.leaves[0].Repeat(b.Rows)
			c.Leaves = t.columns()
		case t.field != nil && t.field.node == nil:
			c.Text = t.plain(s, len(malformed))
		case t.node != nil && t.rows > 0:
			t.catchUp(b.Rows)
			c.Leaves = t.columns()
		}
		b.Columns[i] = c
	}
	return b
}

// plain is text that stays where it is; for more rows than the slab has it gets
// nulls.
func (t *target) plain(s *column.Slab, more int) *column.Text {
	text := &s.Fields[t.at]
	if more == 0 {
		return text
	}
	t.text.Data, t.text.UTF8 = text.Data, text.UTF8
	t.text.Spans = append(t.text.Spans[:0], text.Spans...)
	for range more {
		t.text.AppendNull()
	}
	return &t.text
}

func (t *target) columns() []column.Leaf {
	t.leaves = t.leaves[:0]
	for _, l := range t.node.leaves {
		t.leaves = append(t.leaves, l.Column())
	}
	return t.leaves
}
