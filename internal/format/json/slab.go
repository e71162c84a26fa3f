package json

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
)

const (
	// mostBad is the most bad records a slab has, about.
	mostBad = 1 << 14
	// slack is how much more than the longest record is looked at.
	slack = 32
)

// next cuts the next slab.
func (r *Reader) next() (*column.Slab, format.Progress) {
	r.reset()
	p := r.run()
	r.passed = r.in.Passed()
	if r.slab.Rows() == 0 && len(r.slab.Bad) == 0 {
		return nil, p
	}
	r.share()
	return &r.slab, p
}

// share gives the slab its text and its rows. Strings without their escapes stand
// behind the text.
func (r *Reader) share() {
	r.slab.Data = r.in.With(r.scan.tail)
	r.tape.Data, r.tape.Nodes, r.tape.Shapes = r.slab.Data, r.scan.nodes, r.scan.shapes
	r.tape.UTF8 = true // other records are bad
	r.slab.Tape = &r.tape
}

func (r *Reader) reset() {
	r.makeRoom()
	s := &r.slab
	s.Records, s.Where, s.Bad = s.Records[:0], s.Where[:0], s.Bad[:0]
	r.tape.Roots, r.tape.Cells = r.tape.Roots[:0], r.tape.Cells[:0]
	r.scan.nodes, r.scan.tail = r.scan.nodes[:0], r.scan.tail[:0]
	r.in.Begin()
}

// makeRoom makes room for as much as the text of a whole slab has if it is like
// that of the last one: most of what growing bit by bit would copy.
func (r *Reader) makeRoom() {
	passed, rows := r.passed, r.slab.Rows()
	if passed < 1<<10 || passed > r.o.SlabBytes/2 || rows < 8 {
		return
	}
	like := func(n int) int { return n*(r.o.SlabBytes/passed) + n*4 }
	if n := like(len(r.scan.nodes)); n > cap(r.scan.nodes) {
		r.scan.nodes = make([]column.Node, 0, n)
	}
	if n := like(rows); n > cap(r.slab.Records) {
		r.slab.Records = make([]int64, 0, n)
		r.slab.Where = make([]column.Where, 0, n)
		r.tape.Roots = make([]uint32, 0, n)
		r.tape.Cells = make([]uint32, 0, n)
	}
}

// run passes records until the slab is full or the text is used up.
func (r *Reader) run() format.Progress {
	r.scan.base = len(r.in.Held)
	for {
		if r.in.Passed() >= r.o.SlabBytes || len(r.slab.Bad) >= mostBad {
			return format.Full
		}
		switch p := r.step(); {
		case p == format.Forward:
		case p == format.Full:
			return format.Full
		case r.in.Final() || r.in.Err != nil:
			r.finish()
			return format.Ended
		default:
			return p
		}
	}
}

// finish deals with a comment and an array that the end of the text leaves open.
func (r *Reader) finish() {
	if !r.in.Final() {
		return
	}
	if r.comment == '*' {
		r.comment = 0
		r.notes = append(r.notes, format.Note{
			Kind: "comment_unclosed", Count: 1, Line: r.in.Line(r.in.At),
			Message: "found the end of the file in a comment, want */",
			Hint:    "the file may be cut off; deliver it again if records are missing",
		})
	}
	if r.place != document {
		r.unclosed("the end of the file")
		r.place = document
	}
}

// view is the text that the record at hand may be cut from, and whether no more
// can come. A record that does not fit is too long.
func (r *Reader) view() (text []byte, final bool) {
	text, all := r.in.View(r.o.MaxRecordBytes + slack)
	return text, all && r.in.Final()
}

// record takes the record at hand.
func (r *Reader) record() format.Progress {
	if r.place != document && r.array.first == 0 {
		r.array.first = r.in.Line(r.in.At)
	}
	text, final := r.view()
	root := len(r.scan.nodes)
	end, ok := r.scan.value(text, r.in.At)
	if ok && end == len(text) && r.scan.nodes[root].Kind <= column.Number && (!final || r.place != document || r.in.CutOff) {
		// More of it may come, or would have.
		r.scan.nodes = r.scan.nodes[:root]
		_, ok = r.scan.fail(end, "the rest of the value", "")
	}
	if ok && r.scan.nodes[root].Kind == column.String {
		at := r.colon(end)
		if at == len(r.in.Held) && !r.in.Final() {
			r.drop(root)
			return format.Hungry
		}
		if at < len(r.in.Held) && r.in.Held[at] == ':' {
			r.drop(root)
			_, ok = r.scan.fail(at, "the end of the record", "")
		}
	}
	length := end - r.in.At
	switch {
	case !ok:
		return r.malformed(text)
	case length > r.o.MaxRecordBytes:
		r.drop(root)
		return r.tooLong()
	case r.in.Dirty && !utf8.Valid(r.in.Held[r.in.At:end]):
		r.drop(root)
		at := invalid(r.in.Held[r.in.At:end])
		r.settle(end, diag.Encoding, fmt.Sprintf("found bytes that are not %s at byte %d of the record, want text; if the whole file is in another encoding, set the option encoding", r.src.Encoding(), at))
	case r.o.AllowUnquotedControlChars && format.Hole(r.in.Held[r.in.At:end]) > 0:
		r.drop(root)
		r.settle(end, diag.RecordMalformed, fmt.Sprintf("found %d bytes of zeros, as a write that was cut short leaves them", format.Hole(r.in.Held[r.in.At:end])))
	default:
		r.take(root, end)
	}
	return format.Forward
}

// colon looks for a colon behind the string that ends at end, within reach. With
// one it is the name of a member, of an object whose beginning is lost.
func (r *Reader) colon(end int) int {
	at := end
	for at < len(r.in.Held) && at < end+r.o.reach && bytes.IndexByte([]byte(" \t\r\n"), r.in.Held[at]) >= 0 {
		at++
	}
	if at == end+r.o.reach {
		return end
	}
	return at
}

// drop takes the last value out of the slab again.
func (r *Reader) drop(root int) {
	n := r.scan.nodes
	for _, node := range n[root:] {
		if node.Kind == column.Decoded {
			r.scan.tail = r.scan.tail[:int(node.Offset)-r.scan.base]
			break
		}
	}
	r.scan.nodes = n[:root]
}

// take adds the value that was cut to the slab.
func (r *Reader) take(root, end int) {
	r.records++
	r.slab.Records = append(r.slab.Records, r.records)
	r.slab.Where = append(r.slab.Where, column.Where{
		Offset: r.in.Offset(), Line: r.in.Line(r.in.At), From: uint32(r.in.At), To: uint32(end),
	})
	r.tape.Roots = append(r.tape.Roots, uint32(root))
	r.tape.Cells = append(r.tape.Cells, r.scan.cells)
	r.in.Account.In += int64(end - r.in.At)
	r.in.Account.Records += int64(end - r.in.At)
	switch r.place {
	case document:
		r.countDocument(r.scan.nodes[root].Kind)
	case first:
		r.array.names = appendNames(r.array.names, &r.scan, uint32(root), r.in.Held)
		r.place = behind
	default:
		r.place = behind
	}
	r.leave(end)
}

// countDocument counts the document at hand. What the lines of scalars say may be
// wrong: they are what is left of a broken object too.
func (r *Reader) countDocument(kind column.Kind) {
	r.docs.all++
	line := r.fresh && !r.scan.broke
	if line {
		r.docs.lines++
	}
	if kind != column.Object {
		return
	}
	r.docs.line, r.docs.column = line, 0
	if r.fresh {
		r.docs.column = r.column()
	}
}

// leave goes on behind the record at hand, which ends at end.
func (r *Reader) leave(end int) {
	if r.scan.broke || r.lost != nil {
		r.pass(r.in.Held[r.in.At:end])
	}
	r.fresh = false
	r.in.At = end
}

// settle sets the record at hand aside, whose end is known.
func (r *Reader) settle(end int, code diag.Code, why string) {
	at := r.here()
	length := end - r.in.At
	r.setAside(column.Bad{
		Line: at.line, Offset: at.offset, Length: int64(length), Bytes: r.in.Held[r.in.At:end:end],
		Reason: why, Code: string(code),
	})
	r.in.Account.In += int64(length)
	r.in.Account.Bad += int64(length)
	if r.place != document {
		r.place = behind
	}
	r.leave(end)
}

// setAside adds a bad record.
func (r *Reader) setAside(b column.Bad) {
	r.records++
	b.Record = r.records
	r.slab.Bad = append(r.slab.Bad, b)
}

// invalid is where the first byte of text is that is not UTF-8.
func invalid(text []byte) int {
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return len(text)
}

// appendNames appends the raw names of the members of an object, each with a
// colon behind it.
func appendNames(dst []byte, s *scanner, root uint32, text []byte) []byte {
	if s.nodes[root].Kind != column.Object {
		return dst
	}
	for at := root + 1; at < s.nodes[root].Next; at = s.nodes[at].Next {
		n := s.nodes[at]
		dst = append(append(dst, text[n.Offset:n.Offset+n.Length]...), ':')
	}
	return dst
}

// sameNames reports whether an object has the names that were appended.
func sameNames(names []byte, s *scanner, root uint32, text []byte) bool {
	if s.nodes[root].Kind != column.Object {
		return false
	}
	for at := root + 1; at < s.nodes[root].Next; at = s.nodes[at].Next {
		n := s.nodes[at]
		name := text[n.Offset : n.Offset+n.Length]
		if !bytes.HasPrefix(names, name) || len(names) == len(name) || names[len(name)] != ':' {
			return false
		}
		names = names[len(name)+1:]
	}
	return len(names) == 0
}
