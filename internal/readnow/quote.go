package readnow

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"landfall/internal/diag"
)

// quoted writes a text as a string of Python. Bytes that are no UTF-8 become what
// Python's own file names have for them.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\udc%02x`, text[0])
		case r == '"' || r == '\\':
			b.WriteString(`\` + text[:n])
		case r < 0x80 && !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case !unicode.IsPrint(r) && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	b.WriteByte('"')
	return b.String()
}

// backticks quotes a name of Spark's DDL.
func backticks(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// text quotes a string of SQL, identifier a name.
func text(s string) string       { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
func identifier(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// root is where a folder is.
type root struct {
	// path is that of a local folder, url of any other; the other is "".
	path, url string
}

// rootOf tells a local folder, whose URL is escaped, from others.
func rootOf(folder string) (root, error) {
	u, err := url.Parse(folder)
	switch {
	case err != nil:
		return root{}, diag.New(diag.Usage, "%s is no URL: %v", diag.Quote(folder), err)
	case u.Scheme == "file":
		return root{path: u.Path}, nil
	}
	return root{url: strings.TrimSuffix(folder, "/")}, nil
}

// of is the folder as readers are told.
func (r root) of() string { return r.path + r.url }

// keys are the names of the folders name=value that the folder lies in, itself among
// them.
func (r root) keys() []string {
	var out []string
	for part := range strings.SplitSeq(r.of(), "/") {
		if name, _, ok := strings.Cut(part, "="); ok && name != "" {
			out = append(out, name)
		}
	}
	return out
}
