//go:build shared

package parquet

import (
	"bufio"
	"database/sql"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/sharedtest"
	"landfall/internal/value"
)

// refused are the public files that are refused, and what is said.
func refused() map[string]string {
	return map[string]string{
		"bad_data/ARROW-GH-41317.parquet":                     "timestamp_us_no_tz: cannot read Parquet file: page header cannot be read [E0402]",
		"bad_data/ARROW-GH-41321.parquet":                     "int64: cannot read Parquet file: parquet: invalid or corrupted bit width [E0402]",
		"bad_data/ARROW-GH-45185.parquet":                     "x.element: cannot read Parquet file: found repetition level 1, want up to 1 and 0 first [E0402]",
		"bad_data/ARROW-GH-47662.parquet":                     "flba_field: cannot read Parquet file: parquet: eof exception [E0402]",
		"bad_data/ARROW-RS-GH-6229-DICTHEADER.parquet":        "region_key: cannot read Parquet file: its chunk of row group 0 lies outside the file [E0402]",
		"bad_data/ARROW-RS-GH-6229-LEVELS.parquet":            "outer.element.c: cannot read Parquet file: found a page of 21 values where the chunk has 1 left [E0402]",
		"bad_data/PARQUET-1481.parquet":                       "Handle: found a type that Parquet does not have, want one that it has [E0402]",
		"data/datapage_v1-corrupt-checksum.parquet":           "a: found a page with another checksum than its bytes have [E0408]",
		"data/rle-dict-uncompressed-corrupt-checksum.parquet": "long_field: found a page with another checksum than its bytes have [E0408]",
		"data/large_string_map.brotli.parquet":                "arr.key: cannot read Parquet file: found a page of 1073741828 bytes, want at most 1073741824 [E0402]",
		"data/unknown-logical-type.parquet":                   "decoder gave up: invalid logical type [E0402]",
	}
}

// twins are files that the other reader cannot read, and others of the same rows.
func twins() map[string]string {
	return map[string]string{
		"data/hadoop_lz4_compressed.parquet":        "data/lz4_raw_compressed.parquet",
		"data/hadoop_lz4_compressed_larger.parquet": "data/lz4_raw_compressed_larger.parquet",
		"data/non_hadoop_lz4_compressed.parquet":    "data/lz4_raw_compressed.parquet",
	}
}

// TestPublicFiles reads every public file and compares what comes out with what
// another reader makes of it.
func TestPublicFiles(t *testing.T) {
	folder := sharedtest.Folder(t, "parquet-testing")
	index, err := os.Open(filepath.Join(folder, "INDEX.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	seen := 0
	lines := bufio.NewScanner(index)
	lines.Buffer(nil, 1<<20)
	for first := true; lines.Scan(); first = false {
		if !first {
			name, _, _ := strings.Cut(lines.Text(), "\t")
			t.Run(name, func(t *testing.T) { publicFile(t, folder, name) })
			seen++
		}
	}
	if err := lines.Err(); err != nil || seen != 73 {
		t.Errorf("%d files: %v", seen, err)
	}
}

func publicFile(t *testing.T, folder, name string) {
	path := filepath.Join(folder, name)
	_, types, rows, err := contents(t, path)
	refusal := refused()[name]
	if err != nil || refusal != "" {
		if refusal == "" || err == nil || !strings.Contains(err.Error(), refusal) {
			t.Errorf("found %v, want %q", err, refusal)
		}
		return
	}
	var wanted []string
	twin, twinned := twins()[name]
	switch {
	case twinned:
		_, _, wanted, err = contents(t, filepath.Join(folder, twin))
	case name == "data/byte_stream_split_extended.gzip.parquet":
		checkPairs(t, rows)
		return
	case name == "data/map_no_value.parquet":
		wanted = []string{
			"<1=null 2=null 3=null>|[1 2 3]|[1 2 3]",
			"<4=null 5=null 6=null>|[4 5 6]|[4 5 6]",
			"<7=null 8=null 9=null>|[7 8 9]|[7 8 9]",
		}
	default:
		wanted = others(t, path, types)
	}
	if err != nil || len(rows) != len(wanted) {
		t.Fatalf("%d rows, want %d: %v", len(rows), len(wanted), err)
	}
	for i := range rows {
		// The other reader wraps what its days of 32 bits cannot hold.
		if name == "data/int96_from_spark.parquet" && rows[i] == "9089380393200000000" {
			continue
		}
		if rows[i] != wanted[i] {
			t.Fatalf("row %d: found %.1000s\nwant %.1000s", i+1, rows[i], wanted[i])
		}
	}
}

// checkPairs compares columns of the same values, one beside the other.
func checkPairs(t *testing.T, rows []string) {
	for i, row := range rows {
		values := strings.Split(row, "|")
		for at := 0; at < len(values); at += 2 {
			if values[at] != values[at+1] {
				t.Errorf("row %d: columns %d and %d hold %s and %s", i+1, at, at+1, values[at], values[at+1])
			}
		}
	}
	if len(rows) != 200 {
		t.Errorf("%d rows", len(rows))
	}
}

// contents spells the rows of a file as we read it.
func contents(t *testing.T, path string) (header []string, types []schema.Type, rows []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(path, f, info.Size(), Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	for slab, err := range r.Slabs(t.Context()) {
		if err != nil {
			return nil, nil, nil, err
		}
		row := make([][]string, slab.Rows())
		for _, c := range slab.Columns {
			for i, v := range parquetfiletest.Rows(c, true, slab.Rows()) {
				row[i] = append(row[i], spell(v, c.Type))
			}
		}
		for _, r := range row {
			rows = append(rows, strings.Join(r, "|"))
		}
	}
	if r.Records() != int64(len(rows)) {
		t.Errorf("%d records, %d rows", r.Records(), len(rows))
	}
	for _, n := range r.Notes() {
		t.Logf("note: %+v", n)
	}
	return r.Header(), r.Types(), rows, nil
}

func spell(v any, t schema.Type) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case int64:
		if d, ok := t.(schema.Decimal); ok {
			return unscaled(big.NewInt(v), d.Scale)
		}
		return fmt.Sprint(v)
	case value.Int128:
		n := new(big.Int).Lsh(big.NewInt(v.High), 64)
		n.Add(n, new(big.Int).SetUint64(v.Low))
		return unscaled(n, t.(schema.Decimal).Scale)
	case parquetfiletest.List:
		return spellList(v, t.(schema.Array).Element)
	case parquetfiletest.Struct:
		out := make([]string, len(v))
		for i, f := range t.(schema.Struct).Fields {
			out[i] = f.Name + ":" + spell(v[i], f.Type)
		}
		return "{" + strings.Join(out, " ") + "}"
	case parquetfiletest.Map:
		m := t.(schema.Map)
		out := make([]string, len(v))
		for i, e := range v {
			out[i] = spell(e.Key, m.Key) + "=" + spell(e.Value, m.Value)
		}
		slices.Sort(out)
		return "<" + strings.Join(out, " ") + ">"
	}
	return fmt.Sprintf("%q", fmt.Sprint(v))
}

func spellList(v []any, t schema.Type) string {
	out := make([]string, len(v))
	for i, e := range v {
		out[i] = spell(e, t)
	}
	return "[" + strings.Join(out, " ") + "]"
}

func unscaled(n *big.Int, scale int) string {
	if scale == 0 {
		return n.String()
	}
	return fmt.Sprintf("%ve-%d", n, scale)
}

// others spells the rows as DuckDB reads them.
func others(t *testing.T, path string, types []schema.Type) []string {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	found, err := db.QueryContext(t.Context(), "FROM read_parquet('"+path+"', hive_partitioning = false)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = found.Close() })
	var rows []string
	for found.Next() {
		values, to := make([]any, len(types)), make([]any, len(types))
		for i := range values {
			to[i] = &values[i]
		}
		if err := found.Scan(to...); err != nil {
			t.Fatal(err)
		}
		out := make([]string, len(types))
		for i, v := range values {
			out[i] = spell(ours(v, types[i]), types[i])
		}
		rows = append(rows, strings.Join(out, "|"))
	}
	if err := found.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

// ours makes of a value of the other reader one of the type.
func ours(v any, t schema.Type) any {
	switch v := v.(type) {
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case uint16:
		return int64(v)
	case uint64:
		return value.Int128{Low: v}
	case float32:
		return float64(v)
	case []byte:
		return string(v)
	case time.Time:
		if t == schema.Date {
			return v.Unix() / 86400
		}
		return v.UnixMicro()
	case duck.Decimal:
		high := new(big.Int).Rsh(v.Value, 64)
		low := new(big.Int).And(v.Value, new(big.Int).SetUint64(1<<64-1))
		return value.Int128{High: high.Int64(), Low: low.Uint64()}
	case []any:
		list := parquetfiletest.List{}
		for _, e := range v {
			list = append(list, ours(e, t.(schema.Array).Element))
		}
		return list
	case map[string]any:
		var out parquetfiletest.Struct
		for _, f := range t.(schema.Struct).Fields {
			out = append(out, ours(v[f.Name], f.Type))
		}
		return out
	case duck.OrderedMap:
		return ourMap(v.Keys(), v.Values(), t.(schema.Map))
	case duck.Map:
		var keys, values []any
		for k, e := range v {
			keys, values = append(keys, k), append(values, e)
		}
		return ourMap(keys, values, t.(schema.Map))
	}
	return v
}

func ourMap(keys, values []any, t schema.Map) parquetfiletest.Map {
	var out parquetfiletest.Map
	for i := range keys {
		out = append(out, parquetfiletest.Entry{Key: ours(keys[i], t.Key), Value: ours(values[i], t.Value)})
	}
	return out
}
