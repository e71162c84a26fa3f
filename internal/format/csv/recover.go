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

// malformed takes the record at hand, which could not be cut. text is its view.
func (r *Reader) malformed(out outcome, text []byte, last bool) format.Progress {
	c := r.cut
	fields, at := c.fields, c.at
	switch {
	case out == more && len(text) == len(r.in.Held):
		return format.Hungry
	case out == more:
		return r.tooLong(text, last)
	case out == open:
		if len(text)-r.in.At > r.o.MaxRecordBytes {
			return r.tooLong(text, last)
		}
		return r.settle(text, last, len(text), len(text), diag.RecordMalformed,
			fmt.Sprintf("found a quote in field %d that is never closed, want a closing quote", fields+1))
	}
	end, next, ok := c.findLineEnd(text, at, last)
	switch {
	case !ok && last:
		end, next = len(text), len(text)
	case !ok && len(text) == len(r.in.Held):
		return format.Hungry
	}
	if !ok && !last || end-r.in.At > r.o.MaxRecordBytes {
		return r.tooLong(text, last)
	}
	return r.settle(text, last, end, next, diag.RecordMalformed, strayText(text[at:end], fields))
}

// strayShown is how many bytes of what follows a closing quote are shown.
const strayShown = 20

// strayText says what follows the closing quote of the field with that index.
func strayText(line []byte, field int) string {
	shown := line[:min(strayShown, len(line))]
	return fmt.Sprintf("found %s after the closing quote of field %d, want a delimiter or a line end",
		diag.Quote(string(shown[:format.WholeRunes(shown)])), field+1)
}

// settle decides how much of the text at hand up to end is bad: its first line, or all.
func (r *Reader) settle(text []byte, last bool, end, next int, code diag.Code, why string) format.Progress {
	first, second, ok := r.cut.findLineEnd(text, r.in.At, last)
	if ok && second < end {
		switch good, p := r.try(second, end); {
		case p == format.Hungry:
			return format.Hungry
		case good:
			end, next = first, second
		}
	}
	r.bad(end, next, code, why)
	return format.Forward
}

// try reports whether Held[pos:end] holds records of the header's width: at least
// one, and no other before the first that cannot be cut. It looks no further than
// the record at hand may be long.
func (r *Reader) try(pos, end int) (good bool, p format.Progress) {
	if r.width < 2 {
		return false, format.Forward
	}
	c := r.probe
	text, last, enough := r.in.Held, r.in.Last, r.in.Err != nil
	if horizon := r.in.At + r.o.MaxRecordBytes; horizon < len(text) {
		text, last, enough = text[:horizon], false, true
	}
	for pos < end {
		out := c.pass(text, pos, last)
		if out == whole && c.next == pos {
			out = c.cut(text, pos, last)
			switch {
			case out != whole, c.empty, c.fields == 1 && isBlank(text[pos:c.end]):
			case c.fields != r.width:
				return false, format.Forward
			default:
				good = true
			}
		}
		switch {
		case out == more && !enough:
			return false, format.Hungry
		case out != whole:
			return good, format.Forward
		}
		pos = c.next
	}
	return good, format.Forward
}

// bad sets the text at hand up to end aside and goes on at next.
func (r *Reader) bad(end, next int, code diag.Code, why string) {
	r.records++
	r.slab.Bad = append(r.slab.Bad, column.Bad{
		Record: r.records, Line: r.in.Line(r.in.At), Offset: r.in.Offset(),
		Length: int64(end - r.in.At), Bytes: r.in.Held[r.in.At:end:end],
		Reason: why, Code: string(code),
	})
	r.in.Account.In += int64(next - r.in.At)
	r.in.Account.Bad += int64(end - r.in.At)
	r.in.Account.Framing += int64(next - end)
	r.in.At = next
}

// cutOff takes the text at hand: the file is cut off within it.
func (r *Reader) cutOff() format.Progress {
	if r.long != nil {
		r.drop(len(r.in.Held))
		r.endLong(0)
		return format.Forward
	}
	if r.comment {
		r.in.Frame(len(r.in.Held) - r.in.At)
		return format.Forward
	}
	text, last := r.view()
	return r.settle(text, last, len(text), len(text), diag.FileUnreadable, "found the end of a file that is cut off, want the rest of the record")
}

// tooLong takes the record at hand, which is longer than allowed.
func (r *Reader) tooLong(text []byte, last bool) format.Progress {
	horizon := r.in.At + r.o.MaxRecordBytes
	why := fmt.Sprintf("found a record of more than %d bytes, want at most that", r.o.MaxRecordBytes)
	first, second, ok := r.cut.findLineEnd(text, r.in.At, last)
	if ok && second < horizon {
		switch good, p := r.try(second, horizon); {
		case p == format.Hungry:
			return format.Hungry
		case good:
			r.bad(first, second, diag.RecordTooLong, why)
			return format.Forward
		}
	}
	r.records++
	r.long = &column.Bad{
		Record: r.records, Line: r.in.Line(r.in.At), Offset: r.in.Offset(),
		Reason: why, Code: string(diag.RecordTooLong),
	}
	if r.in.Held[horizon-1] == '\r' {
		horizon-- // it may be half of a line end
	}
	r.drop(horizon)
	return r.skipLong()
}

// drop passes bytes of a record that is too long.
func (r *Reader) drop(end int) {
	n := int64(end - r.in.At)
	r.in.Account.In += n
	r.in.Account.Bad += n
	r.long.Length += n
	r.in.At = end
}

// endLong ends the record that is too long; n is the length of its line end.
func (r *Reader) endLong(n int) {
	r.slab.Bad = append(r.slab.Bad, *r.long)
	r.long = nil
	r.in.Frame(n)
}

// skipLong drops lines until one is a record of the header's width.
func (r *Reader) skipLong() format.Progress {
	for {
		end, next, ok := r.cut.findLineEnd(r.in.Held, r.in.At, r.in.Last)
		r.drop(end)
		switch {
		case !ok && r.in.Last:
			r.endLong(0)
			return format.Forward
		case !ok:
			return format.Hungry
		case next == len(r.in.Held) && r.in.Last:
			r.endLong(next - end)
			return format.Forward
		}
		text, last := r.in.Held, r.in.Last
		if most := next + resyncBytes; most < len(text) {
			text, last = text[:most], false
		}
		out := more
		if next < len(text) {
			out = r.probe.cut(text, next, last)
		}
		switch {
		case out == more && len(text) == len(r.in.Held) && r.in.Err == nil:
			return format.Hungry
		case out == whole && r.probe.fields == r.width && !r.probe.empty:
			r.endLong(next - end)
			return format.Forward
		}
		r.drop(next)
	}
}
