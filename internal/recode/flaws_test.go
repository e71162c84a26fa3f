package recode

import (
	"fmt"
	"testing"

	"landfall/internal/column"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// TestFlaws: a value with a flaw never stands in for the one that the file has.
func TestFlaws(t *testing.T) {
	const at = 1_500_000
	skipped, cut := column.Flaw{Value: 1, Kind: column.Skipped, Nanos: 7}, column.Flaw{Value: 1, Kind: column.Cut, Nanos: 50}
	array := schema.Array{Element: schema.Timestamp, ContainsNull: true}
	object := func(t schema.Type) schema.Type {
		return schema.Struct{Fields: []schema.Field{{Name: "a", Type: t, Nullable: true}}}
	}
	for name, c := range map[string]struct {
		from, to schema.Type
		in       []any
		flaw     column.Flaw
		want     []any
		misfits  string
	}{
		"skipped":              {schema.Timestamp, schema.Timestamp, []any{int64(0), int64(at), nil}, skipped, []any{int64(0), nil, nil}, "[{1  timestamp}]"},
		"skipped, as text":     {schema.Timestamp, schema.String, []any{nil, int64(0), int64(at)}, skipped, []any{nil, "1970-01-01T00:00:00Z", "1970-01-01T00:00:01.500000007"}, "[]"},
		"cut":                  {schema.Timestamp, schema.Timestamp, []any{int64(0), int64(at)}, cut, []any{int64(0), nil}, "[{1  timestamp}]"},
		"cut, as text":         {schema.Timestamp, schema.String, []any{int64(0), int64(at)}, cut, []any{"1970-01-01T00:00:00Z", "1970-01-01T00:00:01.50000005Z"}, "[]"},
		"cut, as a date":       {schema.Timestamp, schema.Date, []any{int64(0), int64(0)}, cut, []any{int64(0), nil}, "[{1  date}]"},
		"skipped, as a clock":  {schema.Timestamp, schema.TimestampNTZ, []any{int64(0), int64(at)}, column.Flaw{Value: 1, Kind: column.Skipped}, []any{int64(0), int64(at)}, "[]"},
		"beyond µs, skipped":   {schema.Timestamp, schema.TimestampNTZ, []any{int64(0), int64(at)}, skipped, []any{int64(0), nil}, "[{1  timestamp_ntz}]"},
		"cut, as a clock":      {schema.Timestamp, schema.TimestampNTZ, []any{int64(0), int64(at)}, cut, []any{int64(0), nil}, "[{1  timestamp_ntz}]"},
		"far, as text":         {schema.Timestamp, schema.String, []any{int64(0), int64(1 << 60)}, cut, []any{"1970-01-01T00:00:00Z", nil}, "[{1  string}]"},
		"no text":              {schema.String, schema.String, []any{"a", "\xff", "b"}, column.Flaw{Value: 1}, []any{"a", nil, "b"}, "[{1  string}]"},
		"no text, as bytes":    {schema.String, schema.Binary, []any{"a", "\xff"}, column.Flaw{Value: 1}, []any{"a", "\xff"}, "[]"},
		"no text, as a number": {schema.String, schema.Long, []any{"1", "\xff"}, column.Flaw{Value: 1}, []any{int64(1), nil}, "[{1  bigint}]"},
		"in an array":          {array, array, []any{list{int64(0)}, list{nil, int64(at)}, list{int64(2)}}, skipped, []any{list{int64(0)}, nil, list{int64(2)}}, "[{1  array<timestamp>}]"},
		"in a struct":          {object(schema.Timestamp), object(schema.Timestamp), []any{group{int64(0)}, nil, group{nil}, group{int64(1)}}, cut, []any{group{int64(0)}, nil, group{nil}, group{nil}}, "[{3 a timestamp}]"},
	} {
		t.Run(name, func(t *testing.T) {
			in := parquetfiletest.Column(c.from, true, c.in)
			in.Leaves[0].Flaws = []column.Flaw{c.flaw}
			r, err := New(c.from, c.to, Options{Clocks: true})
			must(t, err)
			got, misfits := r.Recode(in, len(c.in))
			if want := flat(parquetfiletest.Column(c.to, true, c.want), true); flat(got, true) != want || fmt.Sprint(misfits) != c.misfits {
				t.Errorf("misfits %v\nfound %s\nwant  %s", misfits, flat(got, true), want)
			}
			if len(got.Leaves[0].Flaws) > 0 {
				t.Errorf("flaws %v are left", got.Leaves[0].Flaws)
			}
		})
	}
}

// TestDigitsOfDoubles: decimals of up to 15 digits are the doubles that have their
// digits, there and back.
func TestDigitsOfDoubles(t *testing.T) {
	d := schema.Decimal{Precision: 15, Scale: 6}
	var values []any
	for n := int64(-1); n < 1e15; n = n*7 + 12 {
		values = append(values, n, -n)
	}
	doubles, misfits, _ := recoded(t, d, schema.Double, Options{}, parquetfiletest.Column(d, true, values), len(values))
	back, more, _ := recoded(t, schema.Double, d, Options{}, column.Column{Type: schema.Double, Leaves: doublesOf(t, values)}, len(values))
	if want := flat(parquetfiletest.Column(d, true, values), true); len(misfits)+len(more) > 0 || back != want {
		t.Errorf("misfits %v, %v\nfound %s\nwant  %s\nof %s", misfits, more, back, want, doubles)
	}
}

// doublesOf reads the text of decimals, as CSV has it.
func doublesOf(t *testing.T, decimals []any) []column.Leaf {
	var out column.Leaf
	for _, n := range decimals {
		text := appendDecimal(nil, value.Int128{High: n.(int64) >> 63, Low: uint64(n.(int64))}, 6)
		var f float64
		if _, err := fmt.Sscan(string(text), &f); err != nil {
			t.Fatal(err)
		}
		out.Floats = append(out.Floats, f)
	}
	return []column.Leaf{out}
}
