package conform

import (
	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/column"
)

// strict reports whether text is JSON as every reader takes it. Halves of
// surrogate pairs are let pass: they are kept as they were written.
func strict(text []byte) bool {
	return jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// simple knows most scalars to be strict at a glance.
func simple(kind column.Kind, raw []byte) bool {
	switch kind {
	case column.Null, column.True, column.False:
		return true
	case column.String:
		if raw[0] != '"' {
			return false
		}
		for _, c := range raw[1 : len(raw)-1] {
			if c < ' ' || c == '\\' || c == '"' {
				return false
			}
		}
		return true
	case column.Number:
		return len(raw) < 2 && raw[0] >= '0' && raw[0] <= '9' || allDigits(raw) && raw[0] != '0'
	default:
		return false
	}
}

func allDigits(raw []byte) bool {
	for _, c := range raw {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// appendNode adds the raw text of a value; where an option let something pass
// that is not JSON, the same in JSON.
func (w *rescueWriter) appendNode(b []byte, v uint32) []byte {
	t := w.tape
	raw := t.Raw(v)
	if simple(t.Nodes[v].Kind, raw) || strict(raw) {
		return append(b, raw...)
	}
	switch t.Nodes[v].Kind {
	case column.Array:
		b = append(b, '[')
		for e := t.First(v); e < t.Next(v); e = t.Next(e) {
			b = append(w.appendNode(b, e), ',')
		}
		return closeWith(b, ']')
	case column.Object:
		b = append(b, '{')
		for m := t.First(v); m < t.Next(v); m = t.Next(m) {
			b = w.appendName(b, label{member: m, element: -1})
			b = append(w.appendNode(b, t.Value(m)), ',')
		}
		return closeWith(b, '}')
	case column.String:
		return append(b, quote(string(t.Text(v)))...)
	default: // NaN, 007
		return append(b, quote(string(raw))...)
	}
}

// closeWith puts the end of a list in place of its last comma.
func closeWith(b []byte, end byte) []byte {
	if last := len(b) - 1; b[last] == ',' {
		b = b[:last]
	}
	return append(b, end)
}

// cells counts the scalars, nulls and empty objects and arrays from v on, up to
// the node behind it.
func cells(t *column.Tape, v uint32) int64 {
	n := int64(0)
	for i, end := v, t.Nodes[v].Next; i < end; i++ {
		x := &t.Nodes[i]
		switch x.Kind {
		case column.Member, column.Decoded:
		case column.Object, column.Array:
			if x.Next == i+1 {
				n++
			}
		default:
			n++
		}
	}
	return n
}

// excerpt is a value as messages show it.
func excerpt(raw []byte) string {
	const most = 80
	if len(raw) <= most {
		return string(raw)
	}
	cut := most
	for cut > 0 && raw[cut]&0xC0 == 0x80 {
		cut--
	}
	return string(raw[:cut]) + "…"
}
