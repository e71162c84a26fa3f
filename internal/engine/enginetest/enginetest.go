// Package enginetest is the suite that every engine.Runner passes: small plans,
// their input, and the rows that come out by Spark's rules, worked out by hand.
//
// A table is a text: a line of declarations, then a line a row with cells
// between bars. A cell is null where it says so; arrays, maps and structs are
// JSON.
package enginetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/plan"
	"landfall/internal/schema"
	"landfall/internal/store/local"
)

// example is one plan with what it reads and gives.
type example struct {
	name string
	// in are the tables of the sources by name.
	in map[string]string
	// plan adds the steps behind the sources; the last one is run.
	plan func(b *builder)
	// want is a table whose declarations have the names and types of the
	// columns; its rows may come in any order, unless ordered is set.
	want    string
	ordered bool
	// fails is the code of the error that is wanted in place of rows.
	fails diag.Code
}

// Run runs the suite on an engine.
func Run(t *testing.T, runner engine.Runner) {
	t.Helper()
	for group, examples := range map[string][]example{
		"rows": rowExamples(), "operators": operatorExamples(), "conversions": conversionExamples(),
		"groups": groupExamples(), "matches": matchExamples(), "windows": windowExamples(),
		"shapes": shapeExamples(), "asserts": assertExamples(),
	} {
		for _, x := range examples {
			t.Run(group+"/"+x.name, func(t *testing.T) { x.run(t, runner) })
		}
	}
}

func (x example) run(t *testing.T, runner engine.Runner) {
	t.Helper()
	job := x.job(t)
	var got []string
	err := runner.Run(t.Context(), job, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			got = append(got, rowText(row))
		}
		return nil
	})
	if x.fails != "" {
		if diag.CodeOf(err) != x.fails {
			t.Errorf("got %v, want %s", err, x.fails)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, program(runner, job))
	}
	head, want := cells(x.want)
	var columns []string
	for _, c := range job.Plan.Step(job.Step).Visible() {
		columns = append(columns, c.Name+" "+c.Type.String())
	}
	if got := strings.Join(columns, ", "); got != head {
		t.Errorf("got columns %s\nwant %s", got, head)
	}
	if !x.ordered {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), program(runner, job))
	}
}

// program is the text that a runner makes of a job, for a failure's message.
func program(runner engine.Runner, job engine.Job) string {
	text, err := runner.Program(job)
	if err != nil {
		return err.Error()
	}
	return text
}

// cells splits a table into its declarations and rows.
func cells(table string) (head string, rows []string) {
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case head == "":
			head = line
		default:
			parts := strings.Split(line, "|")
			for i := range parts {
				parts[i] = strings.TrimSpace(parts[i])
			}
			rows = append(rows, strings.Join(parts, "|"))
		}
	}
	return head, rows
}

func rowText(row []engine.Value) string {
	texts := make([]string, len(row))
	for i, v := range row {
		if texts[i] = engine.Text(v); v == nil {
			texts[i] = "null"
		}
	}
	return strings.Join(texts, "|")
}

// job writes the tables to files and builds the plan.
func (x example) job(t *testing.T) engine.Job {
	t.Helper()
	dir := t.TempDir()
	folder, err := local.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{t: t}
	job := engine.Job{}
	names := make([]string, 0, len(x.in))
	for name := range x.in {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		columns, group := writeTable(t, dir, name, x.in[name])
		b.add(name, plan.Source{Columns: columns})
		job.Inputs = append(job.Inputs, engine.Input{Source: name, Groups: []engine.Group{group}, Store: folder})
	}
	x.plan(b)
	job.Plan = b.Plan()
	job.Step = job.Plan.Steps[len(job.Plan.Steps)-1].Name
	return job
}

// declared reads the line of declarations.
func declared(t *testing.T, head string) []plan.Column {
	t.Helper()
	list, err := schema.ParseColumns(head)
	if err != nil {
		t.Fatalf("%s: %v", head, err)
	}
	columns := make([]plan.Column, len(list))
	for i, d := range list {
		columns[i] = plan.Column{Name: d.Path[0], Type: d.Type}
	}
	return columns
}

// writeTable writes a table as a JSON document a line, scalars as strings that
// the source converts.
func writeTable(t *testing.T, dir, name, table string) ([]plan.Column, engine.Group) {
	t.Helper()
	head, rows := cells(table)
	columns := declared(t, head)
	group := engine.Group{Format: engine.JSON, Files: []engine.InputFile{{Key: name + ".json", Shown: name}}}
	for _, c := range columns {
		typ := c.Type
		if schema.Scalar(typ) {
			typ = schema.String
		}
		group.Columns = append(group.Columns, schema.Field{Name: c.Name, Type: typ, Nullable: true})
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteByte('{')
		for i, cell := range strings.Split(row, "|") {
			if i > 0 {
				b.WriteByte(',')
			}
			if cell != "null" && schema.Scalar(columns[i].Type) {
				cell = quoted(t, cell)
			}
			b.WriteString(quoted(t, columns[i].Name) + ":" + cell)
		}
		b.WriteString("}\n")
	}
	if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return columns, group
}

func quoted(t *testing.T, text string) string {
	t.Helper()
	raw, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
