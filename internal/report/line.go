package report

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// ellipsis stands for what was cut.
const ellipsis = "…"

// Width is the number of terminal cells that a text takes; wide characters
// take two, colours none.
func Width(s string) int { return ansi.StringWidth(s) }

// Clean shows control characters as escapes, so that a text stays on its line.
func Clean(s string) string {
	if !strings.ContainsFunc(s, isControl) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case isControl(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isControl also holds for the characters that turn the direction of a line.
func isControl(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
		r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// Cut shortens a text at its end to a width.
func Cut(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	return ansi.Truncate(s, max(width, 1), ellipsis)
}

// Path shortens a path in the middle to a width. The file name stays whole,
// whatever the width: it is what people look for.
func Path(path string, width int) string {
	if Width(path) <= width {
		return path
	}
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 {
		return path
	}
	name := path[slash:]
	room := width - Width(name) - Width(ellipsis)
	if room <= 0 {
		return ellipsis + name
	}
	// What is left shows how the path begins.
	return ansi.Truncate(path[:slash], room, "") + ellipsis + name
}
