package supply

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"landfall/internal/inspect"
)

// pattern is a path with wildcards as Hadoop writes them.
type pattern struct {
	text string
	// prefix is what all matches begin with.
	prefix string
	match  *regexp.Regexp
}

// Literal writes a path as a pattern that matches it alone.
func Literal(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`, `,`, `\,`).Replace(path)
}

func literal(path string) pattern {
	return pattern{path, path, regexp.MustCompile("^" + regexp.QuoteMeta(path) + "$")}
}

// below matches all files of a folder and of those in it.
func below(folder string) pattern {
	return pattern{folder + "/**", folder + "/", regexp.MustCompile("^" + regexp.QuoteMeta(folder) + "/.+$")}
}

// compile reads a pattern: * and ? within a name, ** over folders, also none, sets and
// alternatives; \ before a character that stands for itself.
func compile(text string) (pattern, error) {
	var b strings.Builder
	b.WriteString("^")
	depth := 0
	for rest := text; rest != ""; {
		n, expr, err := token(rest, &depth)
		if err != nil {
			return pattern{}, err
		}
		b.WriteString(expr)
		rest = rest[n:]
	}
	if depth > 0 {
		return pattern{}, errors.New("{ is never closed")
	}
	match, err := regexp.Compile(b.String() + "$")
	if err != nil {
		return pattern{}, errors.New("a set of characters that is none")
	}
	prefix, _, _ := strings.Cut(text, "*")
	if i := strings.IndexAny(prefix, `?[{\`); i >= 0 {
		prefix = prefix[:i]
	}
	return pattern{text, prefix, match}, nil
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

// matches tells whether a path is one that a pattern means. The folders that the pattern
// names itself may be called anything; what lies in them is not hidden.
func matches(all []pattern, path string) bool {
	return slices.ContainsFunc(all, func(p pattern) bool {
		return p.match.MatchString(path) && !inspect.Hidden(path[strings.LastIndexByte(p.prefix, '/')+1:])
	})
}

// prefixes are the least that has to be listed to find all matches.
func prefixes(all []pattern) []string {
	var out []string
	for _, p := range all {
		out = append(out, p.prefix)
	}
	slices.Sort(out)
	var least []string
	for _, p := range out {
		if len(least) == 0 || !strings.HasPrefix(p, least[len(least)-1]) {
			least = append(least, p)
		}
	}
	return least
}
