package conform_test

import (
	"strconv"
	"testing"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/schema"
)

func BenchmarkFit(b *testing.B) {
	header := make([]string, 20)
	v := contract.Version{Number: 1}
	for i := range header {
		header[i] = "c" + strconv.Itoa(i)
		v.Columns = append(v.Columns, contract.Column{Name: header[i], Original: header[i], Type: "string"})
	}
	const rows = 8192
	s := &column.Slab{Fields: make([]column.Text, len(header)), Records: make([]int64, rows)}
	for i := range s.Fields {
		for range rows {
			s.Fields[i].AppendValue([]byte("value"))
		}
	}
	for _, late := range []int{0, 1} { // the second is of a column that is rescued
		p := contract.Policy{Preset: contract.RescueMode}
		known := v
		known.Columns = v.Columns[:len(header)-late]
		table, err := contract.TableSchema(known, p)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(strconv.Itoa(late)+"rescued", func(b *testing.B) { benchmark(b, known, p, table, header, s) })
	}
}

func benchmark(b *testing.B, v contract.Version, p contract.Policy, table schema.Struct, header []string, s *column.Slab) {
	f, err := conform.New(v, p, table, conform.Object{Path: "a.csv", URL: "file:///a.csv", Header: header})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Fit(s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(s.Rows())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
