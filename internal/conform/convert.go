package conform

import (
	"strconv"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/value"
	"landfall/internal/verdict"
)

// text adds the value that text is, but not its levels. It reports false, and
// adds nothing, if the node's type does not hold it. span locates text in the
// leaf's data.
func (f *Fitter) text(n *node, text []byte, span column.Span) bool {
	l := n.leaves[0]
	switch n.kind {
	case asText, asBinary:
		l.text.Spans = append(l.text.Spans, span)
		return true
	case asBoolean:
		v, ok := f.forms.Boolean(text)
		if ok {
			l.values.Bools = append(l.values.Bools, v)
		}
		return ok
	case asInteger:
		v, ok := f.forms.Long(text)
		if ok = ok && v >= n.low && v <= n.high; ok {
			l.values.Ints = append(l.values.Ints, v)
		}
		return ok
	case asDouble:
		v, ok := f.forms.Double(text)
		if ok {
			l.values.Floats = append(l.values.Floats, v)
		}
		return ok
	case asFloat:
		v, ok := f.forms.Float(text)
		if ok {
			l.values.Floats = append(l.values.Floats, float64(v))
		}
		return ok
	case asDecimal:
		return f.decimal(n, text)
	case asDate, asInstant, asWall:
		return f.moment(n, text)
	default:
		return false
	}
}

func (f *Fitter) decimal(n *node, text []byte) bool {
	v, ok := f.forms.Decimal(text, n.precision, n.scale)
	if !ok {
		return false
	}
	l := n.leaves[0]
	if l.store == wides {
		l.values.Wide = append(l.values.Wide, v)
	} else {
		l.values.Ints = append(l.values.Ints, int64(v.Low)) // the sign is in all of its bits
	}
	return true
}

// moment adds a day or an instant. Digits beyond the microsecond go only where
// the policy lets them.
func (f *Fitter) moment(n *node, text []byte) bool {
	l := n.leaves[0]
	if n.kind == asDate {
		day, ok := f.forms.Day(text)
		if ok {
			l.values.Ints = append(l.values.Ints, day)
		}
		return ok
	}
	var i value.Instant
	var ok bool
	if n.kind == asWall {
		i, ok = f.forms.Wall(text)
	} else {
		i, ok = f.forms.Instant(text)
	}
	switch {
	case !ok:
		return false
	case i.Exact:
	case n.cut.Action == verdict.Lands:
		f.book.Note(n.cut)
	case n.cut.Action == verdict.Fails:
		f.book.Fail(n.cut, diag.Quote(string(text)))
		return false
	default:
		return false
	}
	l.values.Ints = append(l.values.Ints, i.Micros)
	return true
}

// number adds a number that stands bare in JSON.
func (f *Fitter) number(n *node, raw []byte) bool {
	l := n.leaves[0]
	switch n.kind {
	case asInteger, asDecimal:
		return f.text(n, raw, 0)
	case asDouble:
		v, ok := f.forms.NumberDouble(raw)
		if ok {
			l.values.Floats = append(l.values.Floats, v)
		}
		return ok
	case asFloat:
		if f.text(n, raw, 0) {
			return true
		}
		v, ok := f.forms.NumberDouble(raw)
		if ok = ok && single(v); ok {
			l.values.Floats = append(l.values.Floats, float64(float32(v)))
		}
		return ok
	default:
		return false
	}
}

// single reports whether a float of 32 bits has the digits of a double.
func single(v float64) bool {
	if v != v {
		return true
	}
	var short, long [32]byte
	return string(strconv.AppendFloat(short[:0], float64(float32(v)), 'e', -1, 32)) ==
		string(strconv.AppendFloat(long[:0], v, 'e', -1, 64))
}

// scalar adds the value of a node of the tape to a leaf without parts.
func (f *Fitter) scalar(n *node, v uint32) bool {
	t := f.tape
	x := &t.Nodes[v]
	if n.kind == asText && x.Kind != column.String {
		if x.Length > column.MaxValue {
			return false
		}
		l := n.leaves[0]
		l.text.Spans = append(l.text.Spans, column.NewSpan(int(x.Offset), int(x.Length), false))
		return true
	}
	switch x.Kind {
	case column.String:
		switch {
		case x.Flags&column.Lone != 0 || x.Length > column.MaxValue:
			return false
		case f.strict && n.kind >= asBoolean && n.kind <= asDecimal:
			return false
		}
		return f.text(n, t.Text(v), t.Span(v))
	case column.Number:
		return f.number(n, t.Raw(v))
	case column.True, column.False:
		if n.kind != asBoolean {
			return false
		}
		l := n.leaves[0]
		l.values.Bools = append(l.values.Bools, x.Kind == column.True)
		return true
	default:
		return false
	}
}

// null adds entries without a value to all leaves of a node. Where the table
// does not allow it the row is kept out.
func (f *Fitter) null(n *node, rep uint8) {
	def := n.def
	if n.nullable {
		def--
	} else {
		f.book.Missing(n.path)
	}
	for _, l := range n.leaves {
		l.null(rep, def)
	}
}
