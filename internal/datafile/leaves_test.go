package datafile

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/value"
)

// nested has a column of each form in which leaves hold values.
func nested() schema.Struct {
	wide := schema.Decimal{Precision: 30, Scale: 1}
	parts := schema.Struct{Fields: []schema.Field{
		{Name: "s", Type: schema.String, Nullable: true}, {Name: "d", Type: wide, Nullable: true},
	}}
	return schema.Struct{Fields: []schema.Field{
		{Name: "n", Type: schema.Long, Nullable: true},
		{Name: "in", Nullable: true, Type: schema.Struct{Fields: []schema.Field{
			{Name: "x", Type: schema.Double, Nullable: true}, {Name: "ok", Type: schema.Boolean, Nullable: true},
		}}},
		{Name: "list", Nullable: true, Type: schema.Array{Element: parts, ContainsNull: true}},
		{Name: sourceColumn, Type: schema.String, Nullable: true},
	}}
}

// nestedBatch holds so many rows, numbered from first.
func nestedBatch(first, rows int) column.Batch {
	columns := make([][]any, 3)
	for i := range rows {
		n := int64(first + i)
		columns[0] = append(columns[0], n)
		columns[1] = append(columns[1], parquetfiletest.Struct{float64(n) / 2, n%2 == 0})
		list := parquetfiletest.List{nil}
		for range i % 3 {
			list = append(list, parquetfiletest.Struct{strings.Repeat("t", i), value.Int128{High: n, Low: 7}})
		}
		columns[2] = append(columns[2], list)
	}
	b := column.Batch{Rows: rows}
	for i, f := range nested().Fields[:3] {
		b.Columns = append(b.Columns, parquetfiletest.Column(f.Type, true, columns[i]))
	}
	b.Columns = append(b.Columns, column.Column{Type: schema.String, Constant: source(first)})
	return b
}

// spoil overwrites all that a batch holds, as the owner of its memory may.
func spoil(b column.Batch) {
	for _, c := range b.Columns {
		for _, l := range c.Leaves {
			clear(l.Ints)
			clear(l.Wide)
			clear(l.Floats)
			clear(l.Bools)
			clear(l.Defs)
			clear(l.Reps)
			if l.Text != nil {
				clear(l.Text.Data)
				clear(l.Text.Spans)
			}
		}
	}
}

// TestLeavesAreCopied lands objects that wait, and one that does not, and
// rewrites their file.
func TestLeavesAreCopied(t *testing.T) {
	ctx, s := t.Context(), memory.New(nil)
	o := named(Options{})
	w := NewWriter(s, nested(), o)
	w.small = 20_000 // of sizes 0, 20 000, 40 000
	sums := make([]int64, 3)
	for n := range 3 {
		w.Begin(n, int64(20_000*n))
		for part := range 2 {
			b := nestedBatch(100*n+20*part, 10+30*n*part)
			for _, v := range b.Columns[0].Leaves[0].Ints {
				sums[n] += v
			}
			must(t, w.Write(ctx, b))
			spoil(b)
		}
		must(t, w.End(ctx))
	}
	files := packed(t, NewPacker(s, nested(), o), w)
	if len(files) < 2 {
		t.Fatalf("%d files: no object was large, or all were", len(files))
	}
	var first string
	for _, f := range files {
		want := int64(0)
		for _, p := range f.Parts {
			want += sums[p.Object]
		}
		if got := sumOf(t, s, f.Path); got != want {
			t.Errorf("%s: sum %d, want %d", f.Path, got, want)
		}
		if strings.Contains(f.Stats, `"minValues":{"n":0,"in":{"x":-0.0,"ok":false},"_source_file":`) {
			first = f.Path
		}
	}
	if first == "" {
		t.Fatalf("no file begins with row 0 and the statistics of a struct: %+v", files)
	}
	again, err := Rewrite(ctx, s, first, []int64{0, 3}, nil, Options{Name: func() string { return "again" }})
	must(t, err)
	if got := sumOf(t, s, "again"); got != sums[0]+sums[1]-3 {
		t.Errorf("sum %d after row 3 is gone, want %d", got, sums[0]+sums[1]-3)
	}
	if want := `"minValues":{"n":1,"in":{"x":0.5,"ok":false},`; !strings.Contains(again.File.Stats, want) {
		t.Errorf("statistics %s without %s", again.File.Stats, want)
	}
}

// sumOf adds up the numbers of a file.
func sumOf(t *testing.T, s store.Store, path string) (sum int64) {
	t.Helper()
	obj, err := s.Open(t.Context(), path)
	must(t, err)
	defer obj.Close() //nolint:errcheck // nothing was written
	for rec, err := range parquetfile.Read(t.Context(), obj, obj.Info().Size, []string{"n"}) {
		must(t, err)
		for _, n := range rec.Column(0).(*array.Int64).Int64Values() {
			sum += n
		}
	}
	return sum
}
