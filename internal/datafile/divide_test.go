package datafile_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"landfall/internal/column"
	"landfall/internal/datafile"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/memory"
)

// Rows go to the files of their values in their order, with all that is nested in them,
// also where there are more values than files may be open.
func TestDivide(t *testing.T) {
	const rows, values = 2000, 450
	list := schema.Array{Element: schema.String, ContainsNull: true}
	table := schema.Struct{Fields: []schema.Field{
		{Name: "n", Type: schema.Long, Nullable: true},
		{Name: "key", Type: schema.Integer, Nullable: true},
		{Name: "l", Type: list, Nullable: true},
		{Name: "later", Type: schema.Double, Nullable: true},
	}}
	had := schema.Struct{Fields: table.Fields[:3]}
	var ns, keys, lists []any
	want := map[string][]string{}
	for i := range rows {
		var key, l any = int64(i % values), parquetfiletest.List{fmt.Sprint("x", i), nil}
		if i%values == 7 {
			key = nil
		}
		if i%3 == 0 {
			l = nil
		}
		ns, keys, lists = append(ns, int64(i)), append(keys, key), append(lists, l)
		want[fmt.Sprint(key)] = append(want[fmt.Sprint(key)], fmt.Sprint(i, l, nil))
	}
	var file bytes.Buffer
	w, err := parquetfile.NewWriter(&file, had, parquetfile.Options{RowGroupBytes: 4000})
	divideOK(t, err)
	divideOK(t, w.Write(column.Batch{Rows: rows, Columns: []column.Column{
		parquetfiletest.Column(schema.Long, true, ns), parquetfiletest.Column(schema.Integer, true, keys), parquetfiletest.Column(list, true, lists),
	}}))
	_, err = w.Close()
	divideOK(t, err)
	s := memory.New(nil)
	divideOK(t, s.Create(t.Context(), "in", file.Bytes()))

	place := func(values []*string) (string, error) {
		if values[0] == nil {
			return "key=null/", nil
		}
		return "key=" + *values[0] + "/", nil
	}
	d := datafile.NewDivider(s, table, []int{1}, place, func(n int) string { return fmt.Sprint(n, ".parquet") }, datafile.Options{})
	defer d.Abort(t.Context()) //nolint:errcheck // nothing is open at the end
	divideOK(t, d.Add(t.Context(), s, "in"))
	divisions, err := d.Close(t.Context())
	divideOK(t, err)
	found := map[string][]string{}
	for _, p := range divisions {
		key := "<nil>"
		if p.Values[0] != nil {
			key = *p.Values[0]
		}
		for _, f := range p.Files {
			found[key] = append(found[key], rowsOf(t, s, f.Path)...)
		}
	}
	if len(found) != len(want) {
		t.Errorf("found %d values, want %d", len(found), len(want))
	}
	for key := range want {
		if !slices.Equal(found[key], want[key]) {
			t.Errorf("%s: found %q, want %q", key, found[key], want[key])
		}
	}
}

func divideOK(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rowsOf are the rows of a file, as text.
func rowsOf(t *testing.T, s store.Store, path string) (rows []string) {
	t.Helper()
	data, err := store.Read(t.Context(), s, path)
	divideOK(t, err)
	f, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
	divideOK(t, err)
	for b, err := range f.Batches(t.Context()) {
		divideOK(t, err)
		columns := make([][]any, len(b.Columns))
		for i, c := range b.Columns {
			columns[i] = parquetfiletest.Rows(c, true, b.Rows)
		}
		for row := range b.Rows {
			cells := make([]any, len(columns))
			for i := range columns {
				cells[i] = columns[i][row]
			}
			rows = append(rows, fmt.Sprint(cells...))
		}
	}
	return rows
}
