package inspect

import (
	"fmt"
	"strings"
	"testing"

	"landfall/internal/forecast"
)

// spelt writes the columns of a forecast.
func spelt(of []forecast.Column) string {
	var out []string
	for _, c := range of {
		text := fmt.Sprintf("%s %d/%d", c.Name, c.Type.Physical, c.Type.Kind)
		if c.Type.Precision > 0 {
			text += fmt.Sprintf("(%d,%d)", c.Type.Precision, c.Type.Scale)
		}
		if len(c.Type.Fields) > 0 {
			text += "<" + spelt(c.Type.Fields) + ">"
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// A forecast gets lists and maps with their parts right below them, and files that
// cannot be read with what is odd about them, all in the order of their paths.
func TestFolder(t *testing.T) {
	s, put := folder(t)
	put("b.parquet", made(t, "l: array<struct<x: int>>, m: map<string, decimal(10,2)>, d: date"))
	put("c.parquet", nil)
	put("a.parquet", []byte("id,n\n1,2\n3,4\n"))
	put("d.parquet", made(t, "d: date")[:40])
	r, err := Run(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := r.folder()
	want := []forecast.File{
		{Path: "a.parquet", Condition: forecast.TextCSV},
		{Path: "b.parquet"},
		{Path: "c.parquet", Condition: forecast.ZeroBytes},
		{Path: "d.parquet", Condition: forecast.Truncated},
	}
	for i, w := range want {
		if got := f.Files[i]; got.Path != w.Path || got.Condition != w.Condition {
			t.Errorf("file %d is %s, condition %d; want %s, %d", i, got.Path, got.Condition, w.Path, w.Condition)
		}
	}
	const columns = "l -1/3<element -1/0<x 1/0>>, m -1/2<key 6/1, value 2/5(10,2)>, d 1/6"
	if got := spelt(f.Files[1].Columns); got != columns {
		t.Errorf("columns %s, want %s", got, columns)
	}
}
