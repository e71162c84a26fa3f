//go:build interop

package interop

import (
	"strings"
	"testing"
)

// leaves are values of all types that files of DuckDB have, and what a table has
// them as.
var leaves = []struct{ name, value, want string }{
	{"b", "true", "%s"},
	{"i8", "(-128)::tinyint", "%s"},
	{"i16", "(-32768)::smallint", "%s"},
	{"i32", "(-2147483648)::int", "%s"},
	{"i64", "(-9223372036854775808)::bigint", "%s"},
	{"u8", "255::utinyint", "%s::smallint"},
	{"u16", "65535::usmallint", "%s::int"},
	{"u32", "4294967295::uinteger", "%s::bigint"},
	{"u64", "18446744073709551615::ubigint", "%s::decimal(20,0)"},
	{"f", "1.1::float", "%s"},
	{"d", "0.1::double", "%s"},
	{"dec4", "99.99::decimal(4,2)", "%s"},
	{"dec9", "(-999999.999)::decimal(9,3)", "%s"},
	{"dec18", "12345678901234.5678::decimal(18,4)", "%s"},
	{"dec38", "'1234567890123456789012345678.0123456789'::decimal(38,10)", "%s"},
	{"text", "'Zoë 🦊'", "%s"},
	{"bytes", `'\xff\x00a'::blob`, "%s"},
	{"day", "date '0001-01-01'", "%s"},
	{"clock", "time '01:02:03.000004'", "%s::varchar"},
	{"wall", "timestamp '2026-01-02 03:04:05.000006'", "%s::timestamptz"},
	{"instant", "timestamptz '1899-12-31 23:59:59.999999+00'", "%s"},
	{"ns", "'2026-01-02 03:04:05.000006'::timestamp_ns", "%s::timestamp::timestamptz"},
	{"ms", "'1969-12-31 23:59:59.999'::timestamp_ms", "%s::timestamp::timestamptz"},
	{"sec", "'2026-01-02 03:04:05'::timestamp_s", "%s::timestamp::timestamptz"},
	{"id16", "'8f8b2bd8-4a6f-4d3b-9d53-1f4f2a3f9f10'::uuid", "%s::varchar"},
	{"word", "'red'::enum('red', 'blue')", "%s::varchar"},
}

// leafColumns is a list of columns: each leaf alone and in an array, a struct and a
// map, made of its value; with null, nothing is in them.
func leafColumns(value func(name, value, want string) string) string {
	var out []string
	for _, l := range leaves {
		v := value(l.name, l.value, l.want)
		out = append(out, v+" as "+l.name, "["+v+", null] as "+l.name+"_list",
			"{'x': "+v+", 'deep': {'list': [{'y': "+v+"}, null]}} as "+l.name+"_struct",
			"map {'k': "+v+"} as "+l.name+"_map")
	}
	return strings.Join(out, ", ")
}

// TestFeeds lands Parquet files of all types, as two writers write them in their
// several ways, and has everybody read the table.
func TestFeeds(t *testing.T) {
	w := newWorld(t)
	plain := leafColumns(func(_, value, _ string) string { return value })
	for i, options := range []args{
		nil,
		{"data_page_version": "2.0", "use_dictionary": false, "compression": "zstd"},
		{"use_deprecated_int96_timestamps": true, "row_group_size": 1, "write_page_index": true},
	} {
		id := string(rune('1' + i))
		w.put("f"+id+".parquet", "select "+id+"::bigint as id, "+plain+" union all by name select "+id+"0::bigint as id", options)
	}
	w.land()
	want := leafColumns(func(_, value, want string) string { return strings.ReplaceAll(want, "%s", value) })
	w.holds("select unnest([1, 2, 3])::bigint as id, " + want + " union all by name select unnest([10, 20, 30])::bigint as id")
}
