//go:build shared

package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
	"landfall/internal/schema"
)

// TestMixedFolder lands hundreds of files that have nothing in common as one
// feed: more than a thousand columns, names in many casings, folders that
// become columns. Each file's rows hold what they hold in a table of their own.
func TestMixedFolder(t *testing.T) {
	t.Parallel()
	const feed = "duckdb-csv-json-edge-cases"
	dir := realData(t, feed)
	others, differ := countedFiles(t), differentFiles(t)
	in, table := filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "table")
	want := map[string][]row{}
	delivered := 0
	for i, file := range realFiles(t, dir) {
		name := feed + "/" + file
		known, ok := others[name]
		switch {
		case !ok || known.refused || differ[name].why != "" || strings.HasPrefix(file, "json/"):
			continue // the others land or not as they do alone
		case strings.HasPrefix(filepath.Base(file), "_"):
			continue // hidden
		}
		path := filepath.Join(dir, filepath.FromSlash(file))
		p, err := readPlain(t, path, known.delimiter)
		if err != nil {
			t.Fatal(err)
		}
		deliverCopy(t, path, filepath.Join(in, filepath.FromSlash(file)), time.Date(2026, 10, 1, 0, i, 0, 0, time.UTC))
		_, folders := contract.Folders(file)
		for _, r := range p.rows {
			for _, f := range folders {
				r[f.Key] = f.Value
			}
		}
		want[file] = p.rows
		delivered++
	}
	r := landChecked(t, in, table)
	if len(r.Batches) != 1 || r.Batches[0].Files != int64(delivered) || len(r.Quarantined) > 0 {
		t.Fatalf("%+v, %+v; want %d files", r.Batches, r.Quarantined, delivered)
	}
	got := cellsOf(t, in, table)
	for file, rows := range want {
		sameRows(t, file, folded(got[file]), folded(rows))
	}
	t.Logf("%d files, %d rows, %d columns", delivered, r.Batches[0].RowsLanded, len(originals(t, table)))
}

// cellsOf reads the values of a table that has far more columns than its rows
// have values.
func cellsOf(t *testing.T, in, table string) map[string][]row {
	t.Helper()
	original := originals(t, table)
	root := "file://" + (&url.URL{Path: in}).EscapedPath() + "/"
	rows := map[int64]row{}
	files := map[int64]string{}
	const sql = `UNPIVOT (SELECT row_number() OVER () AS _row, * EXCLUDE (_ingested_at) FROM t)
		ON * EXCLUDE (_row, _source_file) INTO NAME name VALUE value`
	for line := range bytes.Lines(command(t, "query", "--json", "--table", table, sql)) {
		var cell struct {
			Row         int64  `json:"_row"`
			File        string `json:"_source_file"`
			Name, Value string
		}
		if err := json.Unmarshal(line, &cell); err != nil {
			t.Fatal(err)
		}
		r := rows[cell.Row]
		if r == nil {
			r = row{}
			rows[cell.Row], files[cell.Row] = r, cell.File
		}
		switch {
		case cell.Value == "":
		case cell.Name == contract.RescuedData:
			realTable{rescued: map[string]int{}}.rescue(t, r, cell.Value)
		default:
			r[original[cell.Name]] = cell.Value
		}
	}
	byFile := map[string][]row{}
	for i, r := range rows {
		file, err := url.PathUnescape(strings.TrimPrefix(files[i], root))
		if err != nil {
			t.Fatal(err)
		}
		byFile[file] = append(byFile[file], r)
	}
	return byFile
}

// folded gives names in any casing one form, and keeps both values of a record
// that has two casings of a name.
func folded(rows []row) []row {
	all := make([]row, len(rows))
	for i, r := range rows {
		all[i] = row{}
		names := make([]string, 0, len(r))
		for name := range r {
			names = append(names, name)
		}
		slices.SortFunc(names, func(a, b string) int { return strings.Compare(r[a], r[b]) })
		for _, name := range names {
			all[i][schema.Fold(name)] += "|" + r[name]
		}
	}
	return all
}
