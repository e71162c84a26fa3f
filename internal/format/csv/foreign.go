package csv

import (
	"bytes"
	"encoding/json"
)

// foreign says what text, the beginning of a file after decompression and
// decoding, seems to be if it is text but not delimited. It speaks only when it is
// sure: a column of free text is a legal file.
func foreign(text []byte) (reason string, ok bool) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if isConflict(text) {
		return "text with the marks of an unresolved merge conflict", true
	}
	start := bytes.TrimLeft(text, " \t\r\n")
	if len(start) == 0 {
		return "", false
	}
	switch start[0] {
	case '<':
		return markup(start)
	case '{', '[':
		if isJSON(start) {
			return "a JSON document", true
		}
	}
	return "", false
}

// markup recognises the beginnings of web pages and XML documents.
func markup(text []byte) (reason string, ok bool) {
	head := bytes.ToLower(text[:min(len(text), 64)])
	switch {
	case bytes.HasPrefix(head, []byte("<?xml")):
		return "an XML document", true
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")),
		bytes.HasPrefix(head, []byte("<head>")), bytes.HasPrefix(head, []byte("<body")):
		return "an HTML page", true
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

// isConflict reports whether lines of text are the marks that git leaves, in
// their order.
func isConflict(text []byte) bool {
	for _, mark := range []string{"<<<<<<< ", "=======", ">>>>>>> "} {
		at := 0
		for {
			i := bytes.Index(text[at:], []byte(mark))
			if i < 0 {
				return false
			}
			at += i
			if at == 0 || text[at-1] == '\n' || text[at-1] == '\r' {
				break
			}
			at++
		}
		text = text[at+len(mark):]
	}
	return true
}

// isMarker reports whether a line is one that a merge conflict leaves.
func isMarker(line []byte) bool {
	return bytes.HasPrefix(line, []byte("<<<<<<< ")) || bytes.HasPrefix(line, []byte(">>>>>>> ")) ||
		string(line) == "======="
}
