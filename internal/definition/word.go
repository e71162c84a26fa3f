package definition

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word is a name, a quoted text or a sign, at bytes of the text.
type word struct {
	text       string
	start, end int
}

func (w word) is(other string) bool { return strings.EqualFold(w.text, other) }

// scan cuts SQL into words; space and comments are none.
func scan(text string) []word {
	var out []word
	for at := 0; at < len(text); {
		rest := text[at:]
		n := gapLength(rest)
		if n == 0 {
			n = wordLength(rest)
			out = append(out, word{rest[:n], at, at + n})
		}
		at += n
	}
	return out
}

// gapLength is the length of the space or the comment that a text begins with.
func gapLength(text string) int {
	switch {
	case strings.HasPrefix(text, "--"):
		if n := strings.IndexByte(text, '\n'); n >= 0 {
			return n
		}
		return len(text)
	case strings.HasPrefix(text, "/*"):
		if n := strings.Index(text, "*/"); n >= 0 {
			return n + len("*/")
		}
		return len(text)
	}
	if r, n := utf8.DecodeRuneInString(text); unicode.IsSpace(r) {
		return n
	}
	return 0
}

// wordLength is the length of the word that a text begins with.
func wordLength(text string) int {
	if q := text[0]; q == '\'' || q == '"' || q == '`' {
		for i := 1; i < len(text); i++ {
			switch {
			case text[i] == '\\' && q != '`':
				i++
			case text[i] == q && i+1 < len(text) && text[i+1] == q:
				i++
			case text[i] == q:
				return i + 1
			}
		}
		return len(text)
	}
	part := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	if n := strings.IndexFunc(text, func(r rune) bool { return !part(r) }); n > 0 {
		return n
	} else if n < 0 {
		return len(text)
	}
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// blank returns bytes of a text as the parser of columns reads them: without
// comments, and with Hive's names of types that are several words as one. Bytes
// stay where they are.
func blank(text string, words []word, from, to int) string {
	out := []byte(text[from:to])
	at := from
	wipe := func(until int) {
		for ; at < until; at++ {
			if c := text[at]; c != '\n' {
				out[at-from] = ' '
			}
		}
	}
	for i, w := range words {
		if w.start < from || w.end > to {
			continue
		}
		wipe(w.start)
		at = w.end
		if n, name := longType(words[i:]); n > 0 && i+n < len(words) && words[i+n].end <= to {
			at = w.start
			wipe(words[i+n].end)
			copy(out[w.start-from:], name)
		}
	}
	wipe(to)
	return string(out)
}

// longType tells whether words begin with a type of several words, how many follow
// the first, and what we call it.
func longType(words []word) (more int, name string) {
	for _, t := range []struct{ words, name string }{
		{"double precision", "double"},
		{"timestamp with local time zone", "timestamp"},
		{"timestamp without time zone", "timestamp_ntz"},
	} {
		parts := strings.Fields(t.words)
		if len(words) < len(parts) {
			continue
		}
		same := true
		for i, part := range parts {
			same = same && words[i].is(part)
		}
		if same {
			return len(parts) - 1, t.name
		}
	}
	return 0, ""
}

// unquoted is a name without its backticks or quotes.
func unquoted(w word) string {
	if q := w.text[0]; len(w.text) > 1 && (q == '`' || q == '"') {
		return strings.ReplaceAll(w.text[1:len(w.text)-1], string([]byte{q, q}), string(q))
	}
	return w.text
}
