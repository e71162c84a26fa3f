//go:build interop

package interop

import (
	"math"
	"testing"

	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

type (
	list   = parquetfiletest.List
	object = parquetfiletest.Struct
	dict   = parquetfiletest.Map
)

// structOf makes a struct of nullable fields: name, type, name, type, …
func structOf(fields ...any) schema.Struct {
	var s schema.Struct
	for i := 0; i < len(fields); i += 2 {
		s.Fields = append(s.Fields, schema.Field{Name: fields[i].(string), Type: fields[i+1].(schema.Type), Nullable: true})
	}
	return s
}

func listOf(t schema.Type) schema.Type { return schema.Array{Element: t, ContainsNull: true} }

func mapOf(k, v schema.Type) schema.Type {
	return schema.Map{Key: k, Value: v, ValueContainsNull: true}
}

// scalar is a type without parts, and values of it that are hard.
type scalar struct {
	name   string
	t      schema.Type
	values []any
}

func allScalars() []scalar {
	const end = 253402300799999999 // the last µs of the year 9999
	nines := func(high int64, low uint64) value.Int128 { return value.Int128{High: high, Low: low} }
	return []scalar{
		{"boolean", schema.Boolean, []any{true, false}},
		{"byte", schema.Byte, []any{int64(-128), int64(127)}},
		{"short", schema.Short, []any{int64(-32768), int64(32767)}},
		{"int", schema.Integer, []any{int64(math.MinInt32), int64(math.MaxInt32)}},
		{"long", schema.Long, []any{int64(math.MinInt64), int64(math.MaxInt64)}},
		{"float", schema.Float, []any{float64(float32(0.1)), math.Inf(-1), math.NaN()}},
		{"double", schema.Double, []any{0.1, math.Copysign(0, -1), math.Inf(1), 5e-324}},
		{"dec4", schema.Decimal{Precision: 4, Scale: 2}, []any{int64(-9999), int64(5)}},
		{"dec18", schema.Decimal{Precision: 18, Scale: 3}, []any{int64(-999999999999999999), int64(1)}},
		{"dec19", schema.Decimal{Precision: 19}, []any{nines(0, 9999999999999999999), nines(-1, 1<<64-1)}},
		{"dec38", schema.Decimal{Precision: 38, Scale: 10}, []any{nines(0x4b3b4ca85a86c47a, 0x098a223fffffffff), nines(-1, 1<<64-7)}},
		{"string", schema.String, []any{"", "Zoë 🦊", "a\x00b"}},
		{"binary", schema.Binary, []any{"", "\xff\x00\xfe"}},
		{"date", schema.Date, []any{int64(-719162), int64(2932896), int64(-1)}},
		{"timestamp", schema.Timestamp, []any{int64(-1), int64(end), int64(1)}},
		{"ntz", schema.TimestampNTZ, []any{int64(-1), int64(end), int64(0)}},
	}
}

// TestWrittenTypes reads columns of every type, alone and in arrays, maps and
// structs, with everybody's readers.
func TestWrittenTypes(t *testing.T) {
	dir := newTable(t)
	a := newAuthor(t, dir)
	a.grow("id", schema.Long)
	most := 0
	for _, s := range allScalars() {
		a.grow(s.name, s.t)
		a.grow(s.name+"_list", listOf(s.t))
		a.grow(s.name+"_map", mapOf(schema.String, s.t))
		a.grow(s.name+"_struct", structOf("x", s.t, "deep", structOf("list", listOf(structOf("y", s.t)))))
		most = max(most, len(s.values))
	}
	var all []map[string]any
	for i := range most + 3 {
		row := map[string]any{"id": int64(i)}
		for _, s := range allScalars() {
			var v any
			if i < len(s.values) {
				v = s.values[i]
			}
			row[s.name] = v
			switch i {
			case most: // all null
			case most + 1:
				row[s.name+"_list"], row[s.name+"_map"] = list{}, dict{}
				row[s.name+"_struct"] = object{nil, nil}
			case most + 2:
				row[s.name+"_list"] = list{nil}
				row[s.name+"_map"] = dict{{Key: "n", Value: nil}}
				row[s.name+"_struct"] = object{nil, object{list{nil, object{nil}}}}
			default:
				row[s.name+"_list"] = append(append(list{nil}, s.values...), v)
				row[s.name+"_map"] = dict{{Key: "k", Value: v}, {Key: "ä", Value: s.values[0]}}
				row[s.name+"_struct"] = object{v, object{list{object{v}, nil, object{s.values[0]}}}}
			}
		}
		all = append(all, row)
	}
	a.append(all...)
	a.append(all[0], all[most])
	everyone(t, dir, a.wanted())
	ours, err := query(t, dir, "select * from t")
	if err != nil {
		t.Fatal(err)
	}
	same(t, "ours", ours, a.wanted())
}

// TestWrittenGrowth adds fields to structs, wherever these stand. Files from
// before lack the fields in their schemas.
func TestWrittenGrowth(t *testing.T) {
	before := structOf("a", schema.Long)
	after := structOf("a", schema.Long, "b", schema.String, "c", structOf("d", schema.Date))
	for name, c := range map[string]struct {
		wrap func(schema.Struct) schema.Type
		make func(object) any
		// refuses names the reader that cannot read what has grown so, which
		// is why nothing grows there: "" for none.
		refuses string
	}{
		"struct":                   {func(s schema.Struct) schema.Type { return s }, func(o object) any { return o }, ""},
		"struct in struct":         {func(s schema.Struct) schema.Type { return structOf("in", s, "n", schema.Long) }, func(o object) any { return object{o, int64(1)} }, ""},
		"array of structs":         {func(s schema.Struct) schema.Type { return listOf(s) }, func(o object) any { return list{o, nil, o} }, ""},
		"struct in array two deep": {func(s schema.Struct) schema.Type { return listOf(structOf("in", s)) }, func(o object) any { return list{object{o}, nil, object{nil}} }, ""},
		"array in array":           {func(s schema.Struct) schema.Type { return listOf(listOf(s)) }, func(o object) any { return list{list{o}, list{}, nil} }, ""},
		"array in struct":          {func(s schema.Struct) schema.Type { return structOf("l", listOf(s)) }, func(o object) any { return object{list{o}} }, ""},
		"map value": {func(s schema.Struct) schema.Type { return mapOf(schema.String, s) }, func(o object) any {
			return dict{{Key: "k", Value: o}, {Key: "n", Value: nil}}
		}, "deltalake"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newTable(t)
			a := newAuthor(t, dir)
			a.grow("id", schema.Long)
			a.grow("v", c.wrap(before))
			a.append(map[string]any{"id": int64(1), "v": c.make(object{int64(7)})}, map[string]any{"id": int64(2)})
			everyone(t, dir, a.wanted())
			a.schema.Fields[1].Type = c.wrap(after)
			a.grow("later", schema.Decimal{Precision: 5, Scale: 2})
			a.append(map[string]any{
				"id": int64(3), "v": c.make(object{int64(8), "x", object{int64(19000)}}), "later": int64(150),
			}, map[string]any{"id": int64(4), "v": c.make(object{nil, nil, nil})})
			for _, by := range readers {
				found, err := read(t, by, dir)
				switch {
				case by == c.refuses:
					if err == nil {
						t.Errorf("%s reads it by now: it may grow", by)
					}
				case err != nil:
					t.Errorf("%s: %v", by, err)
				default:
					same(t, by, found, a.wanted())
				}
			}
			ours, err := query(t, dir, "select * from t")
			if err != nil {
				t.Fatal(err)
			}
			same(t, "ours", ours, a.wanted())
		})
	}
}
