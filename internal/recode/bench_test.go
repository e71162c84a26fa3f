package recode

import (
	"testing"

	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

func BenchmarkRecode(b *testing.B) {
	const rows = 10_000
	longs := make([]any, rows)
	lists := make([]any, rows)
	for i := range rows {
		longs[i] = int64(i)
		lists[i] = list{group{int64(i), "text"}, nil, group{int64(i), "more"}}
	}
	of := func(t schema.Type) schema.Type {
		return schema.Array{ContainsNull: true, Element: schema.Struct{Fields: []schema.Field{
			{Name: "n", Type: t, Nullable: true}, {Name: "t", Type: schema.String, Nullable: true},
		}}}
	}
	for _, c := range []struct {
		name     string
		from, to schema.Type
		rows     []any
	}{
		{"same", schema.Integer, schema.Long, longs},
		{"decimal", schema.Long, schema.Decimal{Precision: 20, Scale: 2}, longs},
		{"text", schema.Long, schema.String, longs},
		{"nested", of(schema.Long), of(schema.Double), lists},
	} {
		b.Run(c.name, func(b *testing.B) {
			in := parquetfiletest.Column(c.from, true, c.rows)
			r, err := New(c.from, c.to, Options{})
			must(b, err)
			b.ReportAllocs()
			for b.Loop() {
				r.Recode(in, rows)
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
