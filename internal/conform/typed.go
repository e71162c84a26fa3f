package conform

import (
	"fmt"
	"slices"

	"landfall/internal/diag"

	"landfall/internal/column"
	"landfall/internal/leaf"
	"landfall/internal/rescue"
	"landfall/internal/verdict"
)

// typedField is what a field of the header has more if it has a type.
type typedField struct {
	link   *link
	cursor *rescue.Cursor
	scraps rescue.Scraps
	// left is set if the values are not in the slabs.
	left bool
	// copies is set if the values stay as they are, as are the leaves of the
	// column then.
	copies bool
}

// planTypes links the types of the header's fields with their columns.
func (f *Fitter) planTypes() error {
	if len(f.object.Types) != len(f.fields) {
		return fmt.Errorf("%d types for a header of %d", len(f.object.Types), len(f.fields))
	}
	for i := range f.fields {
		fl := &f.fields[i]
		part := rescue.NewPart(f.object.Types[i])
		fl.link, fl.cursor = &link{part: part, rule: fl.rule}, rescue.NewCursor(part)
		if fl.target != nil {
			var err error
			if fl.link, err = f.link(part, fl.target.node); err != nil {
				return fmt.Errorf("column %s: %w", fl.target.Name, err)
			}
			scalar := fl.link.way == converted
			fl.copies = fl.link.same(fl.target.Nullable || !scalar)
		}
		fl.link.key = fl.key
	}
	return nil
}

// Leave says which fields of a header with types are not in the slabs, since whoever
// reads the file moves their values as they are: [Fitter.Plan] says of which that is
// right. Their columns come out null, and are not counted; a row that is kept out
// makes Fit fail, since its bytes are not known.
func (f *Fitter) Leave(fields []bool) {
	for i := range f.fields {
		f.fields[i].left = fields[i]
		f.leaves = f.leaves || fields[i]
		if t := f.fields[i].target; t != nil && fields[i] {
			t.left = true
		}
	}
}

// checkTypes refuses a slab that is not of this object's types.
func (f *Fitter) checkTypes(s *column.Slab) error {
	if len(s.Columns) != len(f.fields) || s.Tape != nil || len(s.Fields) > 0 || len(s.Ragged) > 0 {
		return fmt.Errorf("a slab of %d typed columns for a header of %d", len(s.Columns), len(f.fields))
	}
	for i := range s.Columns {
		part := f.fields[i].link.part
		if f.fields[i].left {
			continue
		}
		if len(s.Columns[i].Leaves) != part.Last {
			return fmt.Errorf("column %d has %d leaves, want %d", i, len(s.Columns[i].Leaves), part.Last)
		}
		for k := range s.Columns[i].Leaves {
			if rows := leaf.Rows(&s.Columns[i].Leaves[k]); rows != s.Rows() {
				return fmt.Errorf("leaf %d of column %d has %d rows, want %d", k, i, rows, s.Rows())
			}
		}
	}
	return nil
}

// fitTypes fits the columns of a slab, each at once.
func (f *Fitter) fitTypes(s *column.Slab) error {
	rescued := f.folders.Some(verdict.Rescues)
	for i := range f.fields {
		fl := &f.fields[i]
		fl.scraps.Reset()
		if fl.left {
			continue
		}
		for k := range s.Columns[i].Leaves {
			f.book.Counts.Cells += int64(leaf.Entries(&s.Columns[i].Leaves[k]))
		}
		c, flawed := excuse(fl.link, s.Columns[i])
		switch {
		case fl.copies && !flawed:
			f.copyColumn(fl, &c)
		case fl.link.way == converted && fl.folder == nil:
			f.convertColumn(fl, &c)
		default:
			f.walkColumn(fl, &c)
		}
		if f.book.Err != nil {
			return f.book.Err
		}
		rescued = rescued || fl.scraps.Any()
	}
	f.missColumns(s.Rows())
	if !rescued {
		return nil // a rescue column that was not written is null
	}
	return f.putScraps(s)
}

// excuse returns a column without the flaws that the policy lets pass: the reader
// has told of them. flawed reports whether others are left.
func excuse(l *link, c column.Column) (out column.Column, flawed bool) {
	isFlawed := func(l column.Leaf) bool { return len(l.Flaws) > 0 }
	if !slices.ContainsFunc(c.Leaves, isFlawed) {
		return c, false
	}
	c.Leaves = slices.Clone(c.Leaves)
	l.excuse(c.Leaves)
	return c, slices.ContainsFunc(c.Leaves, isFlawed)
}

func (l *link) excuse(leaves []column.Leaf) {
	switch l.way {
	case converted:
		if cut := l.node.cut; cut == nil || cut.Action != verdict.Lands {
			return
		}
		from := &leaves[l.part.First]
		from.Flaws = slices.DeleteFunc(slices.Clone(from.Flaws), func(f column.Flaw) bool { return f.Kind == column.Cut })
	case structured:
		for _, below := range l.fields {
			below.excuse(leaves)
		}
	case listed:
		l.element.excuse(leaves)
	case mapped:
		l.mapKey.excuse(leaves)
		l.element.excuse(leaves)
	}
}

// putScraps writes the rescue column of a slab.
func (f *Fitter) putScraps(s *column.Slab) error {
	for row, record := range s.Records {
		f.writer.Begin()
		for i := range f.fields {
			f.writer.Splice(&f.fields[i].scraps, row)
		}
		f.putFolders()
		if err := f.writer.End(record, -1); err != nil {
			return err
		}
	}
	return nil
}

// copyColumn hands a column through.
func (f *Fitter) copyColumn(fl *field, c *column.Column) {
	for i := range c.Leaves {
		values := leaf.Values(&c.Leaves[i])
		f.book.Counts.Typed += int64(values)
		f.book.Counts.Null += int64(leaf.Entries(&c.Leaves[i]) - values)
	}
	fl.target.setColumn(c.Leaves)
	f.missRows(fl, &c.Leaves[0])
}

// convertColumn fits a column of scalars.
func (f *Fitter) convertColumn(fl *field, c *column.Column) {
	l := &c.Leaves[0]
	rows, values := leaf.Entries(l), leaf.Values(l)
	made, missing := fl.link.coder.Recode(column.Column{Type: fl.link.part.Type, Leaves: c.Leaves}, rows)
	f.book.Counts.Null += int64(rows - values)
	f.book.Counts.Typed += int64(values - len(missing))
	fl.target.setColumn(made.Leaves)
	f.missRows(fl, l)
	if len(missing) == 0 {
		return
	}
	fl.cursor.Reset(*c)
	at := 0
	for _, m := range missing {
		for ; at < m.Row; at++ {
			fl.cursor.Skip(fl.link.part)
		}
		f.book.Row = m.Row
		fl.scraps.Begin(f.book.Row)
		f.unfit(fl, fl.link, rescue.Label{Key: &fl.key})
		fl.scraps.End()
		if !fl.target.Nullable {
			f.book.Refuse(fl.target.path, fl.link.rule, f.found(fl, fl.link))
		}
	}
}

// unfit deals with a value that its column does not take, and stays before it.
func (f *Fitter) unfit(fl *field, l *link, label rescue.Label) {
	if f.book.Apply(l.rule, fl.cursor.Entries(l.part), func() string { return f.found(fl, l) }) {
		fl.scraps.Close(fl.cursor.Append(fl.scraps.Open(label), l.part), label, l.rule.Reason)
	}
}

// found is a value as messages show it.
func (f *Fitter) found(fl *field, l *link) string {
	return diag.Excerpt(fl.cursor.Append(nil, l.part))
}

// missRows keeps out the rows that have no value for a column which may not be
// null.
func (f *Fitter) missRows(fl *field, l *column.Leaf) {
	if fl.target.Nullable {
		return
	}
	for row, def := range l.Defs {
		if def == 0 {
			f.book.Row = row
			f.book.Missing(fl.target.path)
		}
	}
}

// missColumns keeps out all rows if a column that may not be null has no field.
func (f *Fitter) missColumns(rows int) {
	for _, c := range f.required {
		for row := 0; c.field == nil && row < rows; row++ {
			f.book.Row = row
			f.book.Missing(c.path)
		}
	}
}

// setColumn takes the leaves of a column that may be null.
func (t *target) setColumn(leaves []column.Leaf) {
	t.leaves = append(t.leaves[:0], leaves...)
	t.ready = true
	if !t.Nullable {
		t.leaves[0].Defs = nil // rows without a value are kept out
	}
}

// keptBytes is a row of typed input as JSON.
func (f *Fitter) keptBytes(s *column.Slab, row int) []byte {
	b := []byte{'{'}
	for i := range f.fields {
		if i > 0 {
			b = append(b, ',')
		}
		fl := &f.fields[i]
		fl.cursor.Reset(s.Columns[i])
		for range row {
			fl.cursor.Skip(fl.link.part)
		}
		b = append(append(b, rescue.Quote(fl.key.Name)...), ':')
		b = fl.cursor.Append(b, fl.link.part)
	}
	return append(b, '}')
}
