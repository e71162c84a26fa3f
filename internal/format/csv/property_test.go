package csv

import (
	"bytes"
	"context"
	stdcsv "encoding/csv"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"landfall/internal/format/formattest"
)

// shapes are dialects for random texts.
func shapes() []Options {
	return []Options{
		{Delimiter: ",", Quote: '"', NoEscape: true},
		{Delimiter: ",", Quote: '"', Escape: '\\'},
		{Delimiter: ";", Quote: '\'', NoEscape: true, Comment: '#'},
		{Delimiter: "||", Quote: '"', NoEscape: true, NoHeader: true},
		{Delimiter: ",", NoQuote: true},
		{Delimiter: ",", Quote: '"', NoEscape: true, LineSep: "\n"},
		{Delimiter: "\t", Quote: '"', NoEscape: true, LineSep: "a;\n", Comment: '#'},
		{Delimiter: "é", Quote: '"', NoEscape: true},
		{Delimiter: ",", Quote: '"', NoEscape: true, Loose: true},
		{Delimiter: ",", Quote: '"', Escape: '\\', Loose: true, LineSep: "\n", TrimLeft: true},
		{Delimiter: ",", Quote: '"', NoEscape: true, NullValue: "a", EmptyValue: "b"},
		{Delimiter: ";", Quote: '"', NoEscape: true, NullValue: "b", EmptyValue: "b", TrimLeft: true, TrimRight: true},
	}
}

func byReference(text string, o Options) *reference {
	f := &reference{
		delim: o.Delimiter, sep: o.LineSep, header: !o.NoHeader,
		limit: o.MaxRecordBytes, columns: o.MaxColumns,
		nullValue: o.NullValue, emptyValue: o.EmptyValue, loose: o.Loose, trimLeft: o.TrimLeft, trimRight: o.TrimRight,
	}
	for _, c := range []struct {
		to   *string
		from byte
	}{{&f.quote, o.Quote}, {&f.escape, o.Escape}, {&f.comment, o.Comment}} {
		if c.from != 0 {
			*c.to = string(rune(c.from))
		}
	}
	f.read(text)
	return f
}

// randomText puts pieces together that matter to a scanner.
func randomText(rnd *rand.Rand) string {
	pieces := []string{
		"a", "b", ",", ",", ",", ";", "|", "||", "\t", "\"", "\"", "\"", "\"\"", "'", "\\", " ", "\t\"", "\n", "\n", "\n",
		"\r", "\r\n", "\r\n", " ", "#", "é", "\u2028", "\x00", "\xff", "\xef\xbb\xbf", "1,2\n", "\"x\ny\",z\r\n",
		"a;\n", "12345678", "\"a\",\"b\"\n", "x;y\n", "'p';q\n", "p||q\r\n", "\n\n", ",,\n", "aé\"\n\"éb\n",
	}
	var b strings.Builder
	if rnd.IntN(3) > 0 {
		b.WriteString([]string{"h,i\n", "h;i\n", "h||i\n", "h\tia;\n", "héi\n", "h\n"}[rnd.IntN(6)])
	}
	for range rnd.IntN(30) {
		b.WriteString(pieces[rnd.IntN(len(pieces))])
	}
	return b.String()
}

// TestReference: the scanner agrees with the reference on random texts, in every
// dialect, however the text arrives and whatever the size of slabs.
func TestReference(t *testing.T) {
	rounds := 20000
	if testing.Short() {
		rounds = 4000
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		o := shapes()[rnd.IntN(len(shapes()))]
		o.Encoding = "utf-8"
		o.MaxRecordBytes, o.MaxColumns = 1<<20, 6
		if rnd.IntN(2) == 0 {
			o.MaxRecordBytes = 1 + rnd.IntN(40)
		}
		o.SlabBytes, o.sniffBytes = 1+rnd.IntN(50), 16
		text := randomText(rnd)
		want := byReference(text, o)
		if want.failed {
			continue // the scanner must refuse too, or knows the width from its sample
		}
		r, err := Open(context.Background(), "t.csv", formattest.Chunked(text, rnd), o)
		if err != nil {
			t.Fatalf("%q %+v: %v, want\n%s", text, o, err, want)
		}
		if got := spell(readAll(t, r)); got != want.String() {
			t.Fatalf("%q %+v\ngot\n%s\nwant\n%s", text, o, got, want)
		}
	}
}

// TestStandardLibrary: what encoding/csv writes is read back value for value.
func TestStandardLibrary(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		want := [][]string{}
		width := 2 + rnd.IntN(4)
		for range 1 + rnd.IntN(20) {
			rec := make([]string, width)
			for j := range rec {
				rec[j] = strings.NewReplacer("\xff", "y", "\r", "\v", "\xef\xbb\xbf", "").Replace(randomText(rnd))
			}
			rec[0] = "k" + rec[0]
			want = append(want, rec)
		}
		var b bytes.Buffer
		w := stdcsv.NewWriter(&b)
		w.UseCRLF = rnd.IntN(2) == 0
		if err := w.WriteAll(want); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if w.UseCRLF { // it writes line breaks within fields as CRLF too
			for _, rec := range want {
				for j := range rec {
					rec[j] = strings.ReplaceAll(rec[j], "\n", "\r\n")
				}
			}
		}
		r, err := Open(context.Background(), "t.csv", formattest.Chunked(text, rnd), Options{NoHeader: true, Delimiter: ",", Quote: '"', NoEscape: true, SlabBytes: 100})
		if err != nil {
			t.Fatal(err)
		}
		got := [][]string{}
		for s, err := range r.Slabs(context.Background()) {
			if err != nil || len(s.Bad)+len(s.Ragged) > 0 {
				t.Fatalf("%q: %v %v %v", text, err, s.Bad, s.Ragged)
			}
			for i := range s.Records {
				rec := make([]string, width)
				for j, f := range s.Fields {
					rec[j] = string(f.Value(i))
				}
				got = append(got, rec)
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\ngot  %q\nwant %q", text, got, want)
		}
	}
}
