package notebook

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a token is.
type kind uint8

const (
	endOfLine kind = iota // of a logical line, or of the text
	word                  // a name or keyword
	number
	text // a string; body is what stands between the quotes
	sign // an operator or bracket
)

// token is a token of Python.
type token struct {
	kind kind
	body string
	// raw and formatted are the prefixes r and f of a string; bytes is b.
	raw, formatted, bytes bool
	line                  int
	// indent is the column of the first token of a logical line.
	indent int
}

// scanner cuts Python source into tokens. It never fails: what is no Python
// gives tokens that no stream has.
type scanner struct {
	src  string
	at   int
	line int
	// open are the brackets that wait for another one.
	open   []token
	out    []token
	faults []fault
}

// fault is why a text is no Python, and the line where it shows.
type fault struct {
	line int
	what string
}

// separator begins the line between two cells of the source that Databricks
// exports. No bracket is open across it.
const separator = "# COMMAND ----------"

// scan returns the tokens of a text whose first line has the number line, and what
// is wrong with its brackets and quotes.
func scan(src string, line int) ([]token, []fault) {
	s := &scanner{src: src, line: line}
	for s.at < len(s.src) {
		s.token()
	}
	s.endCell()
	return s.out, s.faults
}

// endCell ends a cell, and with it what is open.
func (s *scanner) endCell() {
	for _, t := range s.open {
		s.fault(t.line, "%s is never closed", t.body)
	}
	s.open = s.open[:0]
	s.end()
}

func (s *scanner) fault(line int, format string, args ...any) {
	s.faults = append(s.faults, fault{line, fmt.Sprintf(format, args...)})
}

// end ends a logical line.
func (s *scanner) end() {
	if n := len(s.out); n > 0 && s.out[n-1].kind != endOfLine {
		s.out = append(s.out, token{kind: endOfLine, line: s.line})
	}
}

func (s *scanner) add(t token) {
	if n := len(s.out); n == 0 || s.out[n-1].kind == endOfLine {
		t.indent = s.column()
	}
	s.out = append(s.out, t)
}

// column is the place of the scanner in its line.
func (s *scanner) column() int { return s.at - 1 - strings.LastIndexByte(s.src[:s.at], '\n') }

func (s *scanner) token() {
	c, size := utf8.DecodeRuneInString(s.src[s.at:])
	switch {
	case c == '\n':
		if len(s.open) == 0 {
			s.end()
		}
		s.at++
		s.line++
	case c == '\\' && strings.HasPrefix(strings.TrimLeft(s.src[s.at+1:], "\r"), "\n"):
		s.at += 1 + strings.IndexByte(s.src[s.at+1:], '\n') + 1
		s.line++
	case c == '#':
		if s.column() == 0 && strings.HasPrefix(s.src[s.at:], separator) {
			s.endCell()
		}
		s.at += lineLength(s.src[s.at:])
	case c == ';' && len(s.open) == 0:
		s.end()
		s.at++
	case c == '"' || c == '\'':
		s.text("")
	case c == '_' || unicode.IsLetter(c):
		s.word()
	case c >= '0' && c <= '9':
		n := spanOf(s.src[s.at:], func(r rune) bool { return r == '.' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
		s.add(token{kind: number, body: s.src[s.at : s.at+n], line: s.line})
		s.at += n
	case unicode.IsSpace(c) || c == utf8.RuneError || c == '\ufeff':
		s.at += size
	default:
		s.sign(size)
	}
}

func (s *scanner) sign(size int) {
	for _, two := range []string{"**", "->", ":=", "==", "!=", "<=", ">=", "//", "<<", ">>", "+="} {
		if strings.HasPrefix(s.src[s.at:], two) {
			size = len(two)
			break
		}
	}
	t := token{kind: sign, body: s.src[s.at : s.at+size], line: s.line}
	s.add(t)
	s.at += size
	switch t.body {
	case "(", "[", "{":
		s.open = append(s.open, t)
	case ")", "]", "}":
		s.close(t)
	}
}

// close takes the bracket away that another one closes.
func (s *scanner) close(t token) {
	n := len(s.open)
	if n == 0 {
		s.fault(t.line, "%s closes nothing", t.body)
		return
	}
	if opened := s.open[n-1]; opened.body+t.body != "()" && opened.body+t.body != "[]" && opened.body+t.body != "{}" {
		s.fault(t.line, "%s does not close the %s of line %d", t.body, opened.body, opened.line)
	}
	s.open = s.open[:n-1]
}

// word reads a name, or the prefix of a string and the string.
func (s *scanner) word() {
	n := spanOf(s.src[s.at:], func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) })
	name := s.src[s.at : s.at+n]
	if next := s.at + n; next < len(s.src) && (s.src[next] == '"' || s.src[next] == '\'') && n <= 2 && strings.Trim(strings.ToLower(name), "rbfut") == "" {
		s.text(strings.ToLower(name))
		return
	}
	s.add(token{kind: word, body: name, line: s.line})
	s.at += n
}

// text reads a string with its prefix.
func (s *scanner) text(prefix string) {
	t := token{
		kind: text, line: s.line, raw: strings.Contains(prefix, "r"), bytes: strings.Contains(prefix, "b"),
		formatted: strings.ContainsAny(prefix, "ft"),
	}
	start := s.at + len(prefix)
	quote := s.src[start : start+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(s.src[start:], triple) {
		quote = triple
	}
	from := start + len(quote)
	n, closed := textLength(s.src[from:], quote, t.formatted)
	t.body = s.src[from : from+n]
	s.add(t)
	s.line += strings.Count(t.body, "\n")
	s.at = from + n
	if closed {
		s.at += len(quote)
	} else {
		s.fault(t.line, "the text after %s is never closed", quote)
		s.open = s.open[:0] // what closes them may be in the text
	}
}

// textLength is the length of a string's body up to its closing quote. Within
// the braces of a formatted one a quote opens a string of its own.
func textLength(src, quote string, formatted bool) (n int, closed bool) {
	braces := 0
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\':
			i++
		case c == '\n' && len(quote) == 1:
			return i, false
		case braces == 0 && strings.HasPrefix(src[i:], quote):
			return i, true
		case braces > 0 && (c == '"' || c == '\''):
			inner, _ := textLength(src[i+1:], src[i:i+1], false)
			i += inner + 1
		case formatted && strings.HasPrefix(src[i:], "{{") && braces == 0:
			i++
		case formatted && c == '{':
			braces++
		case formatted && c == '}':
			braces = max(braces-1, 0)
		}
	}
	return len(src), false
}

// spanOf is the length of the characters at the start of s that are in a set.
func spanOf(s string, in func(rune) bool) int {
	if n := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); n >= 0 {
		return n
	}
	return len(s)
}

// lineLength is the length of the first line of s, without its end.
func lineLength(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}
