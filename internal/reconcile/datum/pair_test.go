package datum

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/recode"
	"landfall/internal/rescue"
	"landfall/internal/schema"
	"landfall/internal/value"
)

var scalarTypes = []schema.Type{
	schema.Boolean, schema.Byte, schema.Integer, schema.Long, schema.Float, schema.Double, schema.String, schema.Binary, schema.Date, schema.Timestamp,
	schema.Decimal{Precision: 4, Scale: 2},
	schema.Decimal{Precision: 18, Scale: 9},
	schema.Decimal{Precision: 38, Scale: 2},
	schema.Decimal{Precision: 38, Scale: 38},
}

// drawLeaf draws a leaf of a type with one value.
func drawLeaf(t *rapid.T, typ schema.Type) column.Leaf {
	if d, ok := typ.(schema.Decimal); ok {
		n := rapid.OneOf(rapid.Int64Range(-9999, 9999), rapid.SampledFrom([]int64{0, 100, 1000, 1010})).Draw(t, "digits")
		if d.Precision > 18 {
			high := rapid.SampledFrom([]int64{0, 0, 7, -7, 1 << 60}).Draw(t, "high")
			return column.Leaf{Wide: []value.Int128{{High: high + n>>63, Low: uint64(n)}}}
		}
		return column.Leaf{Ints: []int64{n}}
	}
	few := rapid.Int64Range(-3, 100)
	switch typ {
	case schema.Type(schema.Boolean):
		return column.Leaf{Bools: []bool{rapid.Bool().Draw(t, "v")}}
	case schema.Type(schema.Float):
		return column.Leaf{Floats: []float64{float64(rapid.OneOf(rapid.Float32(), rapid.SampledFrom([]float32{
			0, float32(math.Copysign(0, -1)), 0.1, 16777217, 12.34, float32(math.NaN()),
		})).Draw(t, "v"))}}
	case schema.Type(schema.Double):
		return column.Leaf{Floats: []float64{rapid.OneOf(rapid.Float64(), rapid.Float64Range(-100, 100), rapid.SampledFrom([]float64{
			0, math.Copysign(0, -1), 0.1, 12.34, 1 << 53, 1 << 62, 1 << 63, -1 << 63, 1e22, 8.5e37, 1e38, math.NaN(), math.Inf(1),
		}), rapid.Map(few, func(n int64) float64 { return float64(n) / 100 })).Draw(t, "v")}}
	case schema.Type(schema.String), schema.Type(schema.Binary):
		var l column.Text
		l.AppendValue([]byte(rapid.OneOf(rapid.SampledFrom([]string{
			"", "x", "7", "7.0", "07", "-0", "1e3", "true", "2026-11-30", "2026-11-30T10:00:00Z", "\xff", "NaN", "0.1",
		}), rapid.StringMatching(`-?[0-9]{1,3}(\.[0-9]{1,2})?`)).Draw(t, "v")))
		return column.Leaf{Text: &l}
	case schema.Type(schema.Date):
		return column.Leaf{Ints: []int64{rapid.OneOf(few, rapid.Int64Range(-800_000, 3_000_000)).Draw(t, "v")}}
	case schema.Type(schema.Timestamp):
		const perDay = secondsPerDay * microsPerSecond
		return column.Leaf{Ints: []int64{rapid.OneOf(few, rapid.Map(few, func(n int64) int64 { return n * perDay }), rapid.Int64()).Draw(t, "v")}}
	case schema.Type(schema.Byte):
		return column.Leaf{Ints: []int64{few.Draw(t, "v")}}
	}
	return column.Leaf{Ints: []int64{rapid.OneOf(few, rapid.SampledFrom([]int64{math.MaxInt32, math.MinInt32})).Draw(t, "v")}}
}

func equal(a, b *Value) bool {
	return a.Kind == b.Kind && (a.Kind == Float && (a.F != a.F && b.F != b.F || math.Float64bits(a.F) == math.Float64bits(b.F)) ||
		a.Kind != Float && Compare(a, b) == 0)
}

// What a type holds of another's value is that value, and so is what is written of it
// in the rescue column; other values are others.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom(scalarTypes).Draw(t, "from"), rapid.SampledFrom(scalarTypes).Draw(t, "to")
		l := drawLeaf(t, from)
		p := NewPair(from, to, nil)
		digest := func(typ schema.Type, l *column.Leaf) uint64 {
			d := p.Bring(ReadingOf(typ).Value(l, 0))
			return p.Form.Digest(&d)
		}
		d := digest(from, &l)
		r, err := recode.New(from, to, recode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c, misfits := r.Recode(column.Column{Type: from, Leaves: []column.Leaf{l}}, 1); len(misfits) == 0 {
			if got := digest(to, &c.Leaves[0]); got != d {
				t.Errorf("%s %s became another as %s", from, rescue.Text(from, &l, 0), to)
			}
		}
		kept := p.Bring(ReadJSON(from, rescue.AppendValue(nil, from, &l, 0)))
		if got := p.Form.Digest(&kept); got != d {
			t.Errorf("%s %s became another as JSON, beside %s", from, rescue.Text(from, &l, 0), to)
		}
		other := drawLeaf(t, from)
		x, y := ReadingOf(from).Value(&l, 0), ReadingOf(from).Value(&other, 0)
		if (FormOf(from).Kind != Text || FormOf(to).Kind == Text) && !equal(&x, &y) && digest(from, &other) == d {
			t.Errorf("%s %s and %s are one as %s", from, Show(&x), Show(&y), to)
		}
	})
}

// A copy that holds another value of its type than it should is found, too.
func TestPairsOfTheCopy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := rapid.SampledFrom(scalarTypes).Draw(t, "from"), rapid.SampledFrom(scalarTypes).Draw(t, "to")
		if FormOf(to).Kind == Text && FormOf(from).Kind != Text {
			return // texts of one number are one
		}
		p := NewPair(from, to, nil)
		l, other := drawLeaf(t, to), drawLeaf(t, to)
		x, y := ReadingOf(to).Value(&l, 0), ReadingOf(to).Value(&other, 0)
		a, b := p.Bring(x), p.Bring(y)
		if !equal(&x, &y) && p.Form.Digest(&a) == p.Form.Digest(&b) {
			t.Errorf("%s %s and %s are one for %s", to, Show(&x), Show(&y), from)
		}
	})
}

func TestShown(t *testing.T) {
	for want, d := range map[string]Value{
		"-0.05": {Kind: Whole, Scale: 2, N: value.Int128{High: -1, Low: math.MaxUint64 - 4}},
		"0":     {Kind: Whole}, "18446744073709551616": {Kind: Whole, N: value.Int128{High: 1}},
		"0.1": {Kind: Float, F: float64(float32(0.1)), Single: true}, "1e+300": {Kind: Float, F: 1e300},
		"true": Of(Boolean, 1), "1969-12-31": Of(Day, -1), "1970-01-01T00:00:00.5Z": Of(Instant, 500_000), "1970-01-01T00:00:00": Of(Clock, 0),
	} {
		if got := Show(&d); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// Moments of any year are read as they are written in the rescue column.
func TestReadMoment(t *testing.T) {
	for _, s := range []string{"", "2026", "2026-13-01", "2026-02-30T00:00:00Z", "2026-02-03T25:00:00Z", "2026-02-03 00:00:00Z", "9999999-01-01T00:00:00Z", strconv.Itoa(math.MaxInt64) + "-01-01T00:00:00Z"} {
		if d, ok := readMoment([]byte(s)); ok {
			t.Errorf("%q was read as %s", s, Show(&d))
		}
	}
	for _, micros := range []int64{math.MinInt64, -1, 0, 253_402_300_800_000_000, math.MaxInt64} {
		l := column.Leaf{Ints: []int64{micros}}
		text := rescue.Text(schema.Timestamp, &l, 0)
		if d, ok := readMoment([]byte(text)); !ok || int64(d.N.Low) != micros {
			t.Errorf("%s was read as %d, want %d", text, int64(d.N.Low), micros)
		}
	}
}
