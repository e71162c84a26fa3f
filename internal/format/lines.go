package format

import (
	"bytes"
	"unicode/utf8"
)

// CountLines counts the line ends an editor sees: LF, CRLF and CR.
func CountLines(text []byte) int64 {
	lines := bytes.Count(text, []byte{'\n'})
	for {
		i := bytes.IndexByte(text, '\r')
		if i < 0 {
			return int64(lines)
		}
		if i+1 == len(text) || text[i+1] != '\n' {
			lines++
		}
		text = text[i+1:]
	}
}

// Lines counts lines over stretches of text that follow one another. The zero
// value stands before the first.
type Lines struct {
	ends    int64
	afterCR bool // a carriage return stands last
}

// Line is the 1-based number of the line that goes on behind what was passed.
func (l *Lines) Line() int64 { return l.ends + 1 }

// Pass counts the lines of the next stretch.
func (l *Lines) Pass(text []byte) {
	if len(text) == 0 {
		return
	}
	l.ends += CountLines(text)
	if l.afterCR && text[0] == '\n' {
		l.ends-- // the two are one line end
	}
	l.afterCR = text[len(text)-1] == '\r'
}

// PassLine counts a stretch that has one line end, its last byte or two.
func (l *Lines) PassLine(last byte) {
	l.ends++
	l.afterCR = last == '\r'
}

// WholeRunes is the length of b without a character that its end cuts.
func WholeRunes(b []byte) int {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

// minHole is how many zeros in a row are no value, but what was never written.
const minHole = 64

// Hole is the length of the first row of zeros in text that a write that was cut
// short leaves, 0 if there is none.
func Hole(text []byte) int {
	for {
		at := bytes.IndexByte(text, 0)
		if at < 0 {
			return 0
		}
		rest := bytes.TrimLeft(text[at:], "\x00")
		if n := len(text) - at - len(rest); n >= minHole {
			return n
		}
		text = rest
	}
}
