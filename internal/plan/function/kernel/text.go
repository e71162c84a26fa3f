package kernel

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// soundex is the code of how a word sounds in English. A text that does not
// begin with a letter stays as it is.
func soundex(s string) string {
	const codes = "01230120022455012623010202" // of A to Z
	if s == "" || !isLetter(s[0]) {
		return s
	}
	out := []byte{s[0] &^ 0x20}
	last := codes[out[0]-'A']
	for i := 1; i < len(s) && len(out) < 4; i++ {
		if !isLetter(s[i]) {
			last = '0'
			continue
		}
		upper := s[i] &^ 0x20
		code := codes[upper-'A']
		if code != '0' && code != last {
			out = append(out, code)
		}
		if upper != 'H' && upper != 'W' {
			last = code
		}
	}
	return (string(out) + "000")[:4]
}

func isLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// distance counts the characters to put in, take out or change.
func distance(a, b string) (any, error) {
	long, short := []rune(a), []rune(b)
	row := make([]int, len(short)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range long {
		before := row[0]
		row[0] = i + 1
		for j, y := range short {
			change := before
			if x != y {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, before+1, row[j]+1)
		}
	}
	return int64(row[len(short)]), nil
}

// formats are the names that escape and unescape know.
const formats = "json, xml, html, java or ecmascript"

// escape writes the characters that mean something in a format otherwise.
func escape(s, format string) (any, error) {
	switch strings.ToLower(format) {
	case "xml":
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(s), nil
	case "html":
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s), nil
	case "json":
		return backslashed(s, `"\/`), nil
	case "java":
		return backslashed(s, `"\`), nil
	case "ecmascript":
		return backslashed(s, `'"\/`), nil
	}
	return nil, fmt.Errorf("escape: found the format %q, want %s", format, formats)
}

// backslashed escapes some characters, control characters and all beyond ASCII.
func backslashed(s, special string) string {
	var out strings.Builder
	for _, r := range s {
		switch at := strings.IndexRune("\b\n\t\f\r", r); {
		case at >= 0:
			out.WriteString(`\` + "bntfr"[at:at+1])
		case strings.ContainsRune(special, r):
			out.WriteString(`\` + string(r))
		case r < ' ' || r > '~':
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&out, `\u%04X`, unit)
			}
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// unescape reads what escape writes.
func unescape(s, format string) (any, error) {
	switch strings.ToLower(format) {
	case "xml", "html":
		return html.UnescapeString(s), nil
	case "json", "java", "ecmascript":
		return unslashed(s), nil
	}
	return nil, fmt.Errorf("unescape: found the format %q, want %s", format, formats)
}

// unslashed reads escapes with a backslash. What is no escape stays.
func unslashed(s string) string {
	var out []rune
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == '\\' && len(s) > 1 {
			if unit, ok := unitAt(s); ok {
				r, size = rune(unit), 6
				if low, ok := unitAt(s[size:]); ok && utf16.IsSurrogate(r) {
					r, size = utf16.DecodeRune(r, rune(low)), 12
				}
			} else {
				r, size = utf8.DecodeRuneInString(s[1:])
				size++
				if at := strings.IndexRune("bntfr", r); at >= 0 {
					r = rune("\b\n\t\f\r"[at])
				}
			}
		}
		out = append(out, r)
		s = s[size:]
	}
	return string(out)
}

// unitAt reads a \uXXXX at the beginning of a text.
func unitAt(s string) (uint16, bool) {
	if len(s) < 6 || s[:2] != `\u` {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return uint16(n), err == nil
}
