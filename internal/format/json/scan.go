package json

import "landfall/internal/column"

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

	open  [maxDepth]level
	depth int
	broke bool // a line ended within the value
	fault fault
}

// level is an array or object that is not closed yet.
type level struct {
	node   uint32
	member uint32 // of an object: the member whose value comes next
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
	s.depth, s.broke = 0, false
	if end, ok = s.walk(text, pos); !ok {
		s.nodes, s.tail = s.nodes[:nodes], s.tail[:tail]
	}
	return end, ok
}

func (s *scanner) walk(text []byte, pos int) (end int, ok bool) {
	for {
		depth := s.depth
		if pos, ok = s.begin(text, pos); !ok {
			return pos, false
		}
		if s.depth > depth {
			top := &s.open[depth]
			pos = s.space(text, pos)
			switch {
			case pos < len(text) && text[pos] == top.closer:
				pos++
				s.close(pos)
			case top.closer == ']':
				continue
			default:
				if pos, ok = s.member(text, pos, "a name or }"); !ok {
					return pos, false
				}
				continue
			}
		}
		if pos, ok = s.after(text, pos); !ok || s.depth == 0 {
			return pos, ok
		}
	}
}

// begin cuts the scalar at pos, or opens the array or object there.
func (s *scanner) begin(text []byte, pos int) (end int, ok bool) {
	if pos >= len(text) {
		return s.fail(pos, "a value", "")
	}
	switch c := text[pos]; c {
	case '{', '[':
		return s.enter(text, pos)
	case '"':
		return s.str(text, pos, column.String)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.number(text, pos)
	case 't':
		return s.word(text, pos, pos, "true", column.True)
	case 'f':
		return s.word(text, pos, pos, "false", column.False)
	case 'n':
		return s.word(text, pos, pos, "null", column.Null)
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
	l := level{node: uint32(len(s.nodes)), closer: ']'}
	kind := column.Array
	if text[pos] == '{' {
		l.closer, kind = '}', column.Object
	}
	s.nodes = append(s.nodes, column.Node{Offset: uint32(pos), Kind: kind})
	s.open[s.depth] = l
	s.depth++
	return pos + 1, true
}

// close ends the innermost array or object, whose text ends at end.
func (s *scanner) close(end int) {
	s.depth--
	n := &s.nodes[s.open[s.depth].node]
	n.Length, n.Next = uint32(end)-n.Offset, uint32(len(s.nodes))
}

// after passes what follows a value: the brackets that it is the last in, and the
// comma and the name before the next one. At depth 0 the record is at its end.
func (s *scanner) after(text []byte, pos int) (end int, ok bool) {
	for s.depth > 0 {
		top := &s.open[s.depth-1]
		if top.closer == '}' {
			s.nodes[top.member].Next = uint32(len(s.nodes))
		}
		pos = s.space(text, pos)
		if pos >= len(text) {
			return s.fail(pos, wanted(top.closer), "")
		}
		switch c := text[pos]; {
		case c == ',' && top.closer == ']':
			return s.space(text, pos+1), true
		case c == ',':
			return s.member(text, s.space(text, pos+1), "a name")
		case c == top.closer:
			pos++
			s.close(pos)
		case c == '/':
			return s.noComment(pos, wanted(top.closer))
		default:
			return s.fail(pos, wanted(top.closer), "")
		}
	}
	return pos, true
}

func wanted(closer byte) string {
	if closer == ']' {
		return "a comma or ]"
	}
	return "a comma or }"
}
