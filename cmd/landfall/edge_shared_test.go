//go:build shared

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"landfall/internal/contract"
	"landfall/internal/land"
	"landfall/internal/schema"
)

// otherwise is what we make of a JSON file of which the standard library makes
// something else, or nothing: rows and records in quarantine.
type otherwise struct {
	rows, held int64
	why        string
}

func otherFiles() map[string]otherwise {
	const bad = "the standard library stops at the first fault; we hold back that record"
	return map[string]otherwise{
		"json/11152.json":                           {3, 1, bad},
		"json/trailing_content.ndjson":              {3, 1, "a word behind an object, on its line, is a record by itself"},
		"json/unterminated_quotes.ndjson":           {4, 1, bad},
		"json/malformed/array_comma_malformed.json": {0, 1, "a comma alone is a bad record"},
		"json/fuzzer_hang.json":                     {0, 1, bad},
		"json/empty.ndjson":                         {0, 0, "a file of no bytes is held back as a whole"},
	}
}

// figures are what was found of several files.
type figures struct {
	sync.Mutex
	files, rows, typed, rescued int
}

// TestJSONFiles lands the JSON files of a collection, each as a table of its own,
// then all as one feed. Each lands whole or says where and why not: the table has
// the values that the standard library's reader finds, and what is not there is
// in quarantine. Where that reader fails or differs, a list says why.
func TestJSONFiles(t *testing.T) {
	t.Parallel()
	dir := realData(t, "duckdb-csv-json-edge-cases")
	files := jsonFiles(t, dir)
	var sum figures
	t.Run("alone", func(t *testing.T) {
		for some := range slices.Chunk(files, atOnce) {
			t.Run(some[0], func(t *testing.T) {
				t.Parallel()
				var feeds []landedFeed
				var reports []land.Report
				names := make([]string, len(some))
				for i, file := range some {
					in, name := deliverAlone(t, filepath.Join(dir, filepath.FromSlash(file)))
					f := landedFeed{in, filepath.Join(t.TempDir(), "table")}
					names[i], feeds = name, append(feeds, f)
					reports = append(reports, landReport(t, in, f.table, "--format", "json"))
				}
				for i, table := range readTrees(t, feeds...) {
					path := filepath.Join(dir, filepath.FromSlash(some[i]))
					sum.checkJSONFile(t, path, some[i], table.rows[names[i]], table.schema, heldBy(t, feeds[i].table)[names[i]])
					checkJSONReport(t, some[i], reports[i], 1, readText(t, path), table)
				}
			})
		}
	})
	t.Run("as one feed", func(t *testing.T) {
		f := landedFeed{filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "table")}
		var all []byte
		for i, file := range files {
			path := filepath.Join(dir, filepath.FromSlash(file))
			deliverCopy(t, path, filepath.Join(f.in, filepath.FromSlash(file)), time.Date(2026, 10, 1, 0, 0, i, 0, time.UTC))
			all = append(all, readText(t, path)...)
		}
		r := landReport(t, f.in, f.table, "--format", "json")
		table, held := readTrees(t, f)[0], heldBy(t, f.table)
		checkJSONReport(t, "all", r, len(files), all, table)
		for _, file := range files {
			rows := table.rows[file]
			if _, folders := contract.Folders(file); len(folders) > 0 {
				rows = withoutFolders(t, rows, folders)
			}
			sum.checkJSONFile(t, filepath.Join(dir, filepath.FromSlash(file)), file, rows, table.schema, held[file])
		}
	})
	if got := fmt.Sprint(sum.files, sum.rows, sum.typed, sum.rescued); got != "162 1134 3107 95" {
		t.Errorf("found %s files, rows, values in columns and rescued, want 162 1134 3107 95", got)
	}
}

// readText is a file in UTF-8.
func readText(t *testing.T, path string) []byte {
	t.Helper()
	return decodeUTF16(readRaw(t, path))
}

// withoutFolders takes the values of folders out of rows.
func withoutFolders(t *testing.T, rows []treeRow, folders []contract.Folder) []treeRow {
	t.Helper()
	out := slices.Clone(rows)
	for i := range out {
		out[i].cells = slices.DeleteFunc(slices.Clone(out[i].cells), func(m member) bool {
			return slices.ContainsFunc(folders, func(f contract.Folder) bool { return f.Key == m.name && sameTree(m.value, f.Value) })
		})
		if len(out[i].cells) != len(rows[i].cells)-len(folders) {
			t.Errorf("found %v, want the values of %v in it", rows[i].cells, folders)
		}
	}
	return out
}

// checkJSONReport compares a report with the text of the files and the table.
func checkJSONReport(t *testing.T, what string, r land.Report, files int, text []byte, table treeTable) {
	t.Helper()
	rows := int64(0)
	for _, of := range table.rows {
		rows += int64(len(of))
	}
	if len(r.Batches) != 1 || len(r.Skipped)+len(r.Deferred) > 0 || r.Batches[0].Files != int64(files) || r.Bytes.In != int64(len(text)) || r.Batches[0].RowsLanded != rows {
		t.Errorf("%s: found %d rows of %d files of %d bytes; %+v", what, rows, files, len(text), r)
	}
}

// checkJSONFile compares the rows of a file with what the standard library reads.
func (sum *figures) checkJSONFile(t *testing.T, path, file string, rows []treeRow, s schema.Struct, held []heldLine) {
	t.Helper()
	text := readText(t, path)
	rest := withoutHeld(t, file, text, held)
	want, err := plainRecords(bytes.TrimPrefix(text, []byte("\ufeff")))
	differs, known := otherFiles()[file]
	if known || len(held) > 0 || err != nil {
		bad := int64(len(held))
		if rest == nil {
			bad = 0 // the whole file
		}
		if int64(len(rows)) != differs.rows || bad != differs.held || !known {
			t.Errorf("%s: found %d rows and %d bad ones, want %+v; the standard library says %v of %.200q", file, len(rows), bad, differs, err, text)
		}
		want, err = leftRecords(rest)
	}
	if err != nil {
		t.Errorf("%s: the standard library says %v", file, err)
		return
	}
	var h hunt
	h.file(t, file, treeTable{s, map[string][]treeRow{file: rows}}, want)
	sum.Lock()
	defer sum.Unlock()
	sum.files, sum.rows, sum.typed, sum.rescued = sum.files+1, sum.rows+len(rows), sum.typed+h.typed, sum.rescued+h.rescued
}
