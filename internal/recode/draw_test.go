package recode

import (
	"fmt"
	"math"
	"math/big"

	"pgregory.net/rapid"

	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
)

var scalars = []schema.Type{
	schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double, schema.String,
	schema.Binary, schema.Date, schema.Timestamp, schema.TimestampNTZ, schema.Unknown,
	schema.Decimal{Precision: 4, Scale: 2},
	schema.Decimal{Precision: 10},
	schema.Decimal{Precision: 18, Scale: 9},
	schema.Decimal{Precision: 20},
	schema.Decimal{Precision: 38, Scale: 2},
	schema.Decimal{Precision: 38, Scale: 38},
}

func drawScalar(t *rapid.T) schema.Type { return rapid.SampledFrom(scalars).Draw(t, "scalar") }

// drawType draws a type so many levels deep at most.
func drawType(t *rapid.T, depth int) schema.Type {
	if depth == 0 {
		return drawScalar(t)
	}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		element := drawType(t, depth-1)
		return schema.Array{Element: element, ContainsNull: drawNullable(t, element)}
	case 1:
		key, element := rapid.SampledFrom(scalars[:12]).Draw(t, "key"), drawType(t, depth-1)
		return schema.Map{Key: key, Value: element, ValueContainsNull: drawNullable(t, element)}
	case 2, 3:
		s := schema.Struct{}
		for i := range rapid.IntRange(1, 3).Draw(t, "fields") {
			s.Fields = append(s.Fields, drawField(t, fmt.Sprintf("f%d", i), depth-1))
		}
		return s
	}
	return drawScalar(t)
}

func drawField(t *rapid.T, name string, depth int) schema.Field {
	f := schema.Field{Name: name, Type: drawType(t, depth)}
	f.Nullable = drawNullable(t, f.Type)
	return f
}

// drawNullable draws whether a part may be null; what has no values must.
func drawNullable(t *rapid.T, of schema.Type) bool {
	return of == schema.Type(schema.Unknown) || rapid.IntRange(0, 3).Draw(t, "required") > 0
}

// alter draws a type that has something in common with another.
func alter(t *rapid.T, from schema.Type) schema.Type {
	if rapid.IntRange(0, 9).Draw(t, "other") == 0 {
		return drawType(t, 2)
	}
	switch from := from.(type) {
	case schema.Array:
		return schema.Array{Element: alter(t, from.Element), ContainsNull: rapid.Bool().Draw(t, "null")}
	case schema.Map:
		key := from.Key
		if rapid.Bool().Draw(t, "rekey") {
			key = rapid.SampledFrom(scalars[:12]).Draw(t, "key")
		}
		return schema.Map{Key: key, Value: alter(t, from.Value), ValueContainsNull: rapid.Bool().Draw(t, "null")}
	case schema.Struct:
		return alterStruct(t, from)
	}
	if rapid.Bool().Draw(t, "same") {
		return from
	}
	return drawScalar(t)
}

func alterStruct(t *rapid.T, from schema.Struct) schema.Type {
	to := schema.Struct{}
	for i, f := range rapid.Permutation(from.Fields).Draw(t, "order") {
		if rapid.IntRange(0, 3).Draw(t, "drop") == 0 && i > 0 {
			continue
		}
		f = schema.Field{Name: f.Name, Type: alter(t, f.Type), Nullable: rapid.IntRange(0, 3).Draw(t, "required") > 0}
		if rapid.Bool().Draw(t, "casing") {
			f.Name = "F" + f.Name[1:]
		}
		to.Fields = append(to.Fields, f)
	}
	if rapid.IntRange(0, 2).Draw(t, "add") == 0 {
		to.Fields = append(to.Fields, drawField(t, "new", 1))
	}
	return to
}

// drawValue draws a value of a type. Types of void have none.
func drawValue(t *rapid.T, typ schema.Type, nullable bool) any {
	if typ == schema.Type(schema.Unknown) || nullable && rapid.IntRange(0, 4).Draw(t, "null") == 0 {
		return nil
	}
	count := rapid.IntRange(0, 3)
	switch typ := typ.(type) {
	case schema.Struct:
		out := group{}
		for _, f := range typ.Fields {
			out = append(out, drawValue(t, f.Type, f.Nullable))
		}
		return out
	case schema.Array:
		out := list{}
		for range count.Draw(t, "elements") {
			out = append(out, drawValue(t, typ.Element, typ.ContainsNull))
		}
		return out
	case schema.Map:
		out := pairs{}
		for range count.Draw(t, "entries") {
			out = append(out, parquetfiletest.Entry{Key: drawValue(t, typ.Key, false), Value: drawValue(t, typ.Value, typ.ValueContainsNull)})
		}
		return out
	case schema.Decimal:
		return drawDecimal(t, typ)
	}
	return drawPrimitive(t, typ)
}

func drawDecimal(t *rapid.T, d schema.Decimal) any {
	digits := rapid.IntRange(0, d.Precision).Draw(t, "digits")
	n := new(big.Int).SetUint64(rapid.Uint64().Draw(t, "low"))
	n.Mul(n, new(big.Int).SetUint64(rapid.Uint64Range(1, math.MaxUint64).Draw(t, "high")))
	n.Mod(n, ten(digits))
	if rapid.Bool().Draw(t, "round") {
		n.Mul(n.Div(n, ten(d.Scale)), ten(d.Scale))
	}
	if rapid.Bool().Draw(t, "negative") {
		n.Neg(n)
	}
	if d.Precision <= 18 {
		return n.Int64()
	}
	return wideOf(n)
}

func drawPrimitive(t *rapid.T, typ schema.Type) any {
	switch typ {
	case schema.Type(schema.Boolean):
		return rapid.Bool().Draw(t, "v")
	case schema.Type(schema.Float):
		return float64(rapid.OneOf(rapid.Float32(), rapid.SampledFrom([]float32{
			0, float32(math.Copysign(0, -1)), 1, -7, 0.1, 1 << 24, 1e10, float32(math.NaN()), float32(math.Inf(-1)),
		})).Draw(t, "v"))
	case schema.Type(schema.Double):
		return rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{
			0, math.Copysign(0, -1), 1, -7, 0.1, 99.9, 1 << 53, 1 << 63, -1 << 63, 1e10, 1e37, 1e40, math.NaN(), math.Inf(1),
		})).Draw(t, "v")
	case schema.Type(schema.String):
		return rapid.OneOf(rapid.SampledFrom([]string{
			"", "1", "1.0", "-0", "007", "2.50", "99999999999999999999", "true", "NaN", "1.5e3", "2026-11-30", "0001-01-01",
			"2026-11-30T10:00:00Z", "2026-11-30 10:00:00.5", "2026-11-30T10:00:00.1234567Z", "12:00", "né",
		}), rapid.StringMatching(`-?[0-9]{1,4}(\.[0-9]{1,3})?`)).Draw(t, "v")
	case schema.Type(schema.Binary):
		return rapid.SampledFrom([]string{"", "a", "12", "\xff\x00", "né"}).Draw(t, "v")
	case schema.Type(schema.Date):
		return rapid.OneOf(rapid.Int64Range(-800_000, 3_000_000), rapid.SampledFrom([]int64{firstDay, lastDay})).Draw(t, "v")
	case schema.Type(schema.Timestamp), schema.Type(schema.TimestampNTZ):
		day := rapid.Int64Range(-800_000, 3_000_000).Draw(t, "day")
		return day*microsPerDay + rapid.SampledFrom([]int64{0, 0, 1, 500_000, microsPerDay - 1}).Draw(t, "micros")
	}
	low, high, _ := rangeOf(typ)
	return rapid.OneOf(rapid.Int64Range(low, high), rapid.Int64Range(-100, 100), rapid.SampledFrom([]int64{low, high})).Draw(t, "v")
}
