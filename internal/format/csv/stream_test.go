package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"landfall/internal/diag"
	"landfall/internal/format/formattest"
)

// TestCutOffInHeader: without a whole header nothing can land.
func TestCutOffInHeader(t *testing.T) {
	var names strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&names, "name%d,", i)
	}
	z := formattest.Zipped(t, names.String()+"x\n1\n")
	_, err := Open(context.Background(), "t.csv.gz", bytes.NewReader(z[:len(z)-30]), Options{})
	if !errors.Is(err, &diag.Diagnostic{Code: diag.FileUnreadable}) {
		t.Errorf("got %v, want %s", err, diag.FileUnreadable)
	}
}

// TestMemory: a record of any length costs no more than the limit and a slab.
func TestMemory(t *testing.T) {
	const limit, slab = 1 << 20, 1 << 16
	long := io.LimitReader(formattest.Repeat('x'), 64<<20)
	src := io.MultiReader(strings.NewReader("a,b\n1,2\n\""), long, strings.NewReader("\n3,4\n"))
	r, err := Open(context.Background(), "t.csv", src, Options{MaxRecordBytes: limit, SlabBytes: slab})
	if err != nil {
		t.Fatal(err)
	}
	o := readAll(t, r)
	if o.err != nil || len(o.rows) != 2 || len(o.bad) != 1 {
		t.Errorf("got %v, %v, %v", o.err, o.rows, o.bad)
	}
	if most := limit + resyncBytes + 2*slab; cap(r.in.Held) > most {
		t.Errorf("held %d bytes, want at most %d", cap(r.in.Held), most)
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
