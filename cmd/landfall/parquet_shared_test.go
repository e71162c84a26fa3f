//go:build shared

package main

import (
	"database/sql"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2" // the driver that reads the files as they are

	"landfall/internal/land"
)

// TestParquetTesting lands each file of the public test files of Parquet in a
// table of its own. What DuckDB reads of the table is what it reads of the file,
// or the file is in quarantine with a code.
func TestParquetTesting(t *testing.T) {
	t.Parallel()
	root := realData(t, "parquet-testing")
	var files []string
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".parquet") {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 60 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name, _ := filepath.Rel(root, file)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			landAlone(t, file, filepath.ToSlash(name))
		})
	}
}

// landAlone lands one file and compares.
func landAlone(t *testing.T, file, name string) {
	t.Helper()
	dir := t.TempDir()
	in, table := filepath.Join(dir, "in"), filepath.Join(dir, "table")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(in, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(in, "a.parquet"), data, 0o644); err != nil {
		t.Fatal(err)
	}
	var r land.Report
	if err := json.Unmarshal(command(t, "land", in, table, "--json"), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Quarantined) > 0 {
		if q := r.Quarantined[0]; q.Code == "" || q.Reason == "" || refusedFiles()[name] == "" || !strings.Contains(q.Reason, refusedFiles()[name]) {
			t.Errorf("in quarantine: %+v; expected for: %q", q, refusedFiles()[name])
		}
		return
	}
	if refusedFiles()[name] != "" {
		t.Errorf("has landed, want in quarantine: %s", refusedFiles()[name])
	}
	compareWith(t, file, name, table)
}

// compareWith compares what DuckDB reads of a table's one file and of a file: all
// values as text, row by row. Names that tables cannot have are clean in ours.
func compareWith(t *testing.T, file, name, table string) {
	t.Helper()
	if why := readOtherwise()[name]; why != "" {
		t.Log("read otherwise: " + why)
		return
	}
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // nothing was written
	ours := answerOf(t, db, "SELECT COLUMNS(* EXCLUDE (_rescued_data, _source_file, _ingested_at))::VARCHAR FROM read_parquet('"+table+"/*.parquet')")
	theirs := answerOf(t, db, "SELECT COLUMNS(*)::VARCHAR FROM read_parquet('"+file+"')")
	if ours != theirs {
		t.Errorf("the table has\n%.600s\nthe file has\n%.600s", ours, theirs)
	}
}

// answerOf is the answer to a query, a line a row.
func answerOf(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), "SET TimeZone = 'UTC'"); err != nil {
		t.Fatal(err)
	}
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		return err.Error()
	}
	defer rows.Close() //nolint:errcheck // nothing was written
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for rows.Next() {
		values, at := make([]sql.NullString, len(names)), make([]any, len(names))
		for i := range values {
			at[i] = &values[i]
		}
		if err := rows.Scan(at...); err != nil {
			return err.Error()
		}
		for _, v := range values {
			out.WriteString(strings.NewReplacer("+00", "", "-nan", "nan").Replace(v.String) + "|")
		}
		out.WriteByte('\n')
	}
	if err := rows.Err(); err != nil {
		return err.Error()
	}
	return out.String()
}

// refusedFiles are those that do not land, and words of the reason: files that were
// made to be bad, and two that are beyond our reader.
func refusedFiles() map[string]string {
	return map[string]string{
		"bad_data/ARROW-GH-41317.parquet":                     "page header cannot be read",
		"bad_data/ARROW-GH-41321.parquet":                     "corrupted bit width",
		"bad_data/ARROW-GH-45185.parquet":                     "found repetition level 1",
		"bad_data/ARROW-GH-47662.parquet":                     "eof exception",
		"bad_data/ARROW-RS-GH-6229-DICTHEADER.parquet":        "lies outside the file",
		"bad_data/ARROW-RS-GH-6229-LEVELS.parquet":            "found a page of 21 values where the chunk has 1 left",
		"bad_data/PARQUET-1481.parquet":                       "Handle: found a type that Parquet does not have",
		"data/datapage_v1-corrupt-checksum.parquet":           "another checksum",
		"data/rle-dict-uncompressed-corrupt-checksum.parquet": "another checksum",
		"data/unknown-logical-type.parquet":                   "invalid logical type", // an annotation that is not of the format
		"data/large_string_map.brotli.parquet":                "want at most 1073741824",
	}
}

// readOtherwise are files that DuckDB does not read, or reads otherwise, and why.
func readOtherwise() map[string]string {
	return map[string]string{
		"data/byte_stream_split_extended.gzip.parquet": "it reads that encoding of floats alone",
		"data/hadoop_lz4_compressed.parquet":           "it has no LZ4 of Hadoop",
		"data/hadoop_lz4_compressed_larger.parquet":    "it has no LZ4 of Hadoop",
		"data/non_hadoop_lz4_compressed.parquet":       "it has no LZ4 of Hadoop",
		"data/map_no_value.parquet":                    "it has no maps without values",
		"data/int96_from_spark.parquet":                "its sums of the year 290000 wrap",
		"data/null_list.parquet":                       "a list of nothing but nulls has no type in a table; it is rescued",
		"data/column_chunk_key_value_metadata.parquet": "no rows, so the table has no file",
	}
}
