package csv

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"landfall/internal/diag"
	"landfall/internal/format"
)

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCutOff: a compressed file that is cut off lands its whole records; what it
// holds of the next one is set aside, and the file is named.
func TestCutOff(t *testing.T) {
	var text strings.Builder
	text.WriteString("n,square\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "%d,%d\n", i, i*i)
	}
	z := zipped(t, text.String())
	for _, cut := range []int{len(z) / 3, len(z) / 2, len(z) - 9} {
		r, err := Open(context.Background(), "t.csv.gz", bytes.NewReader(z[:cut]), Options{SlabBytes: 5000})
		if err != nil {
			t.Fatal(err)
		}
		o := readAll(t, r)
		if !errors.Is(o.err, &diag.Diagnostic{Code: diag.FileUnreadable}) {
			t.Fatalf("cut at %d: got %v, want %s", cut, o.err, diag.FileUnreadable)
		}
		for i, w := range o.rows {
			if want := fmt.Sprintf("%d|%d", i, i*i); strings.Join(w.fields, "|") != want {
				t.Fatalf("cut at %d: row %d is %v, want %s", cut, i, w.fields, want)
			}
		}
		if len(o.bad) > 1 || len(o.rows) == 0 {
			t.Errorf("cut at %d: got %d rows and %q", cut, len(o.rows), o.bad)
		}
		read := text.String()[:r.Account().In]
		if whole := strings.Count(read, "\n") - 1; whole != len(o.rows) {
			t.Errorf("cut at %d: got %d rows of %d whole ones", cut, len(o.rows), whole)
		}
	}
}

// TestCutOffInHeader: without a whole header nothing can land.
func TestCutOffInHeader(t *testing.T) {
	var names strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&names, "name%d,", i)
	}
	z := zipped(t, names.String()+"x\n1\n")
	_, err := Open(context.Background(), "t.csv.gz", bytes.NewReader(z[:len(z)-30]), Options{})
	if !errors.Is(err, &diag.Diagnostic{Code: diag.FileUnreadable}) {
		t.Errorf("got %v, want %s", err, diag.FileUnreadable)
	}
}

// TestStoreFails: an error of the store is no fault of the file: records before
// it stand, nothing is called bad.
func TestStoreFails(t *testing.T) {
	broken := errors.New("connection lost")
	text := "a,b\n1,2\n3,4\n5,6\n7,8\n9,"
	src := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
	r, err := Open(context.Background(), "t.csv", src, Options{sniffBytes: 16, SlabBytes: 6})
	if errors.Is(err, broken) {
		t.Fatal("the sample did not need the part that failed")
	}
	if err != nil {
		t.Fatal(err)
	}
	o := readAll(t, r)
	if !errors.Is(o.err, broken) || diag.CodeOf(o.err) != "" || len(o.bad) > 0 || len(o.rows) != 4 {
		t.Errorf("got %v, %d rows, %q", o.err, len(o.rows), o.bad)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := Open(ctx, "t.csv", strings.NewReader("a,b\n"+strings.Repeat("1,2\n", 100)), Options{sniffBytes: 16, SlabBytes: 16})
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

// TestMemory: a record of any length costs no more than the limit and a slab.
func TestMemory(t *testing.T) {
	const limit, slab = 1 << 20, 1 << 16
	long := io.LimitReader(repeat('x'), 64<<20)
	src := io.MultiReader(strings.NewReader("a,b\n1,2\n\""), long, strings.NewReader("\n3,4\n"))
	r, err := Open(context.Background(), "t.csv", src, Options{MaxRecordBytes: limit, SlabBytes: slab})
	if err != nil {
		t.Fatal(err)
	}
	o := readAll(t, r)
	if o.err != nil || len(o.rows) != 2 || len(o.bad) != 1 {
		t.Errorf("got %v, %v, %v", o.err, o.rows, o.bad)
	}
	if most := limit + resyncBytes + 2*slab; cap(r.buf) > most {
		t.Errorf("held %d bytes, want at most %d", cap(r.buf), most)
	}
}

// TestHole: zeros that were never written are no value; the record that holds them
// is set aside, those around it land.
func TestHole(t *testing.T) {
	rows := strings.Repeat("1,2\n", 9)
	zeros := strings.Repeat("\x00", 100)
	for _, c := range []struct {
		name, text, bad string
		rows            int
	}{
		{"across records", rows + "3,ab" + zeros + "cd,4\n" + rows, "3,ab" + zeros + "cd,4", 18},
		{"at a line", rows + zeros + "\n" + rows, zeros, 18},
		{"at the end", rows + "5" + zeros, "5" + zeros, 9},
		{"quoted", rows + "\"x" + zeros + "\",6\n" + rows, "\"x" + zeros + "\",6", 18},
		{"after others", rows + "\x00\x00a\x00," + zeros + "\n" + rows, "\x00\x00a\x00," + zeros, 18},
		{"short", rows + "7," + zeros[:63] + "\n" + rows, "", 19},
	} {
		for _, slab := range []int{1, 30, 1 << 20} {
			r, err := Open(context.Background(), "t.csv", strings.NewReader("a,b\n"+c.text), Options{sniffBytes: 16, SlabBytes: slab})
			if err != nil {
				t.Fatal(err)
			}
			o := readAll(t, r)
			want := fmt.Sprintf("10:11@40+%d %s %q", len(c.bad), diag.RecordMalformed, c.bad)
			if c.bad == "" && len(o.bad) > 0 || c.bad != "" && (len(o.bad) != 1 || o.bad[0] != want) || len(o.rows) != c.rows || o.err != nil {
				t.Errorf("%s in slabs of %d: got %d rows, %q, %v, want %d and %s", c.name, slab, len(o.rows), o.bad, o.err, c.rows, want)
			}
		}
	}
	o := read(t, "a\x00b\n"+strings.Repeat("1\x002\n", 9)+"1"+zeros+"2\n", Options{Delimiter: "\x00"})
	if len(o.bad) > 0 || len(o.rows) != 10 {
		t.Errorf("zeros that separate: got %q", o.bad)
	}
}

type repeat byte

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

// TestManyRows: 1,041 records with a line break in each (O24), in any chunks.
func TestManyRows(t *testing.T) {
	text := "n,text\n" + strings.Repeat("7,\"ABCDE FGHIJ\nKLMNOP\"\n", 1041)
	for _, slab := range []int{1, 100, 4096, 1 << 20} {
		r, err := Open(context.Background(), "t.csv", iotest.OneByteReader(strings.NewReader(text)), Options{SlabBytes: slab})
		if err != nil {
			t.Fatal(err)
		}
		o := readAll(t, r)
		if len(o.rows) != 1041 || o.rows[1040].fields[1] != "'ABCDE FGHIJ\nKLMNOP'" || o.rows[1040].number != 1041 {
			t.Errorf("slabs of %d: got %d rows", slab, len(o.rows))
		}
	}
}

// TestEncodings: the same rows in any encoding are the same.
func TestEncodings(t *testing.T) {
	const text = "id,name\n1,Zoë\n2,Ærø\n"
	units := func(order func(hi, lo byte) []byte, mark bool) []byte {
		var b []byte
		if mark {
			b = append(b, order(0xfe, 0xff)...)
		}
		for _, r := range text {
			b = append(b, order(byte(r>>8), byte(r))...)
		}
		return b
	}
	le := func(hi, lo byte) []byte { return []byte{lo, hi} }
	be := func(hi, lo byte) []byte { return []byte{hi, lo} }
	latin := make([]byte, 0, len(text))
	for _, r := range text {
		latin = append(latin, byte(r))
	}
	for _, c := range []struct {
		name, declared, want string
		raw                  []byte
	}{
		{"as is", "", format.UTF8, []byte(text)},
		{"zipped", "", format.UTF8, zipped(t, text)},
		{"little-endian", "", format.UTF16LE, units(le, true)},
		{"big-endian", "", format.UTF16BE, units(be, true)},
		{"little-endian without mark", "", format.UTF16LE, units(le, false)},
		{"big-endian declared", "UTF-16", format.UTF16BE, units(be, false)},
		{"Latin-1 declared", "ISO-8859-1", format.Latin1, latin},
		{"Latin-1 detected", "", format.Windows1252, latin},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Open(context.Background(), "t.csv", iotest.HalfReader(bytes.NewReader(c.raw)), Options{Encoding: c.declared})
			if err != nil {
				t.Fatal(err)
			}
			o := readAll(t, r)
			if len(o.rows) != 2 || o.rows[0].fields[1] != "Zoë" || o.rows[1].fields[1] != "Ærø" || o.err != nil {
				t.Errorf("got %+v", o)
			}
			if want := "comma, " + c.want; r.Dialect() != want {
				t.Errorf("got %s, want %s", r.Dialect(), want)
			}
		})
	}
}

// TestMixedEncodings: UTF-8 among Windows-1252 is set aside, not misread.
func TestMixedEncodings(t *testing.T) {
	text := "a,b\n" + strings.Repeat("caf\xe9,na\xefve\n", 3) + "Zo\u00eb,x\nplain,y\n"
	o := read8(t, text)
	want := "comma, windows-1252 | a|b\n1 café|naïve\n2 café|naïve\n3 café|naïve\n5 plain|y\n" +
		"bad 4:5@43+8 E0406 \"Zo\u00c3\u00ab,x\"\n" +
		"note encoding_detected: encoding: found bytes that are not UTF-8 (the first at byte 7), read as windows-1252\n"
	if got := o.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// read8 is read for text whose length changes when it is decoded.
func read8(t *testing.T, text string) *outline {
	t.Helper()
	r, err := Open(context.Background(), "t.csv", strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return readAll(t, r)
}

// TestSurrogate: half a UTF-16 surrogate pair is no character, and its record no
// record.
func TestSurrogate(t *testing.T) {
	raw := []byte{0xff, 0xfe}
	for _, u := range []uint16{'a', ',', 'b', '\n', 0xd83d, 0xde00, ',', '1', '\n', 0xd83d, ',', '2', '\n', 'x', ',', '3'} {
		raw = append(raw, byte(u), byte(u>>8))
	}
	o := read8(t, string(raw))
	if len(o.rows) != 2 || o.rows[0].fields[0] != "😀" || len(o.bad) != 1 || !strings.Contains(o.bad[0], "E0406") {
		t.Errorf("got %s", o)
	}
	o = read8(t, string(raw)+"!") // an odd byte too many
	if !errors.Is(o.err, &diag.Diagnostic{Code: diag.FileUnreadable}) || len(o.rows) != 1 {
		t.Errorf("got %s", o)
	}
}
