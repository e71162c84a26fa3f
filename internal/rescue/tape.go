package rescue

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
func appendNode(b []byte, t *column.Tape, v uint32) []byte {
	raw := t.Raw(v)
	if simple(t.Nodes[v].Kind, raw) || strict(raw) {
		return append(b, raw...)
	}
	switch t.Nodes[v].Kind {
	case column.Array:
		b = append(b, '[')
		for e := t.First(v); e < t.Next(v); e = t.Next(e) {
			b = append(appendNode(b, t, e), ',')
		}
		return closeWith(b, ']')
	case column.Object:
		b = append(b, '{')
		for m := t.First(v); m < t.Next(v); m = t.Next(m) {
			b = append(TapeNames{t}.AppendName(b, int(m)), ':')
			b = append(appendNode(b, t, t.Value(m)), ',')
		}
		return closeWith(b, '}')
	case column.String:
		return append(b, Quote(string(t.Text(v)))...)
	default: // NaN, 007
		return append(b, Quote(string(raw))...)
	}
}

// closeWith puts the end of a list in place of its last comma.
func closeWith(b []byte, end byte) []byte {
	if last := len(b) - 1; b[last] == ',' {
		b = b[:last]
	}
	return append(b, end)
}

// TapeNames are the names of members as a tape has them, by their nodes.
type TapeNames struct{ Tape *column.Tape }

// AppendName adds the name as it was written.
func (n TapeNames) AppendName(b []byte, at int) []byte {
	if raw := n.Tape.Raw(uint32(at)); raw[0] == '"' && strict(raw) {
		return append(b, raw...)
	}
	return append(b, Quote(n.Name(at))...)
}

// Name returns the name without quotes and escapes.
func (n TapeNames) Name(at int) string { return string(n.Tape.Text(uint32(at))) }
