package conform

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// leaf gathers the values and levels of one leaf of a column. Its buffers are
// used again for each slab.
type leaf struct {
	store          store
	maxDef, maxRep uint8
	values         column.Leaf
	text           column.Text
	// nulls counts the entries without a value.
	nulls int
}

// store says which of the slices of a column.Leaf holds the values.
type store uint8

const (
	texts store = iota
	ints
	wides
	floats
	bools
)

// maxShort is the longest decimal whose unscaled value always fits 64 bits.
const maxShort = 18

func storeOf(t schema.Type) store {
	switch t := t.(type) {
	case schema.Decimal:
		if t.Precision > maxShort {
			return wides
		}
		return ints
	case schema.Primitive:
		switch t {
		case schema.String, schema.Binary:
			return texts
		case schema.Float, schema.Double:
			return floats
		case schema.Boolean:
			return bools
		}
	}
	return ints
}

// reset empties the leaf; data is what its text will lie in.
func (l *leaf) reset(data []byte) {
	v := &l.values
	v.Ints, v.Wide, v.Floats, v.Bools = v.Ints[:0], v.Wide[:0], v.Floats[:0], v.Bools[:0]
	v.Defs, v.Reps = v.Defs[:0], v.Reps[:0]
	l.text.Data, l.text.Spans = data, l.text.Spans[:0]
	l.nulls = 0
}

// there adds the levels of a value that was added.
func (l *leaf) there(rep uint8) {
	if l.maxDef > 0 {
		l.values.Defs = append(l.values.Defs, l.maxDef)
	}
	if l.maxRep > 0 {
		l.values.Reps = append(l.values.Reps, rep)
	}
}

// null adds an entry without a value. Where the level is that of a value, which
// only happens in a row that is kept out in the end, it adds one.
func (l *leaf) null(rep, def uint8) {
	if def >= l.maxDef {
		l.zero()
		l.there(rep)
		return
	}
	l.values.Defs = append(l.values.Defs, def)
	if l.maxRep > 0 {
		l.values.Reps = append(l.values.Reps, rep)
	}
	l.nulls++
}

func (l *leaf) zero() {
	v := &l.values
	switch l.store {
	case texts:
		l.text.Spans = append(l.text.Spans, column.NewSpan(0, 0, false))
	case ints:
		v.Ints = append(v.Ints, 0)
	case wides:
		v.Wide = append(v.Wide, value.Int128{})
	case floats:
		v.Floats = append(v.Floats, 0)
	case bools:
		v.Bools = append(v.Bools, false)
	}
}

// nullRows adds n rows without a value.
func (l *leaf) nullRows(n int) {
	if l.maxDef == 0 {
		for range n {
			l.null(0, 0)
		}
		return
	}
	l.values.Defs = grow(l.values.Defs, n)
	if l.maxRep > 0 {
		l.values.Reps = grow(l.values.Reps, n)
	}
	l.nulls += n
}

// grow appends n zeros.
func grow(s []uint8, n int) []uint8 {
	s = slices.Grow(s, n)
	clear(s[len(s) : len(s)+n])
	return s[:len(s)+n]
}

// take adds the i-th value of another leaf of the same type.
func (l *leaf) take(from *column.Leaf, i int) {
	v := &l.values
	switch l.store {
	case texts:
		l.text.Spans = append(l.text.Spans, from.Text.Spans[i])
	case ints:
		v.Ints = append(v.Ints, from.Ints[i])
	case wides:
		v.Wide = append(v.Wide, from.Wide[i])
	case floats:
		v.Floats = append(v.Floats, from.Floats[i])
	case bools:
		v.Bools = append(v.Bools, from.Bools[i])
	}
}

// repeat makes n values of the one that the leaf has.
func (l *leaf) repeat(n int) {
	v := &l.values
	v.Ints, v.Wide, v.Floats, v.Bools = times(v.Ints, n), times(v.Wide, n), times(v.Floats, n), times(v.Bools, n)
	l.text.Spans = times(l.text.Spans, n)
}

func times[T any](s []T, n int) []T {
	for len(s) > 0 && len(s) < n {
		s = append(s, s[0])
	}
	return s[:min(len(s), max(n, 1))]
}

// same reports whether the first values of two leaves of one type are equal.
func (l *leaf) same(o *leaf) bool {
	v, w := &l.values, &o.values
	switch l.store {
	case texts:
		return string(l.text.Value(0)) == string(o.text.Value(0))
	case wides:
		return v.Wide[0] == w.Wide[0]
	case floats:
		return v.Floats[0] == w.Floats[0] || v.Floats[0] != v.Floats[0] && w.Floats[0] != w.Floats[0]
	case bools:
		return v.Bools[0] == w.Bools[0]
	default:
		return v.Ints[0] == w.Ints[0]
	}
}

// column returns what the leaf holds.
func (l *leaf) column() column.Leaf {
	out := column.Leaf{}
	switch l.store {
	case texts:
		out.Text = &l.text
	case ints:
		out.Ints = l.values.Ints
	case wides:
		out.Wide = l.values.Wide
	case floats:
		out.Floats = l.values.Floats
	case bools:
		out.Bools = l.values.Bools
	}
	if l.nulls > 0 {
		out.Defs = l.values.Defs
	}
	if l.maxRep > 0 {
		out.Reps = l.values.Reps
	}
	return out
}

// mark is how much of a leaf there was at some time.
type mark struct{ spans, ints, wide, floats, bools, defs, reps, nulls int }

func (l *leaf) mark() mark {
	v := &l.values
	return mark{len(l.text.Spans), len(v.Ints), len(v.Wide), len(v.Floats), len(v.Bools), len(v.Defs), len(v.Reps), l.nulls}
}

// undo takes back what was added since.
func (l *leaf) undo(m mark) {
	v := &l.values
	v.Ints, v.Wide, v.Floats, v.Bools = v.Ints[:m.ints], v.Wide[:m.wide], v.Floats[:m.floats], v.Bools[:m.bools]
	v.Defs, v.Reps = v.Defs[:m.defs], v.Reps[:m.reps]
	l.text.Spans, l.nulls = l.text.Spans[:m.spans], m.nulls
}
