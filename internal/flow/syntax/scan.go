package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"landfall/internal/diag"
)

// kind is what a token is.
type kind uint8

const (
	endOfText kind = iota
	word           // a name without braces
	braced         // {a name}
	number         // 12, 1.5f, 0xff
	quoted         // 'text' or `text`
	template       // "text {expr}"
	param          // $name
	matched        // $$, $1
	variable       // #item
	arrow          // ~>
	symbol         // an operator or a mark
)

// token is a piece of a script. Text is its meaning: a name without its braces, the raw
// text between quotes, the operator.
type token struct {
	kind     kind
	at, end  Pos
	text     string
	quote    byte
	parts    []piece
	comments []Comment
	// same counts those of the comments that begin on the line of the token before.
	same int
}

// piece is a part of an interpolated text: raw text, or the tokens of an expression.
type piece struct {
	raw    string
	tokens []token
}

// scanner cuts a script into tokens.
type scanner struct {
	file     *File
	text     string
	at       int
	problems *diag.List
	// block is whether the next brace opens the block of parameters.
	block bool
	// depth counts the texts that the scanner is in, deep is whether they were too many.
	depth int
	deep  bool
}

// mostDepth bounds how deep texts, expressions and types may be nested.
const mostDepth = 100

// scan cuts the whole text. The last token is endOfText.
func scan(f *File, problems *diag.List) []token {
	s := &scanner{file: f, text: f.Text, problems: problems}
	if strings.HasPrefix(s.text, "\ufeff") {
		s.at = len("\ufeff")
	}
	var tokens []token
	for {
		t := s.next()
		tokens = append(tokens, t)
		s.block = len(tokens) == 1 && t.kind == word && t.text == "parameters"
		if t.kind == endOfText {
			return tokens
		}
	}
}

func (s *scanner) problem(at int, format string, args ...any) problem {
	d := syntaxProblem(s.file, Pos(at), format, args...)
	s.problems.Add(d)
	return problem{d}
}

// syntaxProblem is a problem of a text that is no script.
func syntaxProblem(f *File, at Pos, format string, args ...any) *diag.Diagnostic {
	return f.Problem(diag.FlowSyntax, at, format, args...)
}

// next is the next token, with the comments before it.
func (s *scanner) next() token {
	var t token
	fresh := s.at == 0
	for {
		begun := s.at
		s.at += len(s.text[s.at:]) - len(strings.TrimLeftFunc(s.text[s.at:], unicode.IsSpace))
		fresh = fresh || strings.ContainsRune(s.text[begun:s.at], '\n')
		c, ok := s.comment()
		if !ok {
			break
		}
		t.comments = append(t.comments, c)
		if !fresh {
			t.same++
		}
	}
	t.at = Pos(s.at)
	s.token(&t)
	t.end = Pos(s.at)
	return t
}

// comment reads a comment if one begins here.
func (s *scanner) comment() (Comment, bool) {
	rest := s.text[s.at:]
	switch {
	case strings.HasPrefix(rest, "//"):
		line, _, _ := strings.Cut(rest, "\n")
		s.at += len(line)
		return Comment{strings.TrimRightFunc(line, unicode.IsSpace)}, true
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			s.problem(s.at, "found a comment that is never closed").hint("end it with */")
			s.at = len(s.text)
			return Comment{rest + "*/"}, true
		}
		s.at += end + 4
		return Comment{rest[:end+4]}, true
	}
	return Comment{}, false
}

// token reads what is no comment.
func (s *scanner) token(t *token) {
	if s.at >= len(s.text) {
		t.kind = endOfText
		return
	}
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	switch {
	case r == '_' || unicode.IsLetter(r):
		t.kind, t.text = word, s.while(inWord)
	case '0' <= r && r <= '9':
		t.kind, t.text = number, s.number()
	case r == '{' && !s.block:
		s.name(t)
	case r == '\'' || r == '`':
		s.quotedText(t)
	case r == '"':
		s.template(t)
	case r == '$':
		s.dollar(t)
	case r == '#':
		s.at++
		t.kind, t.text = variable, s.while(inWord)
		if t.text == "" {
			s.problem(int(t.at), `found "#" without a name, want a variable such as #item`).hint("name the variable, or take the # away")
		}
	default:
		s.symbol(t, r, size)
	}
}

func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (s *scanner) while(in func(rune) bool) string {
	rest := s.text[s.at:]
	end := strings.IndexFunc(rest, func(r rune) bool { return !in(r) })
	if end < 0 {
		end = len(rest)
	}
	s.at += end
	return rest[:end]
}

// number reads digits with a fraction, an exponent and the letter of a type.
func (s *scanner) number() string {
	begin := s.at
	if rest := s.text[s.at:]; len(rest) > 2 && rest[0] == '0' && (rest[1] == 'x' || rest[1] == 'X') {
		s.at += 2
		s.while(func(r rune) bool { return unicode.Is(unicode.ASCII_Hex_Digit, r) })
		return s.text[begin:s.at]
	}
	digits := func() int { return len(s.while(func(r rune) bool { return '0' <= r && r <= '9' })) }
	digits()
	if s.peek(0) == '.' && '0' <= s.peek(1) && s.peek(1) <= '9' {
		s.at++
		digits()
	}
	if mark := s.at; s.peek(0) == 'e' || s.peek(0) == 'E' {
		s.at++
		if s.peek(0) == '+' || s.peek(0) == '-' {
			s.at++
		}
		if digits() == 0 {
			s.at = mark
		}
	}
	if strings.IndexByte("lLfFdD", s.peek(0)) >= 0 && !inWord(rune(s.peek(1))) {
		s.at++
	}
	return s.text[begin:s.at]
}

// peek is the byte n behind the next one, or a line feed behind the end.
func (s *scanner) peek(n int) byte {
	if s.at+n >= len(s.text) {
		return '\n'
	}
	return s.text[s.at+n]
}

// name reads a name in braces: up to the first closing brace, whatever stands before it.
func (s *scanner) name(t *token) {
	t.kind = braced
	var b strings.Builder
	for i := s.at + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '\\' && i+1 < len(s.text) && (s.text[i+1] == '}' || s.text[i+1] == '\\'):
			i++
			b.WriteByte(s.text[i])
		case c == '}':
			t.text, s.at = b.String(), i+1
			return
		case c == '\n':
			s.unclosed(t, i)
			return
		default:
			b.WriteByte(c)
		}
	}
	s.unclosed(t, len(s.text))
}

// unclosed tells of a brace that its line does not close. The name then
// ends where a type or a value begins.
func (s *scanner) unclosed(t *token, end int) {
	s.problem(int(t.at), "found { without }, want a name in braces").hint("close the name with } on its line")
	text := s.text[s.at+1 : end]
	for _, mark := range []string{" as ", ",", ")", " = ", "("} {
		text, _, _ = strings.Cut(text, mark)
	}
	t.text = strings.TrimSpace(text)
	s.at += 1 + len(text)
}

// quotedText reads a text that has no expressions in it.
func (s *scanner) quotedText(t *token) {
	t.kind, t.quote = quoted, s.text[s.at]
	begin := s.at + 1
	for i := begin; i < len(s.text); i++ {
		if s.text[i] == '\\' && t.quote == '\'' {
			i++
			continue
		}
		if s.text[i] != t.quote {
			continue
		}
		if swallowed(s.text[begin:i]) {
			break
		}
		t.text, s.at = s.text[begin:i], i+1
		return
	}
	s.neverClosed(t, begin, s.depth > 0)
}

// swallowed tells whether a text took statements into it: then a quote is missing.
func swallowed(text string) bool {
	for line := range strings.Lines(text) {
		if _, tail, ok := strings.Cut(line, ") ~> "); ok && strings.TrimFunc(tail, func(r rune) bool { return inWord(r) || unicode.IsSpace(r) }) == "" && strings.Contains(text, "\n") {
			return true
		}
	}
	return false
}

// neverClosed tells of a text without an end, and ends it with its line or, before
// that, where the rest of the line looks like the rest of a statement. Of texts within
// others only the outermost is told of, and the scan goes on behind that.
func (s *scanner) neverClosed(t *token, begin int, within bool) {
	t.parts = nil
	if within {
		t.kind, s.at = endOfText, len(s.text)
		return
	}
	quote := s.text[t.at]
	if s.deep {
		s.problem(int(t.at), "found texts within texts, want at most %d", mostDepth).hint("build the text in steps")
	} else {
		s.problem(int(t.at), "found a text that is never closed, want %c at its end", quote).
			hint("close the text; within it %c is written \\%c, and { in a text between double quotes \\{", quote, quote)
	}
	s.deep = false
	text := s.text[begin:]
	if i := strings.Index(text, ") ~>"); i >= 0 {
		text = text[:i]
	}
	// A line that ends as an argument does is taken for the whole text: what follows
	// may have problems of its own.
	line, _, more := strings.Cut(text, "\n")
	if end := strings.TrimRight(line, " \t\r"); !more || strings.HasSuffix(end, ",") || strings.HasSuffix(end, ")") {
		text = strings.TrimRight(line, ", \t\r")
	}
	t.kind, t.quote, t.text, s.at = quoted, '`', strings.ReplaceAll(text, "`", "'"), begin+len(text)
}

// template reads a text between double quotes, whose braces hold expressions.
func (s *scanner) template(t *token) {
	t.kind, t.quote = template, '"'
	begin := s.at + 1
	s.depth++
	if s.depth > mostDepth {
		s.deep = true
	}
	if s.deep || !s.templateParts(t, begin) {
		s.neverClosed(t, begin, s.depth > 1)
	}
	s.depth--
}

// templateParts reads the parts of a text up to its closing quote; false without one.
func (s *scanner) templateParts(t *token, begin int) bool {
	from := begin
	for i := begin; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '"':
			if swallowed(s.text[from:i]) {
				return false
			}
			t.parts = addRaw(t.parts, s.text[from:i])
			s.at = i + 1
			return true
		case '{':
			t.parts = addRaw(t.parts, s.text[from:i])
			s.at = i + 1
			tokens, ok := s.inner()
			if !ok {
				return false
			}
			t.parts = append(t.parts, piece{tokens: tokens})
			from, i = s.at, s.at-1
		}
	}
	return false
}

func addRaw(parts []piece, raw string) []piece {
	if raw == "" {
		return parts
	}
	return append(parts, piece{raw: raw})
}

// inner reads the tokens of an expression within a text, up to its closing brace.
func (s *scanner) inner() ([]token, bool) {
	before := len(*s.problems)
	var tokens []token
	for {
		t := s.next()
		if t.kind == endOfText || t.kind == arrow {
			*s.problems = (*s.problems)[:before] // the missing brace explains them
			return nil, false
		}
		if t.kind == symbol && t.text == "}" {
			return append(tokens, token{kind: endOfText, text: t.text, at: t.at, end: t.at, comments: t.comments, same: t.same}), true
		}
		tokens = append(tokens, t)
	}
}

// dollar reads $name, $$ or $1.
func (s *scanner) dollar(t *token) {
	s.at++
	t.kind = matched
	if s.peek(0) == '$' {
		s.at++
		t.text = "$"
		return
	}
	t.text = s.while(inWord)
	switch {
	case t.text == "":
		s.problem(int(t.at), `found "$" without a name, want a parameter such as $name`).hint("name the parameter, or write $$ for the matched column")
		t.text = "$"
	case t.text[0] < '0' || t.text[0] > '9':
		t.kind = param
	case strings.Trim(t.text, "0123456789") != "" || len(t.text) > 3:
		s.problem(int(t.at), "found $%s, want a parameter or a group such as $1", t.text).hint("begin the name of a parameter with a letter")
		t.text = "0"
	}
}

// symbol reads an operator or a mark.
func (s *scanner) symbol(t *token, r rune, size int) {
	t.kind = symbol
	rest := s.text[s.at:]
	for _, op := range []string{"===", "<=>", "~>", "->", "==", "!=", ">=", "<=", "&&", "||"} {
		if strings.HasPrefix(rest, op) {
			if op == "~>" {
				t.kind = arrow
			}
			t.text = op
			s.at += len(op)
			return
		}
	}
	s.at += size
	t.text = rest[:size]
	if !strings.ContainsRune("(){}[],:=+-*/%<>!&|^.@?", r) {
		s.problem(int(t.at), "found %s, which means nothing here", diag.Quote(t.text)).hint("take it away, or quote it if it belongs to a text or a name")
	}
}
