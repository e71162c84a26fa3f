package main

import (
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/parquetfile/parquetfiletest"
)

const (
	must, may, many = parquet.Repetition(0), parquet.Repetition(1), parquet.Repetition(2)
)

// leafNode makes a leaf, groupNode a group of a file.
func leafNode(t *testing.T, name string, r parquet.Repetition, l schema.LogicalType, physical parquet.Type) schema.Node {
	t.Helper()
	n, err := schema.NewPrimitiveNodeLogical(name, r, l, physical, 0, -1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func groupNode(t *testing.T, name string, r parquet.Repetition, l schema.LogicalType, parts ...schema.Node) schema.Node {
	t.Helper()
	n, err := schema.NewGroupNodeLogical(name, r, parts, l, -1)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func micros(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.DateTime, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMicro()
}

// Bytes that are no text are one value that does not fit: its row lands.
func TestParquetNotText(t *testing.T) {
	text, bytes := parquet.Types.ByteArray, parquetfiletest.Texts
	str := schema.StringLogicalType{}
	c := newCase(t)
	c.file("a.parquet", rawFile(t, []schema.Node{
		leafNode(t, "id", must, schema.NoLogicalType{}, parquet.Types.Int32),
		leafNode(t, "s", may, str, text),
		groupNode(t, "o", may, nil, leafNode(t, "p", may, str, text), leafNode(t, "q", may, schema.NoLogicalType{}, parquet.Types.Int32)),
		groupNode(t, "l", may, schema.ListLogicalType{}, groupNode(t, "list", many, nil, leafNode(t, "element", may, str, text))),
		groupNode(t, "m", may, schema.MapLogicalType{}, groupNode(t, "key_value", many, nil, leafNode(t, "key", must, str, text), leafNode(t, "value", may, str, text))),
	},
		parquetfiletest.Raw{Values: []int32{1, 2, 3, 4}},
		parquetfiletest.Raw{Values: bytes("é", "caf\xe9", "x"), Defs: []int16{1, 1, 0, 1}},
		parquetfiletest.Raw{Values: bytes("\xff", "y"), Defs: []int16{2, 2, 0, 1}},
		parquetfiletest.Raw{Values: []int32{7, 8}, Defs: []int16{2, 2, 0, 1}},
		parquetfiletest.Raw{Values: bytes("a", "b", "c\xe9", "d"), Defs: []int16{3, 3, 3, 0, 3}, Reps: []int16{0, 0, 1, 0, 0}},
		parquetfiletest.Raw{Values: bytes("k", "k", "n", "\xe9"), Defs: []int16{2, 2, 2, 1, 2}, Reps: []int16{0, 0, 1, 0, 0}},
		parquetfiletest.Raw{Values: bytes("v", "\xe9", "w", "z"), Defs: []int16{3, 3, 3, 1, 3}, Reps: []int16{0, 0, 1, 0, 0}},
	))
	r := c.land()
	c.told(r, `"kind":"file_unreadable"`, 0)
	c.rows("SELECT id, s, o, l, m, regexp_replace(_rescued_data, ',\"_file_path.*_why', '…') AS kept FROM t ORDER BY id",
		`{"id":1,"s":"é","o":{"p":null,"q":7},"l":["a"],"m":{"k":"v"},"kept":"{\"o\":{\"p\":{\"$base64\":\"/w==\"}}…\":{\"o.p\":\"type:string\"}}"}`,
		`{"id":2,"s":null,"o":{"p":"y","q":8},"l":null,"m":{"k":null,"n":"w"},"kept":"{\"s\":{\"$base64\":\"Y2Fm6Q==\"},\"l\":[\"b\",{\"$base64\":\"Y+k=\"}],\"m\":{\"k\":{\"$base64\":\"6Q==\"}}…\":{\"s\":\"type:string\",\"l\":\"type:array<string>\",\"m.k\":\"type:string\"}}"}`,
		`{"id":3,"s":null,"o":null,"l":null,"m":{},"kept":null}`,
		`{"id":4,"s":"x","o":{"p":null,"q":null},"l":["d"],"m":null,"kept":"{\"m\":[{\"key\":{\"$base64\":\"6Q==\"},\"value\":\"z\"}]…\":{\"m\":\"type:map<string,string>\"}}"}`,
	)
	c.told(r, `"kind":"value_misfit","column":"s","file":"a.parquet","record":2`, 1)
}

// A time that the clocks of the zone skip is one value that does not fit.
func TestParquetSkippedTime(t *testing.T) {
	wall := schema.NewTimestampLogicalType(false, schema.TimeUnitMicros)
	times := []int64{micros(t, "2026-03-29 01:59:59"), micros(t, "2026-03-29 02:30:00"), micros(t, "2026-03-29 03:00:00")}
	c := newCase(t)
	c.file("a.parquet", rawFile(t, []schema.Node{
		leafNode(t, "id", must, schema.NoLogicalType{}, parquet.Types.Int32),
		leafNode(t, "w", may, wall, parquet.Types.Int64),
		groupNode(t, "o", may, nil, leafNode(t, "w", may, schema.NewTimestampLogicalType(false, schema.TimeUnitNanos), parquet.Types.Int64)),
	},
		parquetfiletest.Raw{Values: []int32{1, 2, 3}},
		parquetfiletest.Raw{Values: times, Defs: []int16{1, 1, 1}},
		parquetfiletest.Raw{Values: []int64{times[1]*1000 + 7}, Defs: []int16{2, 1, 0}},
	))
	r := c.land("--option", "timeZone=Europe/Oslo")
	c.rows("SELECT id, w, o, regexp_replace(_rescued_data, ',\"_file_path.*_why', '…') AS kept FROM t ORDER BY id",
		`{"id":1,"w":"2026-03-29T00:59:59Z","o":{"w":null},"kept":"{\"o\":{\"w\":\"2026-03-29T02:30:00.000000007\"}…\":{\"o.w\":\"type:timestamp\"}}"}`,
		`{"id":2,"w":null,"o":{"w":null},"kept":"{\"w\":\"2026-03-29T02:30:00\"…\":{\"w\":\"type:timestamp\"}}"}`,
		`{"id":3,"w":"2026-03-29T01:00:00Z","o":null,"kept":null}`,
	)
	c.told(r, `"kind":"value_misfit","column":"w","file":"a.parquet","record":2`, 1)
}

// What has digits beyond the microsecond is rescued whole where a policy says so,
// and lands as text whole.
func TestParquetNanosRescued(t *testing.T) {
	const file = "id: int32\nts: timestamp_ns\no: struct<ts: wall_ns>\nx: timestamp_ns\nl: list<timestamp_ns>\n\n" +
		`{"id": 1, "ts": 1700000000123456789, "o": {"ts": 1700000000123456789}, "x": 1700000000123456789, "l": [1700000000123456789]}` + "\n" +
		`{"id": 2, "ts": 1700000000123456000, "o": {"ts": 1}, "x": 1, "l": [1000]}`
	c := newCase(t)
	c.parquet("a.parquet", file)
	r := c.land("--policy", "value_truncated=rescue", "--option", "cloudFiles.schemaHints=x STRING")
	c.rows("SELECT id, ts, o, x, l, regexp_replace(_rescued_data, ',\"_file_path.*_why', '…') AS kept FROM t ORDER BY id",
		`{"id":1,"ts":null,"o":{"ts":null},"x":"2023-11-14T22:13:20.123456789Z","l":null,"kept":"{\"ts\":\"2023-11-14T22:13:20.123456789Z\",\"o\":{\"ts\":\"2023-11-14T22:13:20.123456789Z\"},\"l\":[\"2023-11-14T22:13:20.123456789Z\"]…\":{\"ts\":\"type:timestamp\",\"o.ts\":\"type:timestamp\",\"l\":\"type:array<timestamp>\"}}"}`,
		`{"id":2,"ts":"2023-11-14T22:13:20.123456Z","o":{"ts":null},"x":"1970-01-01T00:00:00.000000001Z","l":["1970-01-01T00:00:00.000001Z"],"kept":"{\"o\":{\"ts\":\"1970-01-01T00:00:00.000000001Z\"}…\":{\"o.ts\":\"type:timestamp\"}}"}`,
	)
	c.told(r, "value_truncated", 0)
	c.told(r, `"kind":"value_misfit","column":"ts","file":"a.parquet","record":1`, 1)
}
