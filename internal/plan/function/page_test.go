package function_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"landfall/internal/plan/function"
)

var update = flag.Bool("update", false, "rewrite the page")

// TestPage: docs/functions.md holds the table.
func TestPage(t *testing.T) {
	want := page(load(t))
	const path = "../../../docs/functions.md"
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a page for all to read
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not up to date (%v): go test ./internal/plan/function -update", path, err)
	}
}

// page is the table as people read it.
func page(table *function.Table) string {
	runs := 0
	var b strings.Builder
	for _, name := range table.Names() {
		f := table.Lookup(name)
		if f.Runs() {
			runs++
		}
		entry(&b, f)
	}
	return fmt.Sprintf(`# Functions of data flow expressions

Of %d functions and operators, an engine computes %d itself; the others say below what is put in
their place, or why they are refused. A form is written with names and types: T and the like
stand for a type that is the same everywhere in the form, "..." for an argument that may stand
several times, brackets for one that may be missing. Examples of aggregates and
windows begin with the values of columns. Each example is run by a test, and so is each difference
from Spark; random calls are held against Spark with seeds that change by the day.

`, len(table.Names()), runs) + strings.TrimRight(b.String(), "\n") + "\n"
}

// entry writes what the table says of a function.
func entry(b *strings.Builder, f *function.Function) {
	fmt.Fprintf(b, "## `` %s ``\n\n%s %s\n\n", f.Name, f.Does, state(f))
	for _, form := range f.Forms {
		fmt.Fprintf(b, "- `` %s%s ``\n", f.Name, form.Text)
	}
	b.WriteString("\n")
	for _, o := range f.Operators {
		if o != f.Name {
			fmt.Fprintf(b, "Operator: `` %s ``\n\n", o)
		}
	}
	for _, n := range f.Notes {
		fmt.Fprintf(b, "Note: %s\n\n", n)
	}
	for _, d := range f.Differs {
		fmt.Fprintf(b, "Differs: `` %s `` is `` %s ``; in Spark `` %s ``\n\n", d.Expr, d.Ours, d.Spark)
	}
	for _, e := range f.Examples {
		if !f.Runs() {
			break
		}
		rows := ""
		for _, c := range e.Rows {
			rows += fmt.Sprintf("%s = %s; ", c.Name, c.Values)
		}
		fmt.Fprintf(b, "    %s%s  =>  %s\n", rows, e.Expr, e.Value)
	}
	b.WriteString("\n")
}

// state says whether a function runs.
func state(f *function.Function) string {
	kind := fmt.Sprintf("(%s)", f.Kind)
	switch {
	case f.Refused != "":
		return kind + " **Refused**: " + f.Refused + "."
	case f.Bound != "":
		return kind + " Put in its place: " + f.Bound + "."
	}
	return kind
}
