package duckdb_test

import (
	"fmt"
	"strings"
	"testing"

	"landfall/internal/schema"
)

// nest returns a type inside n lists, or n structs of one field k.
func nest(t schema.Type, n int, list bool) schema.Type {
	for range n {
		if list {
			t = schema.Array{Element: t}
		} else {
			t = schema.Struct{Fields: []schema.Field{col("k", t)}}
		}
	}
	return t
}

// A level of nesting costs the same at every depth: the 40 lists of this test
// do not end where DuckDB reads them from Parquet itself.
func TestDeepNesting(t *testing.T) {
	f, e := newFolder(t), open(t)
	lists := func(n int, inner string) string { return strings.Repeat("[", n) + inner + strings.Repeat("]", n) }
	structs := func(n int, inner string) string {
		return strings.Repeat(`{"k":`, n) + inner + strings.Repeat("}", n)
	}
	query := "SELECT 1::INTEGER AS n, " + lists(40, "1::INTEGER") + " AS a, " + strings.ReplaceAll(structs(40, "2::BIGINT"), `"`, "'") + " AS s, {'y': " + lists(30, "'p', NULL") + "} AS x"
	fields := []schema.Field{
		col("n", schema.Integer), col("a", nest(schema.Long, 40, true)), col("s", nest(schema.Long, 40, false)),
		col("x", schema.Struct{Fields: []schema.Field{col("y", nest(schema.String, 30, true))}}),
	}
	one := f.file("one.parquet", query)
	two := f.file("two.parquet", "SELECT * REPLACE (n + r AS n) FROM ("+query+"), range(1, 3) q(r)")
	two.Deleted = []int64{0}
	null := f.file("null.parquet", "SELECT 9::INTEGER AS n, NULL::INTEGER"+strings.Repeat("[]", 40)+" AS a")
	values := `,"a":` + lists(40, "1") + `,"s":` + structs(40, "2") + `,"x":{"y":` + lists(30, `"p",null`) + "}}"
	// Maps as deep as that come as the text of their JSON.
	maps := f.file("maps.parquet", "SELECT "+lists(40, "MAP {'k': 1::BIGINT}")+" AS m")
	want(t, e, `{"m":"`+lists(40, `{\"k\":1}`)+`"}`, "FROM m",
		f.view("m", []schema.Field{col("m", nest(schema.Map{Key: schema.String, Value: schema.Long}, 40, true))}, maps))
	v := f.view("t", fields, one, two, null)
	want(t, e, `{"n":1`+values+"\n"+`{"n":3`+values+"\n"+`{"n":9,"a":null,"s":null,"x":null}`, "FROM t ORDER BY n", v)
	want(t, e, `{"c":3}`, "SELECT count(*) AS c FROM t", v)
}

// Every type comes out of many lists as it does out of one.
func TestDeepValues(t *testing.T) {
	f, e := newFolder(t), open(t)
	point := schema.Struct{Fields: []schema.Field{col("x", schema.Float), col("y", schema.Array{Element: schema.Short})}}
	for value, c := range map[string]struct {
		typ  schema.Type
		json string
	}{
		"true":                                           {schema.Boolean, "true"},
		"'-128'::TINYINT":                                {schema.Byte, "-128"},
		"'9223372036854775807'::BIGINT":                  {schema.Long, "9223372036854775807"},
		"'nan'::DOUBLE":                                  {schema.Double, `"NaN"`},
		"'-1.50'::DECIMAL(4,2)":                          {schema.Decimal{Precision: 4, Scale: 2}, "-1.50"},
		"'-123456.70'::DECIMAL(9,2)":                     {schema.Decimal{Precision: 9, Scale: 2}, "-123456.70"},
		"'-9000000000.70'::DECIMAL(18,2)":                {schema.Decimal{Precision: 18, Scale: 2}, "-9000000000.70"},
		"'-12345678901234567890123456.7'::DECIMAL(38,1)": {schema.Decimal{Precision: 38, Scale: 1}, "-12345678901234567890123456.7"},
		"'ü'":               {schema.String, `"ü"`},
		`'\x00\xFF'::BLOB`:  {schema.Binary, `"AP8="`},
		"DATE '0001-01-01'": {schema.Date, `"0001-01-01"`},
		"DATE '1969-12-31'": {schema.Date, `"1969-12-31"`},
		"TIMESTAMPTZ '1960-10-02 10:00:00.000001+02'": {schema.Timestamp, `"1960-10-02T08:00:00.000001Z"`},
		"TIMESTAMP '2026-10-02 10:00:00'":             {schema.TimestampNTZ, `"2026-10-02T10:00:00"`},
		"{x: 0.1::FLOAT, y: [1::SMALLINT]}":           {point, `{"x":0.1,"y":[1]}`},
		"MAP {'b': 1::BIGINT, 'a': NULL}":             {schema.Map{Key: schema.String, Value: schema.Long}, `{"b":1,"a":null}`},
		`MAP {'\x00\xFF'::BLOB: 1::BIGINT}`:           {schema.Map{Key: schema.Binary, Value: schema.Long}, `{"00ff":1}`},
	} {
		const depth = 10
		one := f.file(fmt.Sprintf("%x.parquet", value), "SELECT "+strings.Repeat("[", depth)+value+", NULL"+strings.Repeat("]", depth)+" AS a")
		v := f.view("t", []schema.Field{col("a", nest(c.typ, depth, true))}, one)
		want(t, e, `{"a":`+strings.Repeat("[", depth)+c.json+",null"+strings.Repeat("]", depth)+"}", "FROM t", v)
	}
}
