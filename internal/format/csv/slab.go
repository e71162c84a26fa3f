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

// Slabs yields the records in order (see format.Reader). The buffers of a slab
// are used again for the next.
func (r *Reader) Slabs(ctx context.Context) iter.Seq2[*column.Slab, error] {
	return r.in.Slabs(ctx, r.next)
}

// next cuts the next slab.
func (r *Reader) next() (*column.Slab, format.Progress) {
	r.reset()
	p := r.scan()
	if r.slab.Rows() == 0 && len(r.slab.Bad) == 0 {
		return nil, p
	}
	r.share()
	return &r.slab, p
}

// share gives the slab its text and its columns. What was unescaped stands
// behind the text, so that this is still what the file says.
func (r *Reader) share() {
	r.slab.Data = r.in.With(r.tail)
	if r.slab.Fields == nil {
		r.slab.Fields = make([]column.Text, r.width)
	}
	for i := range r.slab.Fields {
		r.slab.Fields[i] = column.Text{Data: r.slab.Data, UTF8: r.utf8}
		if r.columns != nil {
			r.slab.Fields[i].Spans = r.columns[i][:r.slab.Rows()]
		}
	}
}

func (r *Reader) reset() {
	s := &r.slab
	s.Records, s.Where, s.Ragged, s.Bad = s.Records[:0], s.Where[:0], s.Ragged[:0], s.Bad[:0]
	r.extra, r.tail, r.empty = r.extra[:0], r.tail[:0], column.NullSpan
	r.in.Begin()
}

// scan passes records until the slab is full or the text is used up.
func (r *Reader) scan() format.Progress {
	for {
		if r.in.Passed() >= r.o.SlabBytes || (r.slab.Rows()+1)*r.width > max(cells, r.width) {
			return format.Full
		}
		p := format.Forward
		switch {
		case r.long != nil:
			p = r.skipLong()
		case r.in.At == len(r.in.Held):
			p = format.Hungry
		case !r.framing():
			p = format.Hungry
		case r.in.At < len(r.in.Held) && !r.comment:
			p = r.record()
		}
		if p == format.Hungry && (r.in.Last || r.in.Err != nil) {
			if p = r.finish(); p == format.Forward {
				continue
			}
		}
		if p != format.Forward {
			return p
		}
	}
}

// finish deals with text that ends within a record because the file is cut off.
func (r *Reader) finish() format.Progress {
	if !r.in.CutOff || r.in.At == len(r.in.Held) && r.long == nil {
		return format.Ended
	}
	return r.cutOff()
}

// framing passes blank lines and comments. It reports false if only more text
// can tell.
func (r *Reader) framing() bool {
	for r.in.At < len(r.in.Held) {
		if r.comment || r.cut.comment != 0 && r.in.Held[r.in.At] == r.cut.comment {
			begin, next, ok := r.cut.findLineEnd(r.in.Held, r.in.At, r.in.Last)
			r.comment = !ok && !r.in.Last
			if !ok {
				r.in.Frame(begin - r.in.At)
				return r.in.Last
			}
			r.counts.Comments++
			r.in.Frame(next - r.in.At)
			continue
		}
		n := r.cut.lineEnd(r.in.Held, r.in.At, r.in.Last)
		if n <= 0 {
			return n == 0
		}
		r.counts.Blank++
		r.in.Frame(n)
	}
	return true
}

// emptyRecord passes the record that was cut: it has no values.
func (r *Reader) emptyRecord() {
	r.counts.Empty++
	r.countEnd(r.cut.end, r.cut.next)
	r.in.Frame(r.cut.next - r.in.At)
}

// view is the text that the record at hand may be cut from, and whether it ends
// where the file does. A record that does not fit is too long.
func (r *Reader) view() (text []byte, last bool) {
	text, all := r.in.View(r.o.MaxRecordBytes + slack)
	return text, all && r.in.Last
}

// record takes the record at hand.
func (r *Reader) record() format.Progress {
	text, last := r.view()
	c := r.cut
	out := c.cut(text, r.in.At, last)
	if out != whole {
		return r.malformed(out, text, last)
	}
	length := c.end - r.in.At
	switch {
	case length > r.o.MaxRecordBytes:
		return r.tooLong(text, last)
	case c.empty:
		r.emptyRecord()
		return format.Forward
	case c.fields == 1 && r.width > 1 && isBlank(text[r.in.At:c.end]):
		r.counts.Blank++
		r.in.Frame(c.next - r.in.At)
		return format.Forward
	case r.in.Zeros && r.hole(text[r.in.At:c.end]) > 0:
		r.bad(c.end, c.next, diag.RecordMalformed,
			fmt.Sprintf("found %d bytes of zeros, as a write that was cut short leaves them", r.hole(text[r.in.At:c.end])))
		return format.Forward
	case c.fields > r.o.MaxColumns:
		r.bad(c.end, c.next, diag.TooManyColumns,
			fmt.Sprintf("found %d fields, want at most %d", c.fields, r.o.MaxColumns))
		return format.Forward
	}
	if why := r.misread(text[r.in.At:c.end]); why != "" {
		r.bad(c.end, c.next, diag.Encoding, why)
		return format.Forward
	}
	if text[r.in.At] == 0xef && hasMark(text[r.in.At:]) {
		r.markInside()
	}
	r.take(length)
	return format.Forward
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
		c.spans[i] = column.NewSpan(len(r.in.Held)+at, len(r.tail)-at, true)
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
		Offset: r.in.Offset(), Line: r.in.Line(r.in.At), From: uint32(r.in.At), To: uint32(c.end),
	})
	if c.fields != r.width {
		r.ragged(row, n)
	}
	r.countEnd(c.end, c.next)
	r.unended = r.ended && c.next == c.end
	r.in.Account.In += int64(c.next - r.in.At)
	r.in.Account.Records += int64(length)
	r.in.Account.Framing += int64(c.next - c.end)
	if !c.quoted && c.sep == "" && c.next > c.end {
		r.in.PassLine(c.next)
	}
	r.in.At = c.next
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
	if c.fields == 1 && isMarker(r.in.Held[r.in.At:c.end]) {
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
	case r.in.Dirty && !utf8.Valid(text):
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
	case r.in.Held[end] == '\r':
		r.counts.CR++
	case r.in.Held[end] == '\n':
		r.counts.LF++
	}
}

func hasMark(b []byte) bool { return bytes.HasPrefix(b, []byte("\xef\xbb\xbf")) }

func (r *Reader) markInside() {
	if r.bom.Count == 0 {
		r.bom = format.Note{
			Kind: "bom_inside", Record: r.records + 1, Line: r.in.Line(r.in.At),
			Message: "found a byte order mark at the start of a record, kept as data",
			Hint:    "the file may be several files in one; deliver them apart",
		}
	}
	r.bom.Count++
}

func (r *Reader) conflict() {
	if r.marker.Count == 0 {
		r.marker = format.Note{
			Kind: "conflict_marker", Record: r.records, Line: r.in.Line(r.in.At),
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
