package verbatim

import (
	"math/bits"

	"landfall/internal/column"
	"landfall/internal/parquetfile/logical"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Evidence returns what the footer proves about the values of the column i, for an
// object that is copied and not looked at; false if it says nothing of use.
//
// It never claims more than decoding would find: of each type that the column
// declares, there are at most so many values, with at most so many digits before
// and after the point, and at most so many that the other kinds of numbers do not
// hold. Where that is not exactly so, the values are counted in Unread as well, and
// whoever needs to know must look at them. Structs, arrays and maps are counted as
// if there were one wherever there may be one, which Unread of the evidence says, and
// nulls within them are not.
func (s *Source) Evidence(i int) (column.Evidence, bool) {
	if s.refusal != nil {
		return column.Evidence{}, false
	}
	c := &s.columns[i]
	w := witness{source: s, first: s.first[i], leaves: c.Leaves}
	return w.part(c.Type), true
}

// witness makes evidence of the parts of a column, leaf after leaf.
type witness struct {
	source *Source
	first  int
	leaves []logical.Leaf
	at     int
}

func (w *witness) part(t schema.Type) column.Evidence {
	entries := w.entries()
	var e column.Evidence
	switch t := t.(type) {
	case schema.Struct:
		e.Objects, e.Unread = entries, entries.Count > 0
		for _, f := range t.Fields {
			e.Fields = append(e.Fields, column.FieldEvidence{Name: f.Name, Evidence: w.part(f.Type)})
		}
	case schema.Array:
		e.Arrays, e.Unread = entries, entries.Count > 0
		element := w.part(t.Element)
		e.Element = &element
	case schema.Map:
		e.Maps, e.Unread = entries, entries.Count > 0
		key := w.part(t.Key)
		element := w.part(t.Value)
		e.Key, e.Element = &key, &element
	default:
		var d column.Declared
		d, e.Nulls = w.leaf()
		e.Types = []column.Declared{d}
	}
	return e
}

// entries counts the places where there may be a value of what the next leaf
// belongs to.
func (w *witness) entries() column.Seen {
	var out column.Seen
	for g := range w.source.groups {
		out.Count += w.source.groups[g].Chunks[w.first+w.at].Values
	}
	if out.Count > 0 {
		out.First = 1
	}
	return out
}

// leaf is what the next leaf declares, and its nulls if it is a column of its own.
func (w *witness) leaf() (column.Declared, int64) {
	s := w.source
	leaf := &w.leaves[w.at]
	m := &moved{at: w.first + w.at, leaf: leaf, node: &s.nodes[w.first+w.at], to: leaf.Type}
	w.at++
	d := column.Declared{Type: leaf.Type.String()}
	plainly := s.written(leaf, m.node, leaf.Type) == nil
	var nulls int64
	for g := range s.groups {
		entries := s.groups[g].Chunks[m.at].Values
		n := s.nulls(g, m)
		of := facts{count: entries - max(n, 0), sure: n >= 0}
		if leaf.Type == schema.Type(schema.Unknown) {
			of = facts{sure: true}
		}
		if of.count > 0 {
			l, ok := limits{}, false
			if plainly {
				l, ok = s.limits(g, m)
			}
			of.measure(m, l, ok)
		}
		nulls += entries - of.count
		of.add(&d)
	}
	if len(w.leaves) > 1 || leaf.MaxRep > 0 || leaf.MaxDef > 1 {
		nulls = 0 // which of the levels they are of is not known
	}
	return d, nulls
}

// facts are what is known of a leaf in one row group. They are sure if decoding
// would find just them.
type facts struct {
	count, inexact int64
	whole, scale   int
	sure           bool
}

func (f *facts) add(d *column.Declared) {
	if d.Count == 0 && f.count > 0 {
		d.First = 1
	}
	d.Count += f.count
	d.Whole, d.Scale = max(d.Whole, f.whole), max(d.Scale, f.scale)
	d.Inexact += f.inexact
	if !f.sure {
		d.Unread += f.count
	}
}

const (
	mantissaBits = 53
	// exactDigits is the number of digits that a double always holds.
	exactDigits = 15
)

// measure finds what the limits prove, if they are known, of values of a type.
func (f *facts) measure(m *moved, l limits, known bool) {
	precision, scale := 0, 0
	switch t := m.to.(type) {
	case schema.Decimal:
		precision, scale = t.Precision, t.Scale
	default:
		switch t {
		case schema.Type(schema.Byte):
			precision = 3
		case schema.Type(schema.Short):
			precision = 5
		case schema.Type(schema.Integer):
			precision = 10
		case schema.Type(schema.Long):
			precision = 19
		case schema.Type(schema.Float), schema.Type(schema.Double), schema.Type(schema.Binary):
			f.inexact, f.sure = f.count, false
			return
		default:
			return
		}
	}
	f.scale = scale
	f.sure = f.sure && known && scale == 0
	if known {
		most := larger(magnitude(number(m, l.low)), magnitude(number(m, l.high)))
		f.whole = max(0, digitsOf(most)-scale)
		if f.holds(m, most) {
			return
		}
	} else {
		f.whole = precision - scale
		if precision <= exactDigits {
			return
		}
	}
	f.inexact, f.sure = f.count, false
}

// holds tells whether a double holds all numbers up to one in magnitude.
func (f *facts) holds(m *moved, most value.Int128) bool {
	if _, ok := m.to.(schema.Decimal); ok {
		return digitsOf(most) <= exactDigits
	}
	return most.High == 0 && most.Low <= 1<<mantissaBits
}

// magnitude is a number without its sign; that of the least one is taken as the
// greatest.
func magnitude(v value.Int128) value.Int128 {
	if v.High >= 0 {
		return v
	}
	low, borrow := bits.Sub64(0, v.Low, 0)
	high, _ := bits.Sub64(0, uint64(v.High), borrow)
	return value.Int128{High: int64(high), Low: low}
}

func larger(a, b value.Int128) value.Int128 {
	if uint64(a.High) > uint64(b.High) || a.High == b.High && a.Low > b.Low {
		return a
	}
	return b
}

// digitsOf is the number of digits of a magnitude, 0 of 0.
func digitsOf(v value.Int128) int {
	n := 0
	high, low := uint64(v.High), v.Low
	for high > 0 || low > 0 {
		var rest uint64
		high, rest = high/10, high%10
		low, _ = bits.Div64(rest, low, 10)
		n++
	}
	return n
}
