package kernel

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// node is a value of a JSON text.
type node struct {
	kind byte   // one of { [ " 1 t f n: object, array, text, number, true, false, null
	raw  string // as it stands in the text
	text string // of a text its characters
	keys []string
	kids []*node
}

// readJSON reads the value with which a text begins, as Spark does: texts may
// stand in single quotes, and what follows the value does not count. It is nil
// if there is none.
func readJSON(text string) *node {
	r := jsonReader{text: text}
	return r.value(0)
}

type jsonReader struct {
	text string
	at   int
}

const deepest = 1000 // levels of objects and arrays, as many as Spark reads

func (r *jsonReader) space() byte {
	for r.at < len(r.text) && strings.IndexByte(" \t\n\r", r.text[r.at]) >= 0 {
		r.at++
	}
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *jsonReader) value(depth int) *node {
	c := r.space()
	from := r.at
	n := &node{kind: c}
	ok := depth < deepest
	switch {
	case !ok:
	case c == '{':
		ok = r.object(n, depth)
	case c == '[':
		ok = r.array(n, depth)
	case c == '"' || c == '\'':
		n.kind = '"'
		n.text, ok = r.string()
	case c == 't':
		ok = r.word("true")
	case c == 'f':
		ok = r.word("false")
	case c == 'n':
		ok = r.word("null")
	default:
		n.kind = '1'
		ok = r.number()
	}
	if !ok {
		return nil
	}
	n.raw = r.text[from:r.at]
	return n
}

func (r *jsonReader) word(w string) bool {
	if !strings.HasPrefix(r.text[r.at:], w) {
		return false
	}
	r.at += len(w)
	return r.at == len(r.text) || strings.IndexByte(" \t\n\r,]}:", r.text[r.at]) >= 0
}

// number reads a number as JSON has them: without a plus, and without a zero
// before other digits.
func (r *jsonReader) number() bool {
	from := r.at
	r.take('-')
	digits := r.digits()
	if digits == 0 || digits > 1 && strings.TrimPrefix(r.text[from:], "-")[0] == '0' {
		return false
	}
	if r.take('.') && r.digits() == 0 {
		return false
	}
	if r.take('e') || r.take('E') {
		if !r.take('+') {
			r.take('-')
		}
		if r.digits() == 0 {
			return false
		}
	}
	return r.at == len(r.text) || strings.IndexByte(" \t\n\r,]}", r.text[r.at]) >= 0
}

func (r *jsonReader) take(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

func (r *jsonReader) digits() int {
	from := r.at
	for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
		r.at++
	}
	return r.at - from
}

func (r *jsonReader) object(n *node, depth int) bool {
	r.at++
	if r.space() == '}' {
		r.at++
		return true
	}
	for {
		if c := r.space(); c != '"' && c != '\'' {
			return false
		}
		key, ok := r.string()
		if !ok || r.space() != ':' {
			return false
		}
		r.at++
		kid := r.value(depth + 1)
		if kid == nil {
			return false
		}
		n.keys, n.kids = append(n.keys, key), append(n.kids, kid)
		if c := r.space(); c == '}' || c == ',' {
			r.at++
			if c == '}' {
				return true
			}
			continue
		}
		return false
	}
}

func (r *jsonReader) array(n *node, depth int) bool {
	r.at++
	if r.space() == ']' {
		r.at++
		return true
	}
	for {
		kid := r.value(depth + 1)
		if kid == nil {
			return false
		}
		n.kids = append(n.kids, kid)
		if c := r.space(); c == ']' || c == ',' {
			r.at++
			if c == ']' {
				return true
			}
			continue
		}
		return false
	}
}

// string reads a text in quotes of either kind.
func (r *jsonReader) string() (string, bool) {
	end := r.text[r.at]
	r.at++
	from := r.at
	var out strings.Builder
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == end:
			out.WriteString(r.text[from:r.at])
			r.at++
			return out.String(), true
		case c == '\\':
			out.WriteString(r.text[from:r.at])
			if !r.escape(&out) {
				return "", false
			}
			from = r.at
		case c < ' ':
			return "", false
		default:
			r.at++
		}
	}
	return "", false
}

func (r *jsonReader) escape(out *strings.Builder) bool {
	if r.at+1 >= len(r.text) {
		return false
	}
	c := r.text[r.at+1]
	if c != 'u' {
		i := strings.IndexByte(`"\/bfnrt'`, c)
		if i < 0 {
			return false
		}
		out.WriteByte("\"\\/\b\f\n\r\t'"[i])
		r.at += 2
		return true
	}
	unit := r.unit()
	if unit < 0 {
		return false
	}
	if unit >= 0xd800 && unit < 0xdc00 && strings.HasPrefix(r.text[r.at:], `\u`) {
		was := r.at
		if low := r.unit(); low >= 0xdc00 && low < 0xe000 {
			unit = 0x10000 + (unit-0xd800)<<10 + low - 0xdc00
		} else {
			r.at = was
		}
	}
	if unit >= 0xd800 && unit < 0xe000 {
		unit = utf8.RuneError
	}
	out.WriteRune(unit)
	return true
}

// unit reads an escape of four digits, -1 if it is none.
func (r *jsonReader) unit() rune {
	if r.at+6 > len(r.text) {
		return -1
	}
	n, err := strconv.ParseUint(r.text[r.at+2:r.at+6], 16, 32)
	if err != nil {
		return -1
	}
	r.at += 6
	return rune(n) //nolint:gosec // of four digits
}

// write is the value as Spark writes it: without space, and numbers with a point
// in the digits of a double.
func (n *node) write(out *strings.Builder) {
	switch n.kind {
	case '{', '[':
		out.WriteByte(n.kind)
		for i, kid := range n.kids {
			if i > 0 {
				out.WriteByte(',')
			}
			if n.kind == '{' {
				quoteJSON(out, n.keys[i])
				out.WriteByte(':')
			}
			kid.write(out)
		}
		out.WriteByte(n.kind + 2)
	case '"':
		quoteJSON(out, n.text)
	case '1':
		out.WriteString(n.number())
	default:
		out.WriteString(n.raw)
	}
}

// number is a number in the digits of a double, if it has a point or an
// exponent.
func (n *node) number() string {
	if !strings.ContainsAny(n.raw, ".eE") {
		return n.raw
	}
	x, err := strconv.ParseFloat(n.raw, 64)
	if err != nil {
		return n.raw
	}
	return doubleText(x)
}

// doubleText writes a double as Java does.
func doubleText(x float64) string {
	if size := max(x, -x); size == 0 || size >= 1e-3 && size < 1e7 {
		text := strconv.FormatFloat(x, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	mantissa, exponent, ok := strings.Cut(strconv.FormatFloat(x, 'E', -1, 64), "E")
	if !ok {
		return mantissa
	}
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	sign := ""
	if exponent[0] == '-' {
		sign = "-"
	}
	return mantissa + "E" + sign + strings.TrimLeft(exponent[1:], "0")
}

func quoteJSON(out *strings.Builder, text string) {
	out.WriteByte('"')
	for _, c := range text {
		switch i := strings.IndexRune("\"\\\b\f\n\r\t", c); {
		case i >= 0:
			out.WriteByte('\\')
			out.WriteByte("\"\\bfnrt"[i])
		case c < ' ':
			fmt.Fprintf(out, `\u%04X`, c)
		default:
			out.WriteRune(c)
		}
	}
	out.WriteByte('"')
}
