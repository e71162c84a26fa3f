package rescue_test

import (
	"math"
	"testing"

	"landfall/internal/column"
	"landfall/internal/rescue"
	"landfall/internal/schema"
	"landfall/internal/value"
)

func texts(values ...string) *column.Text {
	t := &column.Text{}
	for _, v := range values {
		t.AppendValue([]byte(v))
	}
	return t
}

func TestValues(t *testing.T) {
	for _, c := range []struct {
		typ  schema.Type
		leaf column.Leaf
		want string
	}{
		{schema.Boolean, column.Leaf{Bools: []bool{true}}, "true"},
		{schema.Long, column.Leaf{Ints: []int64{math.MinInt64}}, "-9223372036854775808"},
		{schema.Decimal{Precision: 5, Scale: 2}, column.Leaf{Ints: []int64{-5}}, "-0.05"},
		{schema.Decimal{Precision: 38, Scale: 0}, column.Leaf{Wide: []value.Int128{{High: -1, Low: math.MaxUint64}}}, "-1"},
		{schema.Decimal{Precision: 38, Scale: 20}, column.Leaf{Wide: []value.Int128{{High: 1}}}, "0.18446744073709551616"},
		{schema.Float, column.Leaf{Floats: []float64{float64(float32(0.1))}}, "0.1"},
		{schema.Double, column.Leaf{Floats: []float64{1.5e-300}}, "1.5E-300"},
		{schema.Double, column.Leaf{Floats: []float64{math.NaN()}}, `"NaN"`},
		{schema.Double, column.Leaf{Floats: []float64{math.Inf(1)}}, `"Infinity"`},
		{schema.Double, column.Leaf{Floats: []float64{math.Inf(-1)}}, `"-Infinity"`},
		{schema.String, column.Leaf{Text: texts("a\"\\\n\x00é")}, `"a\"\\\n\u0000é"`},
		{schema.Binary, column.Leaf{Text: texts("ok")}, `"ok"`},
		{schema.Binary, column.Leaf{Text: texts("\xff\x00")}, `{"$base64":"/wA="}`},
		{schema.Date, column.Leaf{Ints: []int64{-1}}, `"1969-12-31"`},
		{schema.Date, column.Leaf{Ints: []int64{3_000_000}}, `"10183-09-21"`},
		{schema.Timestamp, column.Leaf{Ints: []int64{-1}}, `"1969-12-31T23:59:59.999999Z"`},
		{schema.Timestamp, column.Leaf{Ints: []int64{300_000_000_000_000_000}}, `"11476-08-15T05:20:00Z"`},
		{schema.TimestampNTZ, column.Leaf{Ints: []int64{500_000}}, `"1970-01-01T00:00:00.5"`},
	} {
		if got := string(rescue.AppendValue(nil, c.typ, &c.leaf, 0)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.typ, got, c.want)
		}
	}
}

// aMap is a column of one row that has a map with those keys.
func aMap(key schema.Type, keys column.Leaf, n int) (*rescue.Part, *rescue.Cursor) {
	p := rescue.NewPart(schema.Map{Key: key, Value: schema.Long, ValueContainsNull: true})
	values := column.Leaf{Ints: make([]int64, n), Reps: make([]uint8, n)}
	for i := range n {
		values.Ints[i] = int64(i)
		values.Reps[i] = uint8(min(i, 1))
	}
	keys.Reps = values.Reps
	c := rescue.NewCursor(p)
	c.Reset(column.Column{Leaves: []column.Leaf{keys, values}})
	return p, c
}

func TestMapsAreObjectsIfTheyCanBe(t *testing.T) {
	many := make([]int64, 20)
	for i := range many {
		many[i] = int64(i)
	}
	many[19] = 3
	for name, c := range map[string]struct {
		key  schema.Type
		keys column.Leaf
		n    int
		want string
	}{
		"texts":            {schema.String, column.Leaf{Text: texts("a", "A")}, 2, `{"a":0,"A":1}`},
		"numbers":          {schema.Integer, column.Leaf{Ints: []int64{1, 2}}, 2, `{"1":0,"2":1}`},
		"two zeros":        {schema.Double, column.Leaf{Floats: []float64{0, math.Copysign(0, -1)}}, 2, `{"0.0":0,"-0.0":1}`},
		"equal texts":      {schema.String, column.Leaf{Text: texts("a", "a")}, 2, `[{"key":"a","value":0},{"key":"a","value":1}]`},
		"no text":          {schema.Binary, column.Leaf{Text: texts("\xff")}, 1, `[{"key":{"$base64":"/w=="},"value":0}]`},
		"equal numbers":    {schema.Double, column.Leaf{Floats: []float64{math.NaN(), math.NaN()}}, 2, `[{"key":"NaN","value":0},{"key":"NaN","value":1}]`},
		"equal among many": {schema.Long, column.Leaf{Ints: many}, 20, ""},
	} {
		p, cursor := aMap(c.key, c.keys, c.n)
		got := string(cursor.Append(nil, p))
		if c.want == "" {
			if !cursor.Odd(p) || got[0] != '[' {
				t.Errorf("%s: got %s, want an array", name, got)
			}
		} else if got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if n := cursor.Skip(p); n != int64(2*c.n) {
			t.Errorf("%s: %d entries, want %d", name, n, 2*c.n)
		}
	}
}

func TestEqualNamesOfFieldsAreNumbered(t *testing.T) {
	s := schema.Struct{}
	for _, name := range []string{"a", "a#2", "a", "a", "b"} {
		s.Fields = append(s.Fields, schema.Field{Name: name, Type: schema.Long, Nullable: true})
	}
	p := rescue.NewPart(s)
	leaves := make([]column.Leaf, len(s.Fields))
	for i := range leaves {
		leaves[i] = column.Leaf{Ints: []int64{int64(i)}}
	}
	c := rescue.NewCursor(p)
	c.Reset(column.Column{Leaves: leaves})
	if got, want := string(c.Append(nil, p)), `{"a":0,"a#2":1,"a#3":2,"a#4":3,"b":4}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
