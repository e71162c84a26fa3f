package columntest

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/column"
)

// tape makes a tape of JSON values, one a row.
func tape(t testing.TB, rows ...string) *column.Tape {
	t.Helper()
	out := &column.Tape{}
	for _, row := range rows {
		base := len(out.Data)
		out.Data = append(out.Data, row...)
		out.Roots = append(out.Roots, uint32(len(out.Nodes)))
		d := jsontext.NewDecoder(bytes.NewReader(out.Data[base:]), jsontext.AllowDuplicateNames(true))
		addValue(t, out, d, base)
	}
	return out
}

// addValue adds one value to the tape; base is where the decoder's text begins.
func addValue(t testing.TB, out *column.Tape, d *jsontext.Decoder, base int) {
	t.Helper()
	at := len(out.Nodes)
	kind := d.PeekKind()
	token, err := d.ReadToken()
	if err != nil {
		t.Fatal(err)
	}
	end := int(d.InputOffset())
	n := column.Node{Offset: uint32(base + end - 1), Length: 1}
	switch kind {
	case '{', '[':
		n.Kind = column.Array
		if kind == '{' {
			n.Kind = column.Object
		}
		out.Nodes = append(out.Nodes, n)
		for d.PeekKind() != '}' && d.PeekKind() != ']' {
			addMember(t, out, d, base, kind == '{')
		}
		if _, err := d.ReadToken(); err != nil {
			t.Fatal(err)
		}
		out.Nodes[at].Length = uint32(base+int(d.InputOffset())) - n.Offset
	default:
		raw := lastToken(out.Data[base:base+end], kind, token.String())
		n.Offset, n.Length = uint32(base+end-len(raw)), uint32(len(raw))
		n.Kind = map[jsontext.Kind]column.Kind{
			'n': column.Null, 'f': column.False, 't': column.True, '0': column.Number, '"': column.String,
		}[kind]
		out.Nodes = append(out.Nodes, n)
		addDecoded(out, at, raw, token.String())
	}
	out.Nodes[at].Next = uint32(len(out.Nodes))
}

// addMember adds a member of an object, or an element of an array.
func addMember(t testing.TB, out *column.Tape, d *jsontext.Decoder, base int, named bool) {
	t.Helper()
	at := len(out.Nodes)
	if named {
		token, err := d.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		end := int(d.InputOffset())
		raw := lastToken(out.Data[base:base+end], '"', token.String())
		out.Nodes = append(out.Nodes, column.Node{
			Kind: column.Member, Offset: uint32(base + end - len(raw)), Length: uint32(len(raw)),
		})
		addDecoded(out, at, raw, token.String())
	}
	addValue(t, out, d, base)
	if named {
		out.Nodes[at].Next = uint32(len(out.Nodes))
	}
}

// lastToken is the raw text of the token that a text ends with.
func lastToken(text []byte, kind jsontext.Kind, plain string) []byte {
	if kind != '"' {
		return text[len(text)-len(plain):]
	}
	for at := len(text) - 2; ; at-- {
		var s string
		if text[at] == '"' && json.Unmarshal(text[at:], &s) == nil && s == plain {
			return text[at:]
		}
	}
}

// addDecoded adds the text of a string with escapes.
func addDecoded(out *column.Tape, at int, raw []byte, plain string) {
	if len(raw) == 0 || raw[0] != '"' || string(raw[1:len(raw)-1]) == plain {
		return
	}
	out.Nodes[at].Flags = column.Escaped
	out.Nodes = append(out.Nodes, column.Node{
		Kind: column.Decoded, Offset: uint32(len(out.Data)), Length: uint32(len(plain)), Next: uint32(len(out.Nodes) + 1),
	})
	out.Data = append(out.Data, plain...)
}
