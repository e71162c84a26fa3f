package csv

import (
	"bytes"
	"encoding/json"

	"landfall/internal/format"
)

// foreign says what text, the beginning of a file after decompression and
// decoding, seems to be if it is text but not delimited. It speaks only when it is
// sure: a column of free text is a legal file.
func foreign(text []byte) (reason string, ok bool) {
	if reason, ok = format.Foreign(text); ok {
		return reason, true
	}
	start := bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(start) > 0 && (start[0] == '{' || start[0] == '[') && isJSON(start) {
		return "a JSON document", true
	}
	return "", false
}

// isJSON reports whether text begins with a JSON object or array: its first
// tokens must say so, because a header may begin with [name] or {guid}.
func isJSON(text []byte) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return false
	}
	t, err := d.Token()
	if err != nil {
		return false
	}
	if text[0] == '{' {
		if t == json.Delim('}') {
			return true
		}
		inner := bytes.TrimLeft(text[min(d.InputOffset(), int64(len(text))):], " \t\r\n")
		return len(inner) > 0 && inner[0] == ':'
	}
	if _, delim := t.(json.Delim); delim {
		return true
	}
	inner := bytes.TrimLeft(text[min(d.InputOffset(), int64(len(text))):], " \t\r\n")
	return len(inner) > 0 && (inner[0] == ',' || inner[0] == ']' && len(bytes.TrimSpace(inner)) == 1)
}

// isMarker reports whether a line is one that a merge conflict leaves.
func isMarker(line []byte) bool {
	return bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) ||
		string(line) == "======="
}
