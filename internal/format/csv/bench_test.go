package csv

import (
	"bytes"
	"context"
	"fmt"
	"testing"
)

// BenchmarkSlabs scans text that is in memory. Compare MB/s; rows/s and bytes a
// row are reported beside.
func BenchmarkSlabs(b *testing.B) {
	for _, c := range []struct {
		name string
		row  func(i int) string
	}{
		{"plain", func(i int) string {
			return fmt.Sprintf("%d,2024-03-%02d,Rome,%d.%02d,EUR,store-%d,open,%d,,x\n", i, i%28+1, i%900, i%100, i%40, i*7)
		}},
		{"short", func(i int) string {
			return fmt.Sprintf("%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", i%10, 1, 2, 3, 4, 5, 6, 7, 8, 9)
		}},
		{"quoted", func(i int) string {
			return fmt.Sprintf("\"%d\",\"2024-03-%02d\",\"Rome, Italy\",\"%d.%02d\",\"EUR\",\"a \"\"b\"\"\",\"\",x,y,z\n", i, i%28+1, i%900, i%100)
		}},
		{"wide text", func(i int) string {
			return fmt.Sprintf("%d,%s,%s,,,,,,,\n", i, bytes.Repeat([]byte("lorem ipsum "), 8), bytes.Repeat([]byte("dolor sit "), 8))
		}},
	} {
		var text bytes.Buffer
		text.WriteString("a,b,c,d,e,f,g,h,i,j\n")
		rows := int64(0)
		for ; text.Len() < 32<<20; rows++ {
			text.WriteString(c.row(int(rows)))
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				r, err := Open(context.Background(), "b.csv", bytes.NewReader(text.Bytes()), Options{})
				if err != nil {
					b.Fatal(err)
				}
				n := int64(0)
				for s, err := range r.Slabs(context.Background()) {
					if err != nil {
						b.Fatal(err)
					}
					n += int64(s.Rows())
				}
				if n != rows {
					b.Fatalf("found %d rows, want %d", n, rows)
				}
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
