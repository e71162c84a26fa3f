package contract_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/value"
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

// records numbers n rows.
func records(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i + 1)
	}
	return out
}

// trees is the evidence on JSON values, one a row.
func trees(t testing.TB, rows ...string) column.Evidence {
	t.Helper()
	o := column.NewObserver(&value.Forms{}, 0)
	o.Add(&column.Slab{Records: records(len(rows)), Tape: tape(t, rows...)})
	return o.Evidence(nil)
}

// cells is the evidence on rows of fields; a nil field is null, one in quotes
// was quoted.
func cells(header []string, rows ...[]string) column.Evidence {
	s := &column.Slab{Records: records(len(rows)), Fields: make([]column.Text, len(header))}
	for i := range header {
		f := &s.Fields[i]
		for _, row := range rows {
			switch {
			case i >= len(row) || row[i] == "∅":
				f.AppendNull()
			case row[i] == `""`:
				f.Spans = append(f.Spans, column.NewSpan(len(f.Data), 0, true))
			default:
				f.AppendValue([]byte(row[i]))
			}
		}
	}
	o := column.NewObserver(&value.Forms{}, len(header))
	o.Add(s)
	return o.Evidence(header)
}

// ndjson is an object of JSON records.
func ndjson(t testing.TB, path string, rows ...string) contract.ObjectEvidence {
	t.Helper()
	o := contract.ObjectEvidence{Path: path, Tree: true, Evidence: trees(t, rows...)}
	for _, f := range o.Evidence.Fields {
		o.Header = append(o.Header, f.Name)
	}
	return o
}

// csv is an object of lines of fields between commas, the header first.
func csv(path string, lines ...string) contract.ObjectEvidence {
	var rows [][]string
	for _, line := range lines {
		var row []string
		for _, cell := range bytes.Split([]byte(line), []byte(",")) {
			if row = append(row, string(cell)); len(cell) == 0 {
				row[len(row)-1] = "∅"
			}
		}
		rows = append(rows, row)
	}
	keys, _ := contract.Folders(path)
	header := bytes.Split([]byte(lines[0]), []byte(","))
	names := make([]string, len(header))
	for i := range header {
		names[i] = string(header[i])
	}
	return contract.ObjectEvidence{Path: path, Header: names, Evidence: cells(names, rows[1:]...), Partitions: keys}
}
