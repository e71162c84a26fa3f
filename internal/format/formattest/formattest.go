// Package formattest tests formats of text as one: what a reader says of a file
// must not depend on how its bytes arrive, how they are packed and encoded, and
// where they end.
package formattest

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/format"
)

// Reader is a reader of text.
type Reader interface {
	format.Reader
	// Notes returns what a person should know about the text read so far.
	Notes() []format.Note
}

// Options are those that every format of text has. Zeros are the defaults.
type Options struct {
	Encoding string
	// Head and Slab are how many bytes are looked at first, and held from then on.
	Head, Slab int
}

// Format is a format under test.
type Format struct {
	// Open opens a file.
	Open func(ctx context.Context, r io.Reader, o Options) (Reader, error)
	// Layouts are ways to write records, the simplest first.
	Layouts []Layout
	// Word is the text of a record that has a word in it.
	Word func(word string) string
	// Random draws a text, right or wrong.
	Random func(rnd *rand.Rand) Feed
	// Spell writes down what a row of a slab says.
	Spell func(s *column.Slab, row int) string
	// Guesses tells that an encoding of one byte a character is found out. Else it
	// is not UTF-8, and its records are bad.
	Guesses bool
}

// Layout is a way to write records.
type Layout struct {
	Name                   string
	Before, Between, After string
	// Record is the text of the i-th record; it has more than 4 bytes.
	Record func(i int) string
	// Open tells that a record is whole only when Between follows.
	Open bool
}

// write writes n records; ends[i] is how much text there is when the i-th is whole.
func (l Layout) write(n int) (text string, ends []int) {
	var b strings.Builder
	b.WriteString(l.Before)
	for i := range n {
		if i > 0 {
			b.WriteString(l.Between)
		}
		b.WriteString(l.Record(i))
		end := b.Len()
		if l.Open {
			end += len(l.Between)
		}
		ends = append(ends, end)
	}
	b.WriteString(l.After)
	return b.String(), ends
}

// Feed is a text with the options to read it.
type Feed struct {
	Text string
	// Open opens the text.
	Open func(ctx context.Context, r io.Reader, slab int) (Reader, error)
	// Recoded tells that the text may be read in another encoding than UTF-8, so
	// that places are not its own.
	Recoded bool
	// Framing reports whether text may stand between records, nil for any.
	Framing func(text string) bool
}

// Run tests a format.
func Run(t *testing.T, f Format) {
	t.Run("chunks", func(t *testing.T) { f.chunks(t) })
	t.Run("encodings", func(t *testing.T) { f.encodings(t) })
	t.Run("cut off", func(t *testing.T) { f.cutOff(t) })
	t.Run("store fails", func(t *testing.T) { f.storeFails(t) })
	t.Run("cancelled", func(t *testing.T) { f.cancelled(t) })
}

// Zipped packs text with gzip.
func Zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Chunked returns a reader of text that hands it out in one of several ways.
func Chunked(text string, rnd *rand.Rand) io.Reader {
	switch rnd.IntN(4) {
	case 0:
		return iotest.OneByteReader(strings.NewReader(text))
	case 1:
		return iotest.DataErrReader(strings.NewReader(text))
	case 2:
		return iotest.HalfReader(strings.NewReader(text))
	}
	return strings.NewReader(text)
}

// Repeat is a reader of one byte without end.
type Repeat byte

// Read never fails.
func (r Repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

// chunks: what a reader says depends neither on how a text arrives nor on the size
// of slabs, and every byte of it is where the reader says.
func (f Format) chunks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		feed := f.Random(rnd)
		want, err := f.said(feed, strings.NewReader(feed.Text), 0)
		for i := 0; err == nil && i < 4; i++ {
			slab, r := 1+rnd.IntN(60), Chunked(feed.Text, rnd)
			if i == 3 {
				r = bytes.NewReader(Zipped(t, feed.Text))
			}
			var got string
			if got, err = f.said(feed, r, slab); err == nil && got != want {
				t.Fatalf("%q in slabs of %d\ngot\n%s\nwant\n%s", feed.Text, slab, got, want)
			}
		}
		if err != nil {
			t.Fatalf("%q: %v", feed.Text, err)
		}
	}
}

// cutOff: a compressed file that is cut off lands its whole records; what it holds
// of the next one is set aside, and the file is named.
func (f Format) cutOff(t *testing.T) {
	const records = 3000
	for _, l := range f.Layouts {
		text, ends := l.write(records)
		z := Zipped(t, text)
		for _, cut := range []int{len(z) / 3, len(z) / 2, len(z) - 9} {
			r, err := f.Open(t.Context(), bytes.NewReader(z[:cut]), Options{Slab: 5000})
			if err != nil {
				t.Fatal(err)
			}
			o := f.read(r)
			if !errors.Is(o.err, &diag.Diagnostic{Code: diag.FileUnreadable}) {
				t.Fatalf("%s cut at %d: got %v, want %s", l.Name, cut, o.err, diag.FileUnreadable)
			}
			whole := 0
			for whole < records && int64(ends[whole]) <= r.Account().In {
				whole++
			}
			f.wantRows(t, l, o, whole)
			if whole == 0 || len(o.bad) > 1 || len(o.bad) == 1 && o.bad[0].code != diag.FileUnreadable {
				t.Errorf("%s cut at %d: got %d rows and bad %+v", l.Name, cut, whole, o.bad)
			}
		}
	}
}

// storeFails: an error of the store is no fault of the file: records before it
// stand, nothing is called bad.
func (f Format) storeFails(t *testing.T) {
	const records = 5
	broken := errors.New("connection lost")
	for _, l := range f.Layouts {
		text, ends := l.write(records + 1)
		text = text[:ends[records-1]+len(l.Between)+2]
		src := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		r, err := f.Open(t.Context(), src, Options{Head: 16, Slab: 6})
		if err != nil {
			t.Fatal(err)
		}
		o := f.read(r)
		if !errors.Is(o.err, broken) || diag.CodeOf(o.err) != "" || len(o.bad) > 0 || len(r.Notes()) > 0 {
			t.Errorf("%s: got %v, bad %+v, notes %+v", l.Name, o.err, o.bad, r.Notes())
		}
		f.wantRows(t, l, o, records)
	}
}

// wantRows checks that rows are the first n records.
func (f Format) wantRows(t *testing.T, l Layout, o outline, n int) {
	t.Helper()
	if len(o.rows) != n {
		t.Errorf("%s: got %d rows, want %d", l.Name, len(o.rows), n)
	}
	for i, row := range o.rows {
		if want := l.Record(i); row.text != want || row.number != int64(i+1) {
			t.Fatalf("%s: row %d is %d: %s, want %s", l.Name, i, row.number, row.text, want)
		}
	}
}

func (f Format) cancelled(t *testing.T) {
	text, _ := f.Layouts[0].write(100)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := f.Open(ctx, strings.NewReader(text), Options{Head: 16, Slab: 16})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for _, err = range r.Slabs(ctx) {
		if err != nil {
			break
		}
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
