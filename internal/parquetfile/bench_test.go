package parquetfile

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"landfall/internal/column"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// orders is a batch like those of a CSV feed: codes, numbers, dates, free text.
func orders(rows int) (schema.Struct, column.Batch) {
	names := []string{"id", "customer", "status", "amount", "ordered", "note"}
	var s schema.Struct
	b := column.Batch{Rows: rows}
	for i, name := range names {
		s.Fields = append(s.Fields, schema.Field{Name: name, Type: schema.String, Nullable: true})
		var t column.Text
		for r := range rows {
			h := uint32(r*len(names)+i) * 2654435761
			t.AppendValue([]byte([]string{
				fmt.Sprintf("%010d", r),
				fmt.Sprintf("C%05d", h%20000),
				[]string{"open", "paid", "shipped", "returned"}[h%4],
				fmt.Sprintf("%d.%02d", h%5000, h%97),
				fmt.Sprintf("2024-%02d-%02dT%02d:00:00Z", h%12+1, h%28+1, h%24),
				fmt.Sprintf("left at door %d, call %d before, gate code %x", h%90, h%7919, h),
			}[i]))
		}
		b.Columns = append(b.Columns, column.Column{Type: schema.String, Text: &t})
	}
	s.Fields = append(s.Fields,
		schema.Field{Name: "_source_file", Type: schema.String, Nullable: true},
		schema.Field{Name: "_ingested_at", Type: schema.Timestamp, Nullable: true})
	b.Columns = append(b.Columns,
		column.Column{Constant: "file:///landing/orders/2024-06-01.csv"},
		column.Column{Constant: int64(1717236000000000)})
	return s, b
}

func textBytes(b column.Batch) (n int64) {
	for _, c := range b.Columns {
		if c.Text != nil {
			n += int64(len(c.Text.Data))
		}
	}
	return n
}

// BenchmarkWriter writes about 128 MiB of text; peak-MB is the heap that the
// program holds at its highest, sampled after each batch.
func BenchmarkWriter(b *testing.B) {
	for _, rows := range []int{1, 20000} {
		b.Run(fmt.Sprintf("batches of %d rows", rows), func(b *testing.B) {
			s, batch := orders(rows)
			batches := int(128<<20/textBytes(batch)) + 1
			if rows == 1 {
				batches /= 10
			}
			b.SetBytes(textBytes(batch) * int64(batches))
			b.ReportAllocs()
			var peak uint64
			for b.Loop() {
				w, err := NewWriter(io.Discard, s, Options{})
				if err != nil {
					b.Fatal(err)
				}
				for i := range batches {
					if err := w.Write(batch); err != nil {
						b.Fatal(err)
					}
					if i%(batches/20+1) == 0 {
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						peak = max(peak, m.HeapSys-m.HeapReleased)
					}
				}
				if _, err := w.Close(); err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(w.Written())/1e6, "MB-out")
			}
			b.ReportMetric(float64(batches*rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(peak)/1e6, "peak-MB")
		})
	}
}

// readings is a batch of typed columns: numbers, instants, decimals, and a
// list of structs.
func readings(rows int) (schema.Struct, column.Batch) {
	item := schema.Struct{Fields: []schema.Field{
		{Name: "sku", Type: schema.String, Nullable: true}, {Name: "price", Type: schema.Decimal{Precision: 12, Scale: 2}, Nullable: true},
	}}
	s := schema.Struct{Fields: []schema.Field{
		{Name: "id", Type: schema.Long, Nullable: true},
		{Name: "at", Type: schema.Timestamp, Nullable: true},
		{Name: "reading", Type: schema.Double, Nullable: true},
		{Name: "ok", Type: schema.Boolean, Nullable: true},
		{Name: "total", Type: schema.Decimal{Precision: 25, Scale: 4}, Nullable: true},
		{Name: "items", Type: schema.Array{Element: item, ContainsNull: true}, Nullable: true},
	}}
	leaves := make([]column.Leaf, 7)
	leaves[5].Text = &column.Text{}
	for r := range rows {
		h := uint32(r) * 2654435761
		leaves[0].Ints = append(leaves[0].Ints, int64(r))
		leaves[1].Ints = append(leaves[1].Ints, 1717236000000000+int64(h))
		leaves[2].Floats = append(leaves[2].Floats, float64(h%10000)/100)
		if h%16 == 0 {
			leaves[3].Defs = append(leaves[3].Defs, 0)
		} else {
			leaves[3].Defs = append(leaves[3].Defs, 1)
			leaves[3].Bools = append(leaves[3].Bools, h%2 == 0)
		}
		leaves[4].Wide = append(leaves[4].Wide, value.Int128{Low: uint64(h)})
		for i := range 3 {
			leaves[5].Text.AppendValue([]byte(fmt.Sprintf("SKU-%04d", (h+uint32(i))%3000)))
			leaves[6].Ints = append(leaves[6].Ints, int64(h%100000))
			for n := 5; n < 7; n++ {
				leaves[n].Reps = append(leaves[n].Reps, uint8(min(i, 1)))
			}
		}
	}
	b := column.Batch{Rows: rows}
	for i, f := range s.Fields {
		b.Columns = append(b.Columns, column.Column{Type: f.Type, Leaves: leaves[i : i+1]})
	}
	b.Columns[5].Leaves = leaves[5:]
	return s, b
}

// BenchmarkLeaves writes a million rows of typed columns.
func BenchmarkLeaves(b *testing.B) {
	const rows, batches = 20_000, 50
	s, batch := readings(rows)
	b.ReportAllocs()
	for b.Loop() {
		w, err := NewWriter(io.Discard, s, Options{})
		if err != nil {
			b.Fatal(err)
		}
		for range batches {
			if err := w.Write(batch); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := w.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(w.Written())/1e6, "MB-out")
	}
	b.ReportMetric(rows*batches*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkScan reads rows as columns of a table.
func BenchmarkScan(b *testing.B) {
	s := schema.Struct{Fields: []schema.Field{
		{Name: "id", Type: schema.Long},
		{Name: "x", Type: schema.Double, Nullable: true},
		{Name: "s", Type: schema.String, Nullable: true},
		{Name: "l", Type: schema.Array{Element: schema.Long, ContainsNull: true}, Nullable: true},
	}}
	const rows = 200_000
	columns := make([][]any, len(s.Fields))
	for i := range rows {
		for c, v := range []any{int64(i), float64(i) / 3, fmt.Sprint("text ", i%1000), parquetfiletest.List{int64(i), nil}} {
			if i%10 == 0 && c > 0 {
				v = nil
			}
			columns[c] = append(columns[c], v)
		}
	}
	var buf bytes.Buffer
	w, err := NewWriter(&buf, s, Options{Compression: Snappy})
	if err != nil {
		b.Fatal(err)
	}
	batch := column.Batch{Rows: rows}
	for i, f := range s.Fields {
		batch.Columns = append(batch.Columns, parquetfiletest.Column(f.Type, f.Nullable, columns[i]))
	}
	if err := w.Write(batch); err != nil {
		b.Fatal(err)
	}
	if _, err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		f, err := Open(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for batch, err := range f.Batches(b.Context()) {
			if err != nil {
				b.Fatal(err)
			}
			n += batch.Rows
		}
		if n != rows {
			b.Fatal(n)
		}
	}
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
