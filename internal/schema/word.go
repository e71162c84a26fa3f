package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"landfall/internal/diag"
)

// DDLError is a mistake in DDL that somebody wrote.
type DDLError struct {
	// At is the 1-based character of the text at which the mistake stands.
	At int
	// Message says what was found there and what was wanted.
	Message string
}

// Error says where the mistake is, and what.
func (e *DDLError) Error() string { return "character " + strconv.Itoa(e.At) + ": " + e.Message }

// ddl is a cursor over DDL text.
type ddl struct {
	text string
	// at is the byte that is read next, start the first of the last word.
	at, start int
}

// failf is a mistake at a byte of the text.
func (p *ddl) failf(at int, format string, args ...any) error {
	return &DDLError{At: utf8.RuneCountInString(p.text[:at]) + 1, Message: fmt.Sprintf(format, args...)}
}

// end is where the text ends but for space.
func (p *ddl) end() int { return len(strings.TrimRightFunc(p.text, unicode.IsSpace)) }

// found names a word in a message.
func found(word string) string {
	if word == "" {
		return "the end"
	}
	return diag.Quote(word)
}

// want reads the given word or is an error.
func (p *ddl) want(word string) error {
	if p.take(word) {
		return nil
	}
	other := p.word()
	return p.failf(p.start, "found %s, want %q", found(other), word)
}

// take reads the given word if it is next.
func (p *ddl) take(word string) bool {
	at, start := p.at, p.start
	if strings.EqualFold(p.word(), word) {
		return true
	}
	p.at, p.start = at, start
	return false
}

// peek is the next word, which stays.
func (p *ddl) peek() string {
	ahead := *p
	return ahead.word()
}

// word reads the next word, quoted name or sign; "" at the end.
func (p *ddl) word() string {
	p.space()
	p.start = p.at
	rest := p.text[p.at:]
	if rest == "" {
		p.start = p.end()
		return ""
	}
	if rest[0] == '`' {
		n := quotedLength(rest)
		p.at += n
		return rest[:n]
	}
	n := strings.IndexFunc(rest, func(r rune) bool { return !isNamePart(r) })
	switch n {
	case -1:
		n = len(rest)
	case 0:
		_, n = utf8.DecodeRuneInString(rest)
	}
	p.at += n
	return rest[:n]
}

func (p *ddl) space() {
	p.at += len(p.text[p.at:]) - len(strings.TrimLeftFunc(p.text[p.at:], unicode.IsSpace))
}

// name reads a field's name. A quoted one may hold anything, and writes a
// backtick twice.
func (p *ddl) name() (string, error) {
	if strings.HasPrefix(p.peek(), "`") {
		return p.quoted()
	}
	word := p.word()
	if first, _ := utf8.DecodeRuneInString(word); word == "" || !isNamePart(first) {
		return "", p.failf(p.start, "found %s, want a field's name", found(word))
	}
	return word, nil
}

// quoted reads the quoted name that is next.
func (p *ddl) quoted() (string, error) {
	word := p.word()
	body, closed := strings.CutSuffix(word[1:], "`")
	// One backtick more is half of a pair: the name goes on.
	if !closed || strings.Count(body, "`")%2 != 0 {
		return "", p.failf(p.start, "found a quoted name without its end, want a backtick after it")
	}
	return strings.ReplaceAll(body, "``", "`"), nil
}

// literal reads a text in quotes, and those that follow at once, as SQL has it.
func (p *ddl) literal() error {
	p.space()
	p.start = p.at
	if p.at == len(p.text) || p.text[p.at] != '\'' && p.text[p.at] != '"' {
		word := p.word()
		return p.failf(p.start, "found %s, want a text in quotes", found(word))
	}
	for p.at < len(p.text) && (p.text[p.at] == '\'' || p.text[p.at] == '"') {
		n, err := literalLength(p.text[p.at:])
		if err != nil {
			return p.failf(p.at, "%v", err)
		}
		p.at += n
	}
	return nil
}

// literalLength is the length of the quoted text that text begins with.
func literalLength(text string) (int, error) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1, nil
		}
	}
	return 0, errors.New("found a text without its end, want a quote after it")
}

// quotedLength is the length of the quoted name that text begins with.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		if text[i] != '`' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '`' {
			i++
			continue
		}
		return i + 1
	}
	return len(text)
}

func isNamePart(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// quoteName quotes a name that cannot stand bare in DDL.
func quoteName(name string) string {
	if name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !isNamePart(r) }) {
		return name
	}
	return backticked(name)
}

func backticked(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
