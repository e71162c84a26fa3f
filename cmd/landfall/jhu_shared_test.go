//go:build shared

package main

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// daily lists the files of the JHU feed in the order of their days, which their
// names give as MM-DD-YYYY.
func daily(t *testing.T, dir string) []string {
	t.Helper()
	files := realFiles(t, dir)
	day := func(file string) time.Time {
		at, err := time.Parse("01-02-2006.csv", filepath.Base(file))
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(day(a).Compare(day(b)), cmp.Compare(a, b)) })
	return files
}

// TestDailyReports lands 34 real files, whose columns came, moved and were
// renamed over a year, day by day, all at once, and backwards. However they
// come, the table has the same rows and columns, and each value of each file is
// in the column of its name.
func TestDailyReports(t *testing.T) {
	dir := realData(t, "jhu-covid-daily")
	files := daily(t, dir)
	reversed := slices.Clone(files)
	slices.Reverse(reversed)
	want, columns := map[string][]row{}, map[string]bool{}
	for _, file := range files {
		p, err := readPlain(t, filepath.Join(dir, filepath.FromSlash(file)), ',')
		if err != nil {
			t.Fatal(err)
		}
		want[file] = p.rows
		for _, name := range p.names {
			columns[name] = true
		}
	}
	if n := (realTable{rows: want}).count(); len(files) != 34 || n != 45664 || len(columns) != 21 {
		t.Fatalf("the feed has %d files, %d rows, %d columns; want 34, 45664, 21", len(files), n, len(columns))
	}
	for _, c := range []struct {
		name  string
		order []string
		runs  int
	}{
		{"day by day", files, len(files)},
		{"all at once", files, 1},
		{"backwards", reversed, len(files)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in, table := landDaily(t, dir, c.order, c.runs)
			got := readLanded(t, in, table)
			if got.count() != 45664 || len(got.rescued) > 0 {
				t.Errorf("found %d rows and %v rescued values, want 45664 and none", got.count(), got.rescued)
			}
			if names := slices.Sorted(maps.Keys(columns)); !slices.Equal(got.columns, names) {
				t.Errorf("found columns %q, want %q", got.columns, names)
			}
			for _, file := range files {
				sameRows(t, file, got.rows[file], want[file])
			}
		})
	}
}

// landDaily delivers files in an order, each a minute younger than the one
// before, and lands them in as many runs.
func landDaily(t *testing.T, dir string, order []string, runs int) (in, table string) {
	t.Helper()
	in, table = filepath.Join(t.TempDir(), "in"), filepath.Join(t.TempDir(), "table")
	start := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	var rows, size int64
	each := len(order) / runs
	for i, file := range order {
		from := filepath.Join(dir, filepath.FromSlash(file))
		deliverCopy(t, from, filepath.Join(in, filepath.FromSlash(file)), start.Add(time.Duration(i)*time.Minute))
		info, err := os.Stat(from)
		if err != nil {
			t.Fatal(err)
		}
		size -= info.Size()
		if (i+1)%each > 0 {
			continue
		}
		r := landChecked(t, in, table)
		if len(r.Batches) != 1 || r.Batches[0].Files != int64(each) || len(r.Quarantined) > 0 || r.Batches[0].ValuesRescued > 0 {
			t.Fatalf("%s: %+v", file, r)
		}
		rows += r.Batches[0].RowsLanded
		if size += r.Bytes.In; size != 0 {
			t.Errorf("%s: accounted for %+d bytes", file, size)
		}
	}
	if rows != 45664 {
		t.Errorf("reports say %d rows, want 45664", rows)
	}
	return in, table
}
