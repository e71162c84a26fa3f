package datafile

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/store/memory"
	"landfall/internal/value"
)

func TestStatistics(t *testing.T) {
	long := strings.Repeat("ä", 40)
	decimal := schema.Decimal{Precision: 9, Scale: 3}
	f := parquetfile.Footer{Rows: 9, Columns: []parquetfile.ColumnStats{
		{Path: []string{"s"}, Type: schema.String, Nulls: 1, Min: "", Max: "z\"<\x00"},
		{Path: []string{"long"}, Type: schema.String, Min: long, Max: long},
		{Path: []string{"ok"}, Type: schema.Boolean, Min: false, Max: true},
		{Path: []string{"none"}, Type: schema.String, Nulls: 9},
		{Path: []string{"at"}, Type: schema.Timestamp, Min: int64(-1), Max: int64(1717236000123456)},
		{Path: []string{"exact"}, Type: schema.TimestampNTZ, Min: int64(1717236000123000), Max: int64(1717236000123000)},
		{Path: []string{"day"}, Type: schema.Date, Min: int64(-1), Max: int64(19782)},
		{Path: []string{"n"}, Type: schema.Long, Min: int64(math.MinInt64), Max: int64(math.MaxInt64)},
		{Path: []string{"x"}, Type: schema.Double, Min: 0.0, Max: 0.0},
		{Path: []string{"y"}, Type: schema.Float, Min: float64(float32(0.1)), Max: 1e30},
		{Path: []string{"wide"}, Type: schema.Decimal{Precision: 38, Scale: 2}, Min: value.Int128{High: -1}, Max: value.Int128{High: 1}},
		{Path: []string{"d"}, Type: decimal, Min: int64(-12), Max: int64(123456)},
		{Path: []string{"nested"}, Nulls: -1},
		{Path: []string{"bytes"}, Type: schema.Binary, Nulls: 2},
		{Path: []string{"st", "a"}, Type: schema.Long, Nulls: 1, Min: int64(1), Max: int64(2)},
		{Path: []string{"st", "in", "b{"}, Type: schema.String, Min: "x", Max: "{"},
		{Path: []string{"st", "in", "c"}, Type: schema.Double, Nulls: 3, Min: 0.0, Max: math.Inf(1)},
		{Path: []string{"st", "d"}, Type: schema.Date, Nulls: 3},
		{Path: []string{"st2", "in", "e"}, Type: schema.Long, Min: int64(3), Max: int64(3)},
		{Path: []string{"late"}, Type: schema.Long, Min: int64(1), Max: int64(2)},
	}}
	got := statistics(f, Options{StatsColumns: 19})
	want := `{"numRecords":9,"minValues":{"s":"","long":"` + long[:64] + `","ok":false,"at":"1969-12-31T23:59:59.999Z",` +
		`"exact":"2024-06-01T10:00:00.123","day":"1969-12-31","n":-9223372036854775808,"x":-0.0,"y":0.1,"wide":-184467440737095516.16,"d":-0.012,"st":{"a":1,"in":{"b{":"x"}},"st2":{"in":{"e":3}}},` +
		`"maxValues":{"s":"z\"<\u0000","long":"` + long[:64] + "\U0010FFFF" + `","ok":true,"at":"2024-06-01T10:00:00.124Z",` +
		`"exact":"2024-06-01T10:00:00.123","day":"2024-02-29","n":9223372036854775807,"x":0.0,"y":1e+30,"wide":184467440737095516.16,"d":123.456,"st":{"a":2,"in":{"b{":"{"}},"st2":{"in":{"e":3}}},` +
		`"nullCount":{"s":1,"long":0,"ok":0,"none":9,"at":0,"exact":0,"day":0,"n":0,"x":0,"y":0,"wide":0,"d":0,"bytes":2,"st":{"a":1,"in":{"b{":0,"c":3},"d":3},"st2":{"in":{"e":0}}}}`
	if got != want {
		t.Errorf("statistics\n%s\nwant\n%s", got, want)
	}
}

// A file whose columns have no bounds that all readers read right has none at all.
func TestUnbounded(t *testing.T) {
	id := parquetfile.ColumnStats{Path: []string{"id"}, Type: schema.Long, Min: int64(1), Max: int64(2)}
	last := strings.Repeat(string(maxRune), 70)
	for name, c := range map[string]struct {
		x         parquetfile.ColumnStats
		unbounded bool
	}{
		"NaN":            {parquetfile.ColumnStats{Type: schema.Double}, true},
		"NaN and null":   {parquetfile.ColumnStats{Type: schema.Float, Nulls: 1}, true},
		"infinite":       {parquetfile.ColumnStats{Type: schema.Double, Min: 0.0, Max: math.Inf(1)}, true},
		"far":            {parquetfile.ColumnStats{Type: schema.Timestamp, Min: int64(math.MinInt64), Max: int64(0)}, true},
		"far date":       {parquetfile.ColumnStats{Type: schema.Date, Min: int64(0), Max: int64(math.MaxInt32)}, true},
		"the last text":  {parquetfile.ColumnStats{Type: schema.String, Min: "", Max: last}, true},
		"another's type": {parquetfile.ColumnStats{}, true},
		"all null":       {parquetfile.ColumnStats{Type: schema.Double, Nulls: 2}, false},
		"bytes":          {parquetfile.ColumnStats{Type: schema.Binary}, false},
		"unknown nulls":  {parquetfile.ColumnStats{Type: schema.Long, Nulls: -1}, true},
		"an array":       {parquetfile.ColumnStats{Nulls: -1}, false},
		"in a struct":    {parquetfile.ColumnStats{Path: []string{"x", "y"}, Type: schema.Double}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if c.x.Path == nil {
				c.x.Path = []string{"x"}
			}
			got := statistics(parquetfile.Footer{Rows: 2, Columns: []parquetfile.ColumnStats{id, c.x}}, Options{})
			if unbounded := !strings.Contains(got, "Values"); unbounded != c.unbounded || !strings.Contains(got, `"nullCount":{"id":0`) {
				t.Errorf("statistics %s", got)
			}
			if inStruct := len(c.x.Path) == 2; inStruct != strings.Contains(got, `"minValues":{"id":1,"x":{}},"maxValues":{"id":2,"x":{}}`) {
				t.Errorf("statistics %s", got)
			}
		})
	}
}

func TestUpperBound(t *testing.T) {
	last := string(maxRune)
	as, lasts := strings.Repeat("a", 32), strings.Repeat(last, 40)
	for _, c := range []struct {
		in   string
		more bool
		want string
		ok   bool
	}{
		{"", false, "", true},
		{as, false, as, true},
		{as + "b", false, as + "\x7F", true},
		{as + "\x7F", false, as + last, true},
		{as + "é", false, as + last, true},
		{as + last, false, as + last, true},
		{as + last + "b", false, as + last + "\x7F", true},
		{lasts, false, lasts, true},
		{strings.Repeat(last, 64), false, strings.Repeat(last, 64), true},
		{strings.Repeat(last, 65), false, "", false},
		{lasts, true, "", false},
		{"caf\xe9", false, "", false},
		{as + "\xff", false, "", false},
		{as + "bc\xe2\x82", true, as + "\x7F", true},
		{as + "bc\xe2\x82", false, "", false},
	} {
		if got, ok := upperBound(c.in, c.more); ok != c.ok || ok && got != c.want {
			t.Errorf("upper bound of %.50q (more: %v) is %.50q, %v, want %.50q, %v", c.in, c.more, got, ok, c.want, c.ok)
		}
	}
}

// TestBoundsHold compares the statistics of written files with every value.
func TestBoundsHold(t *testing.T) {
	// Without NUL: that alone is how batch spells a null.
	text := rapid.StringOf(rapid.Rune().Filter(func(r rune) bool { return r != 0 }))
	tail := rapid.SampledFrom([]string{"", "\x7F", "~", "é", "\uFFFF", "\U0010FFFF", strings.Repeat("\U0010FFFF", 40), strings.Repeat("long", 400)})
	value := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", strings.Repeat("a", 31), strings.Repeat("é", 32)}).Draw(t, "head") +
			text.Draw(t, "middle") + tail.Draw(t, "tail")
	})
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(value, 1, 6).Draw(t, "values")
		at := rapid.Int64Range(-60e15, 250e15).Draw(t, "at")
		ctx, s := t.Context(), memory.New(nil)
		o := named(Options{})
		w := NewWriter(s, table(), o)
		w.Begin(1, 0)
		b := batch(1, append(values, "\x00")...)
		b.Columns[2].Constant = at
		must(t, w.Write(ctx, b))
		must(t, w.End(ctx))
		files := packed(t, NewPacker(s, table(), o), w)
		var st struct {
			NumRecords           int
			MinValues, MaxValues map[string]string
			NullCount            map[string]int
		}
		must(t, json.Unmarshal([]byte(files[0].Stats), &st))
		if st.NumRecords != len(values)+1 || st.NullCount["v"] != 1 || st.NullCount[sourceColumn] != 0 {
			t.Fatalf("counts of %s", files[0].Stats)
		}
		checkText(t, st.MinValues, st.MaxValues, values)
		if len(st.MinValues) == 0 {
			return // no column has bounds where one has none
		}
		low, high := parse(t, st.MinValues["_ingested_at"]), parse(t, st.MaxValues["_ingested_at"])
		if low > at || at-low >= 1000 || high < at || high-at >= 1000 {
			t.Fatalf("%d outside %d..%d", at, low, high)
		}
	})
}

// TestBooleanBoundsHold compares the statistics of booleans with every value, in
// a file as written and as copied without its first row.
func TestBooleanBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SampledFrom([]any{nil, false, true}), 2, 6).Draw(t, "values")
		sc := schema.Struct{Fields: []schema.Field{{Name: "ok", Type: schema.Boolean, Nullable: true}}}
		ctx, s := t.Context(), memory.New(nil)
		o := named(Options{})
		w := NewWriter(s, sc, o)
		w.Begin(1, 0)
		must(t, w.Write(ctx, column.Batch{Rows: len(values), Columns: []column.Column{parquetfiletest.Column(schema.Boolean, true, values)}}))
		must(t, w.End(ctx))
		files := packed(t, NewPacker(s, sc, o), w)
		checkBooleans(t, files[0].Stats, values)
		again, err := Rewrite(ctx, s, files[0].Path, []int64{0}, nil, Options{Name: func() string { return "again" }})
		must(t, err)
		checkBooleans(t, again.File.Stats, values[1:])
	})
}

func checkBooleans(t *rapid.T, stats string, values []any) {
	t.Helper()
	some, all, nulls := false, true, 0
	for _, v := range values {
		b, ok := v.(bool)
		if !ok {
			nulls++
			continue
		}
		some, all = some || b, all && b
	}
	low, high := "", ""
	if nulls < len(values) {
		low, high = fmt.Sprintf(`"ok":%v`, all), fmt.Sprintf(`"ok":%v`, some)
	}
	want := fmt.Sprintf(`{"numRecords":%d,"minValues":{%s},"maxValues":{%s},"nullCount":{"ok":%d}}`, len(values), low, high, nulls)
	if stats != want {
		t.Fatalf("statistics %s of %v, want %s", stats, values, want)
	}
}

func checkText(t *rapid.T, lows, highs map[string]string, values []string) {
	low, okLow := lows["v"]
	high, okHigh := highs["v"]
	if okLow != okHigh || !okHigh && !strings.Contains(slices.Max(values), strings.Repeat(string(maxRune), 32)) {
		t.Fatalf("bounds %v, %v of %q", okLow, okHigh, values)
	}
	for _, v := range values {
		if okLow && (v < low || v > high) {
			t.Fatalf("%q outside %q..%q", v, low, high)
		}
	}
	if utf8.RuneCountInString(low) > 32 || utf8.RuneCountInString(high) > 65 {
		t.Fatalf("bounds too long: %q..%q", low, high)
	}
}

func parse(t *rapid.T, s string) int64 {
	at, err := time.Parse("2006-01-02T15:04:05.000Z", s)
	must(t, err)
	return at.UnixMicro()
}
