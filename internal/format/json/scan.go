package json

import (
	"slices"

	"landfall/internal/column"
)

// maxDepth is how deep arrays and objects of a record may nest.
const maxDepth = 200

// fault says why a text is no value.
type fault struct {
	at   int    // where it shows; the end of the text if that cuts the value
	want string // what may stand there
	hint string // an option that takes what stands there
}

// scanner cuts one value at a time into nodes. It changes nothing in the text.
type scanner struct {
	o     *Options
	nodes []column.Node
	tail  []byte // strings without their escapes
	base  int    // where the tail will stand in the slab's data
	// shapes are those of the objects of the text, cells the scalars and the empty
	// objects and arrays of the value.
	shapes *column.Shapes
	cells  uint32

	open  [maxDepth]level
	depth int
	broke bool // a line ended within the value
	fault fault
}

// spot is what stands at a position within a value.
type spot uint8

const (
	valueNext  spot = iota // a value
	nameNext               // the name of a member
	behindNext             // what follows a value
)

// level is an array or object that is not closed yet.
type level struct {
	node   uint32
	member uint32 // of an object: the member whose value comes next
	shape  uint16 // of an object: that of the names so far; of an array: its place
	closer byte
}

func (s *scanner) fail(at int, want, hint string) (int, bool) {
	s.fault = fault{at, want, hint}
	return at, false
}

// value cuts the value at text[pos] and returns where it ends. If it is none,
// nothing is added to the nodes and fault says why. A number or word that
// reaches the end of the text is whole as far as it goes.
func (s *scanner) value(text []byte, pos int) (end int, ok bool) {
	nodes, tail := len(s.nodes), len(s.tail)
	s.depth, s.broke, s.cells = 0, false, 0
	if end, ok = s.walk(text, pos); !ok {
		s.nodes, s.tail = s.nodes[:nodes], s.tail[:tail]
	}
	return end, ok
}

// add adds a node of text[begin:end] that has nothing below it. Its fields are set
// one by one: a copy of a node that was just written waits for each of these writes.
func (s *scanner) add(begin, end int, kind column.Kind) *column.Node {
	at := len(s.nodes)
	if at == cap(s.nodes) {
		s.nodes = slices.Grow(s.nodes, 1)
	}
	s.nodes = s.nodes[:at+1]
	n := &s.nodes[at]
	n.Offset, n.Length, n.Next = uint32(begin), uint32(end-begin), uint32(at+1)
	n.Kind, n.Flags, n.Hint = kind, 0, 0
	return n
}

// walk cuts a value and all below it.
func (s *scanner) walk(text []byte, pos int) (end int, ok bool) {
	for {
		depth := s.depth
		if pos, ok = s.begin(text, pos); !ok {
			return pos, false
		}
		next, want := behindNext, "a name"
		if s.depth > depth {
			pos = s.space(text, pos)
			switch top := &s.open[depth]; {
			case pos < len(text) && text[pos] == top.closer:
				pos++
				s.close(pos)
			case top.closer == ']':
				continue
			default:
				next, want = nameNext, "a name or }"
			}
		}
		for next != valueNext {
			if next == behindNext {
				if pos, next, ok = s.after(text, pos); !ok || s.depth == 0 {
					return pos, ok
				}
				want = "a name"
			}
			if next == nameNext {
				if pos, next, ok = s.members(text, pos, want); !ok {
					return pos, false
				}
			}
		}
	}
}

// begin cuts the scalar at pos, or opens the array or object there.
func (s *scanner) begin(text []byte, pos int) (end int, ok bool) {
	if pos >= len(text) {
		return s.fail(pos, "a value", "")
	}
	switch c := text[pos]; c {
	case '"':
		s.cells++
		return s.str(text, pos, column.String)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		s.cells++
		return s.number(text, pos)
	case '{', '[':
		return s.enter(text, pos)
	case 't':
		s.cells++
		return s.word(text, pos, pos, "true", column.True)
	case 'f':
		s.cells++
		return s.word(text, pos, pos, "false", column.False)
	case 'n':
		s.cells++
		return s.word(text, pos, pos, "null", column.Null)
	}
	return s.odd(text, pos)
}

// odd is begin for values that only options allow.
func (s *scanner) odd(text []byte, pos int) (end int, ok bool) {
	s.cells++
	switch text[pos] {
	case '\'':
		if s.o.AllowSingleQuotes {
			return s.str(text, pos, column.String)
		}
		return s.fail(pos, "a value", "allowSingleQuotes")
	case 'N', 'I', '+':
		return s.special(text, pos, pos)
	case '/':
		return s.noComment(pos, "a value")
	}
	return s.fail(pos, "a value", "")
}

// enter opens the array or object at pos.
func (s *scanner) enter(text []byte, pos int) (end int, ok bool) {
	if s.depth == maxDepth {
		return s.fail(pos, "at most 200 levels of brackets", "")
	}
	kind, closer := column.Array, byte(']')
	if text[pos] == '{' {
		kind, closer = column.Object, '}'
	}
	l, around := &s.open[s.depth], uint16(column.NoShape)
	if s.depth > 0 {
		around = s.open[s.depth-1].shape
	}
	l.node, l.closer, l.shape = uint32(len(s.nodes)), closer, s.shapes.Within(around)
	s.add(pos, pos, kind)
	s.depth++
	return pos + 1, true
}

// close ends the innermost array or object, whose text ends at end.
func (s *scanner) close(end int) {
	s.depth--
	l := &s.open[s.depth]
	n := &s.nodes[l.node]
	n.Length, n.Next = uint32(end)-n.Offset, uint32(len(s.nodes))
	if n.Kind == column.Object {
		n.Hint = l.shape
	}
	if n.Next == l.node+1 {
		s.cells++
	}
}

// after passes what follows a value: the brackets that it is the last in, and the
// comma before the next member or element. At depth 0 the record is at its end.
func (s *scanner) after(text []byte, pos int) (end int, next spot, ok bool) {
	for s.depth > 0 {
		top := &s.open[s.depth-1]
		if top.closer == '}' {
			s.nodes[top.member].Next = uint32(len(s.nodes))
		}
		pos = s.space(text, pos)
		if pos >= len(text) {
			end, ok = s.fail(pos, wanted(top.closer), "")
			return end, behindNext, ok
		}
		switch c := text[pos]; {
		case c == ',' && top.closer == ']':
			return s.space(text, pos+1), valueNext, true
		case c == ',':
			return s.space(text, pos+1), nameNext, true
		case c == top.closer:
			pos++
			s.close(pos)
		case c == '/':
			end, ok = s.noComment(pos, wanted(top.closer))
			return end, behindNext, ok
		default:
			end, ok = s.fail(pos, wanted(top.closer), "")
			return end, behindNext, ok
		}
	}
	return pos, behindNext, true
}

func wanted(closer byte) string {
	if closer == ']' {
		return "a comma or ]"
	}
	return "a comma or }"
}
