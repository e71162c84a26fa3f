package verbatim_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/schema"
)

// foreign is a file of one leaf as others write them, with dictionaries and bounds.
func foreign(t *testing.T, l pq.LogicalType, p parquet.Type, length int, values any, o ...parquet.WriterProperty) []byte {
	t.Helper()
	n, err := pq.NewPrimitiveNodeLogical("a", parquet.Repetitions.Required, l, p, length, 7)
	if err != nil {
		t.Fatal(err)
	}
	data, err := parquetfiletest.File([]pq.Node{n}, []parquetfiletest.Raw{{Values: values}}, o...)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Which forms of a type are copied, and why the others are not.
func TestForms(t *testing.T) {
	wide := func(values ...string) []parquet.FixedLenByteArray {
		var out []parquet.FixedLenByteArray
		for _, v := range values {
			out = append(out, parquet.FixedLenByteArray(v))
		}
		return out
	}
	micros, millis := pq.NewTimestampLogicalType(false, pq.TimeUnitMicros), pq.NewTimestampLogicalType(true, pq.TimeUnitMillis)
	for name, c := range map[string]struct {
		data []byte
		to   schema.Type
		want verbatim.Reason
	}{
		"int":                {foreign(t, nil, parquet.Types.Int32, 0, []int32{1}), schema.Integer, ""},
		"int as bigint":      {foreign(t, nil, parquet.Types.Int32, 0, []int32{1}), schema.Long, verbatim.Type},
		"short":              {foreign(t, pq.NewIntLogicalType(16, true), parquet.Types.Int32, 0, []int32{-1}), schema.Short, ""},
		"unsigned":           {foreign(t, pq.NewIntLogicalType(8, false), parquet.Types.Int32, 0, []int32{1}), schema.Short, verbatim.Type},
		"short out of range": {foreign(t, pq.NewIntLogicalType(16, true), parquet.Types.Int32, 0, []int32{40_000}), schema.Short, verbatim.Bounds},
		"short unbounded":    {foreign(t, pq.NewIntLogicalType(16, true), parquet.Types.Int32, 0, []int32{1}, parquet.WithStats(false)), schema.Short, verbatim.Bounds},
		"wall":               {foreign(t, micros, parquet.Types.Int64, 0, []int64{1}), schema.Timestamp, ""},
		"wall as such":       {foreign(t, micros, parquet.Types.Int64, 0, []int64{1}), schema.TimestampNTZ, verbatim.Type},
		"millis":             {foreign(t, millis, parquet.Types.Int64, 0, []int64{1}), schema.Timestamp, verbatim.Type},
		"json":               {foreign(t, pq.JSONLogicalType{}, parquet.Types.ByteArray, 0, parquetfiletest.Texts("{}")), schema.String, ""},
		"enum":               {foreign(t, pq.EnumLogicalType{}, parquet.Types.ByteArray, 0, parquetfiletest.Texts("x")), schema.String, ""},
		"bytes":              {foreign(t, nil, parquet.Types.ByteArray, 0, parquetfiletest.Texts("x")), schema.String, verbatim.Type},
		"uuid":               {foreign(t, pq.UUIDLogicalType{}, parquet.Types.FixedLenByteArray, 16, wide("0123456789abcdef")), schema.String, verbatim.Type},
		"fixed":              {foreign(t, nil, parquet.Types.FixedLenByteArray, 2, wide("ab")), schema.Binary, verbatim.Type},
		"decimal":            {foreign(t, pq.NewDecimalLogicalType(5, 2), parquet.Types.FixedLenByteArray, 3, wide("\x01\x86\x9f", "\xfe\x79\x61")), schema.Decimal{Precision: 5, Scale: 2}, ""},
		"decimal too long":   {foreign(t, pq.NewDecimalLogicalType(5, 2), parquet.Types.FixedLenByteArray, 3, wide("\x01\x86\xa0")), schema.Decimal{Precision: 5, Scale: 2}, verbatim.Bounds},
		"decimal too low":    {foreign(t, pq.NewDecimalLogicalType(5, 2), parquet.Types.FixedLenByteArray, 3, wide("\xfe\x79\x60")), schema.Decimal{Precision: 5, Scale: 2}, verbatim.Bounds},
		"decimal in bytes":   {foreign(t, pq.NewDecimalLogicalType(5, 2), parquet.Types.ByteArray, 0, parquetfiletest.Texts("\x01")), schema.Decimal{Precision: 5, Scale: 2}, verbatim.Type},
		"wider decimal":      {foreign(t, pq.NewDecimalLogicalType(5, 2), parquet.Types.Int32, 0, []int32{1}), schema.Decimal{Precision: 6, Scale: 2}, verbatim.Type},
	} {
		src := open(t, c.data)
		col, err := src.Column(0, schema.Field{Name: "b", Type: c.to, Nullable: true})
		refusal := new(verbatim.Refusal)
		errors.As(err, &refusal)
		if refusal.Reason != c.want {
			t.Errorf("%s: found %v, want %q", name, err, c.want)
		}
		if err != nil {
			continue
		}
		fields, got := rowsOf(t, fileOf(t, src, []made{copied(col)}))
		_, want := rowsOf(t, c.data)
		if err := same(want[0], got[0], asIs); err != nil || fields[0].Type != c.to {
			t.Errorf("%s: type %v: %v", name, fields[0].Type, err)
		}
		if col.Elements()[0].Has(9) {
			t.Errorf("%s: has the source's field id", name)
		}
		if remarks := col.Remarks(); (len(remarks) > 0) != strings.HasPrefix(name, "wall") {
			t.Errorf("%s: remarks %v", name, remarks)
		}
	}
}

// A dictionary of floating-point numbers must not be asked for single values, nor
// bounds, which say nothing of Unbounded and of the sign of 0.
func TestFloatsKeepNoPromises(t *testing.T) {
	data := foreign(t, nil, parquet.Types.Double, 0, []float64{0, 1, math.Copysign(0, -1), 1, math.NaN()}, parquet.WithDictionaryDefault(true))
	src := open(t, data)
	col, err := src.Column(0, schema.Field{Name: "a", Type: schema.Double, Nullable: true})
	if err != nil {
		t.Fatal(err)
	}
	chunks, err := col.Chunks(0)
	if err != nil {
		t.Fatal(err)
	}
	st, _ := chunks[0].Meta.Struct(12)
	if st.Has(5) || st.Has(6) || st.Has(1) || chunks[0].Meta.Has(13) || chunks[0].ColumnIndex.Has(1) || chunks[0].Bloom != nil {
		t.Errorf("metadata %x", chunks[0].Meta.Append(nil))
	}
	l, _ := chunks[0].Meta.List(2)
	plain := false
	for e := range l.Ints() {
		plain = plain || e == 0
	}
	if !plain {
		t.Error("PLAIN is not among the encodings")
	}
	if s := col.Stats(0)[0]; s.Min != nil || s.Max != nil || !s.Unbounded {
		t.Errorf("statistics %+v", s)
	}
}

// Of writers that state no bounds where there is a NaN, they are kept, with zeros
// that bound both.
func TestSoundFloats(t *testing.T) {
	for by, sound := range map[string]bool{
		"parquet-mr version 1.15.2 (build 7)": true, "parquet-mr version 1.9.0": false, "parquet-mr": false, "": false,
		"DuckDB version v1.5.6 (build 069cc9f9b5)": true, "DuckDB version v2.0.1": true, "DuckDB version v1.4.0": false, "DuckDB": false,
		"parquet-cpp-arrow version 26.0.1": false, "Polars (python) version 2.1.0": false,
	} {
		data := foreign(t, nil, parquet.Types.Double, 0, []float64{0, -1.5}, parquet.WithCreatedBy(by))
		col, err := open(t, data).Column(0, schema.Field{Name: "a", Type: schema.Double, Nullable: true})
		if err != nil {
			t.Fatal(err)
		}
		s := col.Stats(0)[0]
		if (s.Max != nil) != sound || sound && (s.Min != -1.5 || s.Max != 0.0) {
			t.Errorf("%s: %+v", by, s)
		}
		chunks, err := col.Chunks(0)
		if err != nil {
			t.Fatal(err)
		}
		st, _ := chunks[0].Meta.Struct(12)
		if most, ok := st.Bytes(5); ok != sound || sound && string(most) != string(make([]byte, 8)) {
			t.Errorf("%s: greatest is %x", by, most)
		}
	}
}

// Texts have bounds, cut as a table's are.
func TestTextStats(t *testing.T) {
	long := strings.Repeat("z", parquetfile.BoundBytes+10)
	data := foreign(t, pq.StringLogicalType{}, parquet.Types.ByteArray, 0, parquetfiletest.Texts("b", long), parquet.WithMaxStatsSize(1<<20))
	col, err := open(t, data).Column(0, schema.Field{Name: "a", Type: schema.String, Nullable: true})
	if err != nil {
		t.Fatal(err)
	}
	if s := col.Stats(0)[0]; s.Min != "b" || s.MinCut || s.Max != any(long[:parquetfile.BoundBytes]) || !s.MaxCut || s.Nulls != 0 {
		t.Errorf("statistics %+v", s)
	}
	if entries, values, known := col.Counts(); entries != 2 || values != 2 || !known {
		t.Errorf("%d entries, %d values", entries, values)
	}
}
