package parquetfile

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// scalars are all types without parts.
var scalars = []schema.Type{
	schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double,
	schema.String, schema.Binary, schema.Date, schema.Timestamp, schema.TimestampNTZ,
	schema.Decimal{Precision: 1},
	schema.Decimal{Precision: 9, Scale: 9},
	schema.Decimal{Precision: 10, Scale: 2},
	schema.Decimal{Precision: 18},
	schema.Decimal{Precision: 19, Scale: 1},
	schema.Decimal{Precision: 38, Scale: 38},
}

func anyType(depth int) *rapid.Generator[schema.Type] {
	return rapid.Custom(func(t *rapid.T) schema.Type {
		kind := 0
		if depth > 0 {
			kind = rapid.IntRange(0, 3).Draw(t, "kind")
		}
		switch kind {
		case 1:
			return schema.Array{Element: anyType(depth-1).Draw(t, "element"), ContainsNull: rapid.Bool().Draw(t, "nulls")}
		case 2:
			return schema.Map{
				Key: rapid.SampledFrom(scalars).Draw(t, "key"), Value: anyType(depth-1).Draw(t, "value"),
				ValueContainsNull: rapid.Bool().Draw(t, "nulls"),
			}
		case 3:
			return anyFields(depth-1, 3).Draw(t, "fields")
		}
		return rapid.SampledFrom(scalars).Draw(t, "scalar")
	})
}

func anyFields(depth, most int) *rapid.Generator[schema.Struct] {
	return rapid.Custom(func(t *rapid.T) schema.Struct {
		var s schema.Struct
		for i := range rapid.IntRange(1, most).Draw(t, "width") {
			s.Fields = append(s.Fields, schema.Field{
				Name: fmt.Sprint("f", i), Type: anyType(depth).Draw(t, "type"), Nullable: rapid.Bool().Draw(t, "nullable"),
			})
		}
		return s
	})
}

func anyValue(s schema.Type, nullable bool) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if nullable && rapid.IntRange(0, 3).Draw(t, "null") == 0 {
			return nil
		}
		count := rapid.IntRange(0, 3)
		switch s := s.(type) {
		case schema.Struct:
			var out parquetfiletest.Struct
			for _, f := range s.Fields {
				out = append(out, anyValue(f.Type, f.Nullable).Draw(t, f.Name))
			}
			return out
		case schema.Array:
			out := parquetfiletest.List{}
			for range count.Draw(t, "elements") {
				out = append(out, anyValue(s.Element, s.ContainsNull).Draw(t, "element"))
			}
			return out
		case schema.Map:
			out := parquetfiletest.Map{}
			for range count.Draw(t, "entries") {
				out = append(out, parquetfiletest.Entry{
					Key: anyValue(s.Key, false).Draw(t, "key"), Value: anyValue(s.Value, s.ValueContainsNull).Draw(t, "value"),
				})
			}
			return out
		}
		return anyScalar(t, s)
	})
}

func anyScalar(t *rapid.T, s schema.Type) any {
	switch form.KindOf(s) {
	case form.Text:
		return anyText().Draw(t, "text")
	case form.Bools:
		return rapid.Bool().Draw(t, "bool")
	case form.Floats:
		if s == schema.Float {
			return float64(rapid.Float32().Draw(t, "float"))
		}
		return rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{math.Inf(1), math.Copysign(0, -1), 0})).Draw(t, "double")
	case form.Ints:
		lo, hi := form.Range(s)
		return rapid.OneOf(rapid.Int64Range(lo, hi), rapid.SampledFrom([]int64{lo, hi, 0})).Draw(t, "int")
	}
	d := s.(schema.Decimal)
	most := decimal128.GetMaxValue(int32(d.Precision))
	n := most
	switch rapid.IntRange(0, 3).Draw(t, "wide") {
	case 0:
		n = most.Negate()
	case 1:
		n = decimal128.FromI64(rapid.Int64().Draw(t, "low"))
	}
	return value.Int128{High: n.HighBits(), Low: n.LowBits()}
}

// spelled returns a value of an Arrow array as the shredder takes it.
func spelled(a arrow.Array, i int, s schema.Type) any {
	if a.IsNull(i) {
		return nil
	}
	switch a := a.(type) {
	case *array.Struct:
		var out parquetfiletest.Struct
		for n, f := range s.(schema.Struct).Fields {
			out = append(out, spelled(a.Field(n), i, f.Type))
		}
		return out
	case *array.Map:
		out := parquetfiletest.Map{}
		from, to := a.ValueOffsets(i)
		for n := int(from); n < int(to); n++ {
			m := s.(schema.Map)
			out = append(out, parquetfiletest.Entry{Key: spelled(a.Keys(), n, m.Key), Value: spelled(a.Items(), n, m.Value)})
		}
		return out
	case *array.List:
		out := parquetfiletest.List{}
		from, to := a.ValueOffsets(i)
		for n := int(from); n < int(to); n++ {
			out = append(out, spelled(a.ListValues(), n, s.(schema.Array).Element))
		}
		return out
	}
	return spelledScalar(a, i, s)
}

func spelledScalar(a arrow.Array, i int, s schema.Type) any {
	switch a := a.(type) {
	case *array.Boolean:
		return a.Value(i)
	case *array.Int8:
		return int64(a.Value(i))
	case *array.Int16:
		return int64(a.Value(i))
	case *array.Int32:
		return int64(a.Value(i))
	case *array.Int64:
		return a.Value(i)
	case *array.Date32:
		return int64(a.Value(i))
	case *array.Timestamp:
		if zone := a.DataType().(*arrow.TimestampType).TimeZone; (zone != "") != (s == schema.Timestamp) {
			return "zone " + zone
		}
		return int64(a.Value(i))
	case *array.Float32:
		return float64(a.Value(i))
	case *array.Float64:
		return a.Value(i)
	case *array.String:
		return a.Value(i)
	case *array.Binary:
		return string(a.Value(i))
	case *array.Decimal128:
		d := s.(schema.Decimal)
		if got := a.DataType().(*arrow.Decimal128Type); int(got.Precision) != d.Precision || int(got.Scale) != d.Scale {
			return got.String()
		}
		if form.KindOf(d) == form.Ints {
			return int64(a.Value(i).LowBits())
		}
		return value.Int128{High: a.Value(i).HighBits(), Low: a.Value(i).LowBits()}
	}
	return fmt.Sprintf("%T", a)
}

// sameValues compares bit by bit: 0 is not −0.
func sameValues(a, b any) bool {
	return reflect.DeepEqual(a, b) && fmt.Sprintf("%v", a) == fmt.Sprintf("%v", b)
}

// TestNestedRoundTrip writes rows of any type and reads them with Arrow.
func TestNestedRoundTrip(t *testing.T) {
	mem := unchecked()
	rapid.Check(t, func(t *rapid.T) {
		s := anyFields(4, 4).Draw(t, "schema")
		o := Options{RowGroupBytes: rapid.SampledFrom([]int64{0, 1, 200}).Draw(t, "row group")}
		var buf bytes.Buffer
		w, err := NewWriter(&buf, s, o)
		if err != nil {
			t.Fatal(err)
		}
		want := make([][]any, len(s.Fields))
		for range rapid.IntRange(0, 3).Draw(t, "batches") {
			b := column.Batch{Rows: rapid.IntRange(0, 8).Draw(t, "rows")}
			for i, f := range s.Fields {
				rows := make([]any, b.Rows)
				c := column.Column{Type: f.Type}
				if !f.Nullable || rapid.IntRange(0, 5).Draw(t, "all null") > 0 {
					for r := range rows {
						rows[r] = anyValue(f.Type, f.Nullable).Draw(t, "value")
					}
					c = parquetfiletest.Column(f.Type, f.Nullable, rows)
				}
				want[i] = append(want[i], rows...)
				b.Columns = append(b.Columns, c)
			}
			if err := w.Write(b); err != nil {
				t.Fatal(err)
			}
		}
		footer, err := w.Close()
		if err != nil || footer.Rows != int64(len(want[0])) {
			t.Fatalf("%d rows, want %d: %v", footer.Rows, len(want[0]), err)
		}
		compare(t, mem, buf.Bytes(), s, want)
		if got, want := fmt.Sprintf("%+v", spelledStats(footer.Columns)), fmt.Sprintf("%+v", wantedStats(s, want)); got != want {
			t.Fatalf("statistics %s\nwant %s", got, want)
		}
		var copied bytes.Buffer
		again, err := copyRows(t.Context(), mem, bytes.NewReader(buf.Bytes()), int64(buf.Len()), &copied, func(int64) bool { return true }, o)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, mem, copied.Bytes(), s, want)
		if !reflect.DeepEqual(footer.Columns, again.Columns) && footer.Rows > 0 {
			t.Fatalf("statistics %+v\nof the copy %+v", footer.Columns, again.Columns)
		}
	})
}

func compare(t *rapid.T, mem memory.Allocator, data []byte, s schema.Struct, want [][]any) {
	at := 0
	for rec, err := range read(context.Background(), mem, bytes.NewReader(data), int64(len(data)), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for c, f := range s.Fields {
			if rec.Schema().Field(c).Nullable != f.Nullable {
				t.Fatalf("column %s is nullable: %v", f.Name, !f.Nullable)
			}
			for r := range int(rec.NumRows()) {
				if got := spelled(rec.Column(c), r, f.Type); !sameValues(got, want[c][at+r]) {
					t.Fatalf("column %s of type %v, row %d: found %#v, want %#v", f.Name, f.Type, at+r, got, want[c][at+r])
				}
			}
		}
		at += int(rec.NumRows())
	}
	if at != len(want[0]) {
		t.Fatalf("read %d rows, want %d", at, len(want[0]))
	}
}

// leafStats are what there is to say about one column or field.
type leafStats struct {
	path     string
	nulls    int64
	min, max any
}

func spelledStats(columns []ColumnStats) []leafStats {
	var out []leafStats
	for _, c := range columns {
		out = append(out, leafStats{strings.Join(c.Path, "."), c.Nulls, c.Min, c.Max})
		if c.MinCut || c.MaxCut {
			out[len(out)-1].min, out[len(out)-1].max = "cut", "cut"
		}
	}
	return out
}

// wantedStats finds the same by looking at all values.
func wantedStats(s schema.Struct, columns [][]any) []leafStats {
	var out []leafStats
	for i, f := range s.Fields {
		out = append(out, statsBelow(f.Name, f.Type, columns[i])...)
	}
	return out
}

func statsBelow(path string, t schema.Type, values []any) []leafStats {
	switch t := t.(type) {
	case schema.Array, schema.Map:
		return []leafStats{{path: path, nulls: -1}}
	case schema.Struct:
		var out []leafStats
		for i, f := range t.Fields {
			var below []any
			for _, v := range values {
				if v == nil {
					below = append(below, nil)
					continue
				}
				below = append(below, v.(parquetfiletest.Struct)[i])
			}
			out = append(out, statsBelow(path+"."+f.Name, f.Type, below)...)
		}
		return out
	}
	out := leafStats{path: path}
	for _, v := range values {
		if v == nil {
			out.nulls++
			continue
		}
		switch v := v.(type) {
		case int64:
			out.min, out.max = extend(out.min, out.max, v)
		case float64:
			out.min, out.max = extend(out.min, out.max, v)
		case value.Int128:
			if out.min == nil || bigOf(v).Cmp(bigOf(out.min.(value.Int128))) < 0 {
				out.min = v
			}
			if out.max == nil || bigOf(v).Cmp(bigOf(out.max.(value.Int128))) > 0 {
				out.max = v
			}
		case bool:
			if out.min == nil {
				out.min, out.max = v, v
			}
			out.min, out.max = out.min.(bool) && v, out.max.(bool) || v
		case string:
			if t == schema.String {
				out.min, out.max = extend(out.min, out.max, v)
			}
		}
	}
	if low, ok := out.min.(string); ok && (len(low) > BoundBytes || len(out.max.(string)) > BoundBytes) {
		out.min, out.max = "cut", "cut"
	}
	return []leafStats{out}
}

func bigOf(v value.Int128) *big.Int {
	out := new(big.Int).Lsh(big.NewInt(v.High), 64)
	return out.Add(out, new(big.Int).SetUint64(v.Low))
}

func extend[T int64 | float64 | string](lo, hi any, v T) (low, high any) {
	if lo == nil {
		return v, v
	}
	return min(lo.(T), v), max(hi.(T), v)
}
