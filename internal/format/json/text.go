package json

import (
	"unicode/utf16"
	"unicode/utf8"

	"landfall/internal/column"
)

// str cuts the string or name whose quote is at pos.
func (s *scanner) str(text []byte, pos int, kind column.Kind) (end int, ok bool) {
	if end = seek(text, pos+1, text[pos]); end < len(text) && text[end] == text[pos] {
		n := s.add(pos, end+1, kind)
		if kind == column.String {
			n.Hint = initial(text[pos+1 : end])
		}
		return end + 1, true
	}
	return s.strange(text, pos, kind)
}

// initial is the hint of a string.
func initial(text []byte) uint16 {
	if len(text) == 0 {
		return 0
	}
	return column.NewInitial(text[0])
}

// strange is str for strings with escapes, and with faults.
func (s *scanner) strange(text []byte, pos int, kind column.Kind) (end int, ok bool) {
	begin, quote := pos, text[pos]
	node := column.Node{Offset: uint32(begin), Kind: kind}
	tail, piece := len(s.tail), pos+1 // the text from piece on is not yet in the tail
	lone := false
	for pos++; ; {
		pos = seek(text, pos, quote)
		if pos >= len(text) {
			return s.fail(pos, "a closing quote", "")
		}
		switch c := text[pos]; {
		case c == quote:
			pos++
			node.Length = uint32(pos - begin)
			switch {
			case lone:
				node.Flags = column.Lone
				s.tail = s.tail[:tail]
			case piece > begin+1:
				node.Flags = column.Escaped
				s.tail = append(s.tail, text[piece:pos-1]...)
			}
			s.decoded(node, tail)
			return pos, true
		case c == '\\':
			s.tail = append(s.tail, text[piece:pos]...)
			var half bool
			if pos, half, ok = s.escape(text, pos); !ok {
				return pos, false
			}
			lone = lone || half
			piece = pos
		case s.o.AllowUnquotedControlChars:
			s.broke = s.broke || c == '\n' || c == '\r'
			pos++
		default:
			return s.control(pos, c)
		}
	}
}

// control refuses the control character c in a string.
func (s *scanner) control(pos int, c byte) (int, bool) {
	if c == '\n' || c == '\r' {
		return s.fail(pos, "a closing quote", "allowUnquotedControlChars")
	}
	return s.fail(pos, "an escape for it", "allowUnquotedControlChars")
}

// decoded adds a string or name, and its text if that was decoded to the tail.
func (s *scanner) decoded(node column.Node, tail int) {
	node.Next = uint32(len(s.nodes) + 1)
	if node.Flags != column.Escaped {
		s.nodes = append(s.nodes, node)
		return
	}
	node.Next++
	s.nodes = append(s.nodes, node, column.Node{
		Offset: uint32(s.base + tail), Length: uint32(len(s.tail) - tail), Next: node.Next, Kind: column.Decoded,
	})
}

// escape decodes the escape at pos to the tail. lone says that it is half of a
// surrogate pair, which is no character.
func (s *scanner) escape(text []byte, pos int) (end int, lone, ok bool) {
	if pos+1 >= len(text) {
		_, ok = s.fail(len(text), "the rest of an escape", "")
		return len(text), false, ok
	}
	c := text[pos+1]
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		return s.unicode(text, pos)
	default:
		switch {
		case c == '\'' && s.o.AllowSingleQuotes, s.o.AllowBackslashEscapingAnyCharacter && (c >= ' ' || s.o.AllowUnquotedControlChars):
			s.broke = s.broke || c == '\n' || c == '\r'
		case s.o.AllowBackslashEscapingAnyCharacter:
			_, ok = s.control(pos+1, c)
			return pos, false, ok
		default:
			_, ok = s.fail(pos+1, `one of "\/bfnrtu after a backslash`, "allowBackslashEscapingAnyCharacter")
			return pos, false, ok
		}
	}
	s.tail = append(s.tail, c)
	return pos + 2, false, true
}

// unicode decodes the escape \u at pos, and the one behind it that makes a pair
// with it.
func (s *scanner) unicode(text []byte, pos int) (end int, lone, ok bool) {
	r, ok := s.hex(text, pos+2)
	if !ok {
		return pos, false, false
	}
	pos += 6
	if !utf16.IsSurrogate(r) {
		s.tail = utf8.AppendRune(s.tail, r)
		return pos, false, true
	}
	if r >= 0xdc00 {
		return pos, true, true
	}
	switch {
	case pos+1 >= len(text) && (pos == len(text) || text[pos] == '\\'):
		_, ok = s.fail(len(text), "a closing quote", "")
		return pos, false, ok
	case text[pos] != '\\' || text[pos+1] != 'u':
		return pos, true, true
	}
	low, ok := s.hex(text, pos+2)
	if !ok {
		return pos, false, false
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return pos, true, true // the second is looked at by itself
	}
	s.tail = utf8.AppendRune(s.tail, r)
	return pos + 6, false, true
}

// hex reads four hex digits.
func (s *scanner) hex(text []byte, pos int) (r rune, ok bool) {
	for i := pos; i < pos+4; i++ {
		if i >= len(text) {
			_, ok = s.fail(len(text), "a hex digit", "")
			return 0, ok
		}
		c := text[i]
		switch {
		case c-'0' < 10:
			c -= '0'
		case c|0x20-'a' < 6:
			c = c | 0x20 - 'a' + 10
		default:
			_, ok = s.fail(i, `four hex digits after \u`, "")
			return 0, ok
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
