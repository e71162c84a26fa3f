package parquet

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
)

func TestSet(t *testing.T) {
	for text, want := range map[string]string{
		"datetimeRebaseMode=LEGACY":    "{0 UTC true false}",
		"datetimeRebaseMode=corrected": "{0 UTC false false}",
		"INT96REBASEMODE=Legacy":       "{0 UTC false true}",
		"int96RebaseMode=EXCEPTION":    `int96RebaseMode: found "EXCEPTION", want CORRECTED or LEGACY [E0204]`,
		"maxColumns=7":                 "{7 UTC false false}",
		"maxColumns=-7":                `maxColumns: found "-7"`,
		"header=true":                  "unknown",
	} {
		var o Options
		key, value, _ := strings.Cut(text, "=")
		known, err := o.Set(key, value)
		got := fmt.Sprint(o)
		if err != nil {
			got = err.Error()
		} else if !known {
			got = "unknown"
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: found %s, want %s", text, got, want)
		}
	}
}

// values reads the integers of a column of one leaf.
func values(t *testing.T, data []byte, o Options) (ints []int64, err error) {
	t.Helper()
	r, err := Open("a", bytes.NewReader(data), int64(len(data)), o)
	if err != nil {
		t.Fatal(err)
	}
	for slab, err := range r.Slabs(t.Context()) {
		if err != nil {
			return nil, err
		}
		ints = append(ints, slab.Columns[0].Leaves[0].Ints...)
	}
	return ints, nil
}

// Wall clocks hang in a zone, where one hour of the year is twice and one is not
// at all.
func TestZone(t *testing.T) {
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	wall := func(text string) int64 {
		at, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return at.UnixMicro()
	}
	s := schema.Struct{Fields: []schema.Field{{Name: "at", Type: schema.TimestampNTZ, Nullable: true}}}
	file := func(texts ...string) []byte {
		var rows []any
		for _, text := range texts {
			rows = append(rows, wall(text))
		}
		return written(t, s, [][]any{rows}, parquetfile.Options{})
	}
	got, err := values(t, file("2026-01-01 12:00:00", "2026-07-01 12:00:00", "2026-10-25 02:30:00"), Options{Zone: oslo})
	if want := []int64{wall("2026-01-01 11:00:00"), wall("2026-07-01 10:00:00"), wall("2026-10-25 00:30:00")}; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("found %v, %v; want %v", got, err, want)
	}
	// A time that is not there stands as it is, and is told.
	data := file("2026-01-01 12:00:00", "2026-03-29 02:30:00")
	r, err := Open("a", bytes.NewReader(data), int64(len(data)), Options{Zone: oslo})
	if err != nil {
		t.Fatal(err)
	}
	for slab, err := range r.Slabs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		l := slab.Columns[0].Leaves[0]
		if got := fmt.Sprint(l.Ints[1] == wall("2026-03-29 02:30:00"), l.Flaws); got != fmt.Sprint("true ", []column.Flaw{{Value: 1, Kind: column.Skipped}}) {
			t.Errorf("found %s", got)
		}
	}
	// An instant is none of a clock on a wall.
	s.Fields[0].Type = schema.Timestamp
	data = written(t, s, [][]any{{wall("2026-07-01 12:00:00")}}, parquetfile.Options{})
	if got, err := values(t, data, Options{Zone: oslo}); err != nil || got[0] != wall("2026-07-01 12:00:00") {
		t.Errorf("found %v, %v", got, err)
	}
}

// Files that do not tell their calendar are read by the option.
func TestLegacyDates(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{{Name: "day", Type: schema.Date, Nullable: true}}}
	data := written(t, s, [][]any{{int64(-719162), int64(-141428), int64(-141427), int64(0)}}, parquetfile.Options{})
	for legacy, want := range map[bool]string{false: "[-719162 -141428 -141427 0]", true: "[-719160 -141438 -141427 0]"} {
		if got, err := values(t, data, Options{LegacyDates: legacy}); err != nil || fmt.Sprint(got) != want {
			t.Errorf("legacy %v: found %v, %v; want %s", legacy, got, err, want)
		}
	}
	told := written(t, s, [][]any{{int64(-719162)}}, parquetfile.Options{Metadata: map[string]string{"org.apache.spark.version": "3.5.0"}})
	if got, err := values(t, told, Options{LegacyDates: true}); err != nil || got[0] != -719162 {
		t.Errorf("found %v, %v in a file that tells its calendar", got, err)
	}
}
