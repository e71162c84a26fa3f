//go:build shared

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

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

// landWith lands a folder of delimited files and checks the sums of every batch.
func landWith(t *testing.T, in, table string, flags ...string) land.Report {
	t.Helper()
	return landReport(t, in, table, append([]string{"--format", "csv"}, flags...)...)
}

// landReport lands a folder and checks the sums of every batch.
func landReport(t *testing.T, in, table string, flags ...string) land.Report {
	t.Helper()
	var r land.Report
	if err := json.Unmarshal(command(t, append([]string{"land", in, table, "--json"}, flags...)...), &r); err != nil {
		t.Fatal(err)
	}
	var bytesIn int64
	for _, b := range r.Batches {
		if b.RowsIn != b.RowsLanded+b.RowsQuarantined+b.RowsDropped {
			t.Errorf("%s: batch %d: rows in %d, but landed %d + quarantined %d + dropped %d",
				in, b.Batch, b.RowsIn, b.RowsLanded, b.RowsQuarantined, b.RowsDropped)
		}
		if b.Bytes.In != b.Bytes.Records+b.Bytes.Framing+b.Bytes.Bad {
			t.Errorf("%s: batch %d: bytes %+v", in, b.Batch, b.Bytes)
		}
		bytesIn += b.Bytes.In
	}
	if bytesIn != r.Bytes.In {
		t.Errorf("%s: bytes in: %d, but %d in the batches", in, r.Bytes.In, bytesIn)
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

// landedFeed is a folder and the table that it landed in.
type landedFeed struct{ in, table string }

// readLanded reads a table back. Rescued values are put into their rows.
func readLanded(t *testing.T, in, table string) realTable {
	t.Helper()
	return readAllLanded(t, landedFeed{in, table})[0]
}

// readAllLanded reads tables back.
func readAllLanded(t *testing.T, feeds ...landedFeed) []realTable {
	t.Helper()
	tables := make([]realTable, len(feeds))
	names := make([]map[string]string, len(feeds))
	for i, f := range feeds {
		names[i] = originals(t, f.table)
		tables[i] = realTable{rows: map[string][]row{}, rescued: map[string]int{}, columns: slices.Sorted(maps.Values(names[i]))}
	}
	eachRow(t, feeds, func(i int, file string, values map[string]jsontext.Value) {
		r := row{}
		for stored, raw := range values {
			value := textOf(t, raw)
			switch {
			case value == "":
			case stored == contract.RescuedData:
				tables[i].rescue(t, r, value)
			default:
				r[names[i][stored]] = value
			}
		}
		tables[i].rows[file] = append(tables[i].rows[file], r)
	})
	return tables
}

// eachRow passes on the rows of tables, with the values that are not null, in
// the order in which the tables hold them. All are read with one statement: to
// start the engine takes longer than to read a small table.
func eachRow(t *testing.T, feeds []landedFeed, use func(i int, file string, values map[string]jsontext.Value)) {
	t.Helper()
	args, names := []string{"query", "--json"}, map[string]int{}
	var parts []string
	for i, f := range feeds {
		name := "t"
		if i > 0 {
			name += strconv.Itoa(i + 1)
		}
		names[name] = i
		args = append(args, "--table", f.table)
		parts = append(parts, fmt.Sprintf("(SELECT _all AS %[1]s FROM %[1]s AS _all)", name))
	}
	d := jsontext.NewDecoder(bytes.NewReader(command(t, append(args, strings.Join(parts, " UNION ALL BY NAME "))...)))
	for d.PeekKind() == '{' {
		membersOf(t, d, func(name string) {
			if d.PeekKind() != '{' { // another table's row
				check(t, d.SkipValue())
				return
			}
			i, file, values := names[name], "", map[string]jsontext.Value{}
			membersOf(t, d, func(name string) {
				raw, err := d.ReadValue()
				check(t, err)
				switch {
				case name == contract.SourceFile:
					file = below(t, feeds[i].in, textOf(t, raw))
				case name != contract.IngestedAt && raw.Kind() != 'n':
					values[name] = raw.Clone()
				}
			})
			use(i, file, values)
		})
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}

// membersOf reads an object whose values use reads.
func membersOf(t *testing.T, d *jsontext.Decoder, use func(name string)) {
	_, err := d.ReadToken()
	for err == nil && d.PeekKind() == '"' {
		var name jsontext.Token
		if name, err = d.ReadToken(); err == nil {
			use(name.String())
		}
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	check(t, err)
}

// check stops a test at an error.
func check(t *testing.T, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// below is a file's path in its feed.
func below(t *testing.T, in, file string) string {
	t.Helper()
	path, ok := strings.CutPrefix(file, "file://"+(&url.URL{Path: in}).EscapedPath()+"/")
	path, err := url.PathUnescape(path)
	if !ok || err != nil {
		t.Fatalf("found a row of %s, want one below %s (%v)", file, in, err)
	}
	return path
}

// textOf is a value of a query as text, "" for null.
func textOf(t *testing.T, raw jsontext.Value) string {
	switch raw.Kind() {
	case 'n':
		return ""
	case '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		check(t, err)
		return string(text)
	}
	return string(raw)
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
	names := map[string]string{}
	for _, f := range snapshot(t, table).Fields {
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

// snapshot is the schema of a table.
func snapshot(t *testing.T, table string) schema.Struct {
	t.Helper()
	data, err := openStore(table)
	check(t, err)
	snap, err := delta.Open(data, delta.Options{}).Snapshot(t.Context())
	check(t, err)
	return snap.Schema
}
