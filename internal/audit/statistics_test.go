package audit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"landfall/internal/column"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// What is said of a data file holds of its values, or is told.
func TestWrongClaims(t *testing.T) {
	group := func(values ...any) any { return parquetfiletest.Struct(values) }
	object := schema.Struct{Fields: []schema.Field{{Name: "a", Type: schema.Long, Nullable: true}}}
	money := schema.Decimal{Precision: 30, Scale: 2}
	for name, c := range map[string]struct {
		typ    schema.Type
		values []any
		stats  string
		want   string
	}{
		"right":             {schema.Long, []any{int64(-3), nil, int64(7)}, `{"numRecords":3,"minValues":{"x":-3},"maxValues":{"x":7},"nullCount":{"x":1}}`, ""},
		"wider than needed": {schema.Long, []any{int64(1)}, `{"minValues":{"x":-3},"maxValues":{"x":7}}`, ""},
		"none":              {schema.Long, []any{int64(1)}, "", ""},
		"of nothing":        {schema.Long, []any{nil}, `{"minValues":{},"maxValues":{},"nullCount":{"x":1}}`, ""},
		"no JSON":           {schema.Long, []any{int64(1)}, `{"numRecords":`, "[ unexpected EOF statistics as JSON]"},
		"rows":              {schema.Long, []any{int64(1)}, `{"numRecords":2}`, "[ numRecords 2 1]"},
		"least":             {schema.Long, []any{int64(-3)}, `{"minValues":{"x":-2}}`, "[x minValues -2 at most -3]"},
		"greatest":          {schema.Long, []any{int64(8)}, `{"maxValues":{"x":7}}`, "[x maxValues 7 at least 8]"},
		"nulls":             {schema.Long, []any{nil, int64(8)}, `{"nullCount":{"x":0}}`, "[x nullCount 0 1]"},
		"nulls of old":      {schema.Long, []any{nil, int64(8)}, `{"nullCount":{"x":0},"tightBounds":false}`, ""},
		"of no type":        {schema.Long, []any{int64(8)}, `{"minValues":{"x":"y"}}`, "[x minValues y at most 8]"},
		"in a struct":       {object, []any{nil, group(int64(5))}, `{"minValues":{"x":{"a":6}},"nullCount":{"x":{"a":1}}}`, "[x.a minValues 6 at most 5]"},
		"digits":            {schema.Double, []any{0.1}, `{"minValues":{"x":0.1},"maxValues":{"x":0.1}}`, ""},
		"float":             {schema.Float, []any{float64(float32(0.1))}, `{"minValues":{"x":0.1},"maxValues":{"x":0.1}}`, ""},
		"zeros":             {schema.Double, []any{math.Copysign(0, -1)}, `{"minValues":{"x":-0.0},"maxValues":{"x":0.0}}`, ""},
		"NaN":               {schema.Double, []any{1.5, math.NaN()}, `{"minValues":{"x":1.5},"maxValues":{"x":1.5}}`, "[x maxValues 1.5 at least NaN]"},
		"infinite":          {schema.Double, []any{math.Inf(-1)}, `{"minValues":{"x":-1e308}}`, "[x minValues -1e308 at most -Infinity]"},
		"text":              {schema.String, []any{"b", "é"}, `{"minValues":{"x":"b"},"maxValues":{"x":"z"}}`, "[x maxValues z at least é]"},
		"empty text":        {schema.String, []any{""}, `{"minValues":{"x":"a"}}`, "[x minValues a at most ]"},
		"cut text":          {schema.String, []any{strings.Repeat("x", 40)}, fmt.Sprintf(`{"minValues":{"x":%q},"maxValues":{"x":%q}}`, strings.Repeat("x", 32), strings.Repeat("x", 32)+"~"), ""},
		"decimal":           {money, []any{value.Int128{High: -1, Low: ^uint64(100050) + 1}}, `{"minValues":{"x":-1000.49}}`, "[x minValues -1000.49 at most -1000.50]"},
		"date":              {schema.Date, []any{int64(1)}, `{"minValues":{"x":"1970-01-03"},"maxValues":{"x":"1970-01-02"}}`, "[x minValues 1970-01-03 at most 1970-01-02]"},
		"time":              {schema.Timestamp, []any{int64(1_000_999)}, `{"minValues":{"x":"1970-01-01T00:00:01.000Z"},"maxValues":{"x":"1970-01-01T00:00:01.000Z"}}`, ""},
		"late time":         {schema.Timestamp, []any{int64(1_001_000)}, `{"maxValues":{"x":"1970-01-01T00:00:01.000Z"}}`, "[x maxValues 1970-01-01T00:00:01.000Z at least 1970-01-01T00:00:01.001Z]"},
		"clock":             {schema.TimestampNTZ, []any{int64(0)}, `{"minValues":{"x":"1970-01-01T00:00:00.001"}}`, "[x minValues 1970-01-01T00:00:00.001 at most 1970-01-01T00:00:00]"},
		"boolean":           {schema.Boolean, []any{true}, `{"maxValues":{"x":false}}`, "[x maxValues false at least true]"},
		"list":              {schema.Array{Element: schema.Long}, []any{nil}, `{"nullCount":{"x":0}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			fields := []schema.Field{{Name: "x", Type: c.typ, Nullable: true}}
			x := &extents{}
			for _, v := range c.values { // a batch each
				x.add(fields, column.Batch{Rows: 1, Columns: []column.Column{parquetfiletest.Column(c.typ, true, []any{v})}})
			}
			var found []string
			for _, d := range wrongClaims(c.stats, x) {
				found = append(found, fmt.Sprintf("[%s %s %s]", d.Column, d.Found, d.Want))
			}
			if got := strings.Join(found, " "); got != c.want {
				t.Errorf("found %s\nwant  %s", got, c.want)
			}
		})
	}
}
