package json

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strings"

	"landfall/internal/column"
)

// space returns where white space, and comments if they are allowed, end.
func (s *scanner) space(text []byte, pos int) int {
	if pos < len(text) && text[pos] > ' ' && text[pos] != '/' {
		return pos
	}
	return s.spaces(text, pos)
}

func (s *scanner) spaces(text []byte, pos int) int {
	for ; pos < len(text); pos++ {
		switch text[pos] {
		case ' ', '\t':
		case '\n', '\r':
			s.broke = true
		case '/':
			end := pos
			if s.o.AllowComments {
				if end = comment(text, pos); bytes.ContainsAny(text[pos:end], "\r\n") {
					s.broke = true
				}
			}
			if end == pos {
				return pos
			}
			pos = end - 1
		default:
			return pos
		}
	}
	return pos
}

// comment returns where the comment at pos ends, the end of the text if that
// cuts it, pos if there is none.
func comment(text []byte, pos int) int {
	rest := text[pos:]
	switch {
	case len(rest) < 2:
		return len(text)
	case rest[1] == '/':
		if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
			return pos + i
		}
		return len(text)
	case rest[1] == '*':
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			return pos + 2 + i + 2
		}
		return len(text)
	}
	return pos
}

func (s *scanner) noComment(pos int, want string) (int, bool) {
	if s.o.AllowComments {
		return s.fail(pos, want, "")
	}
	return s.fail(pos, want, "allowComments")
}

// member cuts the name at pos and passes the colon behind it.
func (s *scanner) member(text []byte, pos int, want string) (end int, ok bool) {
	if pos >= len(text) {
		return s.fail(pos, want, "")
	}
	s.open[s.depth-1].member = uint32(len(s.nodes))
	switch c := text[pos]; {
	case c == '"', c == '\'' && s.o.AllowSingleQuotes:
		pos, ok = s.str(text, pos, column.Member)
	case c == '\'':
		return s.fail(pos, want, "allowSingleQuotes")
	case c == '/':
		return s.noComment(pos, want)
	case !nameByte(c):
		return s.fail(pos, want, "")
	case !s.o.AllowUnquotedFieldNames:
		return s.fail(pos, want, "allowUnquotedFieldNames")
	default:
		begin := pos
		for pos < len(text) && nameByte(text[pos]) {
			pos++
		}
		s.nodes = append(s.nodes, column.Node{Offset: uint32(begin), Length: uint32(pos - begin), Kind: column.Member})
		ok = true
	}
	if !ok {
		return pos, false
	}
	pos = s.space(text, pos)
	switch {
	case pos < len(text) && text[pos] == ':':
		return s.space(text, pos+1), true
	case pos < len(text) && text[pos] == '/':
		return s.noComment(pos, "a colon")
	}
	return s.fail(pos, "a colon", "")
}

// nameByte reports whether a name without quotes may have c.
func nameByte(c byte) bool {
	return wordByte(c) || strings.IndexByte("$@#*-+", c) >= 0
}

// wordByte reports whether c goes on with a word or a number.
func wordByte(c byte) bool {
	return c-'0' < 10 || c|0x20-'a' < 26 || c == '_' || c >= 0x80
}

// scalar adds a number or word. What follows it must not look like more of it.
func (s *scanner) scalar(text []byte, begin, end int, kind column.Kind) (int, bool) {
	if end < len(text) {
		switch c := text[end]; c {
		case ' ', '\t', '\n', '\r', ',', ']', '}':
		case '{', '[', '"', '/':
		default:
			if s.o.LineSep == "" || c != s.o.LineSep[0] {
				return s.fail(end, "the end of the value", "")
			}
		}
	}
	s.nodes = append(s.nodes, column.Node{
		Offset: uint32(begin), Length: uint32(end - begin), Next: uint32(len(s.nodes) + 1), Kind: kind,
	})
	return end, true
}

// word cuts the value from begin on that ends with word, which begins at pos.
func (s *scanner) word(text []byte, begin, pos int, word string, kind column.Kind) (end int, ok bool) {
	rest := text[pos:min(pos+len(word), len(text))]
	switch {
	case string(rest) == word:
		return s.scalar(text, begin, pos+len(word), kind)
	case pos+len(rest) == len(text) && strings.HasPrefix(word, string(rest)):
		return s.fail(len(text), "the rest of "+word, "")
	}
	return s.fail(begin, "a value", "")
}

// special cuts a number without digits, whose sign, if any, is at begin and whose
// name is at pos.
func (s *scanner) special(text []byte, begin, pos int) (end int, ok bool) {
	if text[pos] == '+' {
		pos++
	}
	rest := text[pos:]
	for _, word := range [...]string{"Infinity", "INF", "NaN"} {
		cut := len(rest) < len(word) && strings.HasPrefix(word, string(rest))
		switch {
		case !cut && !bytes.HasPrefix(rest, []byte(word)), word == "NaN" && pos > begin:
		case cut:
			return s.fail(len(text), "the rest of a value", "")
		case !s.o.AllowNonNumericNumbers:
			return s.fail(begin, "a value", "allowNonNumericNumbers")
		default:
			return s.scalar(text, begin, pos+len(word), column.Number)
		}
	}
	return s.fail(begin, "a value", "")
}

// number cuts the number at pos.
func (s *scanner) number(text []byte, pos int) (end int, ok bool) {
	begin := pos
	if text[pos] == '-' {
		pos++
		if pos < len(text) && (text[pos] == 'I' || text[pos] == 'N') {
			return s.special(text, begin, pos)
		}
	}
	whole := pos
	if pos = digits(text, pos); pos == whole {
		return s.fail(pos, "a digit", "")
	}
	if text[whole] == '0' && pos > whole+1 && !s.o.AllowNumericLeadingZeros {
		return s.fail(whole+1, "no digit after a leading 0", "allowNumericLeadingZeros")
	}
	if pos < len(text) && text[pos] == '.' {
		point := pos + 1
		if pos = digits(text, point); pos == point {
			return s.fail(pos, "a digit", "")
		}
	}
	if pos < len(text) && text[pos]|0x20 == 'e' {
		pos++
		if pos < len(text) && (text[pos] == '+' || text[pos] == '-') {
			pos++
		}
		power := pos
		if pos = digits(text, power); pos == power {
			return s.fail(pos, "a digit", "")
		}
	}
	return s.scalar(text, begin, pos, column.Number)
}

func digits(text []byte, pos int) int {
	for pos < len(text) && text[pos]-'0' < 10 {
		pos++
	}
	return pos
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// seek returns where the next quote, backslash or control character is.
func seek(text []byte, pos int, quote byte) int {
	quotes := lows * uint64(quote)
	for ; pos+8 <= len(text); pos += 8 {
		w := binary.LittleEndian.Uint64(text[pos:])
		q, b := w^quotes, w^lows*'\\'
		// A byte that is meant has its high bit set here. Above it others may have
		// too, so only the lowest counts.
		if m := ((q-lows)&^q | (b-lows)&^b | (w-lows*' ')&^w) & highs; m != 0 {
			return pos + bits.TrailingZeros64(m)>>3
		}
	}
	for pos < len(text) && text[pos] != quote && text[pos] != '\\' && text[pos] >= ' ' {
		pos++
	}
	return pos
}
