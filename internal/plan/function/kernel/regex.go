package kernel

import (
	"fmt"
	"regexp/syntax"
	"strings"
)

// space is the characters that Java's \s knows, within brackets.
const space = `\t\n\x0b\f\r `

// classes are the escapes that mean sets of characters in Java and something
// else, or nothing, in RE2; within brackets they stand as they are.
func classes(c byte) (string, bool) {
	switch c {
	case 's':
		return space, true
	case 'h':
		return ` \t\x{a0}\x{1680}\x{180e}\x{2000}-\x{200a}\x{202f}\x{205f}\x{3000}`, true
	case 'v':
		return `\n\x0b\f\r\x{85}\x{2028}\x{2029}`, true
	}
	return "", false
}

// posix maps the names of Java's ASCII classes to RE2's.
func posix(name string) (string, bool) {
	switch name {
	case "Lower", "Upper", "ASCII", "Alpha", "Digit", "Alnum", "Punct", "Graph", "Print", "Blank", "Cntrl", "XDigit", "Space":
		return "[:" + strings.ToLower(name) + ":]", true
	}
	return "", false
}

// regexReader rewrites a regular expression of Java as one of RE2.
type regexReader struct {
	text    string
	at      int
	out     strings.Builder
	inClass bool
	dotAll  bool
}

func translateRegex(java string) (any, error) { return Regex(java) }

// Regex writes a regular expression of Java for RE2. What RE2 cannot do is an
// error: looking around, references to groups, possessive repetition, and
// classes that hold others.
func Regex(java string) (string, error) {
	r := regexReader{text: java}
	for r.at < len(r.text) {
		if err := r.step(); err != nil {
			return "", fmt.Errorf("regular expression %q: %w", java, err)
		}
	}
	if _, err := syntax.Parse(r.out.String(), syntax.Perl); err != nil {
		return "", fmt.Errorf("regular expression %q: %w", java, err)
	}
	return r.out.String(), nil
}

func (r *regexReader) rest() string { return r.text[r.at:] }

// take writes n bytes as something else.
func (r *regexReader) take(n int, as string) error {
	r.at += n
	r.out.WriteString(as)
	return nil
}

func (r *regexReader) step() error {
	switch c := r.text[r.at]; {
	case c == '\\':
		return r.escaped()
	case r.inClass:
		return r.inside(c)
	case c == '[':
		r.inClass = true
		if strings.HasPrefix(r.rest(), "[^") {
			return r.take(2, "[^")
		}
		return r.take(1, "[")
	case c == '.' && !r.dotAll:
		return r.take(1, `[^\n\r\x{85}\x{2028}\x{2029}]`)
	case strings.HasPrefix(r.rest(), "(?"):
		return r.group()
	case strings.IndexByte("*+?}", c) >= 0 && strings.HasPrefix(r.text[r.at+1:], "+"):
		return fmt.Errorf("found the possessive %s, want a repetition that can give back", r.text[r.at:r.at+2])
	}
	return r.take(1, r.text[r.at:r.at+1])
}

func (r *regexReader) inside(c byte) error {
	switch {
	case c == '[':
		return fmt.Errorf("found [ in a class, want \\[ or a class of its own")
	case strings.HasPrefix(r.rest(), "&&"):
		return fmt.Errorf("found && in a class, want the characters themselves")
	case c == ']':
		r.inClass = false
	}
	return r.take(1, string(c))
}

// group begins with a question mark.
func (r *regexReader) group() error {
	rest := r.rest()
	for _, p := range []string{"(?=", "(?!", "(?<=", "(?<!", "(?>"} {
		if strings.HasPrefix(rest, p) {
			return fmt.Errorf("found %s, which looks around; want a group around what is meant", p)
		}
	}
	if strings.HasPrefix(rest, "(?<") {
		return r.take(len("(?<"), "(?P<")
	}
	if flags, _, ok := strings.Cut(rest[2:], ")"); ok && strings.Contains(strings.SplitN(flags, ":", 2)[0], "s") {
		r.dotAll = true
	}
	return r.take(2, "(?")
}

// escaped is what stands behind a backslash.
func (r *regexReader) escaped() error {
	rest := r.rest()
	if len(rest) < 2 {
		return fmt.Errorf("found a backslash at the end, want what it escapes")
	}
	c := rest[1]
	if set, ok := classes(c); ok {
		return r.take(2, r.bracketed(set))
	}
	switch {
	case c >= '1' && c <= '9' && !r.inClass:
		return fmt.Errorf("found %s, which repeats a group; want what it matches", rest[:2])
	case c == 'G' || c == 'X' || c == 'k':
		return fmt.Errorf("found %s, want something that can be matched from left to right", rest[:2])
	case c == 'S' && !r.inClass:
		return r.take(2, "[^"+space+"]")
	case c == 'Z':
		return r.take(2, `(?:\n?\z)`)
	case c == 'R':
		return r.take(2, `(?:\r\n|[\n-\r\x{85}\x{2028}\x{2029}])`)
	case c == 'e':
		return r.take(2, `\x1b`)
	case c == 'u' && len(rest) >= 6:
		return r.take(6, `\x{`+rest[2:6]+`}`)
	case c == 'Q':
		end := strings.Index(rest, `\E`)
		if end < 0 {
			return r.take(len(rest), rest)
		}
		return r.take(end+2, rest[:end+2])
	case (c == 'p' || c == 'P') && len(rest) > 2 && rest[2] == '{':
		return r.property(rest)
	case c == ' ' || c == '"' || c == '\'' || c == '#' || c == '<' || c == '>' || c == '=' || c == '@' || c == '`' || c == '~':
		return r.take(2, string(c))
	}
	return r.take(2, rest[:2])
}

func (r *regexReader) bracketed(set string) string {
	if r.inClass {
		return set
	}
	return "[" + set + "]"
}

// property is \p{…} or \P{…}.
func (r *regexReader) property(rest string) error {
	end := strings.IndexByte(rest, '}')
	if end < 0 {
		return fmt.Errorf("found %q, want } behind it", rest)
	}
	name := strings.TrimPrefix(rest[3:end], "Is")
	if set, ok := posix(name); ok {
		if rest[1] == 'P' {
			set = strings.Replace(set, "[:", "[:^", 1)
		}
		return r.take(end+1, r.bracketed(set))
	}
	switch name {
	case "Alphabetic":
		name = "L"
	case "Lowercase":
		name = "Ll"
	case "Uppercase":
		name = "Lu"
	}
	return r.take(end+1, rest[:3]+name+"}")
}

func translateReplacement(java string) (any, error) { return Replacement(java) }

// Replacement writes a replacement of Java for RE2: $1 becomes \1.
func Replacement(java string) (string, error) {
	var out strings.Builder
	literal := func(c byte) {
		if c == '\\' {
			out.WriteByte('\\')
		}
		out.WriteByte(c)
	}
	for i := 0; i < len(java); i++ {
		switch c := java[i]; {
		case c == '\\' && i+1 < len(java):
			i++
			literal(java[i])
		case c == '$' && i+1 < len(java) && java[i+1] >= '0' && java[i+1] <= '9':
			i++
			out.WriteString(`\` + java[i:i+1])
		case c == '\\' || c == '$':
			return "", fmt.Errorf("replacement %q: found %c, want \\%c or the number of a group behind it", java, c, c)
		default:
			literal(c)
		}
	}
	return out.String(), nil
}
