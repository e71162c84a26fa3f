package formattest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/format"
)

// record is a record as a reader cut it: good or bad.
type record struct {
	number, line, offset, length int64
	// text is its raw text; kept tells that there is one.
	text string
	kept bool
	// says is what a row says, or why a record is bad.
	says string
	code diag.Code
}

// outline is all that a reader said about a file.
type outline struct {
	rows, bad []record
	err       error
}

// read reads a file to its end.
func (f Format) read(r Reader) outline {
	var o outline
	for s, err := range r.Slabs(context.Background()) {
		if err != nil {
			o.err = err
			break
		}
		for i, n := range s.Records {
			w := s.Where[i]
			o.rows = append(o.rows, record{
				number: n, line: w.Line, offset: w.Offset, length: int64(w.To - w.From),
				text: string(s.Data[w.From:w.To]), kept: true, says: f.Spell(s, i),
			})
		}
		for _, b := range s.Bad {
			o.bad = append(o.bad, record{
				number: b.Record, line: b.Line, offset: b.Offset, length: b.Length,
				text: string(b.Bytes), kept: b.Bytes != nil, says: b.Reason, code: diag.Code(b.Code),
			})
		}
	}
	return o
}

// said writes down all that a reader says of a feed, and checks it. That the file
// cannot be opened is something to say, too.
func (f Format) said(feed Feed, r io.Reader, slab int) (string, error) {
	d, err := feed.Open(context.Background(), r, slab)
	if err != nil {
		return err.Error(), nil
	}
	o := f.read(d)
	all := slices.Concat(o.rows, o.bad)
	slices.SortFunc(all, func(a, b record) int { return int(a.number - b.number) })
	if err := consistent(all, d); err != nil {
		return "", err
	}
	if !feed.Recoded && o.err == nil {
		if err := covers(feed, all, d.Account()); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %v\n", d.Dialect(), d.Header(), o.err)
	for _, p := range all {
		fmt.Fprintf(&b, "%+v\n", p)
	}
	fmt.Fprintf(&b, "%+v %+v", d.Account(), d.Notes())
	return b.String(), nil
}

// consistent checks what a reader says of a file against itself: records count
// from 1, one behind the other, and the account adds up.
func consistent(all []record, r Reader) error {
	a := r.Account()
	if a.In != a.Records+a.Framing+a.Bad {
		return fmt.Errorf("account %+v does not add up", a)
	}
	if n := int64(len(all)); n != r.Records() {
		return fmt.Errorf("found %d records, counted %d", n, r.Records())
	}
	end := int64(0)
	for i, p := range all {
		switch {
		case p.number != int64(i+1):
			return fmt.Errorf("found record %d, want %d", p.number, i+1)
		case p.offset < end || p.length == 0:
			return fmt.Errorf("record %d at %d has %d bytes, and the one before ends at %d", p.number, p.offset, p.length, end)
		case p.kept && int64(len(p.text)) != p.length:
			return fmt.Errorf("record %d has %d bytes and says %d", p.number, len(p.text), p.length)
		}
		end = p.offset + p.length
	}
	return nil
}

// covers checks that records are what stands at their places in the text, that only
// framing is between them, and that the account counts just that.
func covers(feed Feed, all []record, a format.Account) error {
	var framing bytes.Buffer
	end := int64(0)
	for _, p := range all {
		switch {
		case p.offset+p.length > int64(len(feed.Text)):
			return fmt.Errorf("record %d ends behind the text", p.number)
		case p.kept && p.text != feed.Text[p.offset:p.offset+p.length]:
			return fmt.Errorf("record %d at %d is not %q", p.number, p.offset, p.text)
		case p.line != format.CountLines([]byte(feed.Text[:p.offset]+"."))+1:
			return fmt.Errorf("record %d at %d is not on line %d", p.number, p.offset, p.line)
		}
		framing.WriteString(feed.Text[end:p.offset])
		end = p.offset + p.length
	}
	framing.WriteString(feed.Text[end:])
	if a.In != int64(len(feed.Text)) || a.Framing != int64(framing.Len()) {
		return fmt.Errorf("account is %+v, want %d bytes, and of framing %q", a, len(feed.Text), framing.String())
	}
	if feed.Framing != nil && !feed.Framing(framing.String()) {
		return fmt.Errorf("%q is lost", framing.String())
	}
	return nil
}
