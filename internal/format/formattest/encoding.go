package formattest

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"landfall/internal/format"
)

// mark is a byte order mark.
const mark = '\ufeff'

// units writes text in UTF-16.
func units(text string, order func(hi, lo byte) []byte) []byte {
	var b []byte
	for _, r := range text {
		b = append(b, order(byte(r>>8), byte(r))...)
	}
	return b
}

func littleEndian(hi, lo byte) []byte { return []byte{lo, hi} }
func bigEndian(hi, lo byte) []byte    { return []byte{hi, lo} }

// latin writes text in Latin-1.
func latin(text string) []byte {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		b = append(b, byte(r))
	}
	return b
}

// encodings: the same rows in any encoding, packed or not, are the same.
func (f Format) encodings(t *testing.T) {
	words := []string{"Zoë", "Ærø"}
	l := f.Layouts[0]
	l.Record = func(i int) string { return f.Word(words[i]) }
	text, _ := l.write(len(words))
	for _, c := range []struct {
		name, declared, want string
		raw                  []byte
	}{
		{"as is", "", format.UTF8, []byte(text)},
		{"with mark", "", format.UTF8, []byte(string(mark) + text)},
		{"zipped", "", format.UTF8, Zipped(t, text)},
		{"little-endian", "", format.UTF16LE, units(string(mark)+text, littleEndian)},
		{"little-endian, zipped", "", format.UTF16LE, Zipped(t, string(units(string(mark)+text, littleEndian)))},
		{"big-endian", "", format.UTF16BE, units(string(mark)+text, bigEndian)},
		{"little-endian without mark", "", format.UTF16LE, units(text, littleEndian)},
		{"big-endian declared", "UTF-16", format.UTF16BE, units(text, bigEndian)},
		{"Latin-1 declared", "ISO-8859-1", format.Latin1, latin(text)},
	} {
		t.Run(c.name, func(t *testing.T) { f.encoded(t, l, len(words), c.raw, c.declared, c.want) })
	}
	t.Run("Latin-1 undeclared", func(t *testing.T) {
		if f.Guesses {
			f.encoded(t, l, len(words), latin(text), "", format.Windows1252)
			return
		}
		r, err := f.Open(t.Context(), bytes.NewReader(latin(text)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		o := f.read(r)
		if len(o.rows) > 0 || len(o.bad) != len(words) || !strings.Contains(o.bad[0].says, "set the option encoding") {
			t.Errorf("got %+v", o)
		}
	})
}

// encoded checks that raw bytes are the first n records of a layout.
func (f Format) encoded(t *testing.T, l Layout, n int, raw []byte, declared, want string) {
	t.Helper()
	r, err := f.Open(t.Context(), iotest.HalfReader(bytes.NewReader(raw)), Options{Encoding: declared})
	if err != nil {
		t.Fatal(err)
	}
	o := f.read(r)
	if o.err != nil || len(o.bad) > 0 {
		t.Errorf("got %+v", o)
	}
	f.wantRows(t, l, o, n)
	if !strings.HasSuffix(r.Dialect(), ", "+want) {
		t.Errorf("got %s, want %s", r.Dialect(), want)
	}
}
