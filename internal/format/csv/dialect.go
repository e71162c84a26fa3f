package csv

import (
	"bytes"
	"strings"

	"landfall/internal/diag"
)

// dialect is how a file is written. The zero value is not valid.
type dialect struct {
	delim   string
	quote   byte // 0: none
	escape  byte // 0: only doubled quotes
	comment byte // 0: none
	padded  bool // spaces may stand before an opening quote
	loose   bool // a field with text after its closing quote has none
	sep     string
	// header is false if the first record is data.
	header bool
}

// String describes the dialect for people, without the encoding.
func (d dialect) String() string {
	parts := []string{delimiterName(d.delim)}
	if d.quote != '"' {
		if d.quote == 0 {
			parts = append(parts, "no quotes")
		} else {
			parts = append(parts, "quote "+string(rune(d.quote)))
		}
	}
	if d.escape != 0 {
		parts = append(parts, "escape "+string(rune(d.escape)))
	}
	if d.padded {
		parts = append(parts, "spaces before quotes")
	}
	if !d.header {
		parts = append(parts, "no header")
	}
	return strings.Join(parts, ", ")
}

func delimiterName(delim string) string {
	switch delim {
	case ",":
		return "comma"
	case "\t":
		return "tab"
	case ";":
		return "semicolon"
	case "|":
		return "pipe"
	}
	return "delimiter " + diag.Quote(delim)
}

// lineEnd reports how long the line end at text[pos] is, 0 if there is none and
// -1 if only more text can tell.
func (d dialect) lineEnd(text []byte, pos int, last bool) int {
	if d.sep != "" {
		rest := text[pos:]
		if len(rest) >= len(d.sep) {
			if string(rest[:len(d.sep)]) == d.sep {
				return len(d.sep)
			}
		} else if !last && strings.HasPrefix(d.sep, string(rest)) {
			return -1
		}
		return 0
	}
	switch {
	case text[pos] == '\n':
		return 1
	case text[pos] != '\r':
		return 0
	case pos+1 < len(text):
		if text[pos+1] == '\n' {
			return 2
		}
		return 1
	case last:
		return 1
	}
	return -1
}

// delimiter is lineEnd for delimiters.
func (d dialect) delimiter(text []byte, pos int, last bool) int {
	if text[pos] != d.delim[0] {
		return 0
	}
	if len(d.delim) == 1 {
		return 1
	}
	rest := text[pos:]
	if len(rest) >= len(d.delim) {
		if string(rest[:len(d.delim)]) == d.delim {
			return len(d.delim)
		}
	} else if !last && strings.HasPrefix(d.delim, string(rest)) {
		return -1
	}
	return 0
}

// findLineEnd returns where the first line end at or after pos begins and where
// the next line does, whatever quotes say. ok is false if the text holds none;
// begin is then where the search has to go on when there is more text.
func (d dialect) findLineEnd(text []byte, pos int, last bool) (begin, next int, ok bool) {
	for pos < len(text) {
		if d.sep != "" {
			i := bytes.IndexByte(text[pos:], d.sep[0])
			if i < 0 {
				return len(text), len(text), false
			}
			pos += i
		} else {
			rest := text[pos:]
			i := bytes.IndexByte(rest, '\n')
			if i >= 0 {
				rest = rest[:i]
			}
			if j := bytes.IndexByte(rest, '\r'); j >= 0 {
				i = j
			}
			if i < 0 {
				return len(text), len(text), false
			}
			pos += i
		}
		switch n := d.lineEnd(text, pos, last); {
		case n > 0:
			return pos, pos + n, true
		case n < 0:
			return pos, pos, false
		}
		pos++
	}
	return len(text), len(text), false
}
