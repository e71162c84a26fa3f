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
	begin, quoted := pos, false
	s.open[s.depth-1].member = uint32(len(s.nodes))
	switch c := text[pos]; {
	case c == '"', c == '\'' && s.o.AllowSingleQuotes:
		quoted = c == '"'
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
		for pos < len(text) && nameByte(text[pos]) {
			pos++
		}
		s.add(begin, pos, column.Member)
		ok = true
	}
	if !ok {
		return pos, false
	}
	s.reshape(text[begin:], pos-begin, quoted)
	return s.colon(text, pos)
}

// reshape adds the name at the head of text to the shape of the innermost object.
func (s *scanner) reshape(text []byte, name int, quoted bool) {
	l := &s.open[s.depth-1]
	switch key := text[:min(name+2, len(text))]; {
	case !quoted || s.nodes[l.member].Flags != 0 || len(key) == name || key[name] != ':':
		l.shape = column.NoShape
	case key[len(key)-1] == ' ':
		l.shape = s.shapes.Follow(l.shape, name, key)
	default:
		l.shape = s.shapes.Follow(l.shape, name, key[:name+1])
	}
}

// colon passes the colon behind a name.
func (s *scanner) colon(text []byte, pos int) (end int, ok bool) {
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
func (s *scanner) scalar(text []byte, begin, end int, kind column.Kind, hint column.Digits) (int, bool) {
	if end < len(text) && text[end] != ',' && text[end] != '}' && !s.ends(text[end]) {
		return s.fail(end, "the end of the value", "")
	}
	s.add(begin, end, kind).Hint = uint16(hint)
	return end, true
}

// ends reports whether c may stand behind a number or word.
func (s *scanner) ends(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', ']', '}', '{', '[', '"', '/':
		return true
	}
	return s.o.LineSep != "" && c == s.o.LineSep[0]
}

// word cuts the value from begin on that ends with word, which begins at pos.
func (s *scanner) word(text []byte, begin, pos int, word string, kind column.Kind) (end int, ok bool) {
	rest := text[pos:min(pos+len(word), len(text))]
	switch {
	case string(rest) == word:
		return s.scalar(text, begin, pos+len(word), kind, 0)
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
			return s.scalar(text, begin, pos+len(word), column.Number, 0)
		}
	}
	return s.fail(begin, "a value", "")
}

// number cuts the number at pos.
func (s *scanner) number(text []byte, pos int) (end int, ok bool) {
	if end, digits := plainNumber(text, pos); digits.Known() {
		return s.scalar(text, pos, end, column.Number, digits)
	}
	return s.anyNumber(text, pos)
}

// plainNumber cuts a number that has a hint, if it is not at the end of the text.
func plainNumber(text []byte, pos int) (end int, hint column.Digits) {
	minus := text[pos] == '-'
	if minus {
		pos++
	}
	begin := pos
	pos = digits(text, pos)
	whole, after, scale := pos-begin, 0, 0
	if whole == 0 || pos == len(text) || text[begin] == '0' && whole > 1 {
		return pos, 0
	}
	if text[pos] == '.' {
		point := pos + 1
		pos = digits(text, point)
		if after = pos - point; after == 0 || pos == len(text) {
			return pos, 0
		}
		for scale = after; scale > 0 && text[point+scale-1] == '0'; {
			scale--
		}
	}
	if text[pos]|0x20 == 'e' || whole+after > column.MostDigits {
		return pos, 0
	}
	if text[begin] == '0' {
		if whole = 0; minus && scale == 0 {
			return pos, 0
		}
	}
	return pos, column.NewDigits(whole, after, scale)
}

// anyNumber is number for any that JSON, or an option, knows.
func (s *scanner) anyNumber(text []byte, pos int) (end int, ok bool) {
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
	return s.scalar(text, begin, pos, column.Number, 0)
}

// digits returns where the digits that begin at pos end. It looks at eight bytes at
// a time.
func digits(text []byte, pos int) int {
	for ; pos+8 <= len(text); pos += 8 {
		// A digit has the high half 3, with 6 added too. What is carried out of a byte
		// that is none reaches only those behind it.
		w := binary.LittleEndian.Uint64(text[pos:])
		if m := (w&halves ^ threes) | ((w+lows*6)&halves ^ threes); m != 0 {
			return pos + bits.TrailingZeros64(m)>>3
		}
	}
	for pos < len(text) && text[pos]-'0' < 10 {
		pos++
	}
	return pos
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
	// halves are the high halves of all bytes, threes what digits have there.
	halves = 0xf0f0f0f0f0f0f0f0
	threes = 0x3030303030303030
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
