package delta

import (
	"errors"
	"fmt"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/store"
	"landfall/internal/store/memory"
	"landfall/internal/table"
)

func TestCommits(t *testing.T) {
	disk, tbl, _ := tableOf(t,
		first(`{"commitInfo":{"timestamp":1000,"operation":"CREATE TABLE","landfallAttempt":7}}`),
		[]string{
			`{"commitInfo":{"timestamp":2000,"inCommitTimestamp":3000,"operation":"LAND","landfallAttempt":"id"}}`,
			txnLine("spark", 5), txnLine("landfall/s", 4), removeLine("x%20y"), removeLine("x"), addLine("z"),
		},
		[]string{addLine("without any info")},
	)
	var got []string
	for c, err := range tbl.Commits(t.Context(), 0, 2) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d %s %q %q %s %d %v", c.Version, c.Time.Format("05.000"), c.Operation, c.Attempt, c.App, c.Batch, c.Removed))
	}
	stat, err := disk.Stat(t.Context(), versionKey(2))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`0 01.000 "CREATE TABLE" ""  0 []`,
		`1 03.000 "LAND" "id" landfall/s 4 [{x y } {x }]`,
		`2 ` + stat.ModTime.Format("05.000") + ` "" ""  0 []`,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("found\n%v\nwant\n%v", got, want)
	}
}

func TestCommitsThatAreGone(t *testing.T) {
	disk, tbl, _ := tableOf(t, first(), []string{addLine("1")}, []string{addLine("2")})
	last := func(from, to int64) (n int, err error) {
		for _, e := range tbl.Commits(t.Context(), from, to) {
			if err = e; err == nil {
				n++
			}
		}
		return n, err
	}
	if n, err := last(1, 3); n != 2 || !errors.Is(err, store.ErrNotExist) || errors.Is(err, table.ErrCleaned) {
		t.Errorf("past the newest: found %d commits, %v", n, err)
	}
	if err := disk.Delete(t.Context(), versionKey(0)); err != nil {
		t.Fatal(err)
	}
	if n, err := last(0, 2); n != 0 || !errors.Is(err, table.ErrCleaned) {
		t.Errorf("cleaned up: found %d commits, %v", n, err)
	}
	if n, err := last(1, 2); n != 2 || err != nil {
		t.Errorf("what is left: found %d commits, %v", n, err)
	}
	for c, err := range tbl.Commits(t.Context(), 1, 2) {
		if err != nil || c.Version != 1 {
			t.Errorf("found version %d, %v", c.Version, err)
		}
		break // a caller may stop
	}
}

func TestCheckEmpty(t *testing.T) {
	disk := memory.New(nil)
	tbl := Open(disk, Options{})
	for _, key := range []string{"_landfall/s/source.json", ".hidden", "dt=1/_tmp/x"} {
		putBytes(t, disk, key, nil)
	}
	if err := tbl.CheckEmpty(t.Context()); err != nil {
		t.Errorf("only hidden files: %v", err)
	}
	putBytes(t, disk, "dt=1/data.parquet", nil)
	err := tbl.CheckEmpty(t.Context())
	var d *diag.Diagnostic
	if !errors.As(err, &d) || d.Code != diag.NotDelta || d.At.File != disk.URL("dt=1/data.parquet") {
		t.Errorf("found %v", err)
	}
}
