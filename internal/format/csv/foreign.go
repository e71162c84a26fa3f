package csv

import (
	"bytes"
	"encoding/json"
)

// Foreign reports whether text, the beginning of a file after decompression and
// decoding, is something else than delimited text, and what it seems to be. It
// speaks only when it is sure: a column of free text is a legal file.
func Foreign(text []byte) (reason string, ok bool) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for _, m := range [...]struct{ first, reason string }{
		{"PAR1", "a Parquet file"},
		{"Obj\x01", "an Avro file"},
		{"ORC\n", "an ORC file"},
		{"PK\x03\x04", "a ZIP archive or a spreadsheet"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"},
		{"%PDF-", "a PDF document"},
		{"\x89PNG\r\n", "an image"},
		{"\xff\xd8\xff", "an image"},
		{"SQLite format 3\x00", "an SQLite database"},
		{"\x7fELF", "a program"},
		{"{\\rtf", "an RTF document"},
		{"version https://git-lfs.github.com/spec/", "a Git LFS pointer in place of the data"},
	} {
		if bytes.HasPrefix(text, []byte(m.first)) {
			return m.reason, true
		}
	}
	switch {
	case len(text) > 262 && string(text[257:262]) == "ustar":
		return "a tar archive", true
	case isBinary(text):
		return "binary data", true
	case isConflict(text):
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

// isBinary reports whether a good part of text is control characters. A few NUL
// bytes are data.
func isBinary(text []byte) bool {
	control := 0
	for _, b := range text {
		if b < 0x20 && (b < '\t' || b > '\r') && (b < 0x1a || b > 0x1f) {
			control++
		}
	}
	return control >= 16 && control*10 > len(text)
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
