package json

import (
	"slices"

	"landfall/internal/column"
)

// members cuts members of the innermost object, the first of which is at pos, as far
// as they are what most are. Then it cuts the name that comes next, if one does, and
// passes the colon behind it.
func (s *scanner) members(text []byte, pos int, want string) (end int, next spot, ok bool) {
	at := pos
	if pos, next = s.usual(text, pos); next != nameNext {
		return pos, next, true
	}
	if pos > at {
		want = "a name"
	}
	pos, ok = s.member(text, pos, want)
	return pos, valueNext, ok
}

// usual cuts members as long as they are what most are: the name that followed the
// last time, a string without escapes or a plain number, and a comma. It returns
// where another begins, where one has a value that is something else, or what is
// not a comma, and says which. Whatever it does not take is cut as anything is.
func (s *scanner) usual(text []byte, pos int) (end int, next spot) {
	l, nodes := &s.open[s.depth-1], s.nodes
	for {
		shape, name, at := s.shapes.Expect(l.shape, text, pos)
		if shape == column.NoShape {
			s.nodes = nodes
			return pos, nameNext
		}
		n := len(nodes)
		if n+2 > cap(nodes) {
			nodes = slices.Grow(nodes, 2)
		}
		l.shape, l.member = shape, uint32(n)
		member := &nodes[:n+1][n]
		member.Offset, member.Length, member.Next = uint32(pos), uint32(name-pos), uint32(n+2)
		member.Kind, member.Flags, member.Hint = column.Member, 0, 0
		end, kind, hint := usualValue(text, at)
		if end == at {
			s.nodes = nodes[:n+1]
			return s.space(text, at), valueNext
		}
		nodes = nodes[:n+2]
		value := &nodes[n+1]
		value.Offset, value.Length, value.Next = uint32(at), uint32(end-at), uint32(n+2)
		value.Kind, value.Flags, value.Hint = kind, 0, hint
		s.cells++
		if text[end] != ',' {
			s.nodes = nodes
			return end, behindNext
		}
		pos = s.space(text, end+1)
	}
}

// usualValue cuts the string without escapes or plain number at pos, if a comma, a
// closing bracket or white space follows it; else it ends at pos.
func usualValue(text []byte, pos int) (end int, kind column.Kind, hint uint16) {
	if pos == len(text) {
		return pos, 0, 0
	}
	switch c := text[pos]; {
	case c == '"':
		end = seek(text, pos+1, '"')
		if end+1 >= len(text) || text[end] != '"' {
			return pos, 0, 0
		}
		kind, hint = column.String, initial(text[pos+1:end])
		end++
	case c == '-' || c-'0' < 10:
		var digits column.Digits
		if end, digits = plainNumber(text, pos); !digits.Known() {
			return pos, 0, 0
		}
		kind, hint = column.Number, uint16(digits)
	default:
		return pos, 0, 0
	}
	switch text[end] {
	case ',', '}', ' ', '\t', '\n', '\r':
		return end, kind, hint
	}
	return pos, 0, 0
}
