package inference_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/column/columntest"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// TestInferenceDoc runs the tables of docs/inference.md whose head names "CSV
// values", "JSON values" or "Parquet types". A line's first cell holds values in
// backticks, each perhaps with ×n behind it to stand n times: fields of a CSV
// column, of which ∅ is empty and "" empty in quotes, or JSON values; of Parquet
// they are files, each a type and its values. The second cell is the type that
// they give, whatever their order. What is rescued, the third, is for the package
// that fits.
func TestInferenceDoc(t *testing.T) {
	text, err := os.ReadFile("../../docs/inference.md")
	if err != nil {
		t.Fatal(err)
	}
	lines, head := 0, ""
	for number, line := range strings.Split(string(text), "\n") {
		cells := splitRow(line)
		switch {
		case len(cells) < 3:
			head = ""
		case strings.HasSuffix(cells[0], " values"), cells[0] == "Parquet types":
			head = cells[0]
		case head != "" && !strings.HasPrefix(cells[0], "--"):
			lines++
			if got := inferLine(t, cells[0], head); got != cells[1] {
				t.Errorf("line %d: %s: got %s, want %s", number+1, cells[0], got, cells[1])
			}
		}
	}
	if lines < 100 {
		t.Errorf("found %d lines, want all of them", lines)
	}
}

// splitRow returns the cells of a row of a table.
func splitRow(line string) []string {
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

var listed = regexp.MustCompile("`([^`]*)`(?:×([0-9]+))?")

// inferLine infers the type of a line's values.
func inferLine(t *testing.T, text, head string) string {
	t.Helper()
	var rows []string
	for _, m := range listed.FindAllStringSubmatch(text, -1) {
		times := 1
		if m[2] != "" {
			times, _ = strconv.Atoi(m[2])
		}
		for range times {
			rows = append(rows, m[1])
		}
	}
	switch head {
	case "Parquet types":
		return inferFiles(t, rows)
	case "JSON values":
		for i, row := range rows {
			rows[i] = `{"v":` + row + `}`
		}
		e := columntest.Trees(t, rows...)
		return infer(inference.Method{}, &e.Fields[0].Evidence).String()
	}
	lines := make([][]string, len(rows))
	for i, row := range rows {
		lines[i] = []string{row}
	}
	e := columntest.Cells([]string{"v"}, lines...)
	return infer(inference.Method{}, &e.Fields[0].Evidence).String()
}

// inferFiles infers the type of a path from files that declare types, in both
// orders.
func inferFiles(t *testing.T, files []string) string {
	t.Helper()
	evidence := make([]*column.Evidence, len(files))
	for i, text := range files {
		evidence[i] = file(t, text)
	}
	typ := infer(inference.Method{}, evidence...)
	slices.Reverse(evidence)
	if turned := infer(inference.Method{}, evidence...); sorted(turned).String() != sorted(typ).String() {
		return typ.String() + ", and turned round " + turned.String()
	}
	return typ.String()
}

// file is what a file says of its one column: text is its type and a JSON array of
// its values.
func file(t *testing.T, text string) *column.Evidence {
	t.Helper()
	typ, values, _ := strings.Cut(text, " ")
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(values), &list); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	rows := make([]string, len(list))
	for i, v := range list {
		rows[i] = `{"v":` + string(v) + `}`
	}
	e := columntest.Typed(t, "v "+typ, rows...)
	return &e.Fields[0].Evidence
}

// sorted is a type without what the order of files decides: the order of fields,
// and their spelling.
func sorted(t schema.Type) schema.Type {
	switch t := t.(type) {
	case schema.Array:
		t.Element = sorted(t.Element)
		return t
	case schema.Map:
		t.Value = sorted(t.Value)
		return t
	case schema.Struct:
		fields := make([]schema.Field, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = schema.Field{Name: schema.Fold(f.Name), Type: sorted(f.Type), Nullable: f.Nullable}
		}
		slices.SortFunc(fields, func(a, b schema.Field) int { return strings.Compare(a.Name, b.Name) })
		return schema.Struct{Fields: fields}
	default:
		return t
	}
}

// infer returns the type of a path from the evidence of objects on it.
func infer(m inference.Method, objects ...*column.Evidence) schema.Type {
	s := &inference.Sight{}
	for _, e := range objects {
		s.Add("", e, m.CaseSensitive)
	}
	return m.Infer(s, 0)
}
