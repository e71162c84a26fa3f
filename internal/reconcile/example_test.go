package reconcile_test

import (
	"fmt"
	"testing"

	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/reconcile"
)

// Of a value in an array or a map the example is that value, in the file as in the copy.
func TestExamplesOfElements(t *testing.T) {
	p := &reconcile.Proof{
		Source: memoryStore(), Copy: memoryStore(), Objects: []reconcile.Object{{Path: "a.parquet"}},
		Files:   []reconcile.DataFile{{Path: "b.parquet", Runs: []reconcile.Run{{Rows: 3}}}},
		Columns: columns(fields(t, "l array<array<string>>, m map<string,bigint>")), Rescue: "_rescued_data",
	}
	list := func(values ...any) any { return parquetfiletest.List(values) }
	write(t, p.Source, "a.parquet", table{fields(t, "l array<array<int>>, m map<string,string>"), [][]any{
		{list(list(int64(1), int64(2)), nil, list(int64(3))), nil, list(list(int64(4)))},
		{
			parquetfiletest.Map{{Key: "a", Value: "7"}, {Key: "b", Value: "x"}},
			nil,
			parquetfiletest.Map{{Key: "c", Value: "8"}},
		},
	}})
	write(t, p.Copy, "b.parquet", table{fields(t, "l array<array<string>>, m map<string,bigint>, _rescued_data string"), [][]any{
		{list(list("1", "2"), nil, list("3")), nil, list(list("4"))},
		{
			parquetfiletest.Map{{Key: "a", Value: int64(7)}, {Key: "b", Value: nil}},
			nil,
			parquetfiletest.Map{{Key: "c", Value: int64(8)}},
		},
		{`{"m":{"b":"x"},"_file_path":"a","_record":1,"_why":{"m.b":"type:bigint"}}`, nil, nil},
	}})
	wantExamples(t, p, `l.element.element [{a.parquet 1 1 1 } {a.parquet 1 2 2 } {a.parquet 1 3 3 }]
m.value [{a.parquet 1 7 7 } {a.parquet 3 8 8 } {a.parquet 1 x  x}]
`)
}

// Where a folder and columns of other casing share a path, the example is of the one whose
// value became another.
func TestExamplesOfOnePath(t *testing.T) {
	one := "1"
	p := &reconcile.Proof{
		Source: memoryStore(), Copy: memoryStore(),
		Objects: []reconcile.Object{{Path: "dt=1/a.parquet", Folders: []reconcile.Folder{{Name: "dt", Value: &one}}}},
		Files:   []reconcile.DataFile{{Path: "dt=1/b.parquet", Partition: map[string]*string{"dt": &one}, Runs: []reconcile.Run{{Rows: 3}}}},
		Columns: columns(fields(t, "dt string")), Rescue: "_rescued_data",
	}
	write(t, p.Source, "dt=1/a.parquet", table{fields(t, "dt string"), [][]any{{"1", "2", nil}}})
	write(t, p.Copy, "dt=1/b.parquet", table{fields(t, "_rescued_data string"), [][]any{
		{nil, `{"dt":"2","_file_path":"a","_record":2,"_why":{"dt":"partition"}}`, nil},
	}})
	wantExamples(t, p, "dt [{dt=1/a.parquet 2 2  2}]\n")
}

func wantExamples(t *testing.T, p *reconcile.Proof, want string) {
	t.Helper()
	r := run(t, p)
	if !r.Reconciled {
		t.Fatal(r.Differences)
	}
	got := ""
	for _, c := range r.Columns {
		if len(c.Examples) > 0 {
			got += fmt.Sprintln(c.Column, c.Examples)
		}
	}
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
