//go:build interop

package interop

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/parquetfile/verbatim/verbatimtest"
	"landfall/internal/schema"
	"landfall/internal/table"
)

// senders write the source of a copy, each in its own way. %s is where.
var senders = map[string]func(t *testing.T, path string){
	"duckdb": func(t *testing.T, path string) { lake(t).do(t, "parquet", args{"path": path, "sql": sent}, nil) },
	"arrow":  byArrow(args{"compression": "snappy", "row_group_size": 150, "write_page_index": true}),
	"arrow, plain": byArrow(args{
		"compression": "zstd", "use_dictionary": false, "data_page_version": "2.0", "write_page_index": true, "data_page_size": 512,
	}),
	"arrow, checked": byArrow(args{"compression": "gzip", "write_page_checksum": true, "version": "1.0"}),
	"spark": func(t *testing.T, path string) {
		other := path + ".source"
		lake(t).do(t, "parquet", args{"path": other, "sql": sent}, nil)
		folder := path + ".folder"
		run := func(text string) { spark(t).do(t, "sql", args{"text": text}, nil) }
		run("set spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS")
		run(fmt.Sprintf("insert overwrite directory '%s' using parquet select /*+ coalesce(1) */ * from parquet.`%s`", folder, other))
		parts, err := filepath.Glob(filepath.Join(folder, "part-*.parquet"))
		if err != nil || len(parts) != 1 {
			t.Fatalf("found %q, wanted one file: %v", parts, err)
		}
		if err := os.Rename(parts[0], path); err != nil {
			t.Fatal(err)
		}
	},
}

func byArrow(options args) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		a := args{"path": path, "sql": sent}
		for k, v := range options {
			a[k] = v
		}
		lake(t).do(t, "parquet", a, nil)
	}
}

// sent are rows of all types that a copy moves: decimals in bytes, zeros of both
// signs and NaN in dictionaries, text that repeats and text that does not, nested
// values with nulls at every level, wall clocks.
const sent = `select i as id,
  case when i % 7 = 0 then null else (i * 37 % 1000 - 500)::integer end as n,
  (i % 5 = 0) as flag,
  (['0.0', '-0.0', '1.5', 'NaN', '-2.25', '1e300'])[i % 6 + 1]::double as d,
  ((i % 13) - 6)::float / 4 as f,
  (i * 12345 % 99999999 - 5000000)::decimal(12, 0) / 100 as whole,
  ((i * 12345 % 99999999 - 5000000) / 100)::decimal(12, 2) as amount,
  ((i * 7 % 1000) / 10)::decimal(5, 1) as small,
  (i::hugeint * 123456789012345678)::decimal(38, 4) as huge,
  'word ' || (i % 17) as word,
  case when i % 3 = 0 then null else repeat('Zoë 🦊 ', (i % 9)::integer) || i end as text,
  ('b' || i)::blob as bytes,
  date '2024-01-01' + (i % 1000)::integer as day,
  timestamp '2024-01-01 00:00:00' + to_microseconds(i * 1234567) as wall,
  (timestamp '1960-01-01 00:00:00' + to_microseconds(i * 7654321))::timestamptz as seen,
  case when i % 4 = 0 then null when i % 4 = 1 then [] else [i, null, i * 2] end as list,
  case when i % 6 = 0 then null else {'a': i % 10, 'b': {'c': 'x' || i % 3, 'd': [(i % 2 = 0)]}} end as tree,
  case when i % 5 = 0 then null else map {'k' || i % 4: i, 'other': null} end as dict,
  [{'sku': i, 'n': 'n' || i % 3}, null] as items
  from range(400) r(i)`

// TestCopied moves every column of files of other writers, under other names and in
// another order, and reads the table with everybody's readers.
func TestCopied(t *testing.T) {
	for name, send := range senders {
		t.Run(name, func(t *testing.T) {
			dir := newTable(t)
			path := filepath.Join(t.TempDir(), "sent.parquet")
			send(t, path)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src, err := verbatim.Open(bytes.NewReader(data), int64(len(data)), parquetfile.Reading{})
			if err != nil {
				t.Fatal(err)
			}
			a := newAuthor(t, dir)
			copyInto(t, a, src)
			var wanted rows
			lake(t).do(t, "evaluate", args{"sql": fmt.Sprintf("select %s from read_parquet('%s')", chosenOf(src), path)}, &wanted)
			everyone(t, dir, wanted)
			askAbout(t, dir, path)
		})
	}
}

// chosenOf are the columns of a source as the copy has them. DuckDB takes wall
// clocks for what they are, a table reads them as those of UTC.
func chosenOf(src *verbatim.Source) string {
	var out []string
	for _, f := range src.Fields() {
		from := f.Name
		if f.Type == schema.Type(schema.Timestamp) {
			from += "::timestamptz"
		}
		out = append(out, fmt.Sprintf("%s as %s2", from, f.Name))
	}
	return strings.Join(out, ", ")
}

// copyInto commits a copy of all columns, backwards.
func copyInto(t *testing.T, a *author, src *verbatim.Source) {
	t.Helper()
	var parts []verbatimtest.Column
	fields := src.Fields()
	for i := len(fields) - 1; i >= 0; i-- {
		f := schema.Field{Name: fields[i].Name + "2", Type: fields[i].Type, Nullable: true}
		c, err := src.Column(i, f)
		if err != nil {
			t.Fatal(err)
		}
		a.schema.Fields = append(a.schema.Fields, f)
		parts = append(parts, verbatimtest.Copied(c))
	}
	up, err := a.s.Upload(t.Context(), "part-copied.parquet")
	if err != nil {
		t.Fatal(err)
	}
	size, err := verbatimtest.Write(up, src, parts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := up.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.commit(table.Change{Operation: "WRITE", Adds: []table.File{{
		Path: "part-copied.parquet", Size: size, Rows: src.Rows(), Stats: fmt.Sprintf(`{"numRecords":%d}`, src.Rows()),
		ModTime: time.Unix(1_780_000_000, 0),
	}}})
}

// askAbout asks Spark and DuckDB for rows by values, for which they look into
// statistics, dictionaries and indexes of the file, and wants what the source has.
func askAbout(t *testing.T, dir, path string) {
	t.Helper()
	questions := []string{
		"%sd%s = 0.0", "%sd%s > 1e200", "%sf%s = 0", "%sn%s is null", "%sid%s between 250 and 260", "%sword%s = 'word 5'",
		"%samount%s > -20000", "%shuge%s < 123456789012345679", "%sday%s = date '2024-03-01'", "%stree%s.b.c = 'x1'",
	}
	var found, from []string
	for i, q := range questions {
		found = append(found, fmt.Sprintf("select %d as q, count(*) as c from %%t where %s", i, fmt.Sprintf(q, "", "2")))
		from = append(from, fmt.Sprintf("select %d as q, count(*) as c from read_parquet('%s') where %s", i, path, fmt.Sprintf(q, "", "")))
	}
	var wanted rows
	lake(t).do(t, "evaluate", args{"sql": strings.Join(from, " union all ")}, &wanted)
	same(t, "spark", spark(t).sql(t, dir, strings.Join(found, " union all ")), wanted)
	for i := range found {
		found[i] = strings.ReplaceAll(found[i], "%t", fmt.Sprintf("delta_scan('%s')", dir))
	}
	var duck rows
	lake(t).do(t, "evaluate", args{"sql": strings.Join(found, " union all ")}, &duck)
	same(t, "duckdb", duck, wanted)
}
