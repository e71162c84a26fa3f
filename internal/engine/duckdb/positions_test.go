package duckdb_test

import (
	"testing"

	"landfall/internal/schema"
)

// A view can say where each of its rows is: in which of its files, and at which
// place there, whatever was deleted before it and however many SELECTs it takes.
func TestPositions(t *testing.T) {
	f, e := newFolder(t), open(t)
	fields := []schema.Field{col("a", schema.Long)}
	one := f.file("one.parquet", "SELECT i::BIGINT AS a FROM range(3) r(i)")
	two := f.file("it's.parquet", "SELECT 7::BIGINT AS a UNION ALL SELECT 8")
	other := f.file("other.parquet", "SELECT 9::BIGINT AS a, 1 AS b")
	one.Deleted = []int64{1}
	v := f.view("t", fields, one, two, other)
	want(t, e, `{"a":0}`, "FROM t WHERE a = 0", v)
	v.Positions = true
	want(t, e, `{"a":0,"_landfall_file":0,"_landfall_row":0}
{"a":2,"_landfall_file":0,"_landfall_row":2}
{"a":7,"_landfall_file":1,"_landfall_row":0}
{"a":8,"_landfall_file":1,"_landfall_row":1}
{"a":9,"_landfall_file":2,"_landfall_row":0}`, "FROM t ORDER BY a", v)
	none := f.view("t", fields)
	none.Positions = true
	want(t, e, "", "FROM t WHERE _landfall_file = 0", none)
}
