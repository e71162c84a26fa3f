package json

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"landfall/internal/column"
)

// outline is all that a reader said about a file.
type outline struct {
	rows []string // number, line, offset, raw text
	bad  []string
	why  []string // why each is bad
	err  error
	r    *Reader
}

func readAll(t *testing.T, r *Reader) *outline {
	t.Helper()
	out := &outline{r: r}
	for s, err := range r.Slabs(context.Background()) {
		if err != nil {
			out.err = err
			break
		}
		if len(s.Where) != len(s.Records) || len(s.Tape.Roots) != len(s.Records) {
			t.Fatalf("%d rows, %d places, %d roots", len(s.Records), len(s.Where), len(s.Tape.Roots))
		}
		for i, n := range s.Records {
			w := s.Where[i]
			raw := s.Data[w.From:w.To]
			if got := s.Tape.Raw(s.Tape.Roots[i]); !bytes.Equal(got, raw) {
				t.Fatalf("root is %q, row is %q", got, raw)
			}
			checkNodes(t, s.Tape, s.Tape.Roots[i])
			out.rows = append(out.rows, fmt.Sprintf("%d:%d@%d %s", n, w.Line, w.Offset, raw))
		}
		for _, b := range s.Bad {
			if b.Bytes != nil && int64(len(b.Bytes)) != b.Length {
				t.Fatalf("bad record of %d bytes says it has %d", len(b.Bytes), b.Length)
			}
			if long := b.Length > int64(r.o.MaxRecordBytes); long != (b.Bytes == nil) {
				t.Fatalf("bad record of %d bytes has %d", b.Length, len(b.Bytes))
			}
			text := string(b.Bytes)
			if b.Bytes == nil {
				text = fmt.Sprintf("%d bytes", b.Length)
			}
			out.bad = append(out.bad, fmt.Sprintf("%d:%d@%d %s %s", b.Record, b.Line, b.Offset, b.Code, text))
			out.why = append(out.why, b.Reason)
		}
	}
	a := r.Account()
	if a.In != a.Records+a.Framing+a.Bad {
		t.Fatalf("account %+v does not add up", a)
	}
	if out.err == nil && r.memory != nil && a.In != r.in.Base+int64(len(r.in.Held)) { // a pool has the window now
		t.Fatalf("accounted for %d of %d bytes", a.In, r.in.Base+int64(len(r.in.Held)))
	}
	if n := int64(len(out.rows) + len(out.bad)); n != r.Records() {
		t.Fatalf("%d records, counted %d", n, r.Records())
	}
	return out
}

// checkNodes: every value is within the one it is in, and the next one follows it.
func checkNodes(t *testing.T, tape *column.Tape, i uint32) {
	t.Helper()
	n := tape.Nodes[i]
	if tape.UTF8 && !utf8.Valid(tape.Raw(i)) {
		t.Fatalf("node %q is said to be UTF-8", tape.Raw(i))
	}
	at, end := tape.First(i), n.Offset
	for at < n.Next {
		m := tape.Nodes[at]
		switch {
		case n.Kind == column.String && n.Flags == column.Escaped && m.Kind == column.Decoded && m.Next == n.Next:
			return
		case n.Kind != column.Array && n.Kind != column.Object:
			t.Fatalf("node %d of kind %d has parts", i, n.Kind)
		case m.Offset < end || m.Next <= at || m.Next > n.Next:
			t.Fatalf("node %d is out of order", at)
		}
		end = m.Offset + m.Length
		value := at
		if n.Kind == column.Object {
			if m.Kind != column.Member {
				t.Fatalf("node %d of an object is of kind %d", at, m.Kind)
			}
			if value = tape.Value(at); tape.Nodes[value].Offset <= m.Offset || tape.Nodes[value].Next != m.Next {
				t.Fatalf("member %d has no value", at)
			}
		}
		checkNodes(t, tape, value)
		at = m.Next
	}
	if at != n.Next {
		t.Fatalf("node %d ends at %d, not %d", i, at, n.Next)
	}
}

func read(t *testing.T, text string, o Options) *outline {
	t.Helper()
	r, err := Open(context.Background(), "t.json", strings.NewReader(text), o)
	if err != nil {
		return &outline{err: err}
	}
	return readAll(t, r)
}

func (o *outline) String() string {
	var b strings.Builder
	if o.err != nil {
		fmt.Fprintf(&b, "error %v\n", o.err)
	}
	if o.r == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "%s\n", o.r.Dialect())
	for _, s := range o.rows {
		fmt.Fprintf(&b, "%s\n", s)
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
		{name: "nothing", text: "", want: "JSON, UTF-8\n"},
		{name: "white space", text: " \n\t\r\n", want: "JSON, UTF-8\n"},
		{
			name: "lines", text: "{\"a\":1}\r\n\r\n{\"a\":2}",
			want: "JSON lines, UTF-8\n1:1@0 {\"a\":1}\n2:3@11 {\"a\":2}\n",
		},
		{
			name: "carriage returns alone", text: "{}\r{}\r",
			want: "JSON lines, UTF-8\n1:1@0 {}\n2:2@3 {}\n",
		},
		{
			name: "array", text: "\ufeff[ {\"a\":1} ,{\"b\":[1,[2]]}\n]\n",
			want: "JSON array, UTF-8\n1:1@5 {\"a\":1}\n2:1@14 {\"b\":[1,[2]]}\n",
		},
		{name: "empty array", text: "[ ]", want: "JSON array, UTF-8\n"},
		{
			name: "arrays on lines", text: "[1,2]\n[]\n[3,[4]]\n",
			want: "JSON lines, UTF-8\n1:1@1 1\n2:1@3 2\n3:3@10 3\n4:3@12 [4]\n",
		},
		{
			name: "nothing between", text: `{"a":1}{"a":2}[true]null "x"-1.5e3`,
			want: "JSON documents, UTF-8\n1:1@0 {\"a\":1}\n2:1@7 {\"a\":2}\n3:1@15 true\n4:1@20 null\n5:1@25 \"x\"\n6:1@28 -1.5e3\n",
		},
		{
			name: "over many lines", text: "{\n \"a\": 1\n}\n{\n \"a\": [\n]}",
			want: "JSON documents, UTF-8\n1:1@0 {\n \"a\": 1\n}\n2:4@12 {\n \"a\": [\n]}\n",
		},
		{
			name: "mark within", text: "{}\n\ufeff{}\n",
			want: "JSON lines, UTF-8\n1:1@0 {}\n2:2@6 {}\nnote bom_inside: found a byte order mark between records, passed over\n",
		},
		{
			name: "line separator", text: "{}|{\"a\":\"|\"}|3|\n|oops {}|{}", o: Options{LineSep: "|"},
			want: "JSON lines, UTF-8\n1:1@0 {}\n2:1@3 {\"a\":\"|\"}\n3:1@13 3\n5:2@25 {}\nbad 4:2@17 E0401 oops {}\n",
		},
		{
			name: "comments", text: "// c\n[1,/* [ */2 // ,3\n]/**/{\"a\"/**/:/**/1/**/}# x", o: Options{AllowComments: true},
			want: "JSON documents, UTF-8\n1:2@6 1\n2:2@15 2\n3:3@28 {\"a\"/**/:/**/1/**/}\nbad 4:3@47 E0401 # x\n",
		},
		{
			name: "comment unclosed", text: "{}/* x", o: Options{AllowComments: true},
			want: "JSON lines, UTF-8\n1:1@0 {}\nnote comment_unclosed: found the end of the file in a comment, want */\n",
		},
		{
			name: "not UTF-8", text: "{\"a\":1}\n{\"a\":\"\xe9\"}\n{\"a\":\"\xed\xa0\x80\"}\n{\"a\":\"\u00e9\"}\n",
			want: "JSON lines, UTF-8\n1:1@0 {\"a\":1}\n4:4@30 {\"a\":\"\u00e9\"}\n" +
				"bad 2:2@8 E0406 {\"a\":\"\xe9\"}\nbad 3:3@18 E0406 {\"a\":\"\xed\xa0\x80\"}\n",
		},
		{
			name: "Latin-1 as declared", text: "{\"a\":\"\xe9\"}", o: Options{Encoding: "latin1"},
			want: "JSON lines, ISO-8859-1\n1:1@0 {\"a\":\"\u00e9\"}\n",
		},
		{
			name: "record too long", text: "{\"a\":1}\n{\"a\":\"" + strings.Repeat("x", 50) + "\"}\n{\"a\":2}\n", o: Options{MaxRecordBytes: 20},
			want: "JSON lines, UTF-8\n1:1@0 {\"a\":1}\n3:3@67 {\"a\":2}\nbad 2:2@8 E0405 58 bytes\n",
		},
		{
			name: "element too long", text: "[1,[" + strings.Repeat("2,", 50) + "2], 3]", o: Options{MaxRecordBytes: 20},
			want: "JSON array, UTF-8\n1:1@1 1\n3:1@108 3\nbad 2:1@3 E0405 103 bytes\n",
		},
		{
			name: "zeros never written", text: "{\"a\":1}\n" + strings.Repeat("\x00", 70) + "\n{\"a\":\"" + strings.Repeat("\x00", 64) + "\"}\n{\"a\":\"\x00\"}", o: Options{AllowUnquotedControlChars: true},
			want: "JSON lines, UTF-8\n1:1@0 {\"a\":1}\n4:4@152 {\"a\":\"\x00\"}\n" +
				"bad 2:2@8 E0401 " + strings.Repeat("\x00", 70) + "\nbad 3:3@79 E0401 {\"a\":\"" + strings.Repeat("\x00", 64) + "\"}\n",
		},
		{
			name: "lenient", text: `{a: 'it\'s', 'b': [NaN, -Infinity, +INF, 007], "c": "\d` + "\t" + `"}`,
			o: Options{
				AllowUnquotedFieldNames: true, AllowSingleQuotes: true, AllowNonNumericNumbers: true, AllowNumericLeadingZeros: true,
				AllowBackslashEscapingAnyCharacter: true, AllowUnquotedControlChars: true,
			},
			want: "JSON lines, UTF-8\n1:1@0 {a: 'it\\'s', 'b': [NaN, -Infinity, +INF, 007], \"c\": \"\\d\t\"}\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := read(t, c.text, c.o).String(); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}
