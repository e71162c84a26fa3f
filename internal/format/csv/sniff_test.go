package csv

import (
	"strings"
	"testing"

	"landfall/internal/diag"
)

// TestDialects: what the sample decides.
func TestDialects(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"decimal commas", "a;b\n1,5;2,5\n3,5;4,5\n", "semicolon"},
		{"commas behind a line break in quotes", "\"id\";\"x\";\"y\";\"d\"\n\"1\";\"nl\nx\";\"p,q,r,s\";\"2\"\n\"2\";\"b\";\"c\";\"3\"\n", "semicolon"},
		{"more fields win", "d,e;f;g\n1,5;2;3\n", "semicolon"},
		{"a tie is the comma's", "a,b;c\n1,2;3\n", "comma"},
		{"text with other delimiters", "id,note\n1,a;b\n2,c|d\n3,\"x\ty\"\n", "comma"},
		{"ragged rows", "a,b|x,c\n1,2|x,3\n1|x,2,3,4\n1,2|x,3\n1,2|x,3\n1,2|x,3\n", "comma"},
		{"tabs", "a\tb\nx, y\tz\n", "tab"},
		{"one column", "text\nhello; world\nfoo\n", "comma"},
		{"banner over semicolons", "Report\na;b;c\n1;2;3\n1;2\n", "semicolon"},
		{"backslash", "a,b\n\"x \\\"y\\\" z\",1\n", `comma, escape \`},
		{"backslash is data", "a,b\n\"C:\\dir\\\",1\n\"D:\\\",2\n", "comma"},
		{"apostrophes", "'a','b'\n'1,5','2'\n", "comma, quote '"},
		{"apostrophes are data", "a,b\n'tis,'twas\n'q',x\n", "comma"},
		{"spaces before quotes", "\"a\", \"b\"\n\"1\", \"x, y\"\n", "comma, spaces before quotes"},
		{"quotes that never close", "a\tb\n" + strings.Repeat("\"x\t1\n", 6), "tab, no quotes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := read(t, c.text, Options{})
			if o.err != nil {
				t.Fatal(o.err)
			}
			if got := strings.TrimSuffix(o.r.Dialect(), ", UTF-8"); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestNotes: what is guessed or odd is said, with a hint that leads on.
func TestNotes(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
		want string // kind and hint
	}{
		{"'a','b'\n'1,5','2'\n", Options{}, `dialect_guessed: set the option quote to " if they are data`},
		{"a,b\n\"x \\\"y\\\" z\",1\n", Options{}, `dialect_guessed: set the option escape to \0 if it is data`},
		{"\"a\", \"b\"\n\"1\", \"x, y\"\n", Options{}, `dialect_guessed: set the option quote to " if they are data`},
		{"a\tb\n" + strings.Repeat("\"x\t1\n", 6), Options{}, `dialect_guessed: set the option quote to " if they enclose fields`},
		{"'a','b'\n'1,5','2'\n", Options{Quote: '\''}, ""},
		{"a,b\n\"x \\\"y\\\" z\",1\n", Options{Escape: '\\'}, ""},
		{"a\tb\n" + strings.Repeat("\"x\t1\n", 6), Options{NoQuote: true}, ""},
		{"a,b\n1,\"2\"\n", Options{}, ""},
		{"Title\n\nid,n\n1,2\n3,4\n", Options{}, "banner_line: if the first line is a title, set the option skipRows to 2"},
		{"old\nT1\nT2\nT3\nid,n\n1,2\n3,4\n", Options{SkipRows: 1}, "banner_line: if the first lines are titles, set the option skipRows to 4"},
		{"sep=;\nT1\nT2\nid;n\n1;2\n3;4\n", Options{}, "banner_line: if the first lines are titles, set the option skipRows to 3"},
		{"1\n2\n3\n4\n5\n6\nid,n\n1,2\n3,4\n" + strings.Repeat("5,6\n", 9), Options{}, ""},
		{"text\nof\nfive, six\nwords\n", Options{}, ""},
		{"a,b\n1,2,3\n1,2\n1,2,3\n1,2,3\n1,2,3\n1,2,3\n", Options{}, ""},
	} {
		var all []string
		for _, n := range read(t, c.text, c.o).r.Notes() {
			all = append(all, n.Kind+": "+n.Hint)
		}
		if got := strings.Join(all, "; "); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// TestSkipOverBuffer: lines that are skipped may fill what is read at first.
func TestSkipOverBuffer(t *testing.T) {
	for n := range 40 {
		text := strings.Repeat("x", n) + "\ny\na,b\n1,2\n"
		if got, want := read(t, text, Options{SkipRows: 2, sniffBytes: 16}).String(), "comma, UTF-8 | a|b\n1 1|2\n"; got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

// TestLongName: a document is no header.
func TestLongName(t *testing.T) {
	for n, want := range map[int]diag.Code{maxName: "", maxName + 1: diag.FileForeign} {
		o := read(t, "a,"+strings.Repeat("é", n)+"\n1,2\n", Options{})
		if diag.CodeOf(o.err) != want {
			t.Errorf("a name of %d characters: got %v, want %q", n, o.err, want)
		}
	}
}
