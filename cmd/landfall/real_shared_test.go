//go:build shared

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
	"landfall/internal/land"
	"landfall/internal/schema"
	"landfall/internal/table/delta"
)

// realData is the folder of files that nobody here wrote.
func realData(t *testing.T, feed string) string {
	t.Helper()
	dir := os.Getenv("LANDFALL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	dir = filepath.Join(dir, "data", feed)
	if _, err := os.Stat(dir); err != nil {
		t.Fatalf("no shared data, set LANDFALL_SHARED: %v", err)
	}
	return dir
}

// realFiles lists the delimited files of a feed, relative to its folder.
func realFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path) == "MANIFEST.tsv" {
			return err
		}
		name := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
		ext := filepath.Ext(name)
		if packed := name != path; ext != ".csv" && ext != ".tsv" && (ext != "" || !packed) {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// deliverCopy puts a copy of a file into a feed, as if it had come at a time.
func deliverCopy(t *testing.T, from, to string, at time.Time) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(to, at, at); err != nil {
		t.Fatal(err)
	}
}

// command runs the program within this process and returns what it prints.
func command(t *testing.T, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if status := run(args, &stdout, &stderr); status != 0 {
		t.Fatalf("landfall %s: exit %d: %s", strings.Join(args, " "), status, stderr.String())
	}
	return stdout.Bytes()
}

// landChecked lands a folder as text and checks the sums of every batch.
func landChecked(t *testing.T, in, table string) land.Report {
	t.Helper()
	return landWith(t, in, table, "--option", "cloudFiles.inferColumnTypes=false")
}

// landWith lands a folder and checks the sums of every batch.
func landWith(t *testing.T, in, table string, flags ...string) land.Report {
	t.Helper()
	var r land.Report
	if err := json.Unmarshal(command(t, append([]string{"land", in, table, "--format", "csv", "--json"}, flags...)...), &r); err != nil {
		t.Fatal(err)
	}
	var bytesIn int64
	for _, b := range r.Batches {
		if b.RowsIn != b.RowsLanded+b.RowsQuarantined+b.RowsDropped {
			t.Errorf("batch %d: rows in %d, but landed %d + quarantined %d + dropped %d",
				b.Batch, b.RowsIn, b.RowsLanded, b.RowsQuarantined, b.RowsDropped)
		}
		if b.Bytes.In != b.Bytes.Records+b.Bytes.Framing+b.Bytes.Bad {
			t.Errorf("batch %d: bytes %+v", b.Batch, b.Bytes)
		}
		bytesIn += b.Bytes.In
	}
	if bytesIn != r.Bytes.In {
		t.Errorf("bytes in: %d, but %d in the batches", r.Bytes.In, bytesIn)
	}
	return r
}

// row is what a table or a file says of one record: its values by the original
// names of their columns. Empty fields are left out.
type row map[string]string

// text is a form of r by which rows are compared. Readers differ in whether
// they keep the line ends within a value; that is not the question here.
func (r row) text() string {
	b, err := json.Marshal(r)
	if err != nil {
		return err.Error()
	}
	text := strings.ReplaceAll(string(b), `\r\n`, `\n`)
	return strings.ReplaceAll(text, `\r`, `\n`)
}

// realTable is a table as the program's own query shows it.
type realTable struct {
	// columns are the original names of the data columns, sorted.
	columns []string
	// rows are the rows of each file, by its path below the source.
	rows map[string][]row
	// rescued counts rescued values by reason.
	rescued map[string]int
}

func (l realTable) count() int {
	n := 0
	for _, rows := range l.rows {
		n += len(rows)
	}
	return n
}

// readLanded reads a table back. Rescued values are put into their rows.
func readLanded(t *testing.T, in, table string) realTable {
	t.Helper()
	original := originals(t, table)
	root := "file://" + (&url.URL{Path: in}).EscapedPath() + "/"
	l := realTable{rows: map[string][]row{}, rescued: map[string]int{}}
	l.columns = slices.Sorted(maps.Values(original))
	out := command(t, "query", "--json", "--table", table, "SELECT * EXCLUDE (_ingested_at) FROM t")
	for line := range bytes.Lines(out) {
		var values map[string]json.RawMessage
		if err := json.Unmarshal(line, &values); err != nil {
			t.Fatal(err)
		}
		r := row{}
		for stored, raw := range values {
			value := textOf(t, raw)
			switch {
			case value == "":
			case stored == contract.RescuedData:
				l.rescue(t, r, value)
			case stored != contract.SourceFile:
				r[original[stored]] = value
			}
		}
		below, ok := strings.CutPrefix(textOf(t, values[contract.SourceFile]), root)
		file, err := url.PathUnescape(below)
		if !ok || err != nil {
			t.Fatalf("found a row of %s, want one below %s (%v)", values[contract.SourceFile], root, err)
		}
		l.rows[file] = append(l.rows[file], r)
	}
	return l
}

// textOf is a value of a query as text, "" for null.
func textOf(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	switch {
	case string(raw) == "null":
		return ""
	case raw[0] != '"':
		return string(raw)
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		t.Fatal(err)
	}
	return text
}

// rescue puts the rescued values of a record into its row.
func (l realTable) rescue(t *testing.T, r row, text string) {
	t.Helper()
	var values map[string]any
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	why, ok := values["_why"].(map[string]any)
	if !ok {
		t.Fatalf("found %s, want reasons in it", text)
	}
	for name, reason := range why {
		l.rescued[reason.(string)]++
		if value := values[name].(string); value != "" {
			r[name] = value
		}
	}
}

// originals maps the stored names of a table's data columns to those in files.
func originals(t *testing.T, table string) map[string]string {
	t.Helper()
	data, err := openStore(table)
	if err != nil {
		t.Fatal(err)
	}
	snap, err := delta.Open(data, delta.Options{}).Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, f := range snap.Schema.Fields {
		switch f.Name {
		case contract.RescuedData, contract.SourceFile, contract.IngestedAt:
			continue
		}
		names[f.Name] = f.Name
		if raw, ok := f.Metadata[schema.OriginalKey]; ok {
			var name string
			if err := json.Unmarshal(raw, &name); err != nil {
				t.Fatal(err)
			}
			names[f.Name] = name
		}
		if k, ok := f.Metadata[schema.NthKey]; ok {
			names[f.Name] += "#" + string(k)
		}
	}
	return names
}

// sameRows compares two lists of rows as multisets.
func sameRows(t *testing.T, what string, got, want []row) {
	t.Helper()
	for i, d := range unlike(got, want) {
		if i == 3 {
			t.Errorf("%s: … and more", what)
			break
		}
		t.Errorf("%s: %s", what, d)
	}
}

// unlike says which rows one of two multisets has more often than the other.
func unlike(got, want []row) []string {
	balance := map[string]int{}
	for _, r := range want {
		balance[r.text()]++
	}
	for _, r := range got {
		balance[r.text()]--
	}
	var differences []string
	for text, n := range balance {
		if n != 0 {
			differences = append(differences, fmt.Sprintf("want %+d rows of %s", n, text))
		}
	}
	return differences
}
