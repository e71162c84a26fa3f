package json

import (
	"bytes"

	"landfall/internal/format"
)

// foreign says what text, the beginning of a file, seems to be if it is text but
// not JSON.
func foreign(text []byte) (reason string, ok bool) {
	if reason, ok = format.Foreign(text); ok {
		return reason, true
	}
	if isDelimited(bytes.TrimPrefix(text, []byte(bom))) {
		return "delimited text", true
	}
	return "", false
}

// isDelimited reports whether the first lines of text have as many delimiters
// each, and none begins with a bracket.
func isDelimited(text []byte) bool {
	var lines [][]byte
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if bytes.IndexByte([]byte("{}[]/"), line[0]) >= 0 {
			return false
		}
		if lines = append(lines, line); len(lines) == 4 {
			break
		}
	}
	if len(lines) < 2 {
		return false
	}
	lines = lines[:min(len(lines), 3)] // the last may be cut
	for _, delim := range []byte(",\t;|") {
		n := bytes.Count(lines[0], []byte{delim})
		same := n > 0
		for _, line := range lines[1:] {
			same = same && bytes.Count(line, []byte{delim}) == n
		}
		if same {
			return true
		}
	}
	return false
}
