package datafile

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/recode"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// target is a column of a new file.
type target struct {
	field   schema.Field
	sources []origin
	// strict makes a column that takes no null of one that does; nil if it takes
	// nulls.
	strict *recode.Recoder
}

// origin is a column of the old file from which a target takes values.
type origin struct {
	at      int
	field   schema.Field
	recoder *recode.Recoder
}

// newTarget returns the column that a field of the new file is, with the parts
// of sources that the field has no place for.
func newTarget(f schema.Field, sources []origin, forms *value.Forms) (*target, error) {
	t := &target{sources: sources}
	for i := range sources {
		f.Type = extend(f.Type, sources[i].field.Type)
	}
	t.field = f
	for i := range sources {
		r, err := recode.New(sources[i].field.Type, f.Type, recode.Options{Match: matchStored, Forms: forms})
		if err != nil {
			return nil, err
		}
		sources[i].recoder = r
	}
	if f.Nullable {
		return t, nil
	}
	var err error
	t.strict, err = recode.New(f.Type, f.Type, recode.Options{Match: matchStored, NotNull: true})
	return t, err
}

// matchStored finds the field that has a name in files.
func matchStored(from schema.Struct, f schema.Field) int {
	name := schema.Fold(schema.PhysicalName(f))
	return slices.IndexFunc(from.Fields, func(g schema.Field) bool { return schema.Fold(schema.PhysicalName(g)) == name })
}

// extend adds what from has and to has no place for.
func extend(to, from schema.Type) schema.Type {
	switch to := to.(type) {
	case schema.Array:
		if from, ok := from.(schema.Array); ok {
			to.Element = extend(to.Element, from.Element)
		}
		return to
	case schema.Map:
		if from, ok := from.(schema.Map); ok {
			to.Key, to.Value = extend(to.Key, from.Key), extend(to.Value, from.Value)
		}
		return to
	case schema.Struct:
		from, ok := from.(schema.Struct)
		if !ok {
			return to
		}
		out := schema.Struct{Fields: slices.Clone(to.Fields)}
		for _, f := range from.Fields {
			if i := matchStored(out, f); i >= 0 {
				out.Fields[i].Type = extend(out.Fields[i].Type, f.Type)
			} else if t, ok := schema.Storable(f.Type); ok {
				f.Type = t
				out.Fields = append(out.Fields, f)
			}
		}
		return out
	}
	return to
}

// column makes the column of a batch of the old file. A diagnostic says what is
// wrong with which row.
func (t *target) column(b column.Batch) (c column.Column, row int, d *diag.Diagnostic) {
	c.Type = t.field.Type
	for i, s := range t.sources {
		in := b.Columns[s.at]
		out, misfits := s.recoder.Recode(in, b.Rows)
		if len(misfits) > 0 {
			return c, misfits[0].Row, s.misfit(in, misfits[0])
		}
		if i == 0 {
			c = out
			continue
		}
		if c, row = merge(c, out, b.Rows); row >= 0 {
			return c, row, s.clash(t)
		}
	}
	if t.strict == nil {
		return c, 0, nil
	}
	c, misfits := t.strict.Recode(c, b.Rows)
	if len(misfits) == 0 {
		return c, 0, nil
	}
	d = diag.New(diag.Constraint, "found null, but the column is NOT NULL").
		Hinted("drop the constraint of the table, or give every row a value")
	d.Path = pathOf(t.field, nil)
	return c, misfits[0].Row, d
}

func pathOf(f schema.Field, below schema.Path) string {
	return append(schema.Path{f.Name}, below...).String()
}

// misfit says which value does not fit.
func (s *origin) misfit(c column.Column, m recode.Misfit) *diag.Diagnostic {
	found := "a value that it does not hold"
	if text, ok := s.text(c, m); ok {
		found = diag.Quote(text)
	}
	d := diag.New(diag.ValueMisfit, "found %s, want %v", found, m.Type).
		Hinted("leave the column's type as it is, or change the value first")
	d.Path = pathOf(s.field, m.Path)
	return d
}

// text spells the value of a column without parts.
func (s *origin) text(c column.Column, m recode.Misfit) (string, bool) {
	switch s.field.Type.(type) {
	case schema.Struct, schema.Array, schema.Map:
		return "", false
	}
	l := &c.Leaves[0]
	n := m.Row
	if l.Defs != nil {
		n = 0
		for _, d := range l.Defs[:m.Row] {
			n += int(d)
		}
	}
	text, ok := recode.AppendText(nil, s.field.Type, l, n)
	return string(text), ok
}

func (s *origin) clash(t *target) *diag.Diagnostic {
	d := diag.New(diag.ValueMisfit, "found another value in %s, want one value for both columns", diag.Quote(s.field.Name)).
		Hinted("keep the two columns apart, or clear one of the values first")
	d.Path = pathOf(t.field, nil)
	return d
}

// merge gives rows of a that have no value those of b. It returns the first row
// in which both have one and they differ, −1 for none.
func merge(a, b column.Column, rows int) (column.Column, int) {
	x, y := wind(a), wind(b)
	s := splice{}
	for row := range rows {
		switch {
		case x.null():
			s.add(y)
		case !y.null() && !x.equals(y):
			return a, row
		default:
			s.add(x)
		}
		if row < rows-1 {
			x.next()
			y.next()
		}
	}
	return column.Column{Type: a.Type, Leaves: s.leaves}, -1
}
