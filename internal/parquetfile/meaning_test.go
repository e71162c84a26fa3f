package parquetfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/diag"
	"landfall/internal/parquetfile/parquetfiletest"
)

func fixedOf(values ...string) []parquet.FixedLenByteArray {
	out := make([]parquet.FixedLenByteArray, len(values))
	for i, v := range values {
		out[i] = parquet.FixedLenByteArray(v)
	}
	return out
}

// put writes values of any physical type with their levels.
func put(cw file.ColumnChunkWriter, values any, defs, reps []int16) error {
	return parquetfiletest.Raw{Values: values, Defs: defs, Reps: reps}.Put(cw)
}

// TestMeanings reads values of each annotation.
func TestMeanings(t *testing.T) {
	const day1970 = 2440588
	ts := func(utc bool, u pq.TimeUnitType) pq.LogicalType { return pq.NewTimestampLogicalType(utc, u) }
	for _, c := range []struct {
		name     string
		logical  pq.LogicalType
		physical parquet.Type
		length   int
		values   any
		want     string // type, values and remarks, or an error
	}{
		{"int8", pq.NewIntLogicalType(8, true), parquet.Types.Int32, 0, []int32{-128, 127}, "tinyint [-128 127] []"},
		{"int8 beyond", pq.NewIntLogicalType(8, true), parquet.Types.Int32, 0, []int32{1, 300}, "record 2: v: found 300, want a value of Int(bitWidth=8, isSigned=true) [E0402]"},
		{"uint8", pq.NewIntLogicalType(8, false), parquet.Types.Int32, 0, []int32{0, 255}, "smallint [0 255] []"},
		{"uint8 beyond", pq.NewIntLogicalType(8, false), parquet.Types.Int32, 0, []int32{256}, "found 256, want a value of Int(bitWidth=8, isSigned=false)"},
		{"uint16", pq.NewIntLogicalType(16, false), parquet.Types.Int32, 0, []int32{65535}, "int [65535] []"},
		{"uint32", pq.NewIntLogicalType(32, false), parquet.Types.Int32, 0, []int32{-1, 5}, "bigint [4294967295 5] []"},
		{"uint64", pq.NewIntLogicalType(64, false), parquet.Types.Int64, 0, []int64{-1, 5}, "decimal(20,0) [{0 18446744073709551615} {0 5}] []"},
		{"date", pq.DateLogicalType{}, parquet.Types.Int32, 0, []int32{-719162, 0}, "date [-719162 0] []"},
		{"time in ms", pq.NewTimeLogicalType(true, pq.TimeUnitMillis), parquet.Types.Int32, 0, []int32{0, 86399999, 3661100}, "string [00:00:00 23:59:59.999 01:01:01.1] []"},
		{"time in µs", pq.NewTimeLogicalType(false, pq.TimeUnitMicros), parquet.Types.Int64, 0, []int64{1}, "string [00:00:00.000001] []"},
		{"time in ns", pq.NewTimeLogicalType(true, pq.TimeUnitNanos), parquet.Types.Int64, 0, []int64{1, 12e12 + 120}, "string [00:00:00.000000001 03:20:00.00000012] []"},
		{"time beyond", pq.NewTimeLogicalType(true, pq.TimeUnitMillis), parquet.Types.Int32, 0, []int32{86400000}, "found 86400000, want a value of Time("},
		{"timestamp in ms", ts(true, pq.TimeUnitMillis), parquet.Types.Int64, 0, []int64{-1, 1700000000123}, "timestamp [-1000 1700000000123000] []"},
		{"timestamp beyond", ts(true, pq.TimeUnitMillis), parquet.Types.Int64, 0, []int64{1 << 60}, "found 1152921504606846976, want a value of Timestamp("},
		{"timestamp in µs", ts(true, pq.TimeUnitMicros), parquet.Types.Int64, 0, []int64{5}, "timestamp [5] []"},
		{"wall clock", ts(false, pq.TimeUnitMicros), parquet.Types.Int64, 0, []int64{5, 6}, "timestamp [5 6] [{zone_assumed v 2 1}]"},
		{"timestamp in ns", ts(true, pq.TimeUnitNanos), parquet.Types.Int64, 0, []int64{1000, -1, 2001}, "timestamp [1 -1 2] [{value_truncated v 2 2}]"},
		{"int96", nil, parquet.Types.Int96, 0, []parquet.Int96{parquetfiletest.Int96(day1970, 0), parquetfiletest.Int96(day1970+1, 1500), parquetfiletest.Int96(1721426, 0), parquetfiletest.Int96(5373484, 7200e9)}, "timestamp [0 86400000001 -62135596800000000 253402221600000000] [{value_truncated v 1 2}]"},
		{"int96 beyond", nil, parquet.Types.Int96, 0, []parquet.Int96{parquetfiletest.Int96(1<<31-1, 0)}, "found day 2145043059, 0 ns, want a value of INT96"},
		{"uuid", pq.UUIDLogicalType{}, parquet.Types.FixedLenByteArray, 16, fixedOf("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"), "string [00112233-4455-6677-8899-aabbccddeeff] []"},
		{"float16", pq.Float16LogicalType{}, parquet.Types.FixedLenByteArray, 2, fixedOf("\x00\x3e", "\x00\xfc", "\x01\x00", "\x00\xc0"), "float [1.5 -Inf 5.960464477539063e-08 -2] []"},
		{"fixed bytes", nil, parquet.Types.FixedLenByteArray, 2, fixedOf("ab"), "binary [ab] []"},
		{"enum", pq.EnumLogicalType{}, parquet.Types.ByteArray, 0, parquetfiletest.Texts("RED", ""), "string [RED ] []"},
		{"json", pq.JSONLogicalType{}, parquet.Types.ByteArray, 0, parquetfiletest.Texts(`{"a":1}`), `string [{"a":1}] []`},
		{"bson", pq.BSONLogicalType{}, parquet.Types.ByteArray, 0, parquetfiletest.Texts("\xff\xfe"), "binary [\xff\xfe] []"},
		{"bytes", nil, parquet.Types.ByteArray, 0, parquetfiletest.Texts("\xff"), "binary [\xff] []"},
		{"Latin-1", pq.StringLogicalType{}, parquet.Types.ByteArray, 0, parquetfiletest.Texts("ok", "caf\xe9"), `record 2: v: found bytes that are not UTF-8 in String: "caf\xe9" [E0406]`},
		{"decimal in 32 bits", pq.NewDecimalLogicalType(4, 2), parquet.Types.Int32, 0, []int32{-9999, 12}, "decimal(4,2) [-9999 12] []"},
		{"decimal beyond its digits", pq.NewDecimalLogicalType(4, 2), parquet.Types.Int32, 0, []int32{10000}, "found a decimal of more than 4 digits"},
		{"decimal in 64 bits", pq.NewDecimalLogicalType(18, 0), parquet.Types.Int64, 0, []int64{999999999999999999}, "decimal(18,0) [999999999999999999] []"},
		{"decimal in bytes", pq.NewDecimalLogicalType(20, 1), parquet.Types.ByteArray, 0, parquetfiletest.Texts("\xff", "\x01\x00", strings.Repeat("\xff", 20)+"\xfe"), "decimal(20,1) [{-1 18446744073709551615} {0 256} {-1 18446744073709551614}] []"},
		{"decimal without bytes", pq.NewDecimalLogicalType(5, 1), parquet.Types.ByteArray, 0, parquetfiletest.Texts(""), "found 0 bytes, want a value of Decimal"},
		{"decimal in fixed bytes", pq.NewDecimalLogicalType(5, 1), parquet.Types.FixedLenByteArray, 3, fixedOf("\x00\x01\x00", "\xff\xff\xff"), "decimal(5,1) [256 -1] []"},
		{"long decimal", pq.NewDecimalLogicalType(39, 0), parquet.Types.FixedLenByteArray, 17, fixedOf(strings.Repeat("\x00", 17)), "v: found decimal(39,0), want at most 38 digits and a scale within them [E0402]"},
		{"interval", pq.IntervalLogicalType{}, parquet.Types.FixedLenByteArray, 12, fixedOf(strings.Repeat("\x00", 12)), "v: found type Interval of FIXED_LEN_BYTE_ARRAY, want one that tables have [E0402]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			logical := c.logical
			if logical == nil {
				logical = pq.NoLogicalType{}
			}
			n, err := pq.NewPrimitiveNodeLogical("v", parquet.Repetitions.Required, logical, c.physical, c.length, -1)
			if err != nil {
				t.Fatal(err)
			}
			data := foreign(t, n, func(cw file.ColumnChunkWriter) error { return put(cw, c.values, nil, nil) })
			checkMeaning(t, data, c.want)
		})
	}
}

func checkMeaning(t *testing.T, data []byte, want string) {
	t.Helper()
	o, err := scanned(t, data)
	got := fmt.Sprint(err)
	if err == nil {
		got = fmt.Sprintf("%v %v %v", o.Fields()[0].Type, o.columns[0], o.Remarks())
	} else if d := (*diag.Diagnostic)(nil); !errors.As(err, &d) || d.Path == "" || d.Hint == "" {
		t.Errorf("%v has no column or hint", err)
	}
	if got != want && (err == nil || !strings.Contains(got, want)) {
		t.Errorf("found %q\nwant %q", got, want)
	}
}

// TestVoid reads a column that says it has no type, of nulls alone.
func TestVoid(t *testing.T) {
	n, err := pq.NewPrimitiveNodeLogical("v", parquet.Repetitions.Optional, pq.NullLogicalType{}, parquet.Types.Int32, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	checkMeaning(t, foreign(t, n, func(cw file.ColumnChunkWriter) error {
		return put(cw, []int32{}, []int16{0, 0}, nil)
	}), "void [<nil> <nil>] []")
	checkMeaning(t, foreign(t, n, func(cw file.ColumnChunkWriter) error {
		return put(cw, []int32{7}, []int16{0, 1}, nil)
	}), "v: found a value, want Null [E0402]")
}

// group makes a group node.
func group(t *testing.T, name string, r parquet.Repetition, l pq.LogicalType, fields ...pq.Node) pq.Node {
	t.Helper()
	var n pq.Node
	var err error
	if l == nil {
		n, err = pq.NewGroupNode(name, r, fields, -1)
	} else {
		n, err = pq.NewGroupNodeLogical(name, r, fields, l, -1)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLayouts reads lists and maps as other writers lay them out.
func TestLayouts(t *testing.T) {
	r := parquet.Repetitions
	list, mapping := pq.ListLogicalType{}, pq.MapLogicalType{}
	leaf := func(name string, r parquet.Repetition) pq.Node { return pq.NewInt64Node(name, r, -1) }
	for _, c := range []struct {
		name string
		node pq.Node
		// values and levels of each leaf
		values     [][]int64
		defs, reps [][]int16
		want       string
	}{
		{
			"three levels", group(t, "v", r.Optional, list, group(t, "list", r.Repeated, nil, leaf("element", r.Optional))),
			[][]int64{{1, 2}},
			[][]int16{{3, 2, 3, 1, 0}},
			[][]int16{{0, 1, 1, 0, 0}},
			"array<bigint> [[1 <nil> 2] [] <nil>] []",
		},
		{
			"two levels", group(t, "v", r.Optional, list, leaf("element", r.Repeated)),
			[][]int64{{1, 2}},
			[][]int16{{2, 2, 1, 0}},
			[][]int16{{0, 1, 0, 0}},
			"array<bigint> [[1 2] [] <nil>] []",
		},
		{
			"required list of required", group(t, "v", r.Required, list, group(t, "bag", r.Repeated, nil, leaf("array_element", r.Required))),
			[][]int64{{1, 2}},
			[][]int16{{1, 1, 0}},
			[][]int16{{0, 1, 0}},
			"array<bigint> [[1 2] []] []",
		},
		{
			"structs named array", group(t, "v", r.Required, list, group(t, "array", r.Repeated, nil, leaf("x", r.Required))),
			[][]int64{{1, 2}},
			[][]int16{{1, 1, 0}},
			[][]int16{{0, 1, 0}},
			"array<struct<x:bigint>> [[[1] [2]] []] []",
		},
		{
			"structs named tuple", group(t, "v", r.Required, list, group(t, "v_tuple", r.Repeated, nil, leaf("x", r.Optional))),
			[][]int64{{1}},
			[][]int16{{2, 1, 0}},
			[][]int16{{0, 1, 0}},
			"array<struct<x:bigint>> [[[1] [<nil>]] []] []",
		},
		{
			"a repeated field", leaf("v", r.Repeated),
			[][]int64{{1, 2}},
			[][]int16{{1, 1, 0}},
			[][]int16{{0, 1, 0}},
			"array<bigint> [[1 2] []] []",
		},
		{
			"a repeated group", group(t, "v", r.Repeated, nil, leaf("x", r.Optional), leaf("y", r.Required)),
			[][]int64{{1}, {3, 4}},
			[][]int16{{2, 1, 0}, {1, 1, 0}},
			[][]int16{{0, 1, 0}, {0, 1, 0}},
			"array<struct<x:bigint,y:bigint>> [[[1 3] [<nil> 4]] []] []",
		},
		{
			"a map", group(t, "v", r.Optional, mapping, group(t, "key_value", r.Repeated, nil, leaf("key", r.Required), leaf("value", r.Optional))),
			[][]int64{{1, 2}, {3}},
			[][]int16{{2, 2, 1, 0}, {3, 2, 1, 0}},
			[][]int16{{0, 1, 0, 0}, {0, 1, 0, 0}},
			"map<bigint,bigint> [[{1 3} {2 <nil>}] [] <nil>] []",
		},
		{
			"a map with keys that may be null", group(t, "v", r.Required, mapping, group(t, "map", r.Repeated, nil, leaf("k", r.Optional), leaf("v", r.Required))),
			[][]int64{{1}, {3}},
			[][]int16{{2, 0}, {1, 0}},
			[][]int16{{0, 0}, {0, 0}},
			"map<bigint,bigint> [[{1 3}] []] []",
		},
		{
			"a map with a null as key", group(t, "v", r.Required, mapping, group(t, "map", r.Repeated, nil, leaf("k", r.Optional), leaf("v", r.Required))),
			[][]int64{{}, {3}},
			[][]int16{{1}, {1}},
			[][]int16{{0}, {0}},
			"v.key: found a null as the key of a map, want a key [E0402]",
		},
		{
			"a set", group(t, "v", r.Optional, mapping, group(t, "map", r.Repeated, nil, leaf("key", r.Required))),
			[][]int64{{1, 2}},
			[][]int16{{2, 2, 1, 0}},
			[][]int16{{0, 1, 0, 0}},
			"array<bigint> [[1 2] [] <nil>] []",
		},
		{
			"required structs", group(t, "v", r.Required, nil, group(t, "a", r.Optional, nil, leaf("x", r.Required)), leaf("y", r.Optional)),
			[][]int64{{1}, {2}},
			[][]int16{{1, 0}, {0, 1}},
			nil, "struct<a:struct<x:bigint>,y:bigint> [[[1] <nil>] [<nil> 2]] []",
		},
		{
			"siblings that disagree", group(t, "v", r.Optional, nil, leaf("x", r.Optional), leaf("y", r.Optional)),
			[][]int64{{1}, {2}},
			[][]int16{{2, 0}, {1, 2}},
			nil, "v: cannot read Parquet file: leaf 2 of type bigint: the leaves of a column disagree about what surrounds them [E0402]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := foreigns(t, nil, []pq.Node{c.node}, func(i int, cw file.ColumnChunkWriter) error {
				var reps []int16
				if c.reps != nil {
					reps = c.reps[i]
				}
				return put(cw, c.values[i], c.defs[i], reps)
			})
			checkMeaning(t, data, c.want)
		})
	}
}

// foreigns writes a row group of columns through the encoder itself.
func foreigns(t testing.TB, kv map[string]string, nodes []pq.Node, put func(i int, cw file.ColumnChunkWriter) error, props ...parquet.WriterProperty) []byte {
	t.Helper()
	root, err := pq.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	pairs := metadata.NewKeyValueMetadata()
	for k, v := range kv {
		if err := pairs.Append(k, v); err != nil {
			t.Fatal(err)
		}
	}
	w := file.NewParquetWriter(&buf, root, file.WithWriteMetadata(pairs), file.WithWriterProps(parquet.NewWriterProperties(props...)))
	g, err := w.AppendRowGroupChecked()
	if err != nil {
		t.Fatal(err)
	}
	for i := range g.NumColumns() {
		cw, err := g.NextColumn()
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(put(i, cw), cw.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(g.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// TestCalendars reads the same numbers as writers of both calendars meant them.
func TestCalendars(t *testing.T) {
	date, _ := pq.NewPrimitiveNodeLogical("d", parquet.Repetitions.Required, pq.DateLogicalType{}, parquet.Types.Int32, 0, -1)
	instant, _ := pq.NewPrimitiveNodeLogical("t", parquet.Repetitions.Required, pq.NewTimestampLogicalType(true, pq.TimeUnitMicros), parquet.Types.Int64, 0, -1)
	old := pq.NewInt96Node("i", parquet.Repetitions.Required, -1)
	const (
		julian    = "[-719162 -141438 -141427 0] [-62135596800000000 5] [-62135596800000000]"
		gregorian = "[-719164 -141428 -141427 0] [-62135769600000000 5] [-62135769600000000]"
		row       = "org.apache.spark.sql.parquet.row.metadata"
		version   = "org.apache.spark.version"
	)
	for _, c := range []struct {
		kv      map[string]string
		want    string
		remarks string
	}{
		{nil, gregorian, "[]"},
		{map[string]string{version: "3.5.1", row: "{}"}, gregorian, "[]"},
		{map[string]string{version: "2.4.8", row: "{}"}, julian, "[{calendar_rebased d 2 1} {calendar_rebased t 1 1} {calendar_rebased i 1 1}]"},
		{map[string]string{row: "{}"}, julian, "[{calendar_rebased d 2 1} {calendar_rebased t 1 1} {calendar_rebased i 1 1}]"},
		{map[string]string{version: "3.5.1", "org.apache.spark.legacyDateTime": "", "org.apache.spark.legacyINT96": ""}, julian, "[{calendar_rebased d 2 1} {calendar_rebased t 1 1} {calendar_rebased i 1 1}]"},
		{map[string]string{version: "3.0.2"}, "[-719164 -141428 -141427 0] [-62135769600000000 5] [-62135596800000000]", "[{calendar_rebased i 1 1}]"},
	} {
		data := foreigns(t, c.kv, []pq.Node{date, instant, old}, func(i int, cw file.ColumnChunkWriter) error {
			return put(cw, []any{
				[]int32{-719164, -141428, -141427, 0},
				[]int64{-62135769600000000, 5, 5, 5},
				[]parquet.Int96{parquetfiletest.Int96(1721424, 0), parquetfiletest.Int96(2440588, 0), parquetfiletest.Int96(2440588, 0), parquetfiletest.Int96(2440588, 0)},
			}[i], nil, nil)
		})
		o, err := scanned(t, data)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%v %v %v", o.columns[0], o.columns[1][:2], o.columns[2][:1])
		if got != c.want || fmt.Sprint(o.Remarks()) != c.remarks {
			t.Errorf("%v: found %s %v\nwant %s %s", c.kv, got, o.Remarks(), c.want, c.remarks)
		}
	}
}
