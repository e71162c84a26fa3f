// Package csv decodes delimited text.
//
// A [Reader] finds out how a file is written from its first bytes, then scans it
// once, slab by slab. Every byte is accounted for, and what is cut does not
// depend on how the bytes arrive: a line break within quotes is data wherever a
// buffer happens to end. A record that cannot be cut is set aside with its bytes
// and place, and costs no other record.
package csv

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
)

// Counts tells what stood between the records.
type Counts struct {
	// Blank counts lines without text, or of spaces alone in a file of several columns.
	Blank int64
	// Empty counts records that have only empty fields.
	Empty int64
	// Comments counts comment lines, Skipped the lines before the header.
	Comments, Skipped int64
	// LF, CRLF and CR count the line ends of records.
	LF, CRLF, CR int64
}

// Reader yields the records of one file. It implements format.Reader.
type Reader struct {
	name    string
	o       Options
	src     *format.Text
	cut     *cutter
	probe   *cutter // for looking ahead without losing the record that was cut
	header  []string
	width   int
	foreign string

	in   format.Window
	tail []byte // values without their escapes, to stand behind the text

	slab    column.Slab
	columns [][]column.Span
	room    int  // rows that columns have room for
	utf8    bool // what is between delimiters is UTF-8, as records are
	extra   [][]byte
	empty   column.Span // what stands for an empty value in quotes
	long    *column.Bad // a record longer than allowed, being skipped
	comment bool        // within a comment line, being skipped

	ended   bool // a line had an end
	unended bool // but the last record has none

	records int64
	counts  Counts
	bom     format.Note // byte order marks within the text
	marker  format.Note // lines that a merge conflict left
	notes   []format.Note
}

// Open reads enough of r to know the dialect and the header. name is the
// object's key, for messages.
func Open(ctx context.Context, name string, r io.Reader, o Options) (*Reader, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	text, err := format.OpenText(name, r, o.Encoding)
	if err != nil {
		return nil, err
	}
	c := &Reader{name: name, o: o, src: text, empty: column.NullSpan}
	most := max(o.MaxRecordBytes, resyncBytes) + slack + o.SlabBytes
	if c.in, err = format.NewWindow(ctx, text, format.Sizes{Head: o.sniffBytes, Slab: o.SlabBytes, Most: most}); err != nil {
		return nil, err
	}
	if c.foreign = text.Binary(c.in.Held, o.marks()); c.foreign == "" {
		c.foreign, _ = foreign(c.in.Held)
	}
	if err := c.begin(ctx); err != nil {
		if c.foreign != "" {
			return nil, diag.New(diag.FileForeign, "found %s, want delimited text", c.foreign).
				In(diag.Place{File: name}).Because(err)
		}
		return nil, err
	}
	return c, nil
}

// Header returns the names of the fields: trimmed of nothing, but the i-th name
// is _c<i> where the header has none.
func (r *Reader) Header() []string { return r.header }

// Dialect describes how the file is written, as far as it was read: an encoding
// that is found out may show only at the first character that is not ASCII, and
// whether the last line lacks its end, as where a file was cut off, only there.
func (r *Reader) Dialect() string {
	d := r.cut.String() + ", " + r.src.Encoding()
	if r.unended {
		d += ", last line not ended"
	}
	return d
}

// Compression is the compression the bytes were found in, "" for none.
func (r *Reader) Compression() string { return r.src.Compression() }

// Account accounts for the text read so far.
func (r *Reader) Account() format.Account { return r.in.Account }

// Counts counts the framing read so far.
func (r *Reader) Counts() Counts { return r.counts }

// Foreign says what the file seems to be if it begins like something else than
// delimited text.
func (r *Reader) Foreign() (reason string, ok bool) { return r.foreign, r.foreign != "" }

// Notes returns what a person should know about the text read so far.
func (r *Reader) Notes() []format.Note {
	notes := append(r.src.Notes()[:len(r.src.Notes()):len(r.src.Notes())], r.notes...)
	for _, n := range []format.Note{r.bom, r.marker} {
		if n.Count > 0 {
			notes = append(notes, n)
		}
	}
	if c := r.counts; c.CR > 0 && c.LF+c.CRLF > c.CR {
		notes = append(notes, format.Note{
			Kind: "mixed_line_ends", Count: c.CR,
			Message: fmt.Sprintf("lines: found %d that end with a lone carriage return among %d others", c.CR, c.LF+c.CRLF),
			Hint:    `set the option lineSep to "\n" if carriage returns are data`,
		})
	}
	return notes
}

// begin passes the byte order mark and skipped lines, finds out the dialect and
// reads the header.
func (r *Reader) begin(ctx context.Context) error {
	if hasMark(r.in.Held) {
		r.in.Frame(3)
	}
	lines := dialect{sep: r.o.LineSep}
	for range r.o.SkipRows {
		if r.in.At == len(r.in.Held) && r.in.Last {
			break
		}
		passed := r.in.Account.In
		if err := r.skipLine(ctx, lines); err != nil {
			return err
		}
		if r.in.Account.In > passed {
			r.counts.Skipped++
		}
	}
	if r.o.Delimiter == "" && r.o.SkipRows == 0 {
		if delim, n := declaredDelimiter(r.in.Held[r.in.At:], lines, r.in.Last); n > 0 {
			r.o.Delimiter = delim
			r.in.Frame(n)
		}
	}
	if len(r.in.Held)-r.in.At < r.o.sniffBytes && !r.in.Last && r.in.Err == nil {
		if err := r.in.More(ctx); err != nil {
			return err
		}
	}
	end := min(len(r.in.Held), r.in.At+r.o.sniffBytes)
	found := sniff(r.in.Held[r.in.At:end], r.in.Last && end == len(r.in.Held), r.o)
	r.notes = append(r.notes, found.notes(r.in.Held[r.in.At:end], r.in.Line(r.in.At))...)
	r.notes = append(r.notes, found.guesses(r.o)...)
	found.loose = r.o.Loose
	r.cut = newCutter(found.dialect, r.o.MaxColumns+1)
	r.probe = newCutter(found.dialect, r.o.MaxColumns+1)
	r.utf8 = utf8.ValidString(found.delim) && utf8.ValidString(found.sep)
	return r.readHeader(ctx, found.first)
}

// readHeader reads the first record, which tells the width. It is consumed only
// if it holds names.
func (r *Reader) readHeader(ctx context.Context, width int) error {
	for {
		hungry := r.in.At == len(r.in.Held) || !r.framing()
		if !hungry {
			if r.in.At == len(r.in.Held) || r.comment {
				continue
			}
			text, last := r.view()
			out := r.cut.cut(text, r.in.At, last)
			switch {
			case out == whole && r.cut.empty:
				r.emptyRecord()
				continue
			case out == whole && r.cut.header && r.cut.fields == 1 && isBlank(text[r.in.At:r.cut.end]):
				r.counts.Blank++
				r.in.Frame(r.cut.next - r.in.At)
				continue
			case out == more && len(text) < len(r.in.Held), out == whole && r.cut.end-r.in.At > r.o.MaxRecordBytes:
				return r.headerFault(diag.RecordTooLong, "header: found no end within %d bytes, want one", r.o.MaxRecordBytes)
			case out == stray && len(text) < r.cut.at+strayShown && len(text) == len(r.in.Held) && !r.in.Final():
				// More of what is shown may come.
			case out != more:
				return r.takeHeader(out, width)
			}
		}
		switch {
		case r.in.Last && r.in.At == len(r.in.Held):
			r.noHeader()
			return nil
		case r.in.Err != nil:
			return r.in.Err
		}
		if err := r.in.More(ctx); err != nil {
			return err
		}
	}
}

// noHeader notes that nothing is left of a file but lines that were skipped.
func (r *Reader) noHeader() {
	if n := r.counts.Skipped; n > 0 {
		r.notes = append(r.notes, format.Note{
			Kind: "all_skipped", Count: n,
			Message: fmt.Sprintf("lines: found nothing after the first %d, which the option skipRows passes", n),
			Hint:    "make the option skipRows smaller if some of them are data",
		})
	}
}

func (r *Reader) headerFault(code diag.Code, format string, args ...any) error {
	return diag.New(code, format, args...).In(diag.Place{File: r.name, Line: r.in.Line(r.in.At)})
}

// takeHeader makes names of the record that was cut. Where there is no header and
// the first record is malformed, width is what the others have.
func (r *Reader) takeHeader(out outcome, width int) error {
	c := r.cut
	switch {
	case out != whole && !c.header:
		c.fields = max(width, 1)
	case out == open:
		return r.headerFault(diag.FileUnreadable, "header: a quote in field %d is never closed", c.fields+1)
	case out == stray:
		text, last := r.view()
		end, _, _ := c.findLineEnd(text, c.at, last)
		return r.headerFault(diag.FileUnreadable, "header: %s", strayText(text[c.at:end], c.fields))
	case c.fields > r.o.MaxColumns:
		return r.headerFault(diag.TooManyColumns, "header: found %d fields, want at most %d", c.fields, r.o.MaxColumns)
	case c.header && !utf8.Valid(r.in.Held[r.in.At:c.end]):
		return r.headerFault(diag.Encoding, "header: found bytes that are not %s", r.src.Encoding())
	}
	r.width = c.fields
	r.header = make([]string, r.width)
	for i := range r.header {
		r.header[i] = fmt.Sprintf("_c%d", i)
	}
	if !c.header {
		return nil
	}
	for i, s := range c.spans[:c.fields] {
		if !s.Quoted() {
			s = r.trim(s)
		}
		name := string(r.value(s))
		if slices.Contains(c.escaped, i) {
			name = string(c.unescape(nil, []byte(name)))
		}
		if n := utf8.RuneCountInString(name); n > maxName {
			return r.headerFault(diag.FileForeign, "header: found a name of %d characters, want at most %d", n, maxName)
		}
		if strings.TrimSpace(name) != "" {
			r.header[i] = name
		}
	}
	r.countEnd(c.end, c.next)
	r.in.Frame(c.next - r.in.At)
	return nil
}

// skipLine passes a line whatever it holds.
func (r *Reader) skipLine(ctx context.Context, d dialect) error {
	for {
		begin, next, ok := d.findLineEnd(r.in.Held, r.in.At, r.in.Last)
		if ok {
			r.in.Frame(next - r.in.At)
			return nil
		}
		r.in.Frame(begin - r.in.At)
		switch {
		case r.in.Last:
			return nil
		case r.in.Err != nil:
			return r.in.Err
		}
		if err := r.in.More(ctx); err != nil {
			return err
		}
	}
}
