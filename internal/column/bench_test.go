package column_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"landfall/internal/column"
	"landfall/internal/column/columntest"
	"landfall/internal/schema"
)

const benchRows = 1000

func BenchmarkObserveFlat(b *testing.B) {
	columns := make([][]string, 8)
	for i := range benchRows {
		for k, v := range []string{
			fmt.Sprint(i), fmt.Sprintf("%d.%02d", i*7, i%100), "2026-11-30", fmt.Sprintf("2026-11-30T10:%02d:00Z", i%60),
			"true", "some words", fmt.Sprintf("%05d", i), "∅",
		} {
			columns[k] = append(columns[k], v)
		}
	}
	slab := flat(1, columns...)
	o := column.NewObserver(nil, len(columns))
	for b.Loop() {
		o.Add(slab)
	}
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportAllocs()
}

func BenchmarkObserveTrees(b *testing.B) {
	rows := make([]any, benchRows)
	for i := range rows {
		rows[i] = object{
			{"id", number(fmt.Sprint(i))},
			{"name", text("some words")},
			{"at", text("2026-11-30T10:00:00Z")},
			{"price", number(fmt.Sprintf("%d.%02d", i*7, i%100))},
			{"tags", list{text("a"), text("b")}},
			{"place", object{{"city", text("Bern")}, {"zip", text("3011")}}},
		}
	}
	slab := &column.Slab{Records: records(len(rows), 1), Tape: tape(rows)}
	o := column.NewObserver(nil, 0)
	for b.Loop() {
		o.Add(slab)
	}
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportAllocs()
}

func BenchmarkObserveTyped(b *testing.B) {
	types := []schema.Type{
		schema.Long, schema.Double, schema.String, schema.Timestamp,
		schema.Decimal{Precision: 18, Scale: 2},
		schema.Decimal{Precision: 38, Scale: 2},
		schema.Array{Element: schema.String, ContainsNull: true},
		schema.Boolean,
	}
	slab := &column.Slab{Records: records(benchRows, 1)}
	for k, typ := range types {
		rows := make([]any, benchRows)
		for i := range rows {
			n := json.Number(fmt.Sprint(i * 7))
			rows[i] = []any{n, n, "some words", "2026-11-30", n, n, []any{"a", "b"}, i%2 == 0}[k]
		}
		slab.Columns = append(slab.Columns, columntest.Shred(b, typ, rows))
	}
	o := column.NewTypedObserver(types)
	for b.Loop() {
		o.Add(slab)
	}
	b.ReportMetric(float64(benchRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportAllocs()
}

func BenchmarkMerge(b *testing.B) {
	columns, header := make([][]string, 20), make([]string, 20)
	for i := range columns {
		columns[i], header[i] = []string{"1", "x", "2.5"}, fmt.Sprint(i)
	}
	o := column.NewObserver(nil, len(columns))
	o.Add(flat(1, columns...))
	e := o.Evidence(header)
	var all column.Evidence
	for b.Loop() {
		all.Merge(&e)
	}
	b.ReportAllocs()
}
