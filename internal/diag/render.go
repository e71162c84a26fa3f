package diag

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Render returns an error as a person reads it on a terminal, its last line
// ended: place, message and code; the rule it offends; the line with the place
// marked; what to do. Of a list at most ten are shown, and the rest is counted.
func Render(err error, color bool) string {
	if err == nil {
		return ""
	}
	all := flatten(err)
	var b strings.Builder
	for _, e := range all[:min(len(all), mostShown)] {
		render(&b, e, color)
	}
	if rest := len(all) - mostShown; rest > 0 {
		fmt.Fprintf(&b, "and %d more\n", rest)
	}
	return b.String()
}

// flatten returns the members of lists and joined errors.
func flatten(err error) []error {
	var l List
	if errors.As(err, &l) {
		all := make([]error, len(l))
		for i, d := range l {
			all[i] = d
		}
		return all
	}
	var joined interface{ Unwrap() []error }
	if !errors.As(err, &joined) {
		return []error{err}
	}
	if d := (*Diagnostic)(nil); errors.As(err, &d) && !within(joined, d) {
		return []error{err} // the join is the cause of one problem
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

// within reports whether d is one of the joined errors.
func within(joined interface{ Unwrap() []error }, d *Diagnostic) bool {
	for _, e := range joined.Unwrap() {
		var found *Diagnostic
		if errors.As(e, &found) && found == d {
			return true
		}
	}
	return false
}

func render(b *strings.Builder, err error, color bool) {
	red := func(s string) string {
		if !color {
			return s
		}
		return "\x1b[31m" + s + "\x1b[0m"
	}
	b.WriteString(red(printable(err.Error())) + "\n")
	var d *Diagnostic
	if !errors.As(err, &d) {
		return
	}
	if !d.Rule.IsZero() {
		fmt.Fprintf(b, "    wanted by %s\n", printable(d.Rule.String()))
	}
	if d.Excerpt != "" {
		d.excerpt(b, red)
	}
	if d.Cause != nil && !strings.Contains(err.Error(), d.Cause.Error()) {
		fmt.Fprintf(b, "    because %s\n", printable(d.Cause.Error()))
	}
	if d.Hint != "" {
		fmt.Fprintf(b, "    hint: %s\n", printable(d.Hint))
	}
}

// excerpt prints the line with its number, and marks the word at the column.
func (d *Diagnostic) excerpt(b *strings.Builder, red func(string) string) {
	const before, most = 60, 100 // characters shown before the column, and in all
	number := ""
	if d.At.Line > 0 {
		number = strconv.FormatInt(d.At.Line, 10)
	}
	at := min(max(d.At.Column-1, 0), len(d.Excerpt))
	head, tail := []rune(flat(d.Excerpt[:at])), []rune(flat(d.Excerpt[at:]))
	mark := min(wordLength(d.Excerpt[at:]), max(most-before, most-len(head)))
	if len(head) > before && len(head)+len(tail) > most {
		head = append([]rune("…"), head[len(head)-before:]...)
	}
	if room := most - len(head); len(tail) > room {
		tail = append(tail[:room:room], '…')
	}
	fmt.Fprintf(b, "%5s │ %s\n", number, string(head)+string(tail))
	if d.At.Column > 0 {
		fmt.Fprintf(b, "%5s │ %s%s\n", "", strings.Repeat(" ", len(head)), red(strings.Repeat("^", max(mark, 1))))
	}
}

// wordLength is the number of characters of the word that text begins with: up
// to a space, a comma or the colon after a key, or a whole quoted text.
func wordLength(text string) int {
	if text == "" {
		return 0
	}
	if q := text[0]; q == '"' || q == '\'' {
		if end := strings.IndexByte(text[1:], q); end >= 0 {
			return utf8.RuneCountInString(text[:end+2])
		}
	}
	end := len(text)
	for i, r := range text {
		afterKey := r == ':' && (i+1 == len(text) || text[i+1] == ' ')
		if unicode.IsSpace(r) || strings.ContainsRune(",[]{}", r) || afterKey {
			end = i
			break
		}
	}
	return utf8.RuneCountInString(text[:end])
}

// flat is a line in which every character takes one place.
func flat(line string) string { return strings.ReplaceAll(printable(line), "\t", " ") }

// printable replaces what a terminal would obey instead of show.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, s)
}
