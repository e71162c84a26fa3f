package failure_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the page")

// TestPage: docs/explain.md holds the catalogue.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# What errors of readers mean

` + "`landfall explain TEXT`, `landfall explain job.log` or `… | landfall explain -`" + ` recognises the
failures below in what was pasted, also within a stack trace, as a JSON line of a log, and where
lines were wrapped. It prints the file, column and types that the text names, the cause, what to do
(the best first) and what never to do. With ` + "`--file FOLDER`" + ` it says what is really in the file, if
it is there. A text that it does not know ends with 1 and is not guessed at. ` + "`landfall explain E0402`" + `
explains our [own codes](errors.md); ` + "`--json`" + ` prints [a document](json.md#explain).

Failures marked * were never provoked by running the reader: their words are as documents and
reports of users quote them.

`)
	for _, f := range load(t).Failures() {
		mark := "*"
		for _, x := range f.Texts {
			if !x.Quoted {
				mark = ""
			}
		}
		fmt.Fprintf(&b, "## %s%s\n\n%s: %s. %s\n\n", f.Name, mark, strings.Join(f.Readers, ", "), f.Title, f.Cause)
		for n, x := range f.Fixes {
			fmt.Fprintf(&b, "%d. %s\n", n+1, x.Text)
			if x.Command != "" {
				fmt.Fprintf(&b, "   `` %s ``\n", x.Command)
			}
		}
		for _, n := range f.Never {
			fmt.Fprintf(&b, "- Never: %s\n", n)
		}
		b.WriteString("\n")
	}
	const page = "../../docs/explain.md"
	want := strings.TrimRight(b.String(), "\n") + "\n"
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != want {
		t.Errorf("%s is not up to date (%v): go test ./internal/failure -update", page, err)
	}
}

// TestWhole: every failure says why it happens and what to do.
func TestWhole(t *testing.T) {
	names := map[string]bool{}
	for _, f := range load(t).Failures() {
		if names[f.Name] || f.Title == "" || len(f.Readers) == 0 || strings.Count(f.Cause+" ", ". ") != 2 || len(f.Fixes) == 0 || len(f.Texts) == 0 {
			t.Errorf("%s: found twice, or without readers, title, texts, fixes or a cause in two sentences", f.Name)
		}
		names[f.Name] = true
	}
}
