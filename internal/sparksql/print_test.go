package sparksql_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/sparksql"
)

// query reads a query, and gives what is wrong with it.
func query(text string) (*sparksql.Query, error) {
	f := sparksql.NewFile("q.sql", text)
	tokens, err := sparksql.Lex(f)
	if err != nil {
		return nil, err
	}
	return sparksql.ParseQuery(f, tokens)
}

// The file holds queries and what they are printed as: two lines each. What is printed
// reads as itself.
func TestPrint(t *testing.T) {
	text, err := os.ReadFile("testdata/print.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		in, want, _ := strings.Cut(block, "\n")
		cases++
		for _, text := range []string{in, want} {
			q, err := query(text)
			if err != nil {
				t.Errorf("%s\n%v", text, err)
				continue
			}
			if got := sparksql.Print(q); got != want {
				t.Errorf("found\n%s\nwant\n%s", got, want)
			}
		}
	}
	if cases < 50 {
		t.Errorf("found %d queries, want 50 at least", cases)
	}
}

// The place of a problem is marked by ⟨ in the text.
func TestProblems(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"select a, ⟨from t", `found "from", want a column`},
		{"select a from t where ⟨", `found the end of the text, want an expression`},
		{"select 'a from t", `found no end, want '`},
		{"select ⟨2.5a from t", `found "2.5a", want a number`},
		{"select cast(a as ⟨strin) from t", `found "strin", want a type of Spark`},
		{"select a b ⟨c from t", `found "c", want the end of the statement`},
		{"select * from t ⟨tablesample (10 percent)", `TABLESAMPLE is not understood`},
		{"select * from t ⟨pivot (sum(a) for b in (1))", `PIVOT is not understood`},
		{"select case a ⟨end", `found "end", want WHEN`},
		{"select a from t ⟨|> where a", `the pipe |> is not understood`},
		{"select ⟨" + strings.Repeat("(", 300), `want fewer than 200 levels`},
		{"select a as ⟨'b' from t", `found the text "b", want a name`},
		{"/* a", `comment: found no end, want */`},
	} {
		_, err := query(strings.ReplaceAll(c.text, "⟨", ""))
		var d *diag.Diagnostic
		if !errors.As(err, &d) || !strings.Contains(d.Message, c.says) {
			t.Errorf("%s: found %v, want %s", c.text, err, c.says)
			continue
		}
		if at := strings.Index(c.text, "⟨"); at >= 0 && len(c.text) < 100 && d.At.Column != at+1 {
			t.Errorf("%s: found column %d, want %d", c.text, d.At.Column, at+1)
		}
	}
}

// Places are those of the file, also where a part of the text was replaced.
func TestEdits(t *testing.T) {
	host := "select ${a},\n  ${b} from t group t"
	f := sparksql.NewFile("q.sql", host, sparksql.Edit{Range: sparksql.Range{At: 7, End: 11}, Text: "12345678"}, sparksql.Edit{Range: sparksql.Range{At: 15, End: 19}, Text: "x"})
	if f.Text != "select 12345678,\n  x from t group t" {
		t.Fatalf("found %q", f.Text)
	}
	tokens, err := sparksql.Lex(f)
	if err != nil {
		t.Fatal(err)
	}
	_, err = sparksql.ParseQuery(f, tokens)
	if err == nil || !strings.HasPrefix(err.Error(), "q.sql:2:15: ") {
		t.Errorf("found %v, want q.sql:2:15", err)
	}
	if p := f.Place(10); p.Line != 1 || p.Column != 8 {
		t.Errorf("found %v within an edit, want its beginning", p)
	}
}

func FuzzPrint(f *testing.F) {
	text, err := os.ReadFile("testdata/print.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := query(text)
		if err != nil {
			return
		}
		printed := sparksql.Print(q)
		again, err := query(printed)
		if err != nil {
			t.Fatalf("%q\n%v", printed, err)
		}
		if got := sparksql.Print(again); got != printed {
			t.Fatalf("found\n%s\nafter\n%s", got, printed)
		}
	})
}
