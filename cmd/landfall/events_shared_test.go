//go:build shared

package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/land"
)

// jsonFiles lists the JSON files of a feed, relative to its folder.
func jsonFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	check(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimSuffix(filepath.Base(path), ".gz")
		if err == nil && !d.IsDir() && strings.Contains(".json.jsonl.ndjson.geojson.geojsonl.geojson", filepath.Ext(name)) && filepath.Ext(name) != "" {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, filepath.ToSlash(rel))
		}
		return err
	}))
	return files
}

// treeFeed is a feed of JSON files and what the standard library reads in them.
type treeFeed struct {
	landedFeed
	files   []string
	records map[string][]any
	reports []land.Report
}

// landTrees delivers files of a folder in an order and lands them, at once or
// one by one. It reads them itself, too.
func landTrees(t *testing.T, dir string, files []string, oneByOne bool) treeFeed {
	t.Helper()
	f := treeFeed{landedFeed{filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "table")}, files, map[string][]any{}, nil}
	var size, n int64
	for i, file := range files {
		from := filepath.Join(dir, filepath.FromSlash(file))
		deliverCopy(t, from, filepath.Join(f.in, filepath.FromSlash(file)), time.Date(2026, 10, 1, 0, 0, i, 0, time.UTC))
		text, err := os.ReadFile(from)
		check(t, err)
		size, n = size+int64(len(text)), n+1
		if f.records[file], err = plainRecords(text); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if !oneByOne && i < len(files)-1 {
			continue
		}
		r := landReport(t, f.in, f.table)
		if len(r.Batches) != 1 || r.Batches[0].Files != n || len(r.Quarantined)+len(r.Skipped)+len(r.Deferred) > 0 || r.Bytes.In != size {
			t.Fatalf("%s: %+v, want %d files of %d bytes", file, r, n, size)
		}
		f.reports, size, n = append(f.reports, r), 0, 0
	}
	return f
}

// all are the records of all files.
func (f treeFeed) all() []any {
	var all []any
	for _, file := range f.files {
		all = append(all, f.records[file]...)
	}
	return all
}

// checkHunt looks for every value of a feed in its table. It compares the number
// of values, and of those that were rescued.
func (f treeFeed) checkHunt(t *testing.T, table treeTable, values, rescued int) {
	t.Helper()
	var h hunt
	for _, file := range f.files {
		h.file(t, file, table, f.records[file])
	}
	var reported int64
	for _, r := range f.reports {
		reported += r.Batches[0].ValuesRescued
	}
	if h.typed+h.rescued != values || h.rescued != rescued || reported != int64(rescued) {
		t.Errorf("found %d values in columns and %d in the rescue column, %d as the reports say; want %d in all, %d rescued",
			h.typed, h.rescued, reported, values, rescued)
	}
}

// reasons counts the reasons for which values were rescued.
func (t treeTable) reasons() map[string]int {
	n := map[string]int{}
	for _, rows := range t.rows {
		for _, r := range rows {
			for path, why := range r.why {
				n[path+" "+why]++
			}
		}
	}
	return n
}

// drift counts what was told of columns: kind and path.
func (f treeFeed) drift() map[string]int {
	n := map[string]int{}
	for _, r := range f.reports {
		for _, d := range r.Drift {
			if d.Column != "" {
				n[string(d.Kind)+" "+d.Column]++
			}
		}
	}
	return n
}

func sameCounts(t *testing.T, what string, got, want map[string]int) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("found %s\n%v, want\n%v", what, got, want)
	}
}

// TestEvents lands real events of eight types and issues: 726 paths in one file
// alone, counting the record itself and the elements of arrays. Every value of
// every record is in the column of its path or in the rescue column, and columns
// have the type that the values of their path have. In another order the files
// give the same.
func TestEvents(t *testing.T) {
	t.Parallel()
	dir := realData(t, "github-events-json")
	files := jsonFiles(t, dir)
	if len(files) != 8 {
		t.Fatalf("found %d files, want 8", len(files))
	}
	f := landTrees(t, dir, files, false)
	paths := map[string]int{}
	for _, record := range f.records["github.events.load_page_1_duck.json"] {
		pathsOf(record, "", paths)
	}
	if len(paths) != 726 {
		t.Errorf("found %d paths in the events, want 726", len(paths))
	}
	reversed := slices.Clone(files)
	slices.Reverse(reversed)
	g := landTrees(t, dir, reversed, false)
	tables := readTrees(t, f.landedFeed, g.landedFeed)
	f.checkHunt(t, tables[0], 30947, 177)
	g.checkHunt(t, tables[1], 30947, 177)
	for _, file := range files {
		misses(t, file, tables[0], f.records[file])
	}
	types := typesStored(tables[0].schema)
	sameTypes(t, types, typesAsked(f.all()), map[string]string{
		".id":    "bigint", // of issues numbers, of events the same as text
		".extra": "string", // true, then 1.1
	})
	sameTypes(t, typesStored(tables[1].schema), types, nil)
	sameCounts(t, "reasons", tables[0].reasons(), map[string]int{ // only [] and {} were seen
		"parse_data.entities type:void":                   1,
		"parse_data.metadata type:void":                   1,
		"payload.forkee.topics type:void":                 1,
		"payload.pull_request.assignees type:void":        58,
		"payload.pull_request.head.repo.topics type:void": 58,
		"payload.pull_request.requested_teams type:void":  58,
	})
}

// misses checks that a hunt finds no value that is not there, and every one too
// many.
func misses(t *testing.T, file string, table treeTable, records []any) {
	t.Helper()
	for i, record := range records {
		for _, away := range []bool{false, true} {
			n := 1 + 31*i%leaves(record)
			var h hunt
			h.record(table.schema, table.rows[file][i], changed(record, &n, away))
			if len(h.wrong) == 0 {
				t.Errorf("%s: record %d: another record is found in its row", file, i+1)
			}
		}
	}
}
