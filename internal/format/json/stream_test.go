package json

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"landfall/internal/format/formattest"
)

// TestCutNumber: a number that ends where a file is cut off may have had more digits.
func TestCutNumber(t *testing.T) {
	z := formattest.Zipped(t, strings.Repeat("1234567\n", 2000))
	for cut := len(z) - 12; cut < len(z)-8; cut++ {
		r, err := Open(context.Background(), "t.json.gz", bytes.NewReader(z[:cut]), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range readAll(t, r).rows {
			if !strings.HasSuffix(row, " 1234567") {
				t.Errorf("cut at %d: got %s", cut, row)
			}
		}
	}
}

// TestNumberAtFailure: a number that ends where the store failed may have more
// digits.
func TestNumberAtFailure(t *testing.T) {
	broken := errors.New("connection lost")
	src := io.MultiReader(strings.NewReader("{}{}{}          \n12"), iotest.ErrReader(broken))
	r, err := Open(context.Background(), "t.json", src, Options{headBytes: 16, SlabBytes: 6})
	if err != nil {
		t.Fatal(err)
	}
	if o := readAll(t, r); !errors.Is(o.err, broken) || len(o.bad) > 0 || len(o.rows) != 3 {
		t.Errorf("got %s", o)
	}
}

// TestMemory: a record of any length costs no more than the limit, our reach and
// a slab, and an array of any length no more than that.
func TestMemory(t *testing.T) {
	const limit, slab, size = 1 << 20, 1 << 16, 4 << 20
	for name, c := range map[string]struct {
		before, after string
		long          byte
		rows, bad     int
	}{
		"string":          {"{\"a\":1}\n{\"a\":\"", "\"}\n{\"a\":2}\n", 'x', 2, 1},
		"string in array": {"[{\"a\":1},{\"a\":\"", "\"},{\"a\":2}]", 'x', 2, 1},
		"brackets":        {"[1,", "", '[', 1, 1},
		"braces":          {"{}\n", "\n{}\n", '{', 2, 1},
		"commas":          {"[1", "]", ',', 1, size},
		"white space":     {"[1,", "2]", ' ', 2, 0},
		"words":           {"{}\n", "\n{}", 'x', 2, 1},
		"elements":        {"[1", "]", 0, 1 + size/4, 0},
	} {
		long := io.LimitReader(formattest.Repeat(c.long), size)
		if c.long == 0 {
			long = strings.NewReader(strings.Repeat(", 12", size/4))
		}
		src := io.MultiReader(strings.NewReader(c.before), long, strings.NewReader(c.after))
		r, err := Open(context.Background(), "t.json", src, Options{MaxRecordBytes: limit, SlabBytes: slab})
		if err != nil {
			t.Fatal(err)
		}
		rows, bad := 0, 0
		for s, err := range r.Slabs(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			rows += s.Rows()
			bad += len(s.Bad)
		}
		if rows != c.rows || bad != c.bad {
			t.Errorf("%s: got %d rows and %d bad, want %d and %d", name, rows, bad, c.rows, c.bad)
		}
		if most := 2*limit + 5*defaultReach + 2*slab; cap(r.in.Held) > most {
			t.Errorf("%s: held %d bytes, want at most %d", name, cap(r.in.Held), most)
		}
		if a := r.Account(); a.In != a.Records+a.Framing+a.Bad || a.In != int64(len(c.before)+size+len(c.after)) {
			t.Errorf("%s: account %+v", name, a)
		}
	}
}

// TestNumbers: a number of any length is taken digit by digit.
func TestNumbers(t *testing.T) {
	long := strings.Repeat("1234567890", 1000)
	for _, n := range []string{long, "-" + long + "." + long + "e-" + long, "0.1", "1E400"} {
		o := read(t, "{\"n\":"+n+"}", Options{headBytes: 16, SlabBytes: 100})
		if len(o.rows) != 1 || !strings.HasSuffix(o.rows[0], ":"+n+"}") {
			t.Errorf("%.20s…: got %.200s", n, o)
		}
	}
}

// TestDepth: brackets nest 200 deep, and a record that goes deeper is bad.
func TestDepth(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":[`, n/2) + strings.Repeat("]}", n/2) }
	o := read(t, deep(200)+"\n"+deep(202)+"\n"+deep(200)+"\n["+deep(200)+"]", Options{})
	if len(o.rows) != 3 || len(o.bad) != 1 || o.why[0] != "found '{' at byte 600 of the record, want at most 200 levels of brackets" {
		t.Errorf("got %d rows, %q", len(o.rows), o.why)
	}
}
