package conform_test

import (
	"bytes"
	"strconv"
	"strings"

	"landfall/internal/column"
)

// taper cuts JSON into nodes, as a scanner would.
type taper struct {
	column.Tape
	at      int
	decoded []decoded
}

// decoded is the text of a string with escapes, which comes behind all input.
type decoded struct {
	node uint32
	text string
}

// trees makes a slab of records, each a JSON value.
func trees(t tb, records ...string) *column.Slab {
	t.Helper()
	p := &taper{}
	s := &column.Slab{Tape: &p.Tape}
	for _, r := range records {
		start := len(p.Data)
		p.Data = append(append(p.Data, r...), '\n')
		p.at = start
		p.Roots = append(p.Roots, uint32(len(p.Nodes)))
		p.value(t)
		s.Records = append(s.Records, int64(len(s.Records)+1))
		s.Where = append(s.Where, column.Where{
			Offset: int64(start), Line: int64(len(s.Records)), From: uint32(start), To: uint32(start + len(r)),
		})
	}
	s.Data = bytes.Clone(p.Data)
	for _, d := range p.decoded {
		p.Nodes[d.node].Offset, p.Nodes[d.node].Length = uint32(len(p.Data)), uint32(len(d.text))
		p.Data = append(p.Data, d.text...)
	}
	return s
}

func (p *taper) space() {
	for p.at < len(p.Data) && strings.IndexByte(" \t\r\n", p.Data[p.at]) >= 0 {
		p.at++
	}
}

func (p *taper) value(t tb) {
	t.Helper()
	p.space()
	i := len(p.Nodes)
	p.Nodes = append(p.Nodes, column.Node{Offset: uint32(p.at)})
	kind := column.Number
	switch c := p.Data[p.at]; c {
	case 'n':
		kind, p.at = column.Null, p.at+4
	case 't':
		kind, p.at = column.True, p.at+4
	case 'f':
		kind, p.at = column.False, p.at+5
	case '"', '\'':
		p.text(t, i, column.String)
		return
	case '{', '[':
		kind = column.Object
		if c == '[' {
			kind = column.Array
		}
		p.at++
		for p.space(); p.Data[p.at] != c+2; p.space() {
			if kind == column.Object {
				m := len(p.Nodes)
				p.Nodes = append(p.Nodes, column.Node{Offset: uint32(p.at)})
				p.text(t, m, column.Member)
				p.space()
				p.at++
				p.value(t)
				p.Nodes[m].Next = uint32(len(p.Nodes))
			} else {
				p.value(t)
			}
			if p.space(); p.Data[p.at] == ',' {
				p.at++
			}
		}
		p.at++
	default:
		for strings.IndexByte("+-.0123456789eENa", p.Data[p.at]) >= 0 {
			p.at++
		}
	}
	n := &p.Nodes[i]
	n.Kind, n.Length, n.Next = kind, uint32(p.at)-n.Offset, uint32(len(p.Nodes))
	if n.Length == 0 {
		t.Fatalf("no JSON: %s", p.Data[p.at:])
	}
}

// text reads a string.
func (p *taper) text(t tb, i int, kind column.Kind) {
	t.Helper()
	start, end := p.at, p.Data[p.at]
	if end != '"' && end != '\'' { // a name without quotes
		p.at, end = p.at-1, ':'
	}
	for p.at++; p.Data[p.at] != end; p.at++ {
		if p.Data[p.at] == '\\' {
			p.at++
		}
	}
	if end != ':' {
		p.at++
	}
	raw := string(p.Data[start:p.at])
	p.Nodes[i].Kind, p.Nodes[i].Length = kind, uint32(len(raw))
	if strings.ContainsRune(raw, '\\') {
		if strings.Contains(raw, `\ud8`) {
			p.Nodes[i].Flags = column.Lone
		} else {
			text, err := strconv.Unquote(strings.ReplaceAll(raw, `\/`, "/"))
			if err != nil {
				t.Fatal(err)
			}
			p.Nodes[i].Flags = column.Escaped
			p.decoded = append(p.decoded, decoded{uint32(len(p.Nodes)), text})
			p.Nodes = append(p.Nodes, column.Node{Kind: column.Decoded, Next: uint32(len(p.Nodes) + 1)})
		}
	}
	p.Nodes[i].Next = uint32(len(p.Nodes))
}

// tb is what tests and properties have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}
