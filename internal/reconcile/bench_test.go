package reconcile_test

import (
	"context"
	"fmt"
	"testing"

	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/reconcile"
	"landfall/internal/store"
	"landfall/internal/value"
)

// BenchmarkRun reads a file and its copy, of one type and of two; decode is what
// reading both takes. The figure is for a value of either.
func BenchmarkRun(b *testing.B) {
	const rows = 200_000
	number := func(i int) any { return int64(i*7919) % 1_000_003 }
	for _, c := range []struct {
		from, to string
		was, is  func(i int) any
	}{
		{"bigint", "bigint", number, number},
		{"double", "double", func(i int) any { return float64(i) * 0.37 }, nil},
		{"decimal(38,2)", "decimal(38,2)", nil, nil},
		{"string", "string", func(i int) any { return fmt.Sprint("customer ", i%5000) }, nil},
		{"array<bigint>", "array<bigint>", nil, nil},
		{"int", "bigint", number, number},
		{"double", "decimal(18,2)", func(i int) any { return float64(i) / 100 }, func(i int) any { return int64(i) }},
		{"string", "bigint", func(i int) any { return fmt.Sprint(i) }, func(i int) any { return int64(i) }},
		{"decimal(10,2)", "string", number, nil},
	} {
		was, is := c.was, c.is
		if was == nil {
			was = sample(c.from, c.to)
		}
		if is == nil {
			is = was
			if c.from != c.to {
				is = func(i int) any { n := was(i).(int64); return fmt.Sprintf("%d.%02d", n/100, n%100) }
			}
		}
		p := benchmarked(b, c.from, c.to, rows, was, is)
		for _, way := range []struct {
			name string
			run  func()
		}{{"decode", func() { decode(b, p) }}, {"reconcile", func() { reconciled(b, p) }}} {
			b.Run(c.from+"→"+c.to+"/"+way.name, func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					way.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2*rows), "ns/value")
			})
		}
	}
}

func sample(from, _ string) func(i int) any {
	if from == "array<bigint>" {
		return func(i int) any { return parquetfiletest.List{int64(i), int64(i + 1)} }
	}
	return func(i int) any { return value.Int128{Low: uint64(i) << 40, High: int64(i)} }
}

// benchmarked is a proof of one column.
func benchmarked(b *testing.B, from, to string, rows int, was, is func(i int) any) *reconcile.Proof {
	p := &reconcile.Proof{
		Source: memoryStore(), Copy: memoryStore(), Objects: []reconcile.Object{{Path: "a.parquet"}},
		Files:   []reconcile.DataFile{{Path: "a.parquet", Runs: []reconcile.Run{{Rows: int64(rows)}}}},
		Columns: columns(fields(b, "a "+to)),
	}
	x, y := make([]any, rows), make([]any, rows)
	for i := range rows {
		x[i], y[i] = was(i), is(i)
	}
	write(b, p.Source, "a.parquet", table{fields(b, "a "+from), [][]any{x}})
	write(b, p.Copy, "a.parquet", table{fields(b, "a "+to), [][]any{y}})
	return p
}

func reconciled(b *testing.B, p *reconcile.Proof) {
	if r := run(b, p); !r.Reconciled {
		b.Fatal(r.Differences)
	}
}

func decode(b *testing.B, p *reconcile.Proof) {
	for _, s := range []store.Store{p.Source, p.Copy} {
		obj, err := s.Open(context.Background(), "a.parquet")
		if err != nil {
			b.Fatal(err)
		}
		f, err := parquetfile.Open(obj, obj.Info().Size)
		if err != nil {
			b.Fatal(err)
		}
		for _, err := range f.Batches(context.Background()) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
