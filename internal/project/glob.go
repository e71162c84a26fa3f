package project

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Glob is a pattern as Hadoop writes them: * and ? within one path element,
// [a-b] and [^a-b], {a,b}, and \ before a character that stands for itself.
type Glob struct {
	whole, under *regexp.Regexp
}

// ParseGlob reads a pattern.
func ParseGlob(pattern string) (Glob, error) {
	text, err := globToRegexp(pattern)
	if err != nil {
		return Glob{}, fmt.Errorf("glob %q: %w", pattern, err)
	}
	whole, err := regexp.Compile(`^(?s:` + text + `)$`)
	if err != nil {
		return Glob{}, fmt.Errorf("glob %q is not understood", pattern)
	}
	under, err := regexp.Compile(`^(?s:` + text + `)(?:/|$)`)
	if err != nil {
		return Glob{}, fmt.Errorf("glob %q is not understood", pattern)
	}
	return Glob{whole, under}, nil
}

// Match reports whether the pattern takes all of s.
func (g Glob) Match(s string) bool { return g.whole.MatchString(s) }

// MatchUnder reports whether the pattern takes the path or a folder it is in.
func (g Glob) MatchUnder(path string) bool { return g.under.MatchString(path) }

func globToRegexp(pattern string) (string, error) {
	var b strings.Builder
	curly := 0
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '*':
			b.WriteString(`[^/]*`)
		case r == '?':
			b.WriteString(`[^/]`)
		case r == '[':
			n, class, err := globClass(runes[i:])
			if err != nil {
				return "", err
			}
			b.WriteString(class)
			i += n - 1
		case r == '{':
			curly++
			b.WriteString(`(?:`)
		case r == '}' && curly > 0:
			curly--
			b.WriteString(`)`)
		case r == ',' && curly > 0:
			b.WriteString(`|`)
		case r == '\\':
			if i++; i == len(runes) {
				return "", errors.New(`nothing follows \`)
			}
			b.WriteString(regexp.QuoteMeta(string(runes[i])))
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	if curly > 0 {
		return "", errors.New("{ is not closed")
	}
	return b.String(), nil
}

// globClass reads a character class and returns its length.
func globClass(runes []rune) (n int, class string, err error) {
	var b strings.Builder
	b.WriteString(`[`)
	i := 1
	if i < len(runes) && (runes[i] == '^' || runes[i] == '!') {
		b.WriteString(`^/`)
		i++
	}
	for first := i; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == ']' && i > first:
			return i + 1, b.String() + `]`, nil
		case r == '-' && i > first && i+1 < len(runes) && runes[i+1] != ']':
			b.WriteByte('-')
		case r == '\\' && i+1 < len(runes):
			i++
			b.WriteString(classQuote(runes[i]))
		default:
			b.WriteString(classQuote(r))
		}
	}
	return 0, "", errors.New("[ is not closed")
}

func classQuote(r rune) string {
	if strings.ContainsRune(`\]^[-&~`, r) {
		return `\` + string(r)
	}
	return string(r)
}

// SplitGlob divides a source's path into the folder to list and the pattern
// that paths below it must match, "" if the path has none.
func SplitGlob(path string) (folder, pattern string) {
	at := strings.IndexAny(path, `*?[{`)
	if at < 0 {
		return path, ""
	}
	slash := strings.LastIndexByte(path[:at], '/')
	if slash == 0 {
		return "/", path[1:]
	}
	return path[:max(slash, 0)], path[slash+1:]
}
