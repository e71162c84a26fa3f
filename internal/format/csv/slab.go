package csv

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
)

// cells is the most spans a slab has, so that short rows under a wide header
// stay within bounds.
const cells = 4 << 20

// slack is how much more than the longest record is looked at for its line end.
const slack = 16

// progress is what a step of the scan came to.
type progress uint8

const (
	forward progress = iota // something was passed
	hungry                  // only more text can tell
	ended                   // the text is at its end
	full                    // the slab is
)

// Slabs yields the records in order (see format.Reader). The buffers of a slab
// are used again for the next.
func (r *Reader) Slabs(ctx context.Context) iter.Seq2[*column.Slab, error] {
	return func(yield func(*column.Slab, error) bool) {
		for {
			p := r.scan()
			if r.slab.Rows() > 0 || len(r.slab.Bad) > 0 {
				r.share()
				if !yield(&r.slab, nil) {
					return
				}
			}
			r.reset()
			switch {
			case p == ended && r.err != nil:
				yield(nil, r.err)
				return
			case p == ended:
				return
			case p == hungry:
				if err := r.refill(ctx); err != nil {
					yield(nil, err)
					return
				}
			}
		}
	}
}

// share gives the slab its text and its columns. What was unescaped stands
// behind the text, so that this is still what the file says.
func (r *Reader) share() {
	r.slab.Data = r.buf
	if len(r.tail) > 0 {
		r.slab.Data = append(r.buf, r.tail...)
		r.buf = r.slab.Data[:len(r.buf)]
	}
	if r.slab.Fields == nil {
		r.slab.Fields = make([]column.Text, r.width)
	}
	for i := range r.slab.Fields {
		r.slab.Fields[i] = column.Text{Data: r.slab.Data}
		if r.columns != nil {
			r.slab.Fields[i].Spans = r.columns[i][:r.slab.Rows()]
		}
	}
}

func (r *Reader) reset() {
	s := &r.slab
	s.Records, s.Where, s.Ragged, s.Bad = s.Records[:0], s.Where[:0], s.Ragged[:0], s.Bad[:0]
	r.extra, r.tail, r.empty = r.extra[:0], r.tail[:0], column.NullSpan
	r.started = r.pos
}

// scan passes records until the slab is full or the text is used up.
func (r *Reader) scan() progress {
	for {
		if r.pos-r.started >= r.o.SlabBytes || (r.slab.Rows()+1)*r.width > max(cells, r.width) {
			return full
		}
		p := forward
		switch {
		case r.long != nil:
			p = r.skipLong()
		case r.pos == len(r.buf):
			p = hungry
		case !r.framing():
			p = hungry
		case r.pos < len(r.buf) && !r.comment:
			p = r.record()
		}
		if p == hungry && (r.last || r.err != nil) {
			if p = r.finish(); p == forward {
				continue
			}
		}
		if p != forward {
			return p
		}
	}
}

// finish deals with text that ends within a record because the file is cut off.
func (r *Reader) finish() progress {
	if !r.cutof || r.pos == len(r.buf) && r.long == nil {
		return ended
	}
	return r.cutOff()
}

// framing passes blank lines and comments. It reports false if only more text
// can tell.
func (r *Reader) framing() bool {
	for r.pos < len(r.buf) {
		if r.comment || r.cut.comment != 0 && r.buf[r.pos] == r.cut.comment {
			begin, next, ok := r.cut.findLineEnd(r.buf, r.pos, r.last)
			r.comment = !ok && !r.last
			if !ok {
				r.frame(begin - r.pos)
				return r.last
			}
			r.counts.Comments++
			r.frame(next - r.pos)
			continue
		}
		n := r.cut.lineEnd(r.buf, r.pos, r.last)
		if n <= 0 {
			return n == 0
		}
		r.counts.Blank++
		r.frame(n)
	}
	return true
}

// emptyRecord passes the record that was cut: it has no values.
func (r *Reader) emptyRecord() {
	r.counts.Empty++
	r.countEnd(r.cut.end, r.cut.next)
	r.frame(r.cut.next - r.pos)
}

// view is the text that the record at pos may be cut from, and whether it ends
// where the file does. A record that does not fit is too long.
func (r *Reader) view() (text []byte, last bool) {
	if most := r.pos + r.o.MaxRecordBytes + slack; most < len(r.buf) {
		return r.buf[:most], false
	}
	return r.buf, r.last
}

// record takes the record at pos.
func (r *Reader) record() progress {
	text, last := r.view()
	c := r.cut
	out := c.cut(text, r.pos, last)
	if out != whole {
		return r.malformed(out, text, last)
	}
	length := c.end - r.pos
	switch {
	case length > r.o.MaxRecordBytes:
		return r.tooLong(text, last)
	case c.empty:
		r.emptyRecord()
		return forward
	case c.fields == 1 && r.width > 1 && isBlank(text[r.pos:c.end]):
		r.counts.Blank++
		r.frame(c.next - r.pos)
		return forward
	case r.zeros && r.hole(text[r.pos:c.end]) > 0:
		r.bad(c.end, c.next, diag.RecordMalformed,
			fmt.Sprintf("found %d bytes of zeros, as a write that was cut short leaves them", r.hole(text[r.pos:c.end])))
		return forward
	case c.fields > r.o.MaxColumns:
		r.bad(c.end, c.next, diag.TooManyColumns,
			fmt.Sprintf("found %d fields, want at most %d", c.fields, r.o.MaxColumns))
		return forward
	}
	if why := r.misread(text[r.pos:c.end]); why != "" {
		r.bad(c.end, c.next, diag.Encoding, why)
		return forward
	}
	if text[r.pos] == 0xef && hasMark(text[r.pos:]) {
		r.markInside()
	}
	r.take(length)
	return forward
}

// take adds the record that was cut to the slab.
func (r *Reader) take(length int) {
	c, row := r.cut, r.slab.Rows()
	if row == r.room {
		r.makeRoom()
	}
	for _, i := range c.escaped {
		at := len(r.tail)
		r.tail = c.unescape(r.tail, r.value(c.spans[i]))
		c.spans[i] = column.NewSpan(len(r.buf)+at, len(r.tail)-at, true)
	}
	if r.o.adapts() {
		for i, s := range c.spans[:c.fields] {
			c.spans[i] = r.adapt(s)
		}
	}
	n := min(c.fields, r.width)
	for i, s := range c.spans[:n] {
		r.columns[i][row] = s
	}
	r.records++
	r.slab.Records = append(r.slab.Records, r.records)
	r.slab.Where = append(r.slab.Where, column.Where{
		Offset: r.base + int64(r.pos), Line: r.lineAt(r.pos), From: uint32(r.pos), To: uint32(c.end),
	})
	if c.fields != r.width {
		r.ragged(row, n)
	}
	r.countEnd(c.end, c.next)
	r.unended = r.ended && c.next == c.end
	r.account.In += int64(c.next - r.pos)
	r.account.Records += int64(length)
	r.account.Framing += int64(c.next - c.end)
	if !c.quoted && c.sep == "" && c.next > c.end {
		r.lines.PassLine(r.buf[c.next-1])
		r.anchor = c.next
	}
	r.pos = c.next
}

// ragged fills up a short row and keeps the values past the header.
func (r *Reader) ragged(row, n int) {
	c := r.cut
	for i := n; i < r.width; i++ {
		r.columns[i][row] = column.NullSpan
	}
	first := len(r.extra)
	for _, s := range c.spans[n:c.fields] {
		r.extra = append(r.extra, r.value(s))
	}
	ragged := column.Ragged{Row: row, Have: c.fields}
	if len(r.extra) > first {
		ragged.Extra = r.extra[first:len(r.extra):len(r.extra)]
	}
	r.slab.Ragged = append(r.slab.Ragged, ragged)
	if c.fields == 1 && isMarker(r.buf[r.pos:c.end]) {
		r.conflict()
	}
}

// makeRoom doubles the rows of all columns. Columns lie one cache line off a
// power of two, or writing a row would hit one set of the cache again and again.
func (r *Reader) makeRoom() {
	rows := r.slab.Rows()
	room := max(min(2*rows, cells/r.width), rows+1, min(1024, cells/4/r.width))
	stride := room + 8
	all := make([]column.Span, stride*r.width)
	columns := make([][]column.Span, r.width)
	for i := range columns {
		columns[i] = all[i*stride : i*stride+room]
		if r.columns != nil {
			copy(columns[i], r.columns[i][:rows])
		}
	}
	r.columns, r.room = columns, room
}

// misread says why a record's bytes are not the text they were taken for, "" if
// nothing speaks against it.
func (r *Reader) misread(text []byte) string {
	switch {
	case r.dirty && !utf8.Valid(text):
		return fmt.Sprintf("found bytes that are not %s, want text; if the whole file is in another encoding, set the option encoding", r.src.Encoding())
	case r.src.Detected() && r.src.Doubtful(text):
		return fmt.Sprintf("found UTF-8 in a file that is otherwise %s, want one encoding; set the option encoding to read all of it the same way", r.src.Encoding())
	}
	return ""
}

func (r *Reader) countEnd(end, next int) {
	r.ended = r.ended || next > end
	switch {
	case next-end == 2 && r.cut.sep == "":
		r.counts.CRLF++
	case next == end:
	case r.buf[end] == '\r':
		r.counts.CR++
	case r.buf[end] == '\n':
		r.counts.LF++
	}
}

func hasMark(b []byte) bool { return bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) }

func (r *Reader) markInside() {
	if r.bom.Count == 0 {
		r.bom = format.Note{
			Kind: "bom_inside", Record: r.records + 1, Line: r.lineAt(r.pos),
			Message: "found a byte order mark at the start of a record, kept as data",
			Hint:    "the file may be several files in one; deliver them apart",
		}
	}
	r.bom.Count++
}

func (r *Reader) conflict() {
	if r.marker.Count == 0 {
		r.marker = format.Note{
			Kind: "conflict_marker", Record: r.records, Line: r.lineAt(r.pos),
			Message: "found a line that a merge conflict leaves, kept as data",
			Hint:    "resolve the conflict and deliver the file again",
		}
	}
	r.marker.Count++
}

// isBlank reports whether text is spaces and tabs alone.
func isBlank(text []byte) bool {
	for _, b := range text {
		if b != ' ' && b != '\t' {
			return false
		}
	}
	return true
}
