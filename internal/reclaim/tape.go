package reclaim

import (
	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/column"
)

// taper makes a tape of JSON that is known to be valid.
type taper struct {
	// text is the JSON of all rows. Strings without their escapes go to tail, which
	// stands behind it in the end.
	text, tail []byte
	nodes      []column.Node
	roots      []uint32
}

// root adds the value that begins at a place of the text as a row's.
func (t *taper) root(at int) {
	t.roots = append(t.roots, uint32(len(t.nodes)))
	t.value(at)
}

func (t *taper) tape() *column.Tape {
	return &column.Tape{Data: append(t.text, t.tail...), Nodes: t.nodes, Roots: t.roots}
}

// value adds the value that begins at a place, or behind space there, and returns
// its end.
func (t *taper) value(at int) int {
	at = t.space(at)
	n := len(t.nodes)
	switch c := t.text[at]; c {
	case '{', '[':
		return t.parts(at)
	case '"':
		return t.quoted(at, column.String)
	case 'n':
		t.nodes = append(t.nodes, column.Node{Kind: column.Null, Length: 4})
	case 't':
		t.nodes = append(t.nodes, column.Node{Kind: column.True, Length: 4})
	case 'f':
		t.nodes = append(t.nodes, column.Node{Kind: column.False, Length: 5})
	default:
		end := at + 1
		for end < len(t.text) && isNumber(t.text[end]) {
			end++
		}
		t.nodes = append(t.nodes, column.Node{Kind: column.Number, Length: uint32(end - at)})
	}
	t.nodes[n].Offset, t.nodes[n].Next = uint32(at), uint32(n+1)
	return at + int(t.nodes[n].Length)
}

// parts adds an object or array.
func (t *taper) parts(at int) int {
	n, kind, begin := len(t.nodes), column.Object, at
	if t.text[at] == '[' {
		kind = column.Array
	}
	t.nodes = append(t.nodes, column.Node{Kind: kind, Offset: uint32(at)})
	for at = t.space(at + 1); t.text[at] != '}' && t.text[at] != ']'; at = t.space(at) {
		switch {
		case t.text[at] == ',':
			at++
		case kind == column.Array:
			at = t.value(at)
		default:
			m := len(t.nodes)
			at = t.space(t.quoted(at, column.Member)) + 1 // the colon
			at = t.value(at)
			t.nodes[m].Next = uint32(len(t.nodes))
		}
	}
	t.nodes[n].Length, t.nodes[n].Next = uint32(at+1-begin), uint32(len(t.nodes))
	return at + 1
}

// quoted adds a string, or the name of a member.
func (t *taper) quoted(at int, kind column.Kind) int {
	end, escaped := at+1, false
	for ; t.text[end] != '"'; end++ {
		if t.text[end] == '\\' {
			escaped = true
			end++
		}
	}
	end++
	n := len(t.nodes)
	t.nodes = append(t.nodes, column.Node{Kind: kind, Offset: uint32(at), Length: uint32(end - at), Next: uint32(n + 1)})
	if !escaped {
		return end
	}
	start := len(t.tail)
	tail, err := jsontext.AppendUnquote(t.tail, t.text[at:end])
	if err != nil {
		t.nodes[n].Flags = column.Lone
		return end
	}
	t.tail = tail
	t.nodes[n].Flags, t.nodes[n].Next = column.Escaped, uint32(n+2)
	t.nodes = append(t.nodes, column.Node{
		Kind: column.Decoded, Offset: uint32(len(t.text) + start), Length: uint32(len(tail) - start), Next: uint32(n + 2),
	})
	return end
}

func (t *taper) space(at int) int {
	for at < len(t.text) && (t.text[at] == ' ' || t.text[at] == '\t' || t.text[at] == '\n' || t.text[at] == '\r') {
		at++
	}
	return at
}

func isNumber(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

// cells counts the scalars, nulls and empty objects and arrays of a value, as the
// rescued values of a file are counted.
func cells(value []byte) int64 {
	t := taper{text: value}
	t.value(0)
	n := int64(0)
	for i, x := range t.nodes {
		switch x.Kind {
		case column.Member, column.Decoded:
		case column.Object, column.Array:
			if int(x.Next) == i+1 {
				n++
			}
		default:
			n++
		}
	}
	return n
}
