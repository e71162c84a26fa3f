package audit

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zeebo/xxh3"
	"pgregory.net/rapid"

	"landfall/internal/table"
)

// TestTally: the sum of rows tells sets of them apart, however often a row comes, and
// does not ask for their order; the cells of one row do not run together.
func TestTally(t *testing.T) {
	cell := rapid.SampledFrom([]string{"", "1", "12", "2", "null", `"1"`})
	row := rapid.Custom(func(rt *rapid.T) []string { return rapid.SliceOfN(cell, 2, 2).Draw(rt, "cells") })
	text := func(rows [][]string) []string {
		var out []string
		for _, r := range rows {
			out = append(out, fmt.Sprintf("%q", r))
		}
		slices.Sort(out)
		return out
	}
	sum := func(rows [][]string) tally {
		var s tally
		for _, r := range rows {
			s.add([][]byte{[]byte(r[0]), []byte(r[1])})
		}
		return s
	}
	rapid.Check(t, func(rt *rapid.T) {
		x := rapid.SliceOfN(row, 0, 5).Draw(rt, "rows")
		y := rapid.Permutation(x).Draw(rt, "other order")
		if rapid.Bool().Draw(rt, "another") {
			y = rapid.SliceOfN(row, 0, 5).Draw(rt, "others")
		}
		a, b := sum(x), sum(y)
		if same := a.sum == b.sum && a.rows == b.rows; same != slices.Equal(text(x), text(y)) {
			rt.Fatalf("%q and %q: same %v", x, y, same)
		}
	})
}

func TestUnlike(t *testing.T) {
	of := func(n ...uint64) (out []xxh3.Uint128) {
		for _, v := range n {
			out = append(out, xxh3.Uint128{Lo: v})
		}
		return out
	}
	for _, c := range []struct {
		sums, others []xxh3.Uint128
		want         int
	}{{of(1, 2), of(2, 1), 0}, {of(1, 1), of(1), 1}, {of(1), of(1, 1), 0}, {of(3), nil, 1}} {
		if got := unlike(c.sums, c.others); got != c.want {
			t.Errorf("%v beside %v: %d, want %d", c.sums, c.others, got, c.want)
		}
	}
}

// Rows that differ are told beside the record that is most like them, the rest as
// missing or as more than there should be.
func TestDifferences(t *testing.T) {
	cells := func(texts ...string) (out [][]byte) {
		for _, c := range texts {
			out = append(out, []byte(c))
		}
		return out
	}
	o := odds{nRows: 2, nRecords: 2}
	file := table.File{Path: "a.parquet"}
	o.rows = []odd{{cells: cells("1", "x"), file: file, position: 4}, {cells: cells("9", "z"), file: file, position: 5}}
	o.records = []odd{{cells: cells("2", "y"), record: 7}, {cells: cells("1", "y"), record: 8}}
	some, total := o.differences([]string{"n", "s"})
	got := ""
	for _, d := range some {
		got += fmt.Sprint(d.Kind, " ", d.Record, " ", d.Column, " ", d.Found, " ", d.Want, "; ")
	}
	if want := "cell 8 s x y; row_extra 0   ; row_missing 7   ; "; got != want || total != 3 {
		t.Errorf("%d: %s, want %s", total, got, want)
	}
}
