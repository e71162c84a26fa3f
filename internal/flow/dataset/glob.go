package dataset

import (
	"errors"
	"regexp"
	"strings"
)

// Glob reads a pattern of paths, as Hadoop writes them: * and ? within a name, ** over
// folders, also none, sets and alternatives; \ before a character that stands for itself.
// What it returns matches whole paths with slashes. The error says what is wrong.
func Glob(text string) (*regexp.Regexp, error) {
	var b strings.Builder
	b.WriteString("^")
	depth := 0
	for rest := text; rest != ""; {
		n, expr, err := token(rest, &depth)
		if err != nil {
			return nil, err
		}
		b.WriteString(expr)
		rest = rest[n:]
	}
	if depth > 0 {
		return nil, errors.New("{ is never closed")
	}
	match, err := regexp.Compile(b.String() + "$")
	if err != nil {
		return nil, errors.New("a set of characters that is none")
	}
	return match, nil
}

// token is the first part of a pattern: how long it is, and as a regular expression.
// depth counts the braces that are open.
func token(rest string, depth *int) (int, string, error) {
	switch {
	case strings.HasPrefix(rest, "**/"):
		return 3, "(?:.*/)?", nil
	case strings.HasPrefix(rest, "**"):
		return 2, ".*", nil
	}
	switch rest[0] {
	case '*':
		return 1, "[^/]*", nil
	case '?':
		return 1, "[^/]", nil
	case '[':
		return set(rest)
	case '{':
		*depth++
		return 1, "(?:", nil
	case '}':
		if *depth > 0 {
			*depth--
			return 1, ")", nil
		}
	case ',':
		if *depth > 0 {
			return 1, "|", nil
		}
	case '\\':
		if len(rest) == 1 {
			return 0, "", errors.New(`\ with nothing behind it`)
		}
		_, size := firstRune(rest[1:])
		return 1 + size, regexp.QuoteMeta(rest[1 : 1+size]), nil
	}
	_, size := firstRune(rest)
	return size, regexp.QuoteMeta(rest[:size]), nil
}

func firstRune(s string) (rune, int) {
	for i, r := range s {
		if i > 0 {
			return r, i
		}
	}
	return 0, len(s)
}

// set is a set of characters: [abc], [a-c], [!abc] or [^abc].
func set(rest string) (int, string, error) {
	end := strings.IndexByte(rest, ']')
	if end < 2 {
		return 0, "", errors.New("[ is never closed, or holds nothing")
	}
	inner := rest[1:end]
	not := ""
	if inner[0] == '!' || inner[0] == '^' {
		not, inner = "^/", inner[1:]
	}
	if inner == "" {
		return 0, "", errors.New("a set without characters")
	}
	return end + 1, "[" + not + strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`).Replace(inner) + "]", nil
}
