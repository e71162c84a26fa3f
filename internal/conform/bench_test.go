package conform_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/schema"
)

// BenchmarkFields fits 20 columns of CSV: all text, half of it typed, and with
// a column that is rescued.
func BenchmarkFields(b *testing.B) {
	const rows, width = 8192, 20
	types := []string{"bigint", "double", "date", "timestamp", "boolean", "decimal(18,2)", "int", "bigint", "double", "bigint"}
	values := []string{"123456", "12.75", "2026-11-30", "2026-11-30T10:00:00Z", "true", "1234.56", "42", "9007199254740993", "-0.125", "7"}
	for _, c := range []struct {
		name        string
		typed, late int
	}{{"text", 0, 0}, {"typed", 10, 0}, {"rescued", 0, 1}} {
		var columns []string
		header := make([]string, width)
		s := &column.Slab{Fields: make([]column.Text, width)}
		for i := range header {
			header[i] = "c" + strconv.Itoa(i)
			typ, value := "string", "value"
			if i < c.typed {
				typ, value = types[i], values[i]
			}
			if i < width-c.late {
				columns = append(columns, header[i]+": "+typ)
			}
			for range rows {
				s.Fields[i].AppendValue([]byte(value))
			}
		}
		for row := range rows {
			s.Records = append(s.Records, int64(row+1))
		}
		p := contract.Policy{Preset: contract.RescueMode}
		v, table := agreed(b, p, columns...)
		b.Run(c.name, func(b *testing.B) { benchmark(b, v, p, table, object("a.csv", header...), s) })
	}
}

// BenchmarkTrees fits records of JSON: flat ones, nested ones, and such with a
// member that is rescued.
func BenchmarkTrees(b *testing.B) {
	const rows = 4096
	for _, c := range []struct {
		name, columns, record string
	}{
		{
			"flat", "id: bigint; name: string; amount: double; at: timestamp; ok: boolean; note: string",
			`{"id":%d,"name":"a name","amount":12.75,"at":"2026-11-30T10:00:00Z","ok":true,"note":null}`,
		},
		{
			"nested", "id: bigint; who: struct<name:string,address:struct<zip:string,city:string>>; items: array<struct<sku:string,n:int,price:double>>; tags: map<string,string>",
			`{"id":%d,"who":{"name":"a name","address":{"zip":"02134","city":"x"}},"items":[{"sku":"a","n":1,"price":2.5},{"sku":"b","n":2,"price":0.5}],"tags":{"k":"v","l":"w"}}`,
		},
		{"rescued", "id: bigint; reading: double", `{"id":%d,"reading":"INVALID","new":42.8,"more":{"x":1}}`},
		{"sparse", strings.Repeat("c%d: bigint; ", 100), `{"c%d":1,"c99":2}`},
	} {
		columns := strings.Split(strings.TrimSuffix(c.columns, "; "), "; ")
		for i := range columns {
			if strings.Contains(columns[i], "%d") {
				columns[i] = fmt.Sprintf(columns[i], i)
			}
		}
		records := make([]string, rows)
		for i := range records {
			records[i] = fmt.Sprintf(c.record, i%90)
		}
		p := contract.Policy{}
		v, table := agreed(b, p, columns...)
		s := trees(b, records...)
		b.Run(c.name, func(b *testing.B) { benchmark(b, v, p, table, treeObject("a.json"), s) })
	}
}

func benchmark(b *testing.B, v contract.Version, p contract.Policy, table schema.Struct, o conform.Object, s *column.Slab) {
	f, err := conform.New(v, p, table, o)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := f.Fit(s); err != nil { // the first makes the buffers
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

// BenchmarkTyped fits columns that have types: such as stay, converted ones,
// nested ones that are taken apart, and one that is rescued.
func BenchmarkTyped(b *testing.B) {
	const rows = 8192
	for _, c := range []struct {
		name, columns, file string
		value               any
	}{
		{"copied", "a: bigint", "A: bigint", int64(7)},
		{"converted", "a: bigint", "a: int", int64(7)},
		{"to text", "a: string", "a: int", int64(7)},
		{
			"nested", "a: array<struct<sku:string,n:bigint>>", "a: array<struct<SKU:string,n:int>>",
			list{tuple{"a", int64(1)}, tuple{"b", int64(2)}},
		},
		{"map", "a: map<string,bigint>", "a: map<string,int>", pairs{{"a", int64(1)}, {"b", int64(2)}}},
		{"rescued", "b: bigint", "a: bigint", int64(7)},
	} {
		values := make([]any, rows)
		for i := range values {
			values[i] = c.value
		}
		x := typedFile(b, c.file, values)
		p := contract.Policy{}
		v, table := agreed(b, p, c.columns)
		b.Run(c.name, func(b *testing.B) { benchmark(b, v, p, table, x.object("a.parquet"), x.slab()) })
	}
}
