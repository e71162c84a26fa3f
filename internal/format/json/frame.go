package json

import (
	"bytes"
	"strings"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
)

const bom = "\xef\xbb\xbf"

// framing passes what may stand between values. It reports false if only more
// text can tell.
func (r *Reader) framing() bool {
	for r.in.At < len(r.in.Held) {
		if r.comment != 0 {
			if !r.skipComment() {
				return false
			}
			continue
		}
		if r.place == document && r.o.LineSep != "" {
			if n := r.token(r.o.LineSep); n > 0 {
				r.newLine()
				continue
			} else if n < 0 {
				return false
			}
		}
		switch c := r.in.Held[r.in.At]; {
		case c == ' ' || c == '\t':
			r.in.Frame(1)
		case c == '\n' || c == '\r':
			r.in.Frame(1)
			r.newLine()
		case c == '/' && r.o.AllowComments:
			if !r.in.Final() && r.in.At+1 == len(r.in.Held) {
				return false
			}
			if r.in.At+1 == len(r.in.Held) || r.in.Held[r.in.At+1] != '/' && r.in.Held[r.in.At+1] != '*' {
				return true
			}
			r.comment = r.in.Held[r.in.At+1]
			r.in.Frame(2)
		case c == bom[0] && r.place == document:
			n := r.token(bom)
			if n <= 0 {
				return n == 0
			}
			r.markInside(n)
		default:
			return true
		}
	}
	return true
}

// newLine notes that a line begins here.
func (r *Reader) newLine() { r.begin, r.fresh = r.in.Base+int64(r.in.At), true }

// token passes a token and returns its length, 0 if it is not there and -1 if
// only more text can tell.
func (r *Reader) token(t string) int {
	rest := r.in.Held[r.in.At:]
	switch {
	case bytes.HasPrefix(rest, []byte(t)):
		r.in.Frame(len(t))
		return len(t)
	case len(rest) < len(t) && !r.in.Final() && strings.HasPrefix(t, string(rest)):
		return -1
	}
	return 0
}

// skipComment passes the rest of a comment. It reports false if that is not all
// there.
func (r *Reader) skipComment() bool {
	rest := r.in.Held[r.in.At:]
	end, ok := len(rest), false
	if r.comment == '/' {
		if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
			end, ok = i, true
		}
	} else {
		if i := bytes.Index(rest, []byte("*/")); i >= 0 {
			end, ok = i+2, true
		} else if !r.in.Final() && rest[end-1] == '*' {
			end--
		}
	}
	r.pass(rest[:end])
	r.in.Frame(end)
	if ok {
		r.comment = 0
	}
	return ok
}

// pass takes note of the lines that end in the text at hand, which is more than white
// space.
func (r *Reader) pass(text []byte) {
	if i := bytes.LastIndexAny(text, "\r\n"); i >= 0 {
		r.begin = r.in.Base + int64(r.in.At+i+1)
	}
	r.fresh = false
}

// markInside notes the byte order mark of n bytes before it.
func (r *Reader) markInside(n int) {
	if r.bom.Count == 0 {
		r.bom = format.Note{
			Kind: "bom_inside", Record: r.records + 1, Line: r.in.Line(r.in.At),
			Message: "found a byte order mark between records, passed over",
			Hint:    "the file may be several files in one; deliver them apart",
		}
	}
	r.bom.Count++
	if r.fresh {
		r.begin += int64(n)
	}
}

// step passes what stands at hand.
func (r *Reader) step() format.Progress {
	switch {
	case r.lost != nil:
		return r.search()
	case !r.framing() || r.in.At == len(r.in.Held):
		return format.Hungry
	}
	c := r.in.Held[r.in.At]
	switch {
	case r.place == document && c == '[':
		r.openArray()
	case r.place == document:
		return r.record()
	case c == ']':
		r.closeArray()
	case c == ',':
		r.separate()
	case r.place == behind && r.leaves(c):
		r.unclosed("a new line")
		r.place, r.docs.line = document, true
	case r.place == behind:
		return r.unseparated()
	default:
		return r.record()
	}
	return format.Forward
}

// openArray begins the array at hand, whose elements are records.
func (r *Reader) openArray() {
	names := r.array.names[:0]
	r.array = array{
		mark: r.here(), column: r.column(), alone: r.fresh,
		bound: r.fresh && r.docs.all > 0 && r.docs.line, names: names,
	}
	r.docs.all++
	r.docs.arrays++
	r.place = first
	r.in.Frame(1)
	r.fresh = false
}

// closeArray ends the array at the bracket at hand.
func (r *Reader) closeArray() {
	if r.place == element {
		r.badComma("']'")
	}
	r.docs.line = r.array.alone && r.in.Line(r.in.At) == r.array.line
	if r.docs.line {
		r.docs.lines++
	}
	r.place = document
	r.in.Frame(1)
	r.fresh = false
}

// separate passes the comma at hand.
func (r *Reader) separate() {
	at := r.here()
	switch r.place {
	case first:
		r.comma = at
		r.in.Frame(1)
		r.badComma("','")
		r.fresh = false
		return
	case element:
		r.badComma("','")
	}
	r.comma = at
	r.place = element
	r.in.Frame(1)
	r.fresh = false
}

// badComma sets the last comma aside: no element is before it, or behind it. It
// was passed as framing.
func (r *Reader) badComma(found string) {
	r.in.Account.Framing--
	r.in.Account.Bad++
	r.records++
	why := "found " + found + " after a comma, want a value"
	if r.place == first {
		why = "found ',' at byte 0 of the record, want a value or ]"
	}
	r.slab.Bad = append(r.slab.Bad, column.Bad{
		Record: r.records, Line: r.comma.line, Offset: r.comma.offset,
		Length: 1, Bytes: []byte{','}, Reason: why, Code: string(diag.RecordMalformed),
	})
}

// leaves reports whether c, which is at hand, begins a document although the array is not
// closed: it stands where the array begins, on a line of its own, and the array
// belongs on one line.
func (r *Reader) leaves(c byte) bool {
	if c != '{' && c != '[' || !r.fresh || !r.array.alone || r.column() != r.array.column {
		return false
	}
	return r.array.bound || r.onFirstLine()
}

// onFirstLine reports whether the array begins the file, with an element on its
// first line. It may be meant to end there.
func (r *Reader) onFirstLine() bool {
	return r.array.alone && r.docs.all == 1 && r.array.first == r.array.line
}

// unseparated takes what follows an element without a comma.
func (r *Reader) unseparated() format.Progress {
	r.scan.fault = fault{r.in.At, "a comma or ]", ""}
	if r.in.Held[r.in.At] == '/' {
		r.scan.noComment(r.in.At, "a comma or ]")
	}
	text, _ := r.view()
	return r.malformed(text)
}
