package inference_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/column/columntest"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// TestInferenceDoc runs the tables of docs/inference.md whose head names "CSV
// values" or "JSON values". A line's first cell holds values in backticks, each
// perhaps with ×n behind it to stand n times: fields of a CSV column, of which ∅
// is empty and "" empty in quotes, or JSON values. The second cell is the type
// that they give. What is rescued, the third, is for the package that fits.
func TestInferenceDoc(t *testing.T) {
	text, err := os.ReadFile("../../docs/inference.md")
	if err != nil {
		t.Fatal(err)
	}
	lines, isJSON, in := 0, false, false
	for number, line := range strings.Split(string(text), "\n") {
		cells := splitRow(line)
		switch {
		case len(cells) < 3:
			in = false
		case strings.HasSuffix(cells[0], " values"):
			in, isJSON = true, cells[0] == "JSON values"
		case in && !strings.HasPrefix(cells[0], "--"):
			lines++
			if got := inferLine(t, cells[0], isJSON); got != cells[1] {
				t.Errorf("line %d: %s: got %s, want %s", number+1, cells[0], got, cells[1])
			}
		}
	}
	if lines < 60 {
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
func inferLine(t *testing.T, text string, isJSON bool) string {
	t.Helper()
	var e column.Evidence
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
	if isJSON {
		for i, row := range rows {
			rows[i] = `{"v":` + row + `}`
		}
		e = columntest.Trees(t, rows...)
	} else {
		lines := make([][]string, len(rows))
		for i, row := range rows {
			lines[i] = []string{row}
		}
		e = columntest.Cells([]string{"v"}, lines...)
	}
	return infer(inference.Method{}, &e.Fields[0].Evidence).String()
}

// infer returns the type of a path from the evidence of one object on it.
func infer(m inference.Method, e *column.Evidence) schema.Type {
	s := &inference.Sight{}
	s.Add("", e, m.CaseSensitive)
	return m.Infer(s, 0)
}
