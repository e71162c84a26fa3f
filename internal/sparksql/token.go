package sparksql

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"landfall/internal/diag"
)

// Kind is what a token is.
type Kind uint8

// The kinds of tokens. Only a Word can be a keyword.
const (
	End    Kind = iota // the end of the text
	Word               // a name or a keyword without quotes
	Quoted             // `a name`
	String             // 'text' or "text"
	Number             // 12, 1.5e3, 10L
	Marker             // :name
	Symbol             // an operator or a mark
)

// Token is a piece of a text. Text is its meaning: a name without its backticks, the
// characters of a string, else what is written.
type Token struct {
	Range
	Kind Kind
	Text string
}

// Is reports whether a token is one of some keywords, in any casing, or marks.
func (t Token) Is(words ...string) bool {
	if t.Kind != Word && t.Kind != Symbol {
		return false
	}
	for _, w := range words {
		if strings.EqualFold(t.Text, w) {
			return true
		}
	}
	return false
}

// among reports whether a word is one of a text of words with spaces around them.
func (t Token) among(words string) bool {
	return t.Kind == Word && strings.Contains(words, " "+strings.ToUpper(t.Text)+" ")
}

// Describe names a token for a message.
func (t Token) Describe() string {
	switch t.Kind {
	case End:
		return "the end of the text"
	case String:
		return "the text " + diag.Quote(t.Text)
	case Quoted:
		return "`" + diag.Excerpt([]byte(t.Text)) + "`"
	case Marker:
		return ":" + t.Text
	default:
		return diag.Quote(t.Text)
	}
}

// mostProblems is how many are told of before the rest of a text is left unread.
const mostProblems = 20

// scanner cuts a text into tokens.
type scanner struct {
	file     *File
	text     string
	at       int
	problems diag.List
}

// Lex cuts a text into tokens; the last one is End. Comments are left out. The error is
// a diag.List or *diag.Diagnostic; the tokens are whole also then.
func Lex(f *File) ([]Token, error) {
	s := &scanner{file: f, text: f.Text}
	if strings.HasPrefix(s.text, "\ufeff") {
		s.at = len("\ufeff")
	}
	var tokens []Token
	for {
		s.space()
		t := s.next()
		tokens = append(tokens, t)
		if len(s.problems) == mostProblems {
			s.at = len(s.text)
		}
		if t.Kind == End {
			return tokens, s.problems.Err()
		}
	}
}

func (s *scanner) problem(at int, format string, args ...any) *diag.Diagnostic {
	d := s.file.Problem(diag.SQLSyntax, Pos(at), format, args...)
	s.problems.Add(d)
	return d
}

// space passes over white space and comments.
func (s *scanner) space() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r) || r == '\u200b':
			s.at += size
		case strings.HasPrefix(rest, "--"):
			line, _, _ := strings.Cut(rest, "\n")
			s.at += len(line)
		case strings.HasPrefix(rest, "/*"):
			s.block()
		default:
			return
		}
	}
}

// block passes over a comment between marks, which may hold others.
func (s *scanner) block() {
	begun, depth := s.at, 0
	for s.at < len(s.text) {
		switch rest := s.text[s.at:]; {
		case strings.HasPrefix(rest, "/*"):
			depth++
			s.at += 2
		case strings.HasPrefix(rest, "*/"):
			depth--
			s.at += 2
			if depth == 0 {
				return
			}
		default:
			s.at++
		}
	}
	s.problem(begun, "comment: found no end, want */").Hint = "close the comment that begins here"
}

func (s *scanner) next() Token {
	begun := s.at
	if s.at >= len(s.text) {
		return Token{Range: Range{Pos(begun), Pos(begun)}, Kind: End}
	}
	t := s.token()
	t.Range = Range{Pos(begun), Pos(s.at)}
	return t
}

func (s *scanner) token() Token {
	c := s.text[s.at]
	raw := (c == 'r' || c == 'R') && s.at+1 < len(s.text) && (s.text[s.at+1] == '\'' || s.text[s.at+1] == '"')
	switch {
	case c == '`':
		return Token{Kind: Quoted, Text: s.backticks()}
	case c == '\'' || c == '"':
		return Token{Kind: String, Text: s.quoted(false)}
	case raw:
		s.at++
		return Token{Kind: String, Text: s.quoted(true)}
	case digit(c) && s.digitWord():
		return Token{Kind: Word, Text: s.word()}
	case digit(c) || c == '.' && s.at+1 < len(s.text) && digit(s.text[s.at+1]) && !s.afterName():
		return Token{Kind: Number, Text: s.number()}
	case c == ':' && s.at+1 < len(s.text) && letter(rune(s.text[s.at+1])) && !s.afterValue():
		s.at++
		return Token{Kind: Marker, Text: s.word()}
	}
	if r, _ := utf8.DecodeRuneInString(s.text[s.at:]); letter(r) {
		return Token{Kind: Word, Text: s.word()}
	}
	return Token{Kind: Symbol, Text: s.symbol()}
}

// before is the byte before the token, 0 at the beginning.
func (s *scanner) before() byte {
	if s.at == 0 {
		return 0
	}
	return s.text[s.at-1]
}

// afterName reports that a point is behind a name or a closing mark: it leads to a part.
func (s *scanner) afterName() bool {
	b := s.before()
	return letter(rune(b)) || digit(b) || b == '`' || b == ')' || b == ']'
}

// afterValue reports that a colon is behind a value: it leads into its JSON.
func (s *scanner) afterValue() bool {
	return s.afterName() || s.before() == '\'' || s.before() == ':'
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(r rune) bool { return r == '_' || unicode.IsLetter(r) }

func (s *scanner) word() string {
	begun := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if !letter(r) && !unicode.IsDigit(r) && r != '$' && !unicode.IsMark(r) {
			break
		}
		s.at += size
	}
	return s.text[begun:s.at]
}

func (s *scanner) backticks() string {
	begun := s.at
	var out strings.Builder
	for s.at++; s.at < len(s.text); s.at++ {
		if s.text[s.at] != '`' {
			out.WriteByte(s.text[s.at])
			continue
		}
		if s.at+1 < len(s.text) && s.text[s.at+1] == '`' {
			s.at++
			out.WriteByte('`')
			continue
		}
		s.at++
		return out.String()
	}
	s.problem(begun, "name: found no end, want `").Hint = "close the name that begins here"
	return out.String()
}

// quoted reads a text between quotes, with Spark's escapes unless it is raw. A quote
// that is doubled is one of the text.
func (s *scanner) quoted(raw bool) string {
	begun, quote := s.at, s.text[s.at]
	var out strings.Builder
	for s.at++; s.at < len(s.text); {
		c := s.text[s.at]
		switch {
		case c == quote && s.at+1 < len(s.text) && s.text[s.at+1] == quote && !raw:
			out.WriteByte(quote)
			s.at += 2
		case c == quote:
			s.at++
			return out.String()
		case c == '\\' && !raw && s.at+1 < len(s.text):
			s.escape(&out)
		default:
			out.WriteByte(c)
			s.at++
		}
	}
	s.problem(begun, "text: found no end, want %c", quote).Hint = "close the text that begins here"
	return out.String()
}

// escape reads what a backslash begins. \% and \_ stay as they are, for LIKE; of any
// other character the backslash goes.
func (s *scanner) escape(out *strings.Builder) {
	c := s.text[s.at+1]
	simple := map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', '0': 0, 'Z': 26}
	if width := map[byte]int{'u': 4, 'U': 8}[c]; width > 0 {
		if r, ok := hexadecimal(s.text, s.at+2, width); ok {
			out.WriteRune(r)
			s.at += 2 + width
			return
		}
	}
	if r, ok := octal(s.text, s.at+1); ok {
		out.WriteRune(r)
		s.at += 4
		return
	}
	s.at += 2
	if b, ok := simple[c]; ok {
		out.WriteByte(b)
		return
	}
	if c == '%' || c == '_' {
		out.WriteByte('\\')
	}
	out.WriteByte(c)
}

func hexadecimal(text string, at, width int) (rune, bool) {
	if at+width > len(text) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(text[at : at+width]) {
		d := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit(c) {
			d = int(c - '0')
		}
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d) //nolint:gosec // 0 to 15
	}
	return r, true
}

// octal reads three digits, as in \001.
func octal(text string, at int) (rune, bool) {
	if at+3 > len(text) || text[at] > '1' {
		return 0, false
	}
	var r rune
	for _, c := range []byte(text[at : at+3]) {
		if c < '0' || c > '7' {
			return 0, false
		}
		r = r<<3 | rune(c-'0')
	}
	return r, true
}

// digitWord reports that a name begins with digits, as 12m_payer does: one that is no number
// with the letters of a type or an exponent.
func (s *scanner) digitWord() bool {
	end := s.at
	for end < len(s.text) && digit(s.text[end]) {
		end++
	}
	begun := end
	for end < len(s.text) && (letter(rune(s.text[end])) || digit(s.text[end])) {
		end++
	}
	rest := strings.ToUpper(s.text[begun:end])
	if strings.HasPrefix(rest, "E") && (s.exponentAt(begun) || rest == "E") {
		rest = strings.TrimLeft(rest[1:], "0123456789")
	}
	switch rest {
	case "", "L", "S", "Y", "F", "D", "BD":
		return false
	}
	return true
}

// number reads digits, a point, an exponent, and the letters that say a type.
func (s *scanner) number() string {
	begun := s.at
	s.digits()
	if s.at < len(s.text) && s.text[s.at] == '.' && (s.at+1 >= len(s.text) || !letter(rune(s.text[s.at+1])) || s.exponentAt(s.at+1)) {
		s.at++
		s.digits()
	}
	if s.exponentAt(s.at) {
		s.at += 2
		s.digits()
	}
	for s.at < len(s.text) && (letter(rune(s.text[s.at])) || digit(s.text[s.at])) {
		s.at++
	}
	return s.text[begun:s.at]
}

// exponentAt reports whether an exponent begins at a byte: e5, E-5.
func (s *scanner) exponentAt(at int) bool {
	if at+1 >= len(s.text) || s.text[at]|0x20 != 'e' {
		return false
	}
	c := s.text[at+1]
	return digit(c) || (c == '-' || c == '+') && at+2 < len(s.text) && digit(s.text[at+2])
}

func (s *scanner) digits() {
	for s.at < len(s.text) && digit(s.text[s.at]) {
		s.at++
	}
}

func (s *scanner) symbol() string {
	rest := s.text[s.at:]
	// Marks of more than one character, longer ones first. Those of >> are apart, since
	// types end so.
	for _, m := range [...]string{"<=>", "::", "=>", "->", "<=", ">=", "<>", "!=", "==", "||", "<<", "|>"} {
		if strings.HasPrefix(rest, m) {
			s.at += len(m)
			return m
		}
	}
	r, size := utf8.DecodeRuneInString(rest)
	s.at += size
	if !strings.ContainsRune("()[]{},.;:+-*/%<>=!~&|^?@$", r) {
		s.problem(s.at-size, "found %s, which begins no word of SQL", diag.Quote(rest[:size])).Hint = "take it out, or write it in quotes"
	}
	return rest[:size]
}
