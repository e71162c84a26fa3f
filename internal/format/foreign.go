package format

import "bytes"

// Foreign says what text, the beginning of a file after decompression and
// decoding, is if no format of data begins like it: a web page, an XML document,
// text that a merge left in conflict. It speaks only when it is sure.
func Foreign(text []byte) (what string, ok bool) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if isConflict(text) {
		return "text with the marks of an unresolved merge conflict", true
	}
	head := bytes.TrimLeft(text, " \t\r\n")
	head = bytes.ToLower(head[:min(len(head), 64)])
	switch {
	case bytes.HasPrefix(head, []byte("<?xml")):
		return "an XML document", true
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")),
		bytes.HasPrefix(head, []byte("<head>")), bytes.HasPrefix(head, []byte("<body")):
		return "an HTML page", true
	}
	return "", false
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
