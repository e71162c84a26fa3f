// Package leaf builds one leaf of a column: its values, taken from text, from
// JSON or from another leaf, and its levels.
package leaf

import (
	"slices"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Builder gathers the values and levels of one leaf of a column. Its buffers are
// used again for each slab.
type Builder struct {
	store          store
	maxDef, maxRep uint8
	values         column.Leaf
	text           column.Text
	// nulls counts the entries without a value.
	nulls int
}

// New returns a builder for a leaf.
func New(info column.LeafInfo) *Builder {
	return &Builder{store: storeOf(info.Type), maxDef: info.MaxDef, maxRep: info.MaxRep}
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

// Reset empties the leaf, whose texts will lie in data. utf8 says that they are known
// to be UTF-8.
func (l *Builder) Reset(data []byte, utf8 bool) {
	v := &l.values
	v.Ints, v.Wide, v.Floats, v.Bools = v.Ints[:0], v.Wide[:0], v.Floats[:0], v.Bools[:0]
	v.Defs, v.Reps = v.Defs[:0], v.Reps[:0]
	l.text.Data, l.text.Spans, l.text.UTF8 = data, l.text.Spans[:0], utf8
	l.nulls = 0
}

// There adds the levels of a value that was added.
func (l *Builder) There(rep uint8) {
	if l.maxDef > 0 {
		l.values.Defs = append(l.values.Defs, l.maxDef)
	}
	if l.maxRep > 0 {
		l.values.Reps = append(l.values.Reps, rep)
	}
}

// Null adds an entry without a value. Where the level is that of a value, which
// only happens in a row that is kept out in the end, it adds one.
func (l *Builder) Null(rep, def uint8) {
	if def >= l.maxDef {
		l.zero()
		l.There(rep)
		return
	}
	l.values.Defs = append(l.values.Defs, def)
	if l.maxRep > 0 {
		l.values.Reps = append(l.values.Reps, rep)
	}
	l.nulls++
}

func (l *Builder) zero() {
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

// NullRows adds n rows without a value.
func (l *Builder) NullRows(n int) {
	if l.maxDef == 0 {
		for range n {
			l.Null(0, 0)
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

// Take adds the i-th value of another leaf of the same type.
func (l *Builder) Take(from *column.Leaf, i int) {
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

// PutText adds a text that is not in the leaf's data: the end of data from a
// position on. The leaf lies in data from then on, which begins with what it was.
func (l *Builder) PutText(data []byte, from int) {
	l.text.Data = data
	l.text.Spans = append(l.text.Spans, column.NewSpan(from, len(data)-from, false))
}

// Data is what the texts of the leaf lie in.
func (l *Builder) Data() []byte { return l.text.Data }

// Int is value i of a leaf of integers, days or instants, Text that of one of
// texts.
func (l *Builder) Int(i int) int64 { return l.values.Ints[i] }

// Text is value i of a leaf of texts.
func (l *Builder) Text(i int) []byte { return l.text.Value(i) }

// IsNull reports whether entry i has no value.
func (l *Builder) IsNull(i int) bool { return l.maxDef > 0 && l.values.Defs[i] < l.maxDef }

// Repeat makes n values of the one that the leaf has.
func (l *Builder) Repeat(n int) {
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

// Same reports whether the first values of two leaves of one type are equal.
func (l *Builder) Same(o *Builder) bool {
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

// Column returns what the leaf holds.
func (l *Builder) Column() column.Leaf {
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

// Mark is how much of a leaf there was at some time.
type Mark struct{ values, entries, nulls int }

// Mark returns how much of the leaf there is.
func (l *Builder) Mark() Mark { return Mark{l.stored(), l.entries(), l.nulls} }

// stored counts the values.
func (l *Builder) stored() int {
	switch v := &l.values; l.store {
	case texts:
		return len(l.text.Spans)
	case wides:
		return len(v.Wide)
	case floats:
		return len(v.Floats)
	case bools:
		return len(v.Bools)
	default:
		return len(v.Ints)
	}
}

// entries counts the levels, where there are some.
func (l *Builder) entries() int { return len(l.values.Defs) }

// Undo takes back what was added since.
func (l *Builder) Undo(m Mark) {
	v := &l.values
	switch l.store {
	case texts:
		l.text.Spans = l.text.Spans[:m.values]
	case wides:
		v.Wide = v.Wide[:m.values]
	case floats:
		v.Floats = v.Floats[:m.values]
	case bools:
		v.Bools = v.Bools[:m.values]
	default:
		v.Ints = v.Ints[:m.values]
	}
	v.Defs, l.nulls = v.Defs[:m.entries], m.nulls
	if l.maxRep > 0 {
		v.Reps = v.Reps[:m.entries]
	}
}
