package json

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
	var rows []string
	for i := range 3000 {
		rows = append(rows, fmt.Sprintf(`{"n":%d,"square":[%d,"\u0041"]}`, i, i*i))
	}
	for _, text := range []string{strings.Join(rows, "\n"), "[" + strings.Join(rows, ",\n ") + "]", strings.Join(rows, "")} {
		z := zipped(t, text)
		for _, cut := range []int{len(z) / 3, len(z) / 2, len(z) - 9} {
			r, err := Open(context.Background(), "t.json.gz", bytes.NewReader(z[:cut]), Options{SlabBytes: 5000})
			if err != nil {
				t.Fatal(err)
			}
			o := readAll(t, r)
			if !errors.Is(o.err, &diag.Diagnostic{Code: diag.FileUnreadable}) {
				t.Fatalf("cut at %d: got %v, want %s", cut, o.err, diag.FileUnreadable)
			}
			for i, row := range o.rows {
				if !strings.HasSuffix(row, " "+rows[i]) {
					t.Fatalf("cut at %d: row %d is %s, want %s", cut, i, row, rows[i])
				}
			}
			if len(o.bad) > 1 || len(o.rows) == 0 || len(o.bad) == 1 && !strings.Contains(o.bad[0], string(diag.FileUnreadable)) {
				t.Errorf("cut at %d: got %d rows and %q", cut, len(o.rows), o.bad)
			}
			if whole := strings.Count(text[:r.Account().In], "]}"); whole != len(o.rows) {
				t.Errorf("cut at %d: got %d rows of %d whole ones", cut, len(o.rows), whole)
			}
		}
	}
}

// TestCutNumber: a number that ends where a file is cut off may have had more digits.
func TestCutNumber(t *testing.T) {
	z := zipped(t, strings.Repeat("1234567\n", 2000))
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

// TestStoreFails: an error of the store is no fault of the file: records before
// it stand, nothing is called bad.
func TestStoreFails(t *testing.T) {
	broken := errors.New("connection lost")
	for _, text := range []string{"{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a", "[{\"a\":1},{\"a\":2},{\"a\":3},", "{}{}{}\n12"} {
		src := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		r, err := Open(context.Background(), "t.json", src, Options{headBytes: 16, SlabBytes: 6})
		if errors.Is(err, broken) && len(text) < 16 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		o := readAll(t, r)
		if !errors.Is(o.err, broken) || diag.CodeOf(o.err) != "" || len(o.bad) > 0 || len(o.rows) != 3 || len(r.Notes()) > 0 {
			t.Errorf("%s: got %s", text, o)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := Open(ctx, "t.json", strings.NewReader(strings.Repeat("{\"a\":1}\n", 100)), Options{headBytes: 16, SlabBytes: 16})
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
		long := io.LimitReader(repeat(c.long), size)
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
		if most := 2*limit + 5*defaultReach + 2*slab; cap(r.buf) > most {
			t.Errorf("%s: held %d bytes, want at most %d", name, cap(r.buf), most)
		}
		if a := r.Account(); a.In != a.Records+a.Framing+a.Bad || a.In != int64(len(c.before)+size+len(c.after)) {
			t.Errorf("%s: account %+v", name, a)
		}
	}
}

type repeat byte

func (r repeat) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(r)
	}
	return len(p), nil
}

// TestEncodings: the same rows in any encoding are the same.
func TestEncodings(t *testing.T) {
	const text = "{\"name\":\"Zoë\"}\n{\"name\":\"Ærø\"}\n"
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
		{"with mark", "", format.UTF8, []byte(bom + text)},
		{"zipped", "", format.UTF8, zipped(t, text)},
		{"little-endian", "", format.UTF16LE, units(le, true)},
		{"big-endian", "", format.UTF16BE, units(be, true)},
		{"little-endian without mark", "", format.UTF16LE, units(le, false)},
		{"big-endian declared", "UTF-16", format.UTF16BE, units(be, false)},
		{"Latin-1 declared", "ISO-8859-1", format.Latin1, latin},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Open(context.Background(), "t.json", iotest.HalfReader(bytes.NewReader(c.raw)), Options{Encoding: c.declared})
			if err != nil {
				t.Fatal(err)
			}
			o := readAll(t, r)
			if len(o.rows) != 2 || !strings.HasSuffix(o.rows[0], `{"name":"Zoë"}`) || !strings.HasSuffix(o.rows[1], `{"name":"Ærø"}`) || o.err != nil {
				t.Errorf("got %+v", o)
			}
			if want := "JSON lines, " + c.want; r.Dialect() != want {
				t.Errorf("got %s, want %s", r.Dialect(), want)
			}
		})
	}
	o := read(t, string(latin), Options{})
	if len(o.rows) != 0 || len(o.bad) != 2 || !strings.Contains(o.why[0], "set the option encoding") {
		t.Errorf("Latin-1 undeclared: got %s%q", o, o.why)
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
