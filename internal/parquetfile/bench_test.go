package parquetfile

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"landfall/internal/column"
	"landfall/internal/schema"
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
