package json

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkSlabs scans text that is in memory. Compare MB/s; rows/s and bytes a
// row are reported beside.
func BenchmarkSlabs(b *testing.B) {
	event := func(i int) string {
		return fmt.Sprintf(`{"id":%d,"type":"PushEvent","actor":{"id":%d,"login":"user-%d","url":"https://api.example.org/users/user-%d"},"payload":{"size":%d,"commits":[{"sha":"%040x","message":"Fix \"it\"\n\nand more"}]},"public":true,"created_at":"2026-01-%02dT10:00:00Z","org":null}`,
			i, i%999, i%999, i%999, i%7, i, i%28+1)
	}
	plain := func(i int) string {
		return fmt.Sprintf(`{"id":%d,"date":"2026-03-%02d","city":"Rome","amount":%d.%02d,"currency":"EUR","open":true,"note":null}`, i, i%28+1, i%900, i%100)
	}
	for _, c := range []struct {
		name, before, between, after string
		row                          func(i int) string
	}{
		{"lines", "", "\n", "\n", plain},
		{"array", "[", ",", "]", plain},
		{"nested", "", "\n", "\n", event},
		{"numbers", "", "\n", "\n", func(i int) string { return fmt.Sprintf("[[%d.25,%d,-%d.5e-3,[1,2,3,4,5,6,7,8]]]", i, i, i) }},
		{"text", "", "\n", "\n", func(i int) string {
			return fmt.Sprintf(`{"id":%d,"text":"%s"}`, i, bytes.Repeat([]byte("lorem ipsum é "), 20))
		}},
	} {
		var text bytes.Buffer
		text.WriteString(c.before)
		rows := int64(0)
		for ; text.Len() < 32<<20; rows++ {
			if rows > 0 {
				text.WriteString(c.between)
			}
			text.WriteString(c.row(int(rows)))
		}
		text.WriteString(c.after)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				r, err := Open(context.Background(), "b.json", bytes.NewReader(text.Bytes()), Options{})
				if err != nil {
					b.Fatal(err)
				}
				n := int64(0)
				for s, err := range r.Slabs(context.Background()) {
					if err != nil || len(s.Bad) > 0 {
						b.Fatal(err, s.Bad)
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

// BenchmarkFaults scans text that is nothing but faults, each of which has its end
// sought: MB/s must not fall where there is more text.
func BenchmarkFaults(b *testing.B) {
	for _, text := range [][2]string{
		{"", "{\"a\":\n"},
		{"", "{\n \"a\": \"x\n}\n"},
		{"[", "\"a\":1,"},
		{"[{\"a\":1},", "{\"a\":\"x},"},
		{"{}\n[1,", "{\"a\":\"x},"},
	} {
		for _, size := range []int{64 << 10, 256 << 10} {
			all := text[0] + strings.Repeat(text[1], size/len(text[1]))
			b.Run(fmt.Sprintf("%q/%d", text, size), func(b *testing.B) {
				b.SetBytes(int64(len(all)))
				for b.Loop() {
					r, err := Open(context.Background(), "b.json", strings.NewReader(all), Options{})
					if err != nil {
						b.Fatal(err)
					}
					for _, err := range r.Slabs(context.Background()) {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
