package csv

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

// row is a record as a test sees it.
type row struct {
	number int64
	have   int
	fields []string
}

// outline is all that a reader said about a file.
type outline struct {
	header []string
	rows   []row
	bad    []string
	err    error
	r      *Reader
}

// show spells a value so that null, "" and text differ.
func show(v []byte, quoted bool) string {
	switch {
	case v == nil:
		return "∅"
	case quoted:
		return fmt.Sprintf("'%s'", v)
	}
	return string(v)
}

func readAll(t *testing.T, r *Reader) *outline {
	t.Helper()
	out := &outline{header: r.Header(), r: r}
	for s, err := range r.Slabs(context.Background()) {
		if err != nil {
			out.err = err
			break
		}
		ragged := 0
		for i, n := range s.Records {
			w := row{number: n, have: len(s.Fields)}
			for _, f := range s.Fields {
				w.fields = append(w.fields, show(f.Value(i), f.Spans[i].Quoted()))
			}
			if ragged < len(s.Ragged) && s.Ragged[ragged].Row == i {
				w.have = s.Ragged[ragged].Have
				for _, v := range s.Ragged[ragged].Extra {
					w.fields = append(w.fields, "+"+show(v, false))
				}
				ragged++
			}
			out.rows = append(out.rows, w)
		}
		if ragged != len(s.Ragged) {
			t.Fatalf("%d ragged rows are not among the rows", len(s.Ragged)-ragged)
		}
		for _, b := range s.Bad {
			if b.Bytes != nil && int64(len(b.Bytes)) != b.Length {
				t.Fatalf("bad record of %d bytes says it has %d", len(b.Bytes), b.Length)
			}
			out.bad = append(out.bad, fmt.Sprintf("%d:%d@%d+%d %s %q", b.Record, b.Line, b.Offset, b.Length, b.Code, b.Bytes))
		}
	}
	a := r.Account()
	if a.In != a.Records+a.Framing+a.Bad {
		t.Fatalf("account %+v does not add up", a)
	}
	return out
}

func read(t *testing.T, text string, o Options) *outline {
	t.Helper()
	r, err := Open(context.Background(), "t.csv", strings.NewReader(text), o)
	if err != nil {
		return &outline{err: err}
	}
	out := readAll(t, r)
	if out.err == nil && r.Account().In != int64(len(text)) {
		t.Fatalf("accounted for %d of %d bytes", r.Account().In, len(text))
	}
	return out
}

func (o *outline) String() string {
	var b bytes.Buffer
	if o.err != nil {
		fmt.Fprintf(&b, "error %v\n", o.err)
	}
	if o.r == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "%s | %s\n", o.r.Dialect(), strings.Join(o.header, "|"))
	for _, w := range o.rows {
		fmt.Fprintf(&b, "%d %s", w.number, strings.Join(w.fields, "|"))
		if w.have != len(o.header) {
			fmt.Fprintf(&b, " (%d)", w.have)
		}
		b.WriteByte('\n')
	}
	for _, s := range o.bad {
		fmt.Fprintf(&b, "bad %s\n", s)
	}
	for _, n := range o.r.Notes() {
		fmt.Fprintf(&b, "note %s: %s\n", n.Kind, n.Message)
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		o                Options
	}{
		{name: "plain", text: "a,b\n1,2\n3,4", want: "comma, UTF-8 | a|b\n1 1|2\n2 3|4\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, c.text, c.o).String(); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}
