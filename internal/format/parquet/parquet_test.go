package parquet

import (
	"bytes"
	"fmt"
	"testing"

	"landfall/internal/column"
	"landfall/internal/format"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

var _ format.Reader = (*Reader)(nil)

// written makes a file of rows of a struct, whose fields are the columns.
func written(t testing.TB, s schema.Struct, columns [][]any, o parquetfile.Options) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := parquetfile.NewWriter(&buf, s, o)
	if err != nil {
		t.Fatal(err)
	}
	b := column.Batch{}
	for i, f := range s.Fields {
		b.Rows = len(columns[i])
		b.Columns = append(b.Columns, parquetfiletest.Column(f.Type, f.Nullable, columns[i]))
	}
	if err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestReader(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{
		{Name: "id", Type: schema.Long},
		{Name: "a", Type: schema.Array{Element: schema.String, ContainsNull: true}, Nullable: true},
		{Name: "id", Type: schema.Double, Nullable: true},
	}}
	data := written(t, s, [][]any{
		{int64(1), int64(2), int64(3)},
		{nil, parquetfiletest.List{"x", nil, "y"}, parquetfiletest.List{}},
		{1.5, nil, 2.5},
	}, parquetfile.Options{})
	r, err := Open("a.parquet", bytes.NewReader(data), int64(len(data)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.Header(), r.Types(), r.Dialect()); got != "[id a id] [bigint array<string> double]Parquet" {
		t.Errorf("found %s", got)
	}
	rows := 0
	for slab, err := range r.Slabs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		rows += slab.Rows()
		a := slab.Columns[1].Leaves[0]
		if got := fmt.Sprintf("%v %v %d %v %d", slab.Records, slab.Columns[0].Leaves[0].Ints, a.Defs, a.Reps, len(a.Text.Spans)); got != "[1 2 3] [1 2 3] [0 3 2 3 1] [0 0 1 1 0] 2" {
			t.Errorf("found %s", got)
		}
	}
	if rows != 3 || r.Records() != 3 {
		t.Errorf("%d rows, %d records", rows, r.Records())
	}
	if a := r.Account(); a.In != int64(len(data)) || a.Records+a.Framing != a.In || a.Records == 0 {
		t.Errorf("account %+v", a)
	}
}
