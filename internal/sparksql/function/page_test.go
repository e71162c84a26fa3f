package function_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"landfall/internal/sparksql/function"
)

var update = flag.Bool("update", false, "rewrite the page")

// TestPage: docs/sql-functions.md holds the table.
func TestPage(t *testing.T) {
	want := page()
	const path = "../../../docs/sql-functions.md"
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil { //nolint:gosec // a page for all to read
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s is not up to date (%v): go test ./internal/sparksql/function -run TestPage -update", path, err)
	}
}

// titles are the families as the page calls them, in its order.
var titles = [][2]string{
	{"text", "Texts"},
	{"number", "Numbers"},
	{"cast", "Types"},
	{"time", "Dates and times"},
	{"condition", "Choices and checks"},
	{"array", "Arrays, maps and structs"},
	{"higher", "Lambdas"},
	{"json", "JSON"},
	{"hash", "Hashes"},
	{"aggregate", "Aggregates"},
	{"window", "Windows"},
	{"generator", "Rows of one row"},
}

// page is the table as people read it.
func page() string {
	var b, refused strings.Builder
	runs, families := 0, map[string][]*function.Function{}
	seen := map[string]bool{}
	for _, name := range function.Names() {
		f, _ := function.Lookup(name)
		if seen[f.Name()] {
			continue
		}
		seen[f.Name()] = true
		if f.Refused() != "" {
			fmt.Fprintf(&refused, "| `%s` | %s | %s |\n", strings.Join(f.Names(), "`, `"), f.Does(), f.Refused())
			continue
		}
		runs++
		families[f.Family()] = append(families[f.Family()], f)
	}
	fmt.Fprintf(&b, head, runs)
	for _, title := range titles {
		fmt.Fprintf(&b, "\n## %s\n\n| function | means | examples |\n|---|---|---|\n", title[1])
		list := families[title[0]]
		slices.SortFunc(list, func(a, b *function.Function) int { return strings.Compare(a.Name(), b.Name()) })
		for _, f := range list {
			row(&b, f)
		}
		delete(families, title[0])
	}
	for family := range families {
		panic("no title for the family " + family)
	}
	return b.String() + "\n## Refused\n\n| function | means | instead |\n|---|---|---|\n" + refused.String()
}

// row is what the table says of a function.
func row(b *strings.Builder, f *function.Function) {
	cell := func(text string) string { return "`` " + strings.ReplaceAll(text, "|", "\\|") + " ``" }
	var forms, examples []string
	for _, form := range f.Forms() {
		forms = append(forms, cell(form))
	}
	if others := f.Names()[1:]; len(others) > 0 {
		forms = append(forms, "also `"+strings.Join(others, "`, `")+"`")
	}
	rows := ""
	for _, e := range f.Examples() {
		text := cell(e.Expr)
		if e.Rows != "" && e.Rows != rows {
			text = "of " + cell(e.Rows) + ": " + text
		}
		rows = e.Rows
		value := "an error"
		switch e.Value {
		case "error":
		case "":
			value = "the empty text"
		default:
			value = cell(e.Value)
		}
		examples = append(examples, text+" is "+value)
	}
	fmt.Fprintf(b, "| %s | %s | %s |\n", strings.Join(forms, "<br>"), f.Does(), strings.Join(examples, "<br>"))
}

const head = `# Functions of SQL pipelines

Queries of pipelines are in the SQL of Spark, and have Spark's results: those of Spark 4 in ANSI mode, in
the time zone UTC. Of its functions these %d run. T, U, K and the like stand for a type that is the same
everywhere in a form, "…" for an argument that may stand several times, "x -> y" for a lambda. Of an example
the value is shown as Spark casts it to a text. A test runs each example, and another asks Spark for it and
for calls drawn at random.

What is not as in Spark:

- Regular expressions are matched from left to right: those that look around or repeat a group are refused.
- Units, paths, patterns, schemas and digits to round to must stand as literals where a function says so.
- percentile_approx and approx_count_distinct are exact.
- Patterns of times know no names of zones but UTC and GMT.
- Years before 1 and behind 9999 have other texts, and so have some floats: the shortest that is no other.
- Intervals have no texts: add them to times, or subtract two times.
- Sums of doubles may differ in their last digits, as they do in Spark from run to run.
`
