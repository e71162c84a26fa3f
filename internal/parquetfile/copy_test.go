package parquetfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	pq "github.com/apache/arrow-go/v18/parquet/schema"
	"pgregory.net/rapid"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// rowsOf spells each row of a file as JSON.
func rowsOf(t rapid.TB, mem memory.Allocator, data []byte) []string {
	var out []string
	for rec, err := range read(context.Background(), mem, bytes.NewReader(data), int64(len(data)), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range int(rec.NumRows()) {
			row := ""
			for _, c := range rec.Columns() {
				row += fmt.Sprintf("%v|", c.GetOneForMarshal(i))
			}
			out = append(out, row)
		}
	}
	return out
}

func everyType() *arrow.Schema {
	str := arrow.BinaryTypes.String
	fields := []arrow.Field{
		{Name: "bool", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "i8", Type: arrow.PrimitiveTypes.Int8},
		{Name: "u32", Type: arrow.PrimitiveTypes.Uint32},
		{Name: "i32", Type: arrow.PrimitiveTypes.Int32},
		{Name: "i64", Type: arrow.PrimitiveTypes.Int64},
		{Name: "f32", Type: arrow.PrimitiveTypes.Float32},
		{Name: "f64", Type: arrow.PrimitiveTypes.Float64},
		{Name: "dec", Type: &arrow.Decimal128Type{Precision: 30, Scale: 2}},
		{Name: "day", Type: arrow.FixedWidthTypes.Date32},
		{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us},
		{Name: "wall", Type: &arrow.TimestampType{Unit: arrow.Microsecond}},
		{Name: "fixed", Type: &arrow.FixedSizeBinaryType{ByteWidth: 3}},
		{Name: "s", Type: str},
		{Name: "lists", Type: arrow.ListOf(arrow.ListOf(str))},
		{Name: "map", Type: arrow.MapOf(str, arrow.PrimitiveTypes.Int64)},
		{Name: "st", Type: arrow.StructOf(arrow.Field{Name: "a", Type: str, Nullable: true}, arrow.Field{Name: "must", Type: str})},
	}
	for i := range fields {
		fields[i].Nullable = i != 3
	}
	return arrow.NewSchema(fields, nil)
}

const everyRow = `[
 {"bool": true, "i8": -5, "u32": 4294967295, "i32": 1, "i64": -9223372036854775808, "f32": 0.5, "f64": -2.5, "dec": "1234.50",
  "day": "2024-02-29", "at": "2024-02-29T23:59:59.999999Z", "wall": "1600-01-01T00:00:00", "fixed": "AQID", "s": "b",
  "lists": [["a", null], [], null], "map": [{"key": "k", "value": 1}], "st": {"a": "x", "must": "y"}},
 {"i32": 7, "s": "", "lists": [], "map": [], "st": {"a": null, "must": ""}},
 {"i32": -2147483648, "s": null, "lists": null, "map": null, "st": null},
 {"bool": false, "i8": 5, "u32": 0, "i32": 3, "i64": 9223372036854775807, "f32": -0.25, "f64": 1e300, "dec": "-0.01",
  "day": "1969-12-31", "at": "1969-12-31T23:59:59.999999Z", "wall": "2024-01-01T00:00:00.5", "fixed": "BAUG", "s": "ab",
  "lists": [["q"], ["r", "s", "t"]], "map": [{"key": "k", "value": null}, {"key": "l", "value": 2}], "st": {"a": "x", "must": "y"}}
]`

func TestCopyRows(t *testing.T) {
	mem := checked(t)
	rapid.Check(t, func(t *rapid.T) {
		var src bytes.Buffer
		times := rapid.IntRange(0, 4).Draw(t, "times")
		o := Options{RowGroupBytes: rapid.SampledFrom([]int64{1, 2000, 0}).Draw(t, "group"), Metadata: map[string]string{"theirs": "kept"}}
		if _, err := writeArrow(mem, &src, everyType(), records(t, mem, everyType(), everyRow, times), o); err != nil {
			t.Fatal(err)
		}
		all := rowsOf(t, mem, src.Bytes())
		keep := rapid.SliceOfN(rapid.Bool(), len(all), len(all)).Draw(t, "keep")
		var want []string
		for i, k := range keep {
			if k {
				want = append(want, all[i])
			}
		}
		var dst bytes.Buffer
		footer, err := copyRows(t.Context(), mem, bytes.NewReader(src.Bytes()), int64(src.Len()), &dst, func(i int64) bool { return keep[i] }, Options{Metadata: map[string]string{"ours": "too"}})
		if err != nil || footer.Rows != int64(len(want)) {
			t.Fatalf("%d rows, want %d: %v", footer.Rows, len(want), err)
		}
		if got := rowsOf(t, mem, dst.Bytes()); !slices.Equal(got, want) {
			t.Fatalf("copied %q\nwant %q", got, want)
		}
		a, b := footerOf(t, src.Bytes()), footerOf(t, dst.Bytes())
		if a.schema != b.schema || b.metadata != "ours=too theirs=kept" {
			t.Fatalf("schema %s\nwant %s\nmetadata %q", b.schema, a.schema, b.metadata)
		}
	})
}

type footerText struct{ schema, metadata string }

func footerOf(t rapid.TB, data []byte) footerText {
	f, err := file.NewParquetReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var s bytes.Buffer
	pq.PrintSchema(f.MetaData().Schema.Root(), &s, 1)
	var kv []string
	for _, p := range f.MetaData().KeyValueMetadata() {
		kv = append(kv, p.Key+"="+p.GetValue())
	}
	return footerText{s.String(), strings.Join(kv, " ")}
}

func TestCopyRowsBounds(t *testing.T) {
	var src, dst bytes.Buffer
	if _, err := WriteArrow(&src, everyType(), records(t, memory.DefaultAllocator, everyType(), everyRow, 2), Options{}); err != nil {
		t.Fatal(err)
	}
	footer, err := CopyRows(t.Context(), bytes.NewReader(src.Bytes()), int64(src.Len()), &dst, func(i int64) bool { return i != 5 }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"bool boolean 3 false true",
		"i8 tinyint 3 -5 5",
		"u32 <nil> 3 <nil> <nil>",
		"i32 int 0 -2147483648 7",
		"i64 bigint 3 -9223372036854775808 9223372036854775807",
		"f32 float 3 -0.25 0.5",
		"f64 double 3 -2.5 1e+300",
		"dec decimal(30,2) 3 {-1 18446744073709551615} {0 123450}",
		"day date 3 -1 19782",
		"at timestamp 3 -1 1709251199999999",
		"wall timestamp_ntz 3 -11676096000000000 1704067200500000",
		"fixed binary 3 <nil> <nil>",
		"s string 2  b",
		"lists <nil> -1 <nil> <nil>",
		"map <nil> -1 <nil> <nil>",
		"st.a string 3 x x",
		"st.must string 2  y",
	}
	for i, c := range footer.Columns {
		if got := fmt.Sprint(strings.Join(c.Path, "."), " ", c.Type, " ", c.Nulls, " ", c.Min, " ", c.Max); got != want[i] {
			t.Errorf("bounds %q, want %q", got, want[i])
		}
	}
}

// foreign writes a file of one column through the encoder itself, for what
// Arrow has no type for.
func foreign(t *testing.T, node pq.Node, put func(file.ColumnChunkWriter) error) []byte {
	root, err := pq.NewGroupNode("spark_schema", parquet.Repetitions.Required, pq.FieldList{node}, -1)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	w := file.NewParquetWriter(&buf, root)
	group, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	cw, err := group.NextColumn()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(put(cw), cw.Close(), group.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestCopyRowsInt96(t *testing.T) {
	// The year 9999, which no timestamp in ns can hold.
	values := make([]parquet.Int96, 3)
	for i := range values {
		values[i] = parquet.Int96{byte(i), 0, 0, 0, 0, 0, 0, 0, 0x0b, 0xf5, 0x51, 0}
	}
	src := foreign(t, pq.NewInt96Node("at", parquet.Repetitions.Optional, 7), func(cw file.ColumnChunkWriter) error {
		_, err := cw.(*file.Int96ColumnChunkWriter).WriteBatch(values, []int16{1, 0, 1, 1}, nil)
		return err
	})
	var dst bytes.Buffer
	footer, err := CopyRows(t.Context(), bytes.NewReader(src), int64(len(src)), &dst, func(i int64) bool { return i > 0 }, Options{})
	if err != nil || footer.Columns[0].Nulls != 1 {
		t.Fatalf("%+v: %v", footer, err)
	}
	f, err := file.NewParquetReader(bytes.NewReader(dst.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	col, err := f.RowGroup(0).Column(0)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]parquet.Int96, 4)
	n, _, err := col.(*file.Int96ColumnChunkReader).ReadBatch(4, got, make([]int16, 4), nil)
	if err != nil || n != 3 || got[0] != values[1] || got[1] != values[2] || f.MetaData().Schema.Column(0).SchemaNode().FieldID() != 7 {
		t.Errorf("%d values %v: %v", n, got, err)
	}
}

func TestCopyRowsNaN(t *testing.T) {
	src := foreign(t, pq.NewFloat64Node("x", parquet.Repetitions.Required, -1), func(cw file.ColumnChunkWriter) error {
		_, err := cw.(*file.Float64ColumnChunkWriter).WriteBatch([]float64{1, math.NaN(), 2}, nil, nil)
		return err
	})
	for _, c := range []struct {
		without int64
		want    string
	}{{0, "<nil> <nil>"}, {1, "1 2"}} {
		var dst bytes.Buffer
		footer, err := CopyRows(t.Context(), bytes.NewReader(src), int64(len(src)), &dst, func(i int64) bool { return i != c.without }, Options{})
		if err != nil {
			t.Fatal(err)
		}
		x := footer.Columns[0]
		if got := fmt.Sprint(x.Min, " ", x.Max); got != c.want || x.Type != schema.Double {
			t.Errorf("without row %d: bounds %s of %v, want %s", c.without, got, x.Type, c.want)
		}
	}
}

func TestCopyRowsFaults(t *testing.T) {
	src := written(t, memory.DefaultAllocator, 3, Options{RowGroupBytes: 1})
	all := func(int64) bool { return true }
	size := int64(len(src))
	var last error
	for n := 0; ; n++ {
		_, err := CopyRows(t.Context(), &faulty{bytes.NewReader(src), n}, size, &bytes.Buffer{}, all, Options{})
		if err == nil {
			break
		}
		if last = err; !errors.Is(err, errStore) || diag.CodeOf(err) != "" {
			t.Fatalf("read %d fails: %v", n, err)
		}
	}
	if last == nil {
		t.Error("no read ever failed")
	}
	if _, err := CopyRows(t.Context(), bytes.NewReader(src), size, &full{100}, all, Options{}); !errors.Is(err, errFull) {
		t.Errorf("full store: %v", err)
	}
	if _, err := CopyRows(t.Context(), bytes.NewReader(src), size-1, &bytes.Buffer{}, all, Options{}); diag.CodeOf(err) != diag.FileUnreadable {
		t.Errorf("cut file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := CopyRows(ctx, bytes.NewReader(src), size, &bytes.Buffer{}, all, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
