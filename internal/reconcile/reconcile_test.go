package reconcile_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/reconcile"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/memory"
)

// table is columns and their values, as parquetfiletest.Column takes them.
type table struct {
	fields []schema.Field
	values [][]any
}

// write writes a table as a file.
func write(t rapid.TB, s store.Store, key string, x table) {
	t.Helper()
	b := column.Batch{}
	for i, f := range x.fields {
		b.Columns = append(b.Columns, parquetfiletest.Column(f.Type, true, x.values[i]))
		b.Rows = len(x.values[i])
	}
	var out bytes.Buffer
	w, err := parquetfile.NewWriter(&out, schema.Struct{Fields: x.fields}, parquetfile.Options{})
	if err == nil {
		err = w.Write(b)
	}
	if err == nil {
		_, err = w.Close()
	}
	if err == nil {
		err = s.Replace(context.Background(), key, out.Bytes())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func memoryStore() store.Store {
	return memory.New(func() time.Time { return time.Unix(0, 0) })
}

func fields(t rapid.TB, ddl string) []schema.Field {
	t.Helper()
	typ, err := schema.ParseDDL("struct<" + ddl + ">")
	if err != nil {
		t.Fatal(err)
	}
	return typ.(schema.Struct).Fields
}

func columns(fs []schema.Field) (out []reconcile.Column) {
	for _, f := range fs {
		out = append(out, reconcile.Column{Name: f.Name, Original: f.Name, Type: f.Type})
	}
	return out
}

func run(t rapid.TB, p *reconcile.Proof) reconcile.Report {
	t.Helper()
	r, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A copy with values in other types, in the rescue column and of a folder is the same;
// the report says what became of them.
func TestRun(t *testing.T) {
	source, copied := memoryStore(), memoryStore()
	write(t, source, "dt=2026-11-01/a.parquet", table{fields(t, "order_id string, amount double, n int, l array<int>"), [][]any{
		{"1", "2", "x"},
		{10.1, nil, 0.1234},
		{int64(1), int64(2), int64(3)},
		{parquetfiletest.List{int64(1), nil}, nil, parquetfiletest.List{}},
	}})
	write(t, copied, "b.parquet", table{fields(t, "Order_ID bigint, amount decimal(18,2), n bigint, l array<int>, dt date, _rescued_data string"), [][]any{
		{int64(1), int64(2), nil},
		{int64(1010), nil, nil},
		{int64(1), int64(2), int64(3)},
		{parquetfiletest.List{int64(1), nil}, nil, parquetfiletest.List{}},
		{int64(20758), int64(20758), int64(20758)},
		{nil, nil, `{"order_id":"x","amount":0.1234,"_file_path":"a","_record":3,"_why":{"order_id":"type:bigint","amount":"type:decimal(18,2)"}}`},
	}})
	dt := "2026-11-01"
	p := &reconcile.Proof{
		Source: source, Copy: copied,
		Objects: []reconcile.Object{{Path: "dt=2026-11-01/a.parquet", Folders: []reconcile.Folder{{Name: "dt", Value: &dt}}}},
		Files:   []reconcile.DataFile{{Path: "b.parquet", Runs: []reconcile.Run{{Rows: 3}}}},
		Columns: columns(fields(t, "Order_ID bigint, amount decimal(18,2), n bigint, l array<int>, dt date")), Rescue: "_rescued_data",
	}
	r := run(t, p)
	got := fmt.Sprintln(r.Reconciled, r.Rows, r.Files, r.Differences)
	for _, c := range r.Columns {
		if c.Before != c.After {
			t.Errorf("%s: before %v, after %v", c.Column, c.Before, c.After)
		}
		f := c.After
		got += fmt.Sprintln(c.Column, f.Values, f.Nulls, f.Min, f.Max, f.Sum, c.Converted, c.Rescued, c.Examples)
	}
	want := `true {3 3} [{dt=2026-11-01/a.parquet {3 3} true}] []
amount 2 1 10.10 10.10 10.10 1 1 [{dt=2026-11-01/a.parquet 1 10.1 10.10 } {dt=2026-11-01/a.parquet 3 0.1234  0.1234}]
dt 3 0 2026-11-01 2026-11-01  0 0 []
l 2 1 0 2 2 0 0 []
l.element 1 1 1 1 1 0 0 []
n 3 0 1 3 6 3 0 []
order_id 3 0 1 2 3 2 1 [{dt=2026-11-01/a.parquet 1 1 1 } {dt=2026-11-01/a.parquet 2 2 2 } {dt=2026-11-01/a.parquet 3 x  x}]
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
