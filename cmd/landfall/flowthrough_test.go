package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/schema"
	"landfall/internal/transform"
)

// drawnFile is a file of a vendor who changes what he sends: columns by name with the
// kind of their values, and rows; nil is no value.
type drawnFile struct {
	names []string
	kinds []string
	rows  [][]*string
}

// drawFiles draws files of one feed. Names differ in casing and in signs between files, kinds
// of values differ too; each row has an id.
func drawFiles(t *rapid.T) []drawnFile {
	names := []string{"amount", "Amount", "ship region", "a.b", "naïve", "x-1", "note", "qty", "QTY"}
	kinds := []string{"int", "number", "text", "date", "bool", "wide", "zeros"}
	var files []drawnFile
	for f := range rapid.IntRange(1, 4).Draw(t, "files") {
		file := drawnFile{names: []string{"rid"}, kinds: []string{"text"}}
		taken := map[string]bool{"rid": true}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 6, func(s string) string { return s }).Draw(t, "names") {
			if taken[schema.Fold(name)] {
				continue
			}
			taken[schema.Fold(name)] = true
			file.names = append(file.names, name)
			file.kinds = append(file.kinds, rapid.SampledFrom(kinds).Draw(t, "kind"))
		}
		for r := range rapid.IntRange(1, 5).Draw(t, "rows") {
			id := fmt.Sprintf("f%dr%d", f, r)
			row := []*string{&id}
			for _, kind := range file.kinds[1:] {
				row = append(row, drawValue(t, kind))
			}
			file.rows = append(file.rows, row)
		}
		files = append(files, file)
	}
	return files
}

// drawValue draws the text of a value of a kind.
func drawValue(t *rapid.T, kind string) *string {
	if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
		return nil
	}
	var text string
	switch kind {
	case "int":
		text = strconv.Itoa(rapid.IntRange(-1000, 1_000_000_000).Draw(t, "int"))
	case "number":
		text = strconv.Itoa(rapid.IntRange(-99, 99).Draw(t, "whole")) + rapid.SampledFrom([]string{".5", ".25", ".1", ".50"}).Draw(t, "part")
	case "text":
		text = rapid.SampledFrom([]string{"plain", "with, comma", `with "quotes"`, "ümläut", " padded ", "NULL", "12 apples", "line\nbreak", "-", "a;b"}).Draw(t, "text")
	case "date":
		text = time.Date(2026, 1, rapid.IntRange(1, 28).Draw(t, "day"), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	case "bool":
		text = rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")
	case "wide":
		text = rapid.SampledFrom([]string{"9223372036854775808", "123456789012345678901234567890", "0.1234567890123456789", "1e40"}).Draw(t, "wide")
	case "zeros":
		text = rapid.SampledFrom([]string{"007", "+5", "0x1F", "1_000"}).Draw(t, "zeros")
	}
	return &text
}

// delimited writes a file as text with a header.
func (f drawnFile) delimited(t *rapid.T) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	records := [][]string{f.names}
	for _, row := range f.rows {
		cells := make([]string, len(row))
		for i, v := range row {
			if v != nil {
				cells[i] = *v
			}
		}
		records = append(records, cells)
	}
	if err := w.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// lines writes a file as JSON, a document a line: numbers and booleans as such.
func (f drawnFile) lines(t *rapid.T) []byte {
	var b bytes.Buffer
	for _, row := range f.rows {
		b.WriteString("{")
		for i, v := range row {
			if i > 0 {
				b.WriteString(", ")
			}
			name, err := json.Marshal(f.names[i])
			if err != nil {
				t.Fatal(err)
			}
			value := []byte("null")
			switch {
			case v == nil:
			case f.kinds[i] == "int" || f.kinds[i] == "number" || f.kinds[i] == "wide" || f.kinds[i] == "bool":
				value = []byte(*v)
			default:
				if value, err = json.Marshal(*v); err != nil {
					t.Fatal(err)
				}
			}
			fmt.Fprintf(&b, "%s: %s", name, value)
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

// parquet writes a file with types.
func (f drawnFile) parquet(t *rapid.T) []byte {
	types := map[string]string{"int": "int64", "number": "double", "date": "date", "bool": "bool"}
	var head bytes.Buffer
	for i, name := range f.names {
		typ := types[f.kinds[i]]
		if typ == "" {
			typ = "string"
		}
		fmt.Fprintf(&head, "%s: %s\n", name, typ)
	}
	f.kinds = slices.Clone(f.kinds)
	for i, kind := range f.kinds {
		if kind == "wide" {
			f.kinds[i] = "text" // a text of the column
		}
	}
	data, err := parquetOf(head.String() + "\n" + string(f.lines(t)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFlowsLoseNothing runs drawn files through a flow that takes all columns and renames them
// by a rule: every column and every value that came in goes out, under the name of the
// rule, as what it was.
func TestFlowsLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := drawFiles(t)
		format := rapid.SampledFrom([]string{"delimited", "json", "parquet"}).Draw(t, "format")
		infer := rapid.Bool().Draw(t, "infer")
		dir, err := os.MkdirTemp("", "flows-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // what is left is of no worth
		for i, f := range files {
			data := map[string]func(*rapid.T) []byte{"delimited": f.delimited, "json": f.lines, "parquet": f.parquet}[format]
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i)), data(t), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		script := fmt.Sprintf(`source(allowSchemaDrift: true,
	validateSchema: false,
	inferDriftedColumnTypes: %t,
	format: '%s',
	columnNamesAsHeader: true,
	escapeChar: '"',
	wildcardPaths: ['*.txt']) ~> In
In select(mapColumn(each(match(true()), replace($$, ' ', '_') = $$))) ~> Clean
Clean sink(allowSchemaDrift: true, format: 'parquet') ~> Out
`, infer, format)
		if err := os.WriteFile(filepath.Join(dir, "flow.dfs"), []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		columns, rows := previewAll(t, dir)
		compareAll(t, files, columns, rows)
	})
}

// previewAll returns the columns of the sink, and its rows by their ids.
func previewAll(t *rapid.T, dir string) (columns []schema.Field, rows map[string][]engine.Value) {
	app := &app{stdout: os.Stderr, stderr: os.Stderr, now: time.Now, newID: newID}
	job, err := app.flowJob(t.Context(), filepath.Join(dir, "flow.dfs"), flowFlags{sources: []string{"In=" + dir}})
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	o, err := transform.Open(t.Context(), job)
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	defer o.Close() //nolint:errcheck // a temporary folder
	id := -1
	for i, c := range o.Plan.Step("Out").Visible() {
		columns = append(columns, schema.Field{Name: c.Name, Type: c.Type})
		if c.Name == "rid" {
			id = i
		}
	}
	rows = map[string][]engine.Value{}
	err = o.Preview(t.Context(), "Out", 1000, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			rows[engine.Text(row[id])] = row
		}
		return nil
	})
	if err != nil {
		t.Fatal(diag.Render(err, false))
	}
	return columns, rows
}

// compareAll finds every value of the files in the rows.
func compareAll(t *rapid.T, files []drawnFile, columns []schema.Field, rows map[string][]engine.Value) {
	n := 0
	for _, f := range files {
		n += len(f.rows)
		for _, row := range f.rows {
			out := rows[*row[0]]
			if out == nil {
				t.Fatalf("row %s is lost", *row[0])
			}
			for i, v := range row {
				at := (schema.Struct{Fields: columns}).Lookup(strings.ReplaceAll(f.names[i], " ", "_"))
				if at < 0 {
					t.Fatalf("column %q is lost", f.names[i])
				}
				if !sameValue(v, out[at]) {
					t.Fatalf("row %s, column %q (%s): found %s, want %s", *row[0], f.names[i], columns[at].Type, engine.Text(out[at]), wantedText(v))
				}
			}
		}
	}
	if n != len(rows) {
		t.Fatalf("found %d rows, want %d", len(rows), n)
	}
}

func wantedText(v *string) string {
	if v == nil {
		return "NULL"
	}
	return strconv.Quote(*v)
}

// sameValue tells whether a value is what a text says: the text itself, or the number, day
// or truth that it is.
func sameValue(want *string, got engine.Value) bool {
	if want == nil || got == nil {
		return (want == nil) == (got == nil)
	}
	switch v := got.(type) {
	case string:
		return v == *want || equalNumber(v, *want)
	case float64:
		f, err := strconv.ParseFloat(*want, 64)
		return err == nil && f == v
	case engine.Number:
		return equalNumber(string(v), *want)
	case engine.Date:
		return v.String() == *want
	case engine.Instant:
		return v.String() == *want+"T00:00:00Z"
	case bool:
		return strconv.FormatBool(v) == *want
	}
	return engine.Text(got) == *want
}

// equalNumber tells whether two texts are one number: a number of Parquet that becomes text
// is written as Spark does.
func equalNumber(a, b string) bool {
	is, ok := new(big.Rat).SetString(a)
	should, okay := new(big.Rat).SetString(b)
	return ok && okay && is.Cmp(should) == 0
}
