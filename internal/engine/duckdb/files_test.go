package duckdb_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/plan"
	"landfall/internal/schema"
	"landfall/internal/store/local"
)

// fixture is a folder of input files, and an engine.
type fixture struct {
	*testing.T
	dir    string
	engine *duckdb.Engine
	plan   plan.Builder
	input  engine.Input
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 2, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	store, err := local.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{T: t, dir: dir, engine: e, input: engine.Input{Source: "in", Store: store}}
}

// source adds the source and what columns it has, as DDL.
func (f *fixture) source(columns string, more plan.Source) {
	f.Helper()
	for _, d := range f.columns(columns) {
		more.Columns = append(more.Columns, plan.Column{Name: d.Name, Type: d.Type})
	}
	f.add("in", more)
}

func (f *fixture) add(name string, op plan.Op, inputs ...string) {
	f.Helper()
	if _, err := f.plan.Add(name, diag.Place{}, op, inputs...); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) columns(ddl string) []schema.Field {
	f.Helper()
	list, err := schema.ParseColumns(ddl)
	if err != nil {
		f.Fatal(err)
	}
	var fields []schema.Field
	for _, d := range list {
		fields = append(fields, schema.Field{Name: d.Path[0], Type: d.Type, Nullable: true})
	}
	return fields
}

// file writes a text file and returns the group of it.
func (f *fixture) file(name, columns, text string, g engine.Group) {
	f.Helper()
	f.must(os.MkdirAll(filepath.Dir(filepath.Join(f.dir, name)), 0o700))
	f.must(os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600))
	f.group(columns, g, engine.InputFile{Key: name, Shown: "/lake/" + name})
}

func (f *fixture) group(columns string, g engine.Group, files ...engine.InputFile) {
	f.Helper()
	g.Columns = f.columns(columns)
	g.Files = append(files, g.Files...)
	f.input.Groups = append(f.input.Groups, g)
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) job(step string) engine.Job {
	return engine.Job{Plan: f.plan.Plan(), Step: step, Inputs: []engine.Input{f.input}}
}

// rows runs a job and writes a row a line.
func (f *fixture) rows(job engine.Job) string {
	f.Helper()
	var lines []string
	f.must(f.engine.Run(f.Context(), job, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			var cells []string
			for _, v := range row {
				cells = append(cells, engine.Text(v))
			}
			lines = append(lines, strings.Join(cells, "|"))
		}
		return nil
	}))
	return strings.Join(lines, "\n")
}

func (f *fixture) want(got, want string) {
	f.Helper()
	if got != want {
		f.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Files of different columns are one stream: what a file lacks is null, and
// what it has in another type is converted.
func TestFilesOfSeveralSchemas(t *testing.T) {
	f := newFixture(t)
	text := engine.Group{Format: engine.Delimited, Text: engine.Dialect{Header: true, Quote: `"`, Escape: `"`}}
	f.file("a.csv", "order_id string, order_total string", "order_id,order_total\n1,10\n2,\"2,5\"\n", text)
	f.file("b=7/b.csv", "Order_ID string, order_total string, ship_region string", "id,t,r\n3,1.005,\"\"\n4,,x\n", text)
	seven := "7"
	f.input.Groups[1].Files[0].Partition = map[string]*string{"b": &seven}
	f.file("c.json", "order_id bigint, tags array<string>, at timestamp",
		`[{"order_id": 5, "tags": ["x", null], "at": "2026-01-02T03:04:05+01:00"}]`, engine.Group{Format: engine.JSON, Documents: engine.Array})
	f.source("order_id int, order_total decimal(10,2), ship_region string, b int, tags array<string>, at timestamp, path string",
		plan.Source{PathColumn: "path"})
	f.want(f.rows(f.job("in")), `1|10.00|NULL|NULL|NULL|NULL|/lake/a.csv
2|NULL|NULL|NULL|NULL|NULL|/lake/a.csv
3|1.01||7|NULL|NULL|/lake/b=7/b.csv
4|NULL|x|7|NULL|NULL|/lake/b=7/b.csv
5|NULL|NULL|NULL|["x",null]|2026-01-02T02:04:05Z|/lake/c.json`)
}

// One reader takes many files, and still tells which a row is from.
func TestPathsOfManyFiles(t *testing.T) {
	f := newFixture(t)
	g := engine.Group{Format: engine.JSON, Columns: f.columns("a int")}
	for i := range 12 {
		name := fmt.Sprintf("it's [%d].json", i)
		f.must(os.WriteFile(filepath.Join(f.dir, name), fmt.Appendf(nil, `{"a": %d}`, i), 0o600))
		g.Files = append(g.Files, engine.InputFile{Key: name, Shown: fmt.Sprintf("file %d", i)})
	}
	f.input.Groups = []engine.Group{g}
	f.source("a int, path string", plan.Source{PathColumn: "path"})
	lines := strings.Split(f.rows(f.job("in")), "\n")
	for i, line := range lines {
		if want := fmt.Sprintf("%d|file %d", i, i); line != want {
			t.Errorf("row %d: got %s, want %s", i, line, want)
		}
	}
	if len(lines) != 12 {
		t.Errorf("got %d rows", len(lines))
	}
	limited := f.job("in")
	limited.Limit = 3
	f.want(f.rows(limited), "0|file 0\n1|file 1\n2|file 2")
}

// What is written is what comes back, in each format.
func TestWriteAndReadBack(t *testing.T) {
	const columns = "id bigint, total decimal(10,2), note string, at timestamp, day date"
	const rows = `1|10.50|say "hi", you|2026-01-02T03:04:05.25Z|2026-01-02
2|NULL|NULL|NULL|NULL`
	const text = `{"id":1,"total":"10.50","note":"say \"hi\", you","at":"2026-01-02 03:04:05.25","day":"2026-01-02"}
{"id":2}`
	for _, to := range []engine.Target{
		{Format: engine.Parquet, Compression: "zstd"},
		{Format: engine.Delimited, Text: engine.Dialect{Header: true, Delimiter: ";", Quote: `"`, Escape: `"`, Null: "-"}},
		{Format: engine.JSON, Documents: engine.Array},
		{Format: engine.JSON, Documents: engine.Lines},
	} {
		f := newFixture(t)
		f.file("in.json", "id bigint, total string, note string, at string, day string", text, engine.Group{Format: engine.JSON})
		f.source(columns, plan.Source{})
		to.Folder = t.TempDir()
		written, err := f.engine.Write(t.Context(), f.job("in"), to)
		if err != nil {
			t.Fatal(err)
		}
		if len(written) != 1 || written[0].Rows != 2 || written[0].Size == 0 {
			t.Fatalf("format %d: wrote %+v", to.Format, written)
		}
		store, err := local.Open(to.Folder)
		f.must(err)
		back := engine.Group{Format: to.Format, Text: to.Text, Documents: to.Documents}
		f.input = engine.Input{Source: "in", Store: store}
		f.group(columns, back, engine.InputFile{Key: written[0].Path})
		f.want(f.rows(f.job("in")), rows)
	}
}

// Rows are dealt to files, in turn or by value, and to folders by key.
func TestWriteSeveralFiles(t *testing.T) {
	f := newFixture(t)
	var text strings.Builder
	for i := range 90 {
		fmt.Fprintf(&text, "{\"k\": \"k/%d\", \"n\": %d}\n", i%3, i)
	}
	f.file("in.json", "k string, n int", text.String(), engine.Group{Format: engine.JSON})
	f.source("k string, n int", plan.Source{})
	write := func(to engine.Target) []engine.Written {
		t.Helper()
		to.Folder = t.TempDir()
		written, err := f.engine.Write(t.Context(), f.job("in"), to)
		f.must(err)
		slices.SortFunc(written, func(a, b engine.Written) int { return strings.Compare(a.Path, b.Path) })
		return written
	}
	if w := write(engine.Target{Files: 4}); len(w) != 4 || w[0].Rows+w[1].Rows+w[2].Rows+w[3].Rows != 90 || w[0].Rows < 22 || w[3].Number != 3 {
		t.Errorf("in turn: %+v", w)
	}
	sum := int64(0)
	for _, w := range write(engine.Target{Files: 4, By: []string{"k"}}) {
		if sum += w.Rows; w.Rows%30 != 0 {
			t.Errorf("by value: %d rows in a file", w.Rows)
		}
	}
	if sum != 90 {
		t.Errorf("by value: %d rows", sum)
	}
	w := write(engine.Target{Keys: []string{"k"}})
	if len(w) != 3 || w[0].Rows != 30 || filepath.Dir(w[2].Path) != "k=k%2F2" {
		t.Errorf("by key: %+v", w)
	}
}

// A step without rows makes a file without rows.
func TestWriteNoRows(t *testing.T) {
	f := newFixture(t)
	f.source("a int", plan.Source{})
	written, err := f.engine.Write(t.Context(), f.job("in"), engine.Target{Folder: t.TempDir()})
	if err != nil || len(written) != 1 || written[0].Rows != 0 || written[0].Path == "" {
		t.Errorf("wrote %+v, %v", written, err)
	}
}

func TestWriteRefuses(t *testing.T) {
	f := newFixture(t)
	f.source("a int, A int", plan.Source{})
	_, err := f.engine.Write(t.Context(), f.job("in"), engine.Target{Folder: t.TempDir()})
	if diag.CodeOf(err) != diag.PlanInvalid || !strings.Contains(err.Error(), "casing") {
		t.Errorf("two casings: %v", err)
	}
	f.group("b int, B int", engine.Group{}, engine.InputFile{Key: "x.parquet"})
	err = f.engine.Run(t.Context(), f.job("in"), func(engine.Result) error { return nil })
	if diag.CodeOf(err) != diag.FileUnreadable {
		t.Errorf("two casings in a file: %v", err)
	}
}

// A broken rule ends the run with its place and message.
func TestAssertStops(t *testing.T) {
	f := newFixture(t)
	f.file("in.json", "a int", `{"a": 1}`, engine.Group{Format: engine.JSON})
	f.source("a int", plan.Source{})
	rule := plan.Rule{
		ID: "it's: low", On: plan.Literal{Value: false, Of: schema.Boolean}, Message: plan.Literal{Value: "1 is low", Of: schema.String},
	}
	if _, err := f.plan.Add("checked", diag.Place{File: "f.dfs", Line: 3}, plan.Assert{Rules: []plan.Rule{rule}, Abort: true}, "in"); err != nil {
		t.Fatal(err)
	}
	_, err := f.engine.Write(t.Context(), f.job("checked"), engine.Target{Folder: t.TempDir()})
	if diag.CodeOf(err) != diag.AssertFailed || !strings.Contains(err.Error(), "f.dfs:3") || !strings.Contains(err.Error(), "it's: low") ||
		!strings.Contains(err.Error(), "1 is low") {
		t.Errorf("got %v", err)
	}
}

// A program reads nothing but the files of its inputs, and writes nothing but
// the folder.
func TestRunIsConfined(t *testing.T) {
	f := newFixture(t)
	secret := filepath.Join(t.TempDir(), "secret.txt")
	f.must(os.WriteFile(secret, []byte("secret"), 0o600))
	f.file("in.json", "a int", `{"a": 1}`, engine.Group{Format: engine.JSON})
	f.source("a int", plan.Source{})
	peek := plan.Call{Fn: raw("(SELECT content FROM read_text('" + secret + "'))"), Of: schema.String}
	f.add("out", plan.Derive{Set: []plan.Assignment{{Name: "b", Value: peek}}}, "in")
	err := f.engine.Run(t.Context(), f.job("out"), func(engine.Result) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "file system operations are disabled") {
		t.Errorf("got %v", err)
	}
}

// raw is a function that is its text.
type raw string

func (r raw) Name() string { return "raw" }

func (r raw) SQL(string, []string) (string, error) { return string(r), nil }

// A table is read with its own types and partition values, and Parquet files of
// another schema beside it by another source.
func TestTableAndFiles(t *testing.T) {
	f := newFixture(t)
	f.file("in.json", "id int, at string", `{"id": 1, "at": "2026-01-02 03:04:05"}`+"\n"+`{"id": 2}`, engine.Group{Format: engine.JSON})
	f.source("id int, at timestamp", plan.Source{})
	to := engine.Target{Folder: f.dir}
	written, err := f.engine.Write(t.Context(), f.job("in"), to)
	f.must(err)
	day := "2026-01-02"
	table := engine.View{
		Name: "orders", Partitions: []string{"day"}, Store: f.input.Store,
		Schema: schema.Struct{Fields: f.columns("id int, at timestamp, day date")},
		Files:  []engine.File{{Path: written[0].Path, Rows: 2, Size: written[0].Size, Deleted: []int64{1}, Partition: map[string]*string{"day": &day}}},
	}
	files := engine.Input{Source: "files", Store: f.input.Store}
	g := engine.Group{Columns: f.columns("id int, at timestamp"), Files: []engine.InputFile{{Key: written[0].Path, Shown: "x"}}}
	files.Groups = []engine.Group{g}
	f.plan = plan.Builder{}
	f.source("ID string, at timestamp, day date, extra int", plan.Source{})
	f.add("files", plan.Source{Columns: []plan.Column{{Name: "id", Type: schema.Long}, {Name: "at", Type: schema.String}, {Name: "path", Type: schema.String}}, PathColumn: "path"})
	job := engine.Job{Plan: f.plan.Plan(), Inputs: []engine.Input{{Source: "in", Table: &table}, files}}
	job.Step = "in"
	f.want(f.rows(job), "1|2026-01-02T03:04:05Z|2026-01-02|NULL")
	job.Step = "files"
	f.want(f.rows(job), "1|2026-01-02 03:04:05|x\n2|NULL|x")
}
