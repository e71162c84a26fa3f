package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/parquetfile/parquetfiletest"
)

// O6: nanoseconds, which a table does not hold.
func TestO06(t *testing.T) {
	const ns, us = "ts: timestamp_ns\n\n{\"ts\": 1700000000123456789}", "ts: timestamp_us\n\n{\"ts\": 1700000001123456}"
	c := newCase(t)
	c.parquet("a.parquet", ns)
	c.parquet("b.parquet", us)
	r := c.land()
	c.schema("ts TIMESTAMP")
	c.rows("SELECT ts FROM t ORDER BY ts", `{"ts":"2023-11-14T22:13:20.123456Z"}`, `{"ts":"2023-11-14T22:13:21.123456Z"}`)
	c.told(r, `"kind":"value_truncated","column":"ts","file":"a.parquet","record":1`, 1)
	c.told(r, "value_truncated", 1)
	c.told(r, "zone_assumed", 0)

	// A wall clock is no instant: it is read as one of UTC, and told.
	wall := newCase(t)
	wall.parquet("a.parquet", "ts: wall_ns\n\n{\"ts\": 1700000000123456789}")
	wall.parquet("b.parquet", us)
	r = wall.land()
	wall.schema("ts TIMESTAMP")
	wall.told(r, `"kind":"zone_assumed","column":"ts","file":"a.parquet"`, 1)
	wall.told(r, `"kind":"value_truncated","column":"ts","file":"a.parquet"`, 1)
	wall.rows("SELECT ts FROM t ORDER BY ts", `{"ts":"2023-11-14T22:13:20.123456Z"}`, `{"ts":"2023-11-14T22:13:21.123456Z"}`)
}

// Wall clocks and instants as keys of maps: of a column of instants they are keys; one of
// wall clocks takes none, and the whole map is kept beside it.
func TestMapsByTime(t *testing.T) {
	const rows = "\n\n" + `{"id": 1, "m": [{"key": 1700000000000000, "value": 5}, {"key": 1700000001000000, "value": 6}]}` + "\n" + `{"id": 2, "m": []}` + "\n" + `{"id": 3, "m": null}`
	for _, key := range []string{"timestamp_us", "wall_us"} {
		file := "id: int64\nm: map<" + key + ", int64>" + rows
		c := newCase(t)
		c.parquet("a.parquet", file)
		c.land()
		c.schema("id BIGINT, m MAP<TIMESTAMP, BIGINT>")
		c.rows("SELECT id, m, _rescued_data AS kept FROM t ORDER BY id",
			`{"id":1,"m":{"2023-11-14T22:13:20Z":5,"2023-11-14T22:13:21Z":6},"kept":null}`, `{"id":2,"m":{},"kept":null}`, `{"id":3,"m":null,"kept":null}`)

		wall := newCase(t)
		wall.parquet("a.parquet", file)
		r := wall.land("--option", "cloudFiles.schemaHints=m map<timestamp_ntz,bigint>")
		wall.schema("id BIGINT, m MAP<TIMESTAMP_NTZ, BIGINT>")
		wall.told(r, `"kind":"type_conflict","column":"m","file":"a.parquet","record":1`, 1)
		wall.rows("SELECT id, m, _rescued_data->>'$.m' AS kept FROM t ORDER BY id",
			`{"id":1,"m":null,"kept":"{\"2023-11-14T22:13:20Z\":5,\"2023-11-14T22:13:21Z\":6}"}`, `{"id":2,"m":null,"kept":"{}"}`, `{"id":3,"m":null,"kept":null}`)
	}
}

// rawFile is a file of leaves as they are written.
func rawFile(t *testing.T, nodes []schema.Node, leaves ...parquetfiletest.Raw) string {
	t.Helper()
	data, err := parquetfiletest.File(nodes, leaves)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// O7: days far from now, which warehouses write for "always" and "never".
func TestO07(t *testing.T) {
	const day1970 = 2440588
	c := newCase(t)
	c.file("a.parquet", rawFile(t, []schema.Node{schema.NewInt96Node("ts", parquet.Repetitions.Required, -1)}, parquetfiletest.Raw{Values: []parquet.Int96{
		parquetfiletest.Int96(day1970+2932896, 7200e9), parquetfiletest.Int96(day1970-719162, 0), parquetfiletest.Int96(day1970+18787, 10957e9),
	}}))
	r := c.land()
	c.schema("ts TIMESTAMP")
	c.rows("SELECT strftime(ts AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S') AS ts FROM t ORDER BY ts",
		`{"ts":"0001-01-01 00:00:00"}`, `{"ts":"2021-06-09 03:02:37"}`, `{"ts":"9999-12-31 02:00:00"}`)
	c.told(r, "truncated", 0)
}

// O10: folders 00, 01 and 1.
func TestO10(t *testing.T) {
	files := func(c *caseFeed) {
		c.parquet("hour=00/a.parquet", "x: int32\n\n{\"x\": 1}")
		c.parquet("hour=01/b.parquet", "x: int32\n\n{\"x\": 2}")
		c.parquet("hour=1/c.parquet", "x: int32\n\n{\"x\": 3}")
	}
	c := newCase(t)
	files(c)
	c.land()
	c.schema("x INT, hour STRING")
	c.rows("SELECT hour, regexp_extract(_source_file, 'hour=[^/]*') AS folder FROM t ORDER BY x",
		`{"hour":"00","folder":"hour=00"}`, `{"hour":"01","folder":"hour=01"}`, `{"hour":"1","folder":"hour=1"}`)

	declared := newCase(t)
	files(declared)
	r := declared.land("--option", "cloudFiles.schemaHints=hour INT")
	declared.told(r, `"kind":"folder_padded","column":"hour","file":"hour=00/a.parquet"`, 1)
	declared.told(r, `"kind":"folder_padded","column":"hour","file":"hour=01/b.parquet"`, 1)
	declared.told(r, "folder_padded", 2)
	declared.schema("x INT, hour INT")
	declared.rows("SELECT hour, x, regexp_extract(_source_file, 'hour=[^/]*') AS folder FROM t ORDER BY x",
		`{"hour":0,"x":1,"folder":"hour=00"}`, `{"hour":1,"x":2,"folder":"hour=01"}`, `{"hour":1,"x":3,"folder":"hour=1"}`)
}

// O12: a column that appears in a later partition, in both orders.
func TestO12(t *testing.T) {
	months := []string{
		"a: int64\nb: string\n\n{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2, \"b\": \"y\"}\n{\"a\": 3, \"b\": \"z\"}",
		"a: int64\nb: string\nc: int64\n\n{\"a\": 4, \"b\": \"x\", \"c\": 7}\n{\"a\": 5, \"b\": \"y\", \"c\": 8}\n{\"a\": 6, \"b\": \"z\", \"c\": 9}",
	}
	for _, cuts := range []bool{false, true} {
		for _, order := range [][]int{{1, 2}, {2, 1}} {
			c := newCase(t)
			for _, month := range order {
				c.parquet(map[int]string{1: "month=1/p.parquet", 2: "month=2/p.parquet"}[month], months[month-1])
				if cuts {
					c.land()
				}
			}
			c.land()
			c.rows("SELECT a, b, c, month FROM t ORDER BY a",
				`{"a":1,"b":"x","c":null,"month":"1"}`, `{"a":2,"b":"y","c":null,"month":"1"}`, `{"a":3,"b":"z","c":null,"month":"1"}`,
				`{"a":4,"b":"x","c":7,"month":"2"}`, `{"a":5,"b":"y","c":8,"month":"2"}`, `{"a":6,"b":"z","c":9,"month":"2"}`)
		}
	}
}

// O13: one column as INT32, INT64 and string.
func TestO13(t *testing.T) {
	files := []string{"userId: int32\n\n{\"userId\": 7}", "userId: int64\n\n{\"userId\": 3000000000}", "userId: string\n\n{\"userId\": \"42\"}\n{\"userId\": \"abc\"}"}
	const where = "SELECT userId, _rescued_data->>'$.userId' AS kept FROM t ORDER BY userId NULLS LAST, kept"
	for _, o := range []struct {
		mode string
		want []string
	}{
		{"", []string{`{"userId":7,"kept":null}`, `{"userId":42,"kept":null}`, `{"userId":3000000000,"kept":null}`, `{"userId":null,"kept":"abc"}`}},
		{"addNewColumnsWithTypeWidening", []string{`{"userId":7,"kept":null}`, `{"userId":3000000000,"kept":null}`, `{"userId":null,"kept":"42"}`, `{"userId":null,"kept":"abc"}`}},
	} {
		c := newCase(t)
		var last string
		for i, text := range files {
			c.parquet(string(rune('a'+i))+".parquet", text)
			if o.mode == "" {
				last = c.land()
			} else {
				last = c.land("--option", "cloudFiles.schemaEvolutionMode="+o.mode)
			}
			if i == 1 {
				c.told(last, `"kind":"type_wider","column":"userId"`, 1)
			}
		}
		c.schema("userId BIGINT")
		c.rows(where, o.want...)
		c.told(last, `"kind":"type_conflict","column":"userId","file":"c.parquet"`, 1)
	}

	once := newCase(t)
	for i, text := range files {
		once.parquet(string(rune('a'+i))+".parquet", text)
	}
	once.land()
	once.schema("userId STRING")
	once.rows(where, `{"userId":"3000000000","kept":null}`, `{"userId":"42","kept":null}`, `{"userId":"7","kept":null}`, `{"userId":"abc","kept":null}`)
}

// O14: decimals of more and more digits.
func TestO14(t *testing.T) {
	files := []string{"d: decimal(7,5)\n\n{\"d\": \"12.34567\"}", "d: decimal(8,5)\n\n{\"d\": \"166.47135\"}", "d: decimal(5,2)\n\n{\"d\": \"999.99\"}"}
	for _, cuts := range []bool{false, true} {
		c := newCase(t)
		for i, text := range files {
			c.parquet(string(rune('a'+i))+".parquet", text)
			if cuts {
				c.land()
			}
		}
		c.land()
		c.schema("d DECIMAL(8,5)")
		c.rows("SELECT d FROM t ORDER BY d", `{"d":12.34567}`, `{"d":166.47135}`, `{"d":999.99000}`)
		// Beyond 38 digits nothing is rounded.
		c.parquet("x.parquet", "d: decimal(38,0)\n\n{\"d\": \"12345678901234567890123456789012345678\"}\n{\"d\": \"5\"}")
		r := c.land()
		c.rows("SELECT d, _rescued_data->>'$.d' AS kept FROM t WHERE _source_file LIKE '%x.parquet' ORDER BY d",
			`{"d":5.00000,"kept":null}`, `{"d":null,"kept":"12345678901234567890123456789012345678"}`)
		c.told(r, `"column":"d","file":"x.parquet"`, 1)
	}
}

// O16: a column that has no type in its first file.
func TestO16Parquet(t *testing.T) {
	const void, text = "id: int32\nnote: null\n\n{\"id\": 1}\n{\"id\": 2}\n{\"id\": 3}", "id: int32\nnote: string\n\n{\"id\": 4, \"note\": \"x\"}"
	for _, cuts := range []bool{false, true} {
		c := newCase(t)
		c.parquet("a.parquet", void)
		var told string
		if cuts {
			told = c.land()
			c.schema("id INT")
		}
		c.parquet("b.parquet", text)
		told += c.land()
		c.schema("id INT, note STRING")
		c.told(told, "type_", 0)
		c.rows("SELECT id, note FROM t ORDER BY id", `{"id":1,"note":null}`, `{"id":2,"note":null}`, `{"id":3,"note":null}`, `{"id":4,"note":"x"}`)
		// And void again, when it has a type.
		c.parquet("c.parquet", void)
		c.told(c.land(), "type_", 0)
		c.schema("id INT, note STRING")
	}
}

// O8 in files that say their types.
func TestO08Parquet(t *testing.T) {
	const longs, doubles = "amount: int64\n\n{\"amount\": 1}\n{\"amount\": 2}\n{\"amount\": 9007199254740993}", "amount: double\n\n{\"amount\": 2.5}\n{\"amount\": 3.0}"
	c := newCase(t)
	c.parquet("a.parquet", longs)
	c.land()
	c.parquet("b.parquet", doubles)
	r := c.land()
	c.schema("amount BIGINT")
	c.rows("SELECT amount, _rescued_data->>'$.amount' AS kept FROM t ORDER BY amount NULLS LAST",
		`{"amount":1,"kept":null}`, `{"amount":2,"kept":null}`, `{"amount":3,"kept":null}`, `{"amount":9007199254740993,"kept":null}`, `{"amount":null,"kept":"2.5"}`)
	c.told(r, `"kind":"type_`, 1)
}

// O15 in files that say their types: a struct cannot be without fields there, but
// it can be all null.
func TestO15Parquet(t *testing.T) {
	c := newCase(t)
	c.parquet("1.parquet", "a: int32\nm: struct<k: null>\n\n{\"a\": 1, \"m\": {}}")
	c.land()
	c.schema("a INT")
	c.parquet("2.parquet", "a: int32\nm: struct<k: int64>\n\n{\"a\": 2, \"m\": {\"k\": 5}}")
	c.land()
	c.schema("a INT, m STRUCT<k: BIGINT>")
	c.parquet("3.parquet", "a: int32\nm: list<int32>\n\n{\"a\": 3, \"m\": []}")
	r := c.land()
	c.told(r, `"kind":"type_conflict","column":"m"`, 1)
	c.rows("SELECT a, m, _rescued_data->>'$.m' AS kept FROM t ORDER BY a",
		`{"a":1,"m":null,"kept":"{\"k\":null}"}`, `{"a":2,"m":{"k":5},"kept":null}`, `{"a":3,"m":null,"kept":"[]"}`)
}

// O21: a column is dropped and comes back. Landfall drops none; the contract
// brings it back with its old values, which are its own.
func TestO21(t *testing.T) {
	c := newCase(t)
	c.parquet("a.parquet", "id: int32\nvalue: string\n\n{\"id\": 1, \"value\": \"old\"}")
	c.land()
	c.parquet("b.parquet", "id: int32\n\n{\"id\": 2}")
	c.told(c.land(), `"kind":"column_missing","column":"value"`, 1)
	c.schema("id INT, value STRING")
	c.parquet("c.parquet", "id: int32\nvalue: string\n\n{\"id\": 3, \"value\": \"new\"}")
	c.told(c.land(), `"kind"`, 0)
	c.rows("SELECT id, value FROM t ORDER BY id", `{"id":1,"value":"old"}`, `{"id":2,"value":null}`, `{"id":3,"value":"new"}`)
}

// Ten thousand columns land; of types nested a hundred deep what tables take.
func TestParquetExtremes(t *testing.T) {
	var head, row strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&head, "c%d: int32\n", i)
		fmt.Fprintf(&row, `,"c%d": %d`, i, i)
	}
	wide := newCase(t)
	wide.parquet("a.parquet", head.String()+"\n{"+row.String()[1:]+"}")
	wide.told(wide.land(), `"rows_landed":1`, 1)
	wide.rows("SELECT c0, c9999 FROM t", `{"c0":0,"c9999":9999}`)

	limited := newCase(t)
	limited.parquet("a.parquet", "a: int32\nb: int32\nc: int32\n\n{\"a\": 1}")
	r := limited.land("--option", "maxColumns=2")
	limited.told(r, "found 3 columns, want at most 2", 2)
	limited.told(r, "raise maxColumns", 1)

	deep := newCase(t)
	deep.parquet("a.parquet", "id: int32\n\n{\"id\": 1}")
	deep.parquet("b.parquet", "id: int32\nd: "+strings.Repeat("struct<a: ", 100)+"int32"+strings.Repeat(">", 100)+"\n\n{\"id\": 2}")
	r = deep.land()
	deep.told(r, `"kind":"file_unreadable","column":"d","file":"b.parquet"`, 1)
	deep.told(r, "flatten the column before it is written", 1)
	deep.rows("SELECT id FROM t", `{"id":1}`)
}
