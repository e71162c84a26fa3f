package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/parquetfile/parquetfiletest"
)

// fileKind is a type of Parquet and values of it: some that many types hold, some
// that few do, and such as no column of its own type holds.
type fileKind struct {
	name     string
	logical  schema.LogicalType
	physical parquet.Type
	length   int
	values   any
}

func fileKinds() []fileKind {
	const day1970 = 2440588
	p, text, none := parquet.Types, parquetfiletest.Texts, schema.NoLogicalType{}
	stamp := func(utc bool, unit schema.TimeUnitType) schema.LogicalType {
		return schema.NewTimestampLogicalType(utc, unit)
	}
	fixed := func(values ...string) []parquet.FixedLenByteArray {
		var out []parquet.FixedLenByteArray
		for _, v := range values {
			out = append(out, parquet.FixedLenByteArray(v))
		}
		return out
	}
	skipped := int64(1774751400000000) // 2026-03-29T02:30:00
	return []fileKind{
		{"bool", none, p.Boolean, 0, []bool{true, false}},
		{"int8", schema.NewIntLogicalType(8, true), p.Int32, 0, []int32{1, -128}},
		{"uint16", schema.NewIntLogicalType(16, false), p.Int32, 0, []int32{1, 65535}},
		{"int32", none, p.Int32, 0, []int32{1, 1 << 30}},
		{"int64", none, p.Int64, 0, []int64{1, 1 << 62}},
		{"uint64", schema.NewIntLogicalType(64, false), p.Int64, 0, []int64{1, -1}},
		{"float", none, p.Float, 0, []float32{1, 0.25}},
		{"double", none, p.Double, 0, []float64{1, 99.9}},
		{"half", schema.Float16LogicalType{}, p.FixedLenByteArray, 2, fixed("\x00\x3c", "\x00\x7e")},
		{"dec5", schema.NewDecimalLogicalType(5, 2), p.Int32, 0, []int32{100, 99999}},
		{"dec18", schema.NewDecimalLogicalType(18, 2), p.Int64, 0, []int64{100, 999999999999999999}},
		{"dec30", schema.NewDecimalLogicalType(30, 2), p.FixedLenByteArray, 13, fixed(strings.Repeat("\x00", 12)+"\x64", "\x01"+strings.Repeat("\xff", 12))},
		{"string", schema.StringLogicalType{}, p.ByteArray, 0, text("1", "\xff")},
		{"bytes", none, p.ByteArray, 0, text("1", "\xff")},
		{"uuid", schema.UUIDLogicalType{}, p.FixedLenByteArray, 16, fixed(strings.Repeat("\x01", 16), strings.Repeat("\xff", 16))},
		{"date", schema.DateLogicalType{}, p.Int32, 0, []int32{1, 20000000}},
		{"time", schema.NewTimeLogicalType(true, schema.TimeUnitMicros), p.Int64, 0, []int64{1, 500000}},
		{"ms", stamp(true, schema.TimeUnitMillis), p.Int64, 0, []int64{1, 86400000}},
		{"us", stamp(true, schema.TimeUnitMicros), p.Int64, 0, []int64{1, 86400000000}},
		{"ns", stamp(true, schema.TimeUnitNanos), p.Int64, 0, []int64{1001, 86400000000000}},
		{"wall", stamp(false, schema.TimeUnitMicros), p.Int64, 0, []int64{skipped, 86400000000}},
		{"int96", none, p.Int96, 0, []parquet.Int96{parquetfiletest.Int96(day1970, 1001), parquetfiletest.Int96(day1970+1, 0)}},
	}
}

// keptAs is how a table's type is kept in its data files, as every reader of Delta
// wants it.
func keptAs() map[string]string {
	return map[string]string{
		"BOOLEAN": "BOOLEAN None 0", "TINYINT": "INT32 Int(bitWidth=8, isSigned=true) 0", "SMALLINT": "INT32 Int(bitWidth=16, isSigned=true) 0",
		"INT": "INT32 None 0", "BIGINT": "INT64 None 0", "FLOAT": "FLOAT None 0", "DOUBLE": "DOUBLE None 0",
		"DECIMAL(5,2)": "INT32 Decimal(precision=5, scale=2) 0", "DECIMAL(18,3)": "INT64 Decimal(precision=18, scale=3) 0",
		"DECIMAL(38,4)": "FIXED_LEN_BYTE_ARRAY Decimal(precision=38, scale=4) 16",
		"STRING":        "BYTE_ARRAY String 0", "BINARY": "BYTE_ARRAY None 0", "DATE": "INT32 Date 0",
		"TIMESTAMP":     "INT64 Timestamp(isAdjustedToUTC=true, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false) 0",
		"TIMESTAMP_NTZ": "INT64 Timestamp(isAdjustedToUTC=false, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false) 0",
	}
}

// Whatever type a file has, and whatever its values come to, a column is kept as its
// own type is: alone, in a struct, and in an array that one value brings to rescue.
func TestPhysicalTypes(t *testing.T) {
	var nodes []schema.Node
	var leaves []parquetfiletest.Raw
	var hints []string
	want := map[string]string{"_rescued_data": "BYTE_ARRAY String 0", "_source_file": "BYTE_ARRAY String 0", "_ingested_at": keptAs()["TIMESTAMP"]}
	column := 0
	for _, k := range fileKinds() {
		leaf := func(name string) schema.Node {
			n, err := schema.NewPrimitiveNodeLogical(name, may, k.logical, k.physical, k.length, -1)
			if err != nil {
				t.Fatal(k.name, err)
			}
			return n
		}
		for typ, kept := range keptAs() {
			column++
			plain, object, array := fmt.Sprint("c", column), fmt.Sprint("o", column), fmt.Sprint("l", column)
			nodes = append(nodes, leaf(plain), groupNode(t, object, may, nil, leaf("x")),
				groupNode(t, array, may, schema.ListLogicalType{}, groupNode(t, "list", many, nil, leaf("element"))))
			leaves = append(leaves,
				parquetfiletest.Raw{Values: k.values, Defs: []int16{1, 1, 0}},
				parquetfiletest.Raw{Values: k.values, Defs: []int16{2, 1, 2}},
				parquetfiletest.Raw{Values: k.values, Defs: []int16{3, 3, 1}, Reps: []int16{0, 0, 0}})
			hints = append(hints, plain+" "+typ, object+" STRUCT<x: "+typ+">", array+" ARRAY<"+typ+">")
			want[plain], want[object+".x"], want[array+".list.element"] = kept, kept, kept
		}
	}
	c := newCase(t)
	c.file("a.parquet", rawFile(t, nodes, leaves...))
	flags := []string{"--option", "timeZone=Europe/Oslo", "--option", "cloudFiles.schemaHints=" + strings.Join(hints, ", "), "--policy", "value_truncated=rescue"}
	c.land(flags...)
	c.keeps(want)
	c.rows("SELECT count(*) AS n, count(_rescued_data) AS rescued FROM t", `{"n":3,"rescued":3}`)
}

// keeps compares the types of all leaves of all data files.
func (c *caseFeed) keeps(want map[string]string) {
	c.t.Helper()
	files := 0
	err := filepath.WalkDir(c.table, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".parquet") || strings.Contains(path, "_delta_log") {
			return err
		}
		files++
		data, err := os.Open(path)
		if err != nil {
			return err
		}
		f, err := file.NewParquetReader(data)
		if err != nil {
			return err
		}
		s := f.MetaData().Schema
		for i := range s.NumColumns() {
			l := s.Column(i)
			if found := fmt.Sprint(l.PhysicalType(), " ", l.LogicalType(), " ", max(l.TypeLength(), 0)); found != want[l.Path()] {
				c.t.Errorf("%s is kept as %q, want %q", l.Path(), found, want[l.Path()])
			}
		}
		if s.NumColumns() != len(want) {
			c.t.Errorf("%d leaves, want %d", s.NumColumns(), len(want))
		}
		return f.Close()
	})
	if err != nil || files == 0 {
		c.t.Errorf("%d data files: %v", files, err)
	}
}
