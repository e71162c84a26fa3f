package csv

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"landfall/internal/column"
)

// outcome is what cutting a record came to.
type outcome uint8

const (
	whole outcome = iota // a record; end and next are set
	more                 // the text ends within the record
	stray                // at is where text follows a closing quote
	open                 // at is a quote that is not closed at the end of the file
)

// cutter cuts records into fields. It changes nothing in the text.
type cutter struct {
	dialect
	most int // fields that are kept, the rest is only counted

	spans   []column.Span // the fields of the record, as many as are kept
	fields  int           // how many fields there are
	escaped []int         // those that hold an escaped quote
	end     int           // where the record ends, before its line end
	next    int           // where the next record begins
	at      int           // see outcome
	empty   bool          // no field has a value
	quoted  bool          // a field stands in quotes
	nulls   column.Span   // what all fields so far have in common
	simple  bool          // nothing takes more than one byte to tell

	delimWord, endWord1, endWord2 uint64
}

const (
	lows   = 0x0101010101010101
	sevens = 0x7f7f7f7f7f7f7f7f
	highs  = 0x8080808080808080
)

func newCutter(d dialect, most int) *cutter {
	c := &cutter{dialect: d, most: most, spans: make([]column.Span, min(most, 64))}
	c.delimWord = lows * uint64(d.delim[0])
	c.endWord1, c.endWord2 = lows*'\n', lows*'\r'
	c.simple = d.sep == "" && len(d.delim) == 1 && !d.padded
	if d.sep != "" {
		c.endWord1 = lows * uint64(d.sep[0])
		c.endWord2 = c.endWord1
	}
	return c
}

// cut cuts the record that begins at text[pos]. last says that text ends where
// the file does.
func (c *cutter) cut(text []byte, pos int, last bool) outcome {
	c.fields, c.escaped, c.nulls, c.quoted = 0, c.escaped[:0], column.NullSpan, false
	for {
		if c.simple {
			var done bool
			if pos, done = c.run(text, pos); done {
				return c.close(text, pos, last)
			}
		}
		span := column.NullSpan
		start := pos
		if c.quoteAt(text, pos) {
			var out outcome
			c.quoted = true
			if span, pos, out = c.cutQuoted(text, pos, last); out != whole {
				return out
			}
		} else if pos = c.seek(text, pos, last); pos > start {
			span = column.NewSpan(start, pos-start, false)
		}
		c.nulls &= span
		if c.fields == len(c.spans) {
			c.grow()
		}
		if c.fields < len(c.spans) {
			c.spans[c.fields] = span
		}
		c.fields++
		if pos < len(text) && text[pos] == c.delim[0] { // no line end begins like it
			pos += len(c.delim)
			continue
		}
		return c.close(text, pos, last)
	}
}

// run cuts fields that are not quoted, eight bytes at a time: cut without the
// rare cases. It stops before a quoted field, near the end of the text, or where
// there is no room for fields, and returns where the next field begins; or done
// and where the line ends.
func (c *cutter) run(text []byte, start int) (at int, done bool) {
	if start < len(text) && text[start] == c.quote {
		return start, false
	}
	spans, n, nulls := c.spans, c.fields, c.nulls
	delim, quote := byte(c.delimWord), c.quote
	for pos := start; pos+8 <= len(text); pos += 8 {
		w := binary.LittleEndian.Uint64(text[pos:])
		a, b, d := w^(lows*'\n'), w^(lows*'\r'), w^c.delimWord
		// The high bit of every byte that is zero, and of no other.
		m := ^((a&sevens + sevens | a) & (b&sevens + sevens | b) & (d&sevens + sevens | d)) & highs
		for m != 0 {
			end := pos + bits.TrailingZeros64(m)>>3
			m &= m - 1
			if n >= len(spans) {
				c.fields, c.nulls = n, nulls
				return start, false
			}
			span := column.NullSpan
			if end > start {
				span = column.NewSpan(start, end-start, false)
			}
			spans[n] = span
			nulls &= span
			n++
			if text[end] != delim {
				c.fields, c.nulls = n, nulls
				return end, true
			}
			start = end + 1
			if start < len(text) && text[start] == quote {
				c.fields, c.nulls = n, nulls
				return start, false
			}
		}
	}
	c.fields, c.nulls = n, nulls
	return start, false
}

// close ends the record at pos, the end of its last field.
func (c *cutter) close(text []byte, pos int, last bool) outcome {
	n := 0
	if pos < len(text) {
		n = c.lineEnd(text, pos, last)
	}
	if n < 0 || pos == len(text) && !last {
		return more
	}
	c.end, c.next, c.empty = pos, pos+n, c.nulls == column.NullSpan
	return whole
}

// pass sets next behind the blank or comment line at pos, and to pos if there is
// a record.
func (c *cutter) pass(text []byte, pos int, last bool) outcome {
	c.next = pos
	if c.comment != 0 && text[pos] == c.comment {
		_, next, ok := c.findLineEnd(text, pos, last)
		c.next = next
		if !ok && !last {
			return more
		}
		return whole
	}
	n := c.lineEnd(text, pos, last)
	if n < 0 {
		return more
	}
	c.next += n
	return whole
}

// quoteAt reports whether a quoted field begins at pos.
func (c *cutter) quoteAt(text []byte, pos int) bool {
	if pos >= len(text) || c.quote == 0 {
		return false
	}
	return text[pos] == c.quote || c.padded && text[pos] == ' ' && c.paddedQuote(text, pos)
}

// paddedQuote reports whether only spaces stand between pos and a quote.
func (c *cutter) paddedQuote(text []byte, pos int) bool {
	for pos < len(text) && text[pos] == ' ' {
		pos++
	}
	return pos < len(text) && text[pos] == c.quote
}

// grow makes room for more fields, up to the most that are kept.
func (c *cutter) grow() {
	if n := min(2*len(c.spans), c.most); n > len(c.spans) {
		c.spans = append(c.spans, make([]column.Span, n-len(c.spans))...)
	}
}

// seek returns where the unquoted field at pos ends: at a delimiter, a line end
// or the end of the text. It looks at eight bytes at a time.
func (c *cutter) seek(text []byte, pos int, last bool) int {
	for {
		for pos+8 <= len(text) {
			w := binary.LittleEndian.Uint64(text[pos:])
			a, b, d := w^c.endWord1, w^c.endWord2, w^c.delimWord
			// A byte that is zero has its high bit set here. Above it others may
			// have too, so only the lowest counts.
			m := ((a-lows)&^a | (b-lows)&^b | (d-lows)&^d) & highs
			if m != 0 {
				pos += bits.TrailingZeros64(m) >> 3
				break
			}
			pos += 8
		}
		for pos < len(text) {
			if b := text[pos]; b == byte(c.delimWord) || b == byte(c.endWord1) || b == byte(c.endWord2) {
				break
			}
			pos++
		}
		if pos == len(text) || c.sep == "" && len(c.delim) == 1 {
			return pos
		}
		n := c.delimiter(text, pos, last)
		if n == 0 {
			n = c.lineEnd(text, pos, last)
		}
		if n > 0 {
			return pos
		}
		if n < 0 { // cut within what may be a delimiter: wait for the rest
			return len(text)
		}
		pos++
	}
}

// cutQuoted cuts the field whose opening quote is at pos, after spaces if those
// are allowed.
func (c *cutter) cutQuoted(text []byte, pos int, last bool) (span column.Span, next int, out outcome) {
	begin := pos
	for text[pos] != c.quote {
		pos++
	}
	c.at = pos
	q, escaped := c.closing(text, pos+1, last)
	if q < 0 {
		if last {
			return 0, 0, open
		}
		return 0, 0, more
	}
	if escaped {
		c.escaped = append(c.escaped, c.fields)
	}
	span = column.NewSpan(pos+1, q-pos-1, true)
	for next = q + 1; next < len(text); next++ {
		n := c.delimiter(text, next, last)
		if n == 0 {
			n = c.lineEnd(text, next, last)
		}
		switch {
		case n > 0:
			return span, next, whole
		case n < 0:
			return 0, 0, more
		case text[next] == ' ' || text[next] == '\t':
		case c.loose && !c.broken(text[begin:next]):
			if escaped {
				c.escaped = c.escaped[:len(c.escaped)-1]
			}
			end := c.seek(text, next, last)
			return column.NewSpan(begin, end-begin, false), end, whole
		default:
			c.at = next
			return 0, 0, stray
		}
	}
	if !last {
		return 0, 0, more
	}
	return span, next, whole
}

// closing returns where the quote is that closes the field whose text begins at
// pos, and whether quotes are escaped before it; -1 if there is none, or if only
// more text can tell.
func (c *cutter) closing(text []byte, pos int, last bool) (at int, escaped bool) {
	for {
		i := c.nextQuote(text[pos:])
		if i < 0 {
			return -1, escaped
		}
		pos += i
		if pos+1 == len(text) {
			if last && text[pos] == c.quote {
				return pos, escaped
			}
			return -1, escaped
		}
		after := text[pos+1]
		switch {
		case after == c.quote, text[pos] != c.quote && after == c.escape:
			escaped = true
			pos += 2
		case text[pos] == c.quote:
			return pos, escaped
		default: // an escape before another character is data
			pos++
		}
	}
}

// nextQuote is the index of the next quote or escape.
func (c *cutter) nextQuote(text []byte) int {
	i := bytes.IndexByte(text, c.quote)
	if c.escape == 0 {
		return i
	}
	if i >= 0 {
		text = text[:i]
	}
	if j := bytes.IndexByte(text, c.escape); j >= 0 {
		return j
	}
	return i
}

// broken reports whether a line ends within text.
func (c *cutter) broken(text []byte) bool {
	_, _, ok := c.findLineEnd(text, 0, true)
	return ok
}

// unescape appends a quoted field without its escapes.
func (c *cutter) unescape(dst, field []byte) []byte {
	for i := 0; i < len(field); i++ {
		if i+1 < len(field) && (field[i] == c.quote && field[i+1] == c.quote ||
			c.escape != 0 && field[i] == c.escape && (field[i+1] == c.quote || field[i+1] == c.escape)) {
			i++
		}
		dst = append(dst, field[i])
	}
	return dst
}
