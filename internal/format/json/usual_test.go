package json

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"landfall/internal/column"
	classes "landfall/internal/value" // value is a test of the shared data
)

// fullShapes have no room for any shape: a scanner that has them expects nothing.
func fullShapes() *column.Shapes {
	s := column.NewShapes()
	for at := uint16(0); ; {
		in := s.Within(at)
		if in == column.NoShape {
			return s
		}
		at = in
	}
}

// TestUsual: what is expected is cut as everything is. Records are cut by a scanner
// that has seen others like them, whole or broken, and by one that expects nothing.
func TestUsual(t *testing.T) {
	none := fullShapes()
	for seed := range uint64(4000) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		o := randomOptions(rnd)
		fast := scanner{o: &o, shapes: column.NewShapes()}
		record := likely(rnd, 0)
		for range 12 {
			text := []byte(record)
			if rnd.IntN(3) == 0 {
				text = mutated(rnd, text)
			}
			slow := scanner{o: &o, shapes: none}
			fast.nodes, fast.tail = fast.nodes[:0], fast.tail[:0]
			compareScanners(t, &fast, &slow, text)
			if rnd.IntN(4) == 0 {
				record = likely(rnd, 0)
			}
		}
	}
}

// likely draws an object such as programs write: few names, a space now and then.
func likely(rnd *rand.Rand, depth int) string {
	var b strings.Builder
	colon := []string{":", ":", ": ", " : ", ":\n"}[rnd.IntN(5)]
	comma := []string{",", ",", ", ", ",\n ", " ,"}[rnd.IntN(5)]
	b.WriteByte('{')
	for i := range rnd.IntN(7) {
		if i > 0 {
			b.WriteString(comma)
		}
		name := []string{"id", "name", "a name of many letters", "longname", "exactly", "\\u0041", "é", "", "id2", "nine char"}[rnd.IntN(10)]
		fmt.Fprintf(&b, `"%s"%s`, name, colon)
		switch k := rnd.IntN(10); {
		case k == 0 && depth < 3:
			b.WriteString(likely(rnd, depth+1))
		case k == 1 && depth < 3:
			b.WriteString("[" + likely(rnd, depth+1) + comma + likely(rnd, depth+1) + "]")
		case k < 5:
			b.WriteString([]string{"0", "-0", "-0.0", "12", "-7", "1.50", "0.10", "10.0", "123456789012345", "1234567890123456", "12345678.12345678", "1e5", "-1.5E-3", "007"}[rnd.IntN(14)])
		default:
			b.WriteString([]string{`""`, `"a"`, `"some words that are long"`, `"\n"`, "true", "null", `"12"`, "[]", "{}"}[rnd.IntN(9)])
		}
	}
	b.WriteByte('}')
	return b.String()
}

func mutated(rnd *rand.Rand, text []byte) []byte {
	at := rnd.IntN(len(text))
	switch rnd.IntN(3) {
	case 0:
		return text[:at]
	case 1:
		return slices.Concat(text[:at], text[at+1:])
	default:
		const with = "{}[],:\"'\\ 0-.e\n/|a\x01"
		return slices.Concat(text[:at], []byte{with[rnd.IntN(len(with))]}, text[at:])
	}
}

func compareScanners(t *testing.T, fast, slow *scanner, text []byte) {
	t.Helper()
	fast.base, slow.base = len(text), len(text)
	end, ok := fast.value(text, 0)
	wantEnd, want := slow.value(text, 0)
	if end != wantEnd || ok != want || fast.cells != slow.cells || fast.broke != slow.broke || !bytes.Equal(fast.tail, slow.tail) {
		t.Fatalf("%q: got %d %v cells %d, want %d %v cells %d", text, end, ok, fast.cells, wantEnd, want, slow.cells)
	}
	if !ok && fast.fault != slow.fault {
		t.Fatalf("%q: got fault %+v, want %+v", text, fast.fault, slow.fault)
	}
	a, b := bare(fast.nodes), bare(slow.nodes)
	if !slices.Equal(a, b) {
		t.Fatalf("%q: got %+v, want %+v", text, a, b)
	}
	checkHints(t, fast, text)
}

// bare are nodes without what depends on the shapes.
func bare(nodes []column.Node) []column.Node {
	nodes = slices.Clone(nodes)
	for i := range nodes {
		if nodes[i].Kind == column.Object {
			nodes[i].Hint = 0
		}
	}
	return nodes
}

// checkHints: hints say what the text says, and objects of one shape have the same
// names.
func checkHints(t *testing.T, s *scanner, text []byte) {
	t.Helper()
	tape := column.Tape{Data: append(bytes.Clone(text), s.tail...), Nodes: s.nodes}
	names := map[uint16]string{}
	cells := uint32(0)
	for i := range s.nodes {
		n, raw := &s.nodes[i], tape.Raw(uint32(i))
		switch n.Kind {
		case column.Number:
			checkDigits(t, n.Digits(), raw)
		case column.String:
			if first, known := n.Initial(); known && (len(raw) < 3 || first != raw[1] || n.Flags != 0) {
				t.Fatalf("%s: the hint says that it begins with %q", raw, first)
			}
		case column.Object:
			all := ""
			for at := uint32(i) + 1; at < n.Next; at = s.nodes[at].Next {
				all += string(tape.Raw(at)) + ":"
			}
			if before, met := names[n.Hint]; n.Hint != column.NoShape && met && before != all {
				t.Fatalf("%q: one shape for %s and %s", text, before, all)
			}
			names[n.Hint] = all
		}
		if k := n.Kind; k < column.Array || k >= column.Array && k <= column.Object && n.Next == uint32(i)+1 {
			cells++
		}
	}
	if len(s.nodes) > 0 && cells != s.cells {
		t.Fatalf("%q: counted %d cells, want %d", text, s.cells, cells)
	}
}

func checkDigits(t *testing.T, d column.Digits, raw []byte) {
	t.Helper()
	if !d.Known() {
		return
	}
	shape := new(classes.Forms).Number(raw)
	class := classes.IntegerExact
	if d.After() > 0 {
		class = classes.DecimalExact
	}
	want := classes.Shape{Class: class, Whole: d.Whole(), Scale: d.Scale()}
	_, fraction, _ := strings.Cut(string(raw), ".")
	if shape != want || len(fraction) != d.After() {
		t.Fatalf("%s: the hint says %+v with %d digits after the point, want %+v", raw, want, d.After(), shape)
	}
}
