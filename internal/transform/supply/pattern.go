package supply

import (
	"regexp"
	"slices"
	"strings"

	"landfall/internal/flow/dataset"
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

// compile reads a pattern.
func compile(text string) (pattern, error) {
	match, err := dataset.Glob(text)
	if err != nil {
		return pattern{}, err
	}
	prefix, _, _ := strings.Cut(text, "*")
	if i := strings.IndexAny(prefix, `?[{\`); i >= 0 {
		prefix = prefix[:i]
	}
	return pattern{text, prefix, match}, nil
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
