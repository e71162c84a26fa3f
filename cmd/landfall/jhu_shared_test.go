//go:build shared

package main

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landfall/internal/event"
	"landfall/internal/land"
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
// in the column of its name. With types it is there with the same digits, or was
// rescued; no code loses a zero.
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
			in, table, _ := landDaily(t, dir, c.order, c.runs, "--option", "cloudFiles.inferColumnTypes=false")
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
	for _, c := range typedDays() {
		t.Run(c.name+" with types", func(t *testing.T) {
			t.Parallel()
			order := files
			if c.backwards {
				order = reversed
			}
			c.check(t, dir, order, want)
		})
	}
}

// typedDay is what the daily reports become with types.
type typedDay struct {
	name      string
	backwards bool
	runs      int
	// types are those of columns that are no strings; ratios, coordinates are
	// doubles in any order.
	types map[string]string
	// rescued counts values by their reason; renamed are names with those that
	// others were told to have become.
	rescued map[string]int
	renamed map[string]string
}

func typedDays() []typedDay {
	later := map[string]string{
		"Province/State": "Province_State", "Country/Region": "Country_Region", "Last Update": "Last_Update", "Latitude": "Lat",
		"Longitude": "Long_", "Incidence_Rate": "Incident_Rate", "Case-Fatality_Ratio": "Case_Fatality_Ratio",
	}
	return []typedDay{
		{
			// Codes had no zeros when FIPS was new.
			name: "day by day", runs: 34,
			types:   map[string]string{"Confirmed": "bigint", "Deaths": "bigint", "Recovered": "bigint", "Active": "bigint", "FIPS": "bigint"},
			rescued: map[string]int{"type:bigint": 555},
			renamed: later,
		},
		{
			name: "all at once", runs: 1,
			types:   map[string]string{"Confirmed": "double", "Deaths": "double", "Recovered": "double", "Active": "double"},
			rescued: map[string]int{}, renamed: later,
		},
		{
			// The youngest file has 1001.0 and timestamps as ISO has them; the older
			// column of days with slashes is of another type.
			name: "backwards", backwards: true, runs: 34,
			types: map[string]string{
				"Confirmed": "bigint", "Deaths": "bigint", "Recovered": "bigint", "Active": "double", "FIPS": "double", "Last_Update": "timestamp",
			},
			rescued: map[string]int{"type:double": 555, "type:timestamp": 3421},
			renamed: map[string]string{
				"Province_State": "Province/State", "Country_Region": "Country/Region", "Lat": "Latitude",
				"Long_": "Longitude", "Incident_Rate": "Incidence_Rate", "Case_Fatality_Ratio": "Case-Fatality_Ratio",
			},
		},
	}
}

// check lands the reports with types. Every value is in the table, with the same
// digits, or rescued as it was; a code keeps its zeros.
func (c typedDay) check(t *testing.T, dir string, order []string, want map[string][]row) {
	t.Helper()
	in, table, reports := landDaily(t, dir, order, c.runs)
	got, types := readLanded(t, in, table), typesOf(t, table)
	codes, zeros := 0, 0
	for file, rows := range want {
		sameRows(t, file, canonical(got.rows[file], types), canonical(rows, types))
		codes += countCodes(rows)
		zeros += countCodes(got.rows[file])
	}
	if got.count() != 45664 || zeros != 555 || codes != 555 {
		t.Errorf("found %d rows and %d codes with zeros, want 45664 and 555; the files have %d", got.count(), zeros, codes)
	}
	for _, name := range []string{"Lat", "Latitude", "Long_", "Longitude", "Incidence_Rate", "Incident_Rate", "Case-Fatality_Ratio", "Case_Fatality_Ratio"} {
		c.types[name] = "double"
	}
	maps.DeleteFunc(types, func(_, typ string) bool { return typ == "string" })
	if !maps.Equal(types, c.types) {
		t.Errorf("found the types %v, want %v", types, c.types)
	}
	if !maps.Equal(got.rescued, c.rescued) {
		t.Errorf("rescued %v, want %v", got.rescued, c.rescued)
	}
	renamed, reported := map[string]string{}, 0
	for _, r := range reports {
		reported += int(r.Batches[0].ValuesRescued)
		for _, d := range r.Drift {
			if d.Kind == event.ColumnRenamed {
				renamed[d.From] = d.To
			}
		}
	}
	if !maps.Equal(renamed, c.renamed) {
		t.Errorf("told as renamed: %v, want %v", renamed, c.renamed)
	}
	all := 0
	for _, n := range got.rescued {
		all += n
	}
	if reported != all {
		t.Errorf("found %d rescued values, the reports say %d", all, reported)
	}
}

// countCodes counts the codes of counties that begin with a zero.
func countCodes(rows []row) int {
	n := 0
	for _, r := range rows {
		if strings.HasPrefix(r["FIPS"], "0") {
			n++
		}
	}
	return n
}

// landDaily delivers files in an order, each a minute younger than the one
// before, and lands them in as many runs.
func landDaily(t *testing.T, dir string, order []string, runs int, flags ...string) (in, table string, reports []land.Report) {
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
		r := landWith(t, in, table, flags...)
		if len(r.Batches) != 1 || r.Batches[0].Files != int64(each) || len(r.Quarantined) > 0 {
			t.Fatalf("%s: %+v", file, r)
		}
		reports = append(reports, r)
		rows += r.Batches[0].RowsLanded
		if size += r.Bytes.In; size != 0 {
			t.Errorf("%s: accounted for %+d bytes", file, size)
		}
	}
	if rows != 45664 {
		t.Errorf("reports say %d rows, want 45664", rows)
	}
	return in, table, reports
}
