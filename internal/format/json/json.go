// Package json decodes JSON text.
//
// A [Reader] reads values one after the other, whatever lines they stand on: one
// a line, written over many lines, or with nothing between. An array at the top
// level is not a value but the list of its elements, which are read one by one; so
// a file is never in memory as a whole, and nothing has to be said about how it is
// written. A record is any value. An empty array holds none.
//
// # Where a malformed record ends
//
// It must cost no other record, and no part of it may pass for one. By lines, where
// lines are records: if the last object at the top level stood on one line, what
// does not begin like an object ends with its line. So does an object, and any
// record at the start of a file, if the next line begins like it; what seems to be
// from within an object whose beginning is lost too. Commas and closing brackets
// between objects are a record by themselves.
//
// Else by brackets and quotes: where they balance, if that is in reach (256 KiB
// behind the fault) and what follows may: in an array, elements up to its end, or
// one with the names of the array's first before another fault.
//
// Else by what comes next: before the first line behind the fault that begins in the
// same column with the same character; in an array, before the first value behind a
// comma that begins like it and with which the array goes on as above. If nothing
// does, what is left of the file is one bad record.
//
// An array that is not closed when a line begins with a bracket where its own
// stands ends there, if it belongs on one line. This, and an array that the end of
// the file leaves open, is a note.
package json

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"landfall/internal/column"
	"landfall/internal/format"
)

// Reader yields the records of one file. It implements format.Reader.
type Reader struct {
	name    string
	o       Options
	src     *format.Text
	scan    scanner
	probe   scanner // for looking ahead
	foreign string

	in    format.Window
	begin int64 // offset of the line on which the window is at
	fresh bool  // only white space stands before it on its line

	place   place
	array   array
	comma   mark // the comma that place element is behind
	docs    counts
	comment byte  // '/' or '*': within a comment, being skipped
	lost    *lost // a record whose end is sought
	clear   int64 // offset before which, from the lost record on, no line ends

	slab    column.Slab
	tape    column.Tape
	passed  int // how much text the slab took
	memory  *memory
	records int64
	bom     format.Note // byte order marks within the text
	open    format.Note // arrays that are not closed
	notes   []format.Note
}

// place is what may stand at the position of a reader.
type place uint8

const (
	document place = iota // a document
	first                 // the first element of an array, or its end
	behind                // what follows an element: a comma, or the end of the array
	element               // an element, after a comma
	either                // any of them: the record before could not be cut
)

// mark is a place in the text.
type mark struct{ offset, line int64 }

// array is the array at the top level that is being read.
type array struct {
	mark
	column int64
	alone  bool   // it begins a line
	bound  bool   // it should end on that line
	first  int64  // the line of its first element, 0 for none
	names  []byte // the raw names of its first element
}

// counts count the good documents of the text, and say how the last one stood.
type counts struct {
	all, arrays, lines int64
	line               bool  // on a line of its own
	column             int64 // where it began on its line, 0 if not alone
}

// Open reads enough of r to know what it is. name is the object's key, for
// messages.
func Open(ctx context.Context, name string, r io.Reader, o Options) (*Reader, error) {
	o.check()
	m := o.Pool.take()
	text, err := m.room.OpenText(name, r, o.Encoding)
	if err != nil {
		return nil, err
	}
	if o.Encoding == "" {
		text.AssumeUTF8()
	}
	d := &Reader{name: name, o: o, src: text, fresh: true}
	d.scan.o, d.probe.o = &d.o, &d.o
	d.use(m)
	most := o.MaxRecordBytes + slack + 4*(overlap+o.reach) + o.SlabBytes
	if d.in, err = format.NewWindow(ctx, text, format.Sizes{Head: o.headBytes, Slab: o.SlabBytes, Most: most}); err != nil {
		return nil, err
	}
	if d.foreign = text.Binary(d.in.Held, o.LineSep); d.foreign == "" {
		d.foreign, _ = foreign(d.in.Held)
	}
	if bytes.HasPrefix(d.in.Held, []byte(bom)) {
		d.in.Frame(len(bom))
		d.begin = int64(len(bom))
	}
	return d, nil
}

// Header returns nil: the names of JSON are in its objects.
func (r *Reader) Header() []string { return nil }

// Dialect describes how the file is written, as far as it was read.
func (r *Reader) Dialect() string {
	d := "JSON"
	switch c := r.docs; {
	case c.all == 1 && c.arrays == 1:
		d += " array"
	case c.all > 0 && c.lines == c.all:
		d += " lines"
	case c.all > 0:
		d += " documents"
	}
	return d + ", " + r.src.Encoding()
}

// Compression is the compression the bytes were found in, "" for none.
func (r *Reader) Compression() string { return r.src.Compression() }

// Account accounts for the text read so far.
func (r *Reader) Account() format.Account { return r.in.Account }

// Records is the number of records cut so far, the bad ones included.
func (r *Reader) Records() int64 { return r.records }

// Foreign says what the file seems to be if it begins like something else than
// JSON.
func (r *Reader) Foreign() (reason string, ok bool) { return r.foreign, r.foreign != "" }

// Notes returns what a person should know about the text read so far.
func (r *Reader) Notes() []format.Note {
	notes := append(r.src.Notes()[:len(r.src.Notes()):len(r.src.Notes())], r.notes...)
	for _, n := range []format.Note{r.bom, r.open} {
		if n.Count > 0 {
			notes = append(notes, n)
		}
	}
	return notes
}

// here is the place that the window is at.
func (r *Reader) here() mark { return mark{r.in.Offset(), r.in.Line(r.in.At)} }

// column is how far the window is from the start of its line.
func (r *Reader) column() int64 { return r.in.Offset() - r.begin }

// unclosed notes that the array has no end.
func (r *Reader) unclosed(found string) {
	if r.open.Count == 0 {
		r.open = format.Note{
			Kind: "array_unclosed", Record: r.records, Line: r.array.line,
			Message: fmt.Sprintf("found %s in the array that begins on line %d, want ]", found, r.array.line),
			Hint:    "the file may be cut off; deliver it again if elements are missing",
		}
	}
	r.open.Count++
}
