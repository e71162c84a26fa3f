package notebook

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// query finds read_files and cloud_files in SQL.
func (f *finder) query(src string, at Place) {
	tokens := scanSQL(src, at.Line)
	q := &query{tokens: tokens, cell: at.Cell}
	for q.at < len(tokens) {
		switch t := tokens[q.at]; {
		case t.kind == word && (strings.EqualFold(t.body, "read_files") || strings.EqualFold(t.body, "cloud_files")) && q.sign(1, "("):
			f.add(q.call(strings.EqualFold(t.body, "cloud_files")))
		case t.kind == word && strings.EqualFold(t.body, "table"):
			q.at++
			q.name()
		default:
			q.at++
		}
	}
}

// query reads the tokens of SQL.
type query struct {
	tokens []token
	at     int
	cell   int
	// table is the one that the statement makes, or inserts into.
	table string
}

func (q *query) sign(ahead int, body string) bool {
	i := q.at + ahead
	return i < len(q.tokens) && q.tokens[i].kind == sign && q.tokens[i].body == body
}

func (q *query) is(w string) bool {
	return q.at < len(q.tokens) && q.tokens[q.at].kind == word && strings.EqualFold(q.tokens[q.at].body, w)
}

// name reads the name of a table.
func (q *query) name() {
	for q.is("if") || q.is("not") || q.is("exists") {
		q.at++
	}
	var parts []string
	for q.at < len(q.tokens) && q.tokens[q.at].kind == word {
		parts = append(parts, q.tokens[q.at].body)
		q.at++
		if !q.sign(0, ".") {
			break
		}
		q.at++
	}
	q.table = strings.Join(parts, ".")
}

// call reads the arguments of read_files(path, key => value) or of
// cloud_files(path, format, map(key, value, …)).
func (q *query) call(cloud bool) Stream {
	place := Place{q.cell, q.tokens[q.at].line}
	s := Stream{At: place, SinkAt: place, Table: q.table, Managed: true, ReadFiles: !cloud}
	q.at += 2
	n := 0
	for q.at < len(q.tokens) && !q.sign(0, ")") {
		start := q.at
		t := q.tokens[q.at]
		at := Place{q.cell, t.line}
		switch {
		case q.sign(1, "=>"):
			q.at += 2
			s.set(Option{t.body, q.value(), at})
		case cloud && n == 2 && strings.EqualFold(t.body, "map") && q.sign(1, "("):
			q.at += 2
			q.pairs(&s)
		case cloud && n == 1:
			s.Options = append(s.Options, Option{"cloudFiles.format", q.value(), at})
		case n == 0:
			s.Path = q.value()
		}
		n++
		q.skip()
		if q.at == start {
			q.at++
		}
	}
	return s
}

// set keeps an argument of read_files.
func (s *Stream) set(o Option) {
	if strings.EqualFold(o.Name, "schema") {
		s.Schema, s.HasSchema = o.Value, true
		return
	}
	s.Options = append(s.Options, o)
}

// pairs reads key, value, key, value.
func (q *query) pairs(s *Stream) {
	for q.at < len(q.tokens) && !q.sign(0, ")") {
		at := Place{q.cell, q.tokens[q.at].line}
		key := q.value()
		q.skip()
		value := q.value()
		q.skip()
		s.set(Option{key, value, at})
	}
	q.at++
}

// value reads a literal; anything else is a place-holder.
func (q *query) value() string {
	if q.at >= len(q.tokens) || q.sign(0, ")") || q.sign(0, ",") {
		return ""
	}
	t := q.tokens[q.at]
	q.at++
	switch {
	case t.kind == text || t.kind == number:
		return t.body
	case t.kind == word && (strings.EqualFold(t.body, "true") || strings.EqualFold(t.body, "false")):
		return strings.ToLower(t.body)
	case t.kind == word:
		return value{name: t.body}.put()
	case t.body == "-" && q.at < len(q.tokens) && q.tokens[q.at].kind == number:
		q.at++
		return "-" + q.tokens[q.at-1].body
	}
	return value{}.put()
}

// skip steps behind the next comma at this depth, or to the bracket that closes.
func (q *query) skip() {
	depth := 0
	for ; q.at < len(q.tokens); q.at++ {
		switch {
		case q.sign(0, "("):
			depth++
		case q.sign(0, ")") && depth == 0:
			return
		case q.sign(0, ")"):
			depth--
		case q.sign(0, ",") && depth == 0:
			q.at++
			return
		}
	}
}

// scanSQL cuts SQL into tokens.
func scanSQL(src string, line int) []token {
	var out []token
	for src != "" {
		c, size := utf8.DecodeRuneInString(src)
		t := token{line: line, kind: sign}
		switch {
		case strings.HasPrefix(src, "--"):
			size = lineLength(src)
			t.kind = endOfLine
		case strings.HasPrefix(src, "/*"):
			if size = strings.Index(src, "*/") + 2; size < 4 {
				size = len(src)
			}
			t.kind = endOfLine
		case unicode.IsSpace(c):
			t.kind = endOfLine
		case c == '\'' || c == '"' || c == '`':
			t.kind = text
			if c == '`' {
				t.kind = word
			}
			t.body, size = quotedSQL(src, byte(c))
		case c == '_' || unicode.IsLetter(c):
			size = spanOf(src, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
			t.kind, t.body = word, src[:size]
		case c >= '0' && c <= '9':
			size = spanOf(src, func(r rune) bool { return r == '.' || unicode.IsDigit(r) })
			t.kind, t.body = number, src[:size]
		case strings.HasPrefix(src, "=>"):
			size = 2
			t.body = "=>"
		case strings.HasPrefix(src, "${"):
			if size = strings.IndexByte(src, '}') + 1; size == 0 {
				size = len(src)
			}
			t.kind, t.body = text, src[:size]
		default:
			t.body = src[:size]
		}
		line += strings.Count(src[:size], "\n")
		if src = src[size:]; t.kind != endOfLine {
			out = append(out, t)
		}
	}
	return out
}

// quotedSQL is the value of a quoted text at the start of src, and its length.
// A doubled quote stands for one, and so does one behind a backslash.
func quotedSQL(src string, quote byte) (body string, size int) {
	var b strings.Builder
	for i := 1; i < len(src); i++ {
		switch {
		case src[i] == '\\' && quote != '`' && i+1 < len(src):
			i++
			b.WriteString(unescape(src[i-1 : i+1]))
		case src[i] == quote && i+1 < len(src) && src[i+1] == quote:
			i++
			b.WriteByte(quote)
		case src[i] == quote:
			return b.String(), i + 1
		default:
			b.WriteByte(src[i])
		}
	}
	return b.String(), len(src)
}
