package csv

import (
	"fmt"
	"strings"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
)

// A quote that is opened by mistake swallows the records after it, until the
// next quote or to the end of the file. So when a record cannot be cut, the lines
// after its first are tried as records: if they are records of the header's
// width, the first line alone is bad.

// resyncBytes is the longest record that can end a stretch of bytes that is
// longer than a record may be.
const resyncBytes = 1 << 20

// hole is the length of the first such row of zeros in a record, 0 if there is
// none. Line ends may be lost in it, so the record may be several: all of it is bad.
func (r *Reader) hole(record []byte) int {
	if strings.Contains(r.cut.delim+r.cut.sep, "\x00") {
		return 0
	}
	return format.Hole(record)
}

// malformed takes the record at pos, which could not be cut. text is its view.
func (r *Reader) malformed(out outcome, text []byte, last bool) progress {
	c := r.cut
	fields, at := c.fields, c.at
	switch {
	case out == more && len(text) == len(r.buf):
		return hungry
	case out == more:
		return r.tooLong(text, last)
	case out == open:
		if len(text)-r.pos > r.o.MaxRecordBytes {
			return r.tooLong(text, last)
		}
		return r.settle(text, last, len(text), len(text), diag.RecordMalformed,
			fmt.Sprintf("found a quote in field %d that is never closed, want a closing quote", fields+1))
	}
	end, next, ok := c.findLineEnd(text, at, last)
	switch {
	case !ok && last:
		end, next = len(text), len(text)
	case !ok && len(text) == len(r.buf):
		return hungry
	}
	if !ok && !last || end-r.pos > r.o.MaxRecordBytes {
		return r.tooLong(text, last)
	}
	return r.settle(text, last, end, next, diag.RecordMalformed, strayText(text[at:end], fields))
}

// strayText says what follows the closing quote of the field with that index.
func strayText(line []byte, field int) string {
	return fmt.Sprintf("found %s after the closing quote of field %d, want a delimiter or a line end",
		diag.Quote(string(line[:min(20, len(line))])), field+1)
}

// settle decides how much of text[pos:end] is bad: its first line, or all.
func (r *Reader) settle(text []byte, last bool, end, next int, code diag.Code, why string) progress {
	first, second, ok := r.cut.findLineEnd(text, r.pos, last)
	if ok && second < end {
		switch good, p := r.try(second, end); {
		case p == hungry:
			return hungry
		case good:
			end, next = first, second
		}
	}
	r.bad(end, next, code, why)
	return forward
}

// try reports whether buf[pos:end] holds records of the header's width: at least
// one, and no other before the first that cannot be cut. It looks no further than
// the record at r.pos may be long.
func (r *Reader) try(pos, end int) (good bool, p progress) {
	if r.width < 2 {
		return false, forward
	}
	c := r.probe
	text, last, enough := r.buf, r.last, r.err != nil
	if horizon := r.pos + r.o.MaxRecordBytes; horizon < len(text) {
		text, last, enough = text[:horizon], false, true
	}
	for pos < end {
		out := c.pass(text, pos, last)
		if out == whole && c.next == pos {
			out = c.cut(text, pos, last)
			switch {
			case out != whole, c.empty, c.fields == 1 && isBlank(text[pos:c.end]):
			case c.fields != r.width:
				return false, forward
			default:
				good = true
			}
		}
		switch {
		case out == more && !enough:
			return false, hungry
		case out != whole:
			return good, forward
		}
		pos = c.next
	}
	return good, forward
}

// bad sets buf[pos:end] aside and goes on at next.
func (r *Reader) bad(end, next int, code diag.Code, why string) {
	r.records++
	r.slab.Bad = append(r.slab.Bad, column.Bad{
		Record: r.records, Line: r.lineAt(r.pos), Offset: r.base + int64(r.pos),
		Length: int64(end - r.pos), Bytes: r.buf[r.pos:end:end],
		Reason: why, Code: string(code),
	})
	r.account.In += int64(next - r.pos)
	r.account.Bad += int64(end - r.pos)
	r.account.Framing += int64(next - end)
	r.pos = next
}

// cutOff takes the text at pos: the file is cut off within it.
func (r *Reader) cutOff() progress {
	if r.long != nil {
		r.drop(len(r.buf))
		r.endLong(0)
		return forward
	}
	if r.comment {
		r.frame(len(r.buf) - r.pos)
		return forward
	}
	text, last := r.view()
	return r.settle(text, last, len(text), len(text), diag.FileUnreadable, "found the end of a file that is cut off, want the rest of the record")
}

// tooLong takes the record at pos, which is longer than allowed.
func (r *Reader) tooLong(text []byte, last bool) progress {
	horizon := r.pos + r.o.MaxRecordBytes
	why := fmt.Sprintf("found a record of more than %d bytes, want at most that", r.o.MaxRecordBytes)
	first, second, ok := r.cut.findLineEnd(text, r.pos, last)
	if ok && second < horizon {
		switch good, p := r.try(second, horizon); {
		case p == hungry:
			return hungry
		case good:
			r.bad(first, second, diag.RecordTooLong, why)
			return forward
		}
	}
	r.records++
	r.long = &column.Bad{
		Record: r.records, Line: r.lineAt(r.pos), Offset: r.base + int64(r.pos),
		Reason: why, Code: string(diag.RecordTooLong),
	}
	if r.buf[horizon-1] == '\r' {
		horizon-- // it may be half of a line end
	}
	r.drop(horizon)
	return r.skipLong()
}

// drop passes bytes of a record that is too long.
func (r *Reader) drop(end int) {
	n := int64(end - r.pos)
	r.account.In += n
	r.account.Bad += n
	r.long.Length += n
	r.pos = end
}

// endLong ends the record that is too long; n is the length of its line end.
func (r *Reader) endLong(n int) {
	r.slab.Bad = append(r.slab.Bad, *r.long)
	r.long = nil
	r.frame(n)
}

// skipLong drops lines until one is a record of the header's width.
func (r *Reader) skipLong() progress {
	for {
		end, next, ok := r.cut.findLineEnd(r.buf, r.pos, r.last)
		r.drop(end)
		switch {
		case !ok && r.last:
			r.endLong(0)
			return forward
		case !ok:
			return hungry
		case next == len(r.buf) && r.last:
			r.endLong(next - end)
			return forward
		}
		text, last := r.buf, r.last
		if most := next + resyncBytes; most < len(text) {
			text, last = text[:most], false
		}
		out := more
		if next < len(text) {
			out = r.probe.cut(text, next, last)
		}
		switch {
		case out == more && len(text) == len(r.buf) && r.err == nil:
			return hungry
		case out == whole && r.probe.fields == r.width && !r.probe.empty:
			r.endLong(next - end)
			return forward
		}
		r.drop(next)
	}
}
