package json

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
)

// shown is how much of what was found a reason shows.
const shown = 20

// lost is a record that could not be cut, while its end is sought. Its positions
// count from where the window is at.
type lost struct {
	bad     column.Bad // its Length is what was dropped already
	means   means
	then    means // what follows means
	seen    int   // where the search goes on
	fault   int   // where the fault is
	limit   int   // where balancing gives up, 0 for never
	begins  byte  // what a record like it begins with
	column  int64 // where that stands on its line
	next    int64 // where the next line must begin for this one to be whole
	balance balance
	closed  bool // brackets balance at seen; what follows decides
	leaves  bool // the array that it is in ends with it
}

// means is a way to find the end of a record.
type means uint8

const (
	apart     means = iota // separators alone
	toLine                 // the end of its line
	lineAlike              // the same, or as lineArray, if the next line begins like it
	lineArray              // in an array on one line: as below within the line, else its end
	balanced               // where its brackets balance
	alike                  // a line that begins like it, or a list that goes on
)

// malformed takes the record at hand, which text does not hold whole. The fault is
// the scanner's.
func (r *Reader) malformed(text []byte) format.Progress {
	f := r.scan.fault
	if f.at+shown >= len(text) && !r.in.Final() && len(text) == len(r.in.Held) {
		return format.Hungry // what was found may go on, or more of the record may come
	}
	if f.at >= len(text) && len(text) < len(r.in.Held) {
		return r.tooLong()
	}
	code := diag.RecordMalformed
	why := fmt.Sprintf("found %s at byte %d of the record, want %s", found(text, f.at), f.at-r.in.At, f.want)
	switch {
	case f.at < len(text) && f.hint != "":
		why += "; set " + f.hint + " to true to take it"
	case f.at < len(text):
	case r.in.CutOff:
		code = diag.FileUnreadable
		why += "; the file is cut off"
	default:
		why += "; the record is cut off"
	}
	r.lose(f.at-r.in.At, code, why)
	return format.Forward
}

// tooLong takes the record at hand, which is longer than allowed.
func (r *Reader) tooLong() format.Progress {
	r.lose(0, diag.RecordTooLong, fmt.Sprintf("found a record of more than %d bytes, want at most that", r.o.MaxRecordBytes))
	l := r.lost
	l.limit = 0
	switch {
	case l.means == lineAlike && r.docs.line:
		l.means = toLine
	case l.means == lineAlike:
		l.means = balanced
	case l.means == lineArray:
		l.means, l.leaves = toLine, true
	}
	return format.Forward
}

// lose begins the search for the end of the record at hand.
func (r *Reader) lose(fault int, code diag.Code, why string) {
	at := r.here()
	l := &lost{
		bad:   column.Bad{Line: at.line, Offset: at.offset, Reason: why, Code: string(code)},
		means: balanced, fault: fault, limit: fault + r.o.reach,
		begins: r.in.Held[r.in.At], column: r.column(),
	}
	l.balance = newBalance(l.begins, &r.o)
	l.next = l.column
	switch {
	case r.place != document && r.array.bound:
		l.means = lineArray
	case r.place != document && r.onFirstLine() && at.line == r.array.line:
		l.means, l.next = lineAlike, r.array.column
	case r.place != document:
	case l.begins != '{' && r.docs.line && (l.begins != '"' || !bytes.HasPrefix(r.in.Held[r.in.At+fault:], []byte{':'})):
		l.means = toLine
	case l.begins != '{':
		l.means, l.begins, l.column = lineAlike, '{', r.docs.column
		l.next = l.column
	case r.fresh && (r.docs.line || r.docs.all == 0):
		l.means = lineAlike
	}
	if r.place == document && bytes.IndexByte([]byte(",}]"), r.in.Held[r.in.At]) >= 0 {
		l.means, l.then = apart, l.means
	}
	r.lost = l
}

// found says what stands at text[at].
func found(text []byte, at int) string {
	if at >= len(text) {
		return "the end of the file"
	}
	switch c := text[at]; {
	case c == '\n', c == '\r':
		return "a line end"
	case c < ' ':
		return fmt.Sprintf("U+%04X", c)
	case wordByte(c) && c < utf8.RuneSelf:
		end := at
		for end < len(text) && end < at+shown && wordByte(text[end]) && text[end] < utf8.RuneSelf {
			end++
		}
		return diag.Quote(string(text[at:end]))
	}
	c, n := utf8.DecodeRune(text[at:])
	if c == utf8.RuneError && n == 1 {
		return fmt.Sprintf("the byte 0x%02X", text[at])
	}
	if c == '\'' || c == '"' {
		return "a quote " + string(c)
	}
	return "'" + string(c) + "'"
}
