package column_test

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/column/columntest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// typed is the evidence of rows of one column, which begin at a record.
func typed(t testing.TB, typ schema.Type, rows []any, first int64) column.Evidence {
	o := column.NewTypedObserver([]schema.Type{typ})
	o.Add(typedSlab(t, typ, rows, first))
	return o.Evidence([]string{"c"})
}

func typedSlab(t testing.TB, typ schema.Type, rows []any, first int64) *column.Slab {
	return &column.Slab{Records: records(len(rows), first), Columns: []column.Column{columntest.Shred(t, typ, rows)}}
}

// gatherTyped counts typed values the slow way: all of one path at a time.
func gatherTyped(t schema.Type, values []at) column.Evidence {
	var e column.Evidence
	var keys, below []at
	members := map[string][]at{}
	d := column.Declared{Type: t.String()}
	for _, v := range values {
		switch x := v.value.(type) {
		case nil:
			e.Nulls++
		case []any:
			count(&e.Arrays, v.record)
			if len(x) == 0 {
				count(&e.EmptyArrays, v.record)
			}
			for _, element := range x {
				below = append(below, at{element, v.record})
			}
		case map[string]any:
			if s, ok := t.(schema.Struct); ok {
				count(&e.Objects, v.record)
				for _, f := range s.Fields {
					members[f.Name] = append(members[f.Name], at{x[f.Name], v.record})
				}
				continue
			}
			count(&e.Maps, v.record)
			for k, element := range x {
				keys, below = append(keys, at{k, v.record}), append(below, at{element, v.record})
			}
		default:
			if d.Count++; d.Count == 1 {
				d.First = v.record
			}
			gatherKnown(&d, t, x)
		}
	}
	part := func(t schema.Type, values []at) *column.Evidence {
		e := gatherTyped(t, values)
		return &e
	}
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			e.Fields = append(e.Fields, column.FieldEvidence{Name: f.Name, Evidence: gatherTyped(f.Type, members[f.Name])})
		}
	case schema.Array:
		e.Element = part(t.Element, below)
	case schema.Map:
		e.Key, e.Element = part(t.Key, keys), part(t.Value, below)
	default:
		e.Types = []column.Declared{d}
	}
	return e
}

// gatherKnown says of one value what it is known to be, by its text.
func gatherKnown(d *column.Declared, t schema.Type, v any) {
	var f value.Forms
	switch n, number := v.(json.Number); {
	case t == schema.Binary:
		if v == "ff" {
			d.Inexact++
		}
	case !number:
	case t == schema.Float || t == schema.Double:
		if _, whole := f.Long([]byte(n)); !whole {
			d.Inexact++
		}
	default:
		s := f.Text([]byte(n))
		d.Whole, d.Scale = max(d.Whole, s.Whole), max(d.Scale, s.Scale)
		_, exact := f.Double([]byte(n))
		if v, err := n.Int64(); err == nil && t == schema.Long { // whatever the digits of its shortest text
			_, accuracy := new(big.Float).SetInt64(v).Float64()
			exact = accuracy == big.Exact
		}
		if !exact {
			d.Inexact++
		}
	}
}

// anyType draws a type.
func anyType(t *rapid.T, depth int) schema.Type {
	scalars := []schema.Type{
		schema.Boolean, schema.Byte, schema.Integer, schema.Long, schema.Double, schema.String, schema.Binary, schema.Date, schema.Unknown,
		schema.Decimal{Precision: 18, Scale: 2},
		schema.Decimal{Precision: 38, Scale: 20},
	}
	kinds := len(scalars)
	if depth > 0 {
		kinds += 4
	}
	k := rapid.IntRange(0, kinds-1).Draw(t, "type")
	if k < len(scalars) {
		return scalars[k]
	}
	switch k - len(scalars) {
	case 0:
		return schema.Array{Element: anyType(t, depth-1), ContainsNull: true}
	case 1:
		return schema.Map{Key: schema.String, Value: anyType(t, depth-1), ValueContainsNull: true}
	}
	fields := make([]schema.Field, rapid.IntRange(1, 3).Draw(t, "fields"))
	for i := range fields {
		fields[i] = schema.Field{Name: string(rune('a' + i)), Type: anyType(t, depth-1), Nullable: true}
	}
	return schema.Struct{Fields: fields}
}

// typedValue draws a value of a type, as JSON gives it.
func typedValue(t *rapid.T, typ schema.Type) any {
	if rapid.IntRange(0, 4).Draw(t, "null") == 0 {
		return nil
	}
	number := func(texts ...string) any { return json.Number(rapid.SampledFrom(texts).Draw(t, "number")) }
	switch typ := typ.(type) {
	case schema.Array:
		out := make([]any, rapid.IntRange(0, 3).Draw(t, "elements"))
		for i := range out {
			out[i] = typedValue(t, typ.Element)
		}
		return out
	case schema.Map:
		out := map[string]any{}
		for _, k := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"k", "l", "m"}), 0, 3, rapid.ID).Draw(t, "keys") {
			out[k] = typedValue(t, typ.Value)
		}
		return out
	case schema.Struct:
		out := map[string]any{}
		for _, f := range typ.Fields {
			out[f.Name] = typedValue(t, f.Type)
		}
		return out
	case schema.Decimal:
		if typ.Precision == 18 {
			return number("0", "99.9", "-99.99", "1234567890123456.78", "0.07", "1200")
		}
		return number("0", "0.1", "-0.00000000000000000001", "123456789012345678", "123456789012345678.5", "-123456789012345678.12345678901234567891")
	}
	switch typ {
	case schema.Boolean:
		return rapid.Bool().Draw(t, "bool")
	case schema.Byte, schema.Integer:
		return number("0", "-7", "120")
	case schema.Long:
		return number("0", "12345", "9007199254740993", "9007199254740994", "-9223372036854775808", "9223372036854775807")
	case schema.Double:
		return number("1", "2.5", "-0", "1e300", "9007199254740992", "-3")
	case schema.String:
		return rapid.SampledFrom([]string{"", "x", "é"}).Draw(t, "text")
	case schema.Binary:
		return rapid.SampledFrom([]string{"", "ff", "c3a9"}).Draw(t, "bytes")
	case schema.Date:
		return "2026-11-30"
	}
	return nil // void
}

func TestTypedProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		typ := anyType(rt, 3)
		rows := make([]any, rapid.IntRange(0, 8).Draw(rt, "rows"))
		values := make([]at, len(rows))
		for i := range rows {
			rows[i] = typedValue(rt, typ)
			values[i] = at{rows[i], int64(i + 1)}
		}
		all := typed(t, typ, rows, 1)
		want := column.Evidence{Fields: []column.FieldEvidence{{Name: "c", Evidence: gatherTyped(typ, values)}}}
		if len(rows) > 0 {
			want.Objects = column.Seen{Count: int64(len(rows)), First: 1}
		}
		if show(all) != show(want) {
			rt.Fatalf("%s: got %s\nwant %s", typ, show(all), show(want))
		}
		if !all.Typed() {
			rt.Fatalf("%s declares no types", show(all))
		}
		i := rapid.IntRange(0, len(rows)).Draw(rt, "i")
		j := rapid.IntRange(i, len(rows)).Draw(rt, "j")
		o := column.NewTypedObserver([]schema.Type{typ})
		for _, part := range [][2]int{{0, i}, {i, j}, {j, len(rows)}} {
			o.Add(typedSlab(t, typ, rows[part[0]:part[1]], int64(part[0]+1)))
		}
		if got := o.Evidence([]string{"c"}); !reflect.DeepEqual(got, all) {
			rt.Fatalf("in three slabs: got %s\nwant %s", show(got), show(all))
		}
		a, b, c := typed(t, typ, rows[:i], 1), typed(t, typ, rows[i:j], int64(i+1)), typed(t, typ, rows[j:], int64(j+1))
		left, right, front := a.Clone(), b.Clone(), a.Clone()
		left.Merge(&b)
		left.Merge(&c)
		right.Merge(&c)
		front.Merge(&right)
		if show(left) != show(all) || show(front) != show(all) {
			rt.Fatalf("merged: got %s\nand %s\nwant %s", show(left), show(front), show(all))
		}
		if again := typed(t, typ, rows[:i], 1); show(a) != show(again) {
			rt.Fatal("merging into a copy changed the original")
		}
		var back column.Evidence
		if err := json.Unmarshal([]byte(show(all)), &back); err != nil || show(back) != show(all) {
			rt.Fatalf("%s came back as %s, %v", show(all), show(back), err)
		}
	})
}

// Objects of several types merge in any order to the same, but for the records.
func TestTypesMerge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var objects []column.Evidence
		for range rapid.IntRange(0, 5).Draw(rt, "objects") {
			typ := anyType(rt, 1)
			rows := []any{typedValue(rt, typ), typedValue(rt, typ)}
			objects = append(objects, typed(t, typ, rows[:rapid.IntRange(0, 2).Draw(rt, "rows")], 1))
		}
		merge := func(objects []column.Evidence) column.Evidence {
			var all column.Evidence
			for i := range objects {
				all.Merge(&objects[i])
			}
			return all
		}
		all := merge(objects)
		record, found := all.Fields[:min(1, len(all.Fields))], false
		for _, f := range record {
			_, found = f.FirstValue()
		}
		any := slices.ContainsFunc(objects, func(e column.Evidence) bool {
			_, any := e.Fields[0].FirstValue()
			return any
		})
		if found != any {
			rt.Fatalf("a value was seen: %v, want %v of %s", found, any, show(all))
		}
		shuffled := merge(rapid.Permutation(objects).Draw(rt, "order"))
		if got, want := counts(shuffled), counts(all); show(got) != show(want) {
			rt.Fatalf("in another order: got %s\nwant %s", show(got), show(want))
		}
	})
}

func TestTypedEvidence(t *testing.T) {
	got := columntest.Typed(t, "id int, d decimal(9,2), `ship region` string, l array<struct<x:double>>, m map<string,binary>, v void",
		`{"id":null,"d":99.90,"l":[],"m":{}}`,
		`{"id":7,"d":120,"ship region":"UK","l":[{"x":2.5},null,{"x":3}],"m":{"k":"ff"}}`)
	want := `{"objects":{"count":2,"first":1},"fields":[` +
		`{"name":"id","nulls":1,"types":[{"type":"int","count":1,"first":2,"whole":1}]},` +
		`{"name":"d","types":[{"type":"decimal(9,2)","count":2,"first":1,"whole":3,"scale":1}]},` +
		`{"name":"ship region","nulls":1,"types":[{"type":"string","count":1,"first":2}]},` +
		`{"name":"l","arrays":{"count":2,"first":1},"empty_arrays":{"count":1,"first":1},"element":{"nulls":1,"objects":{"count":2,"first":2},"fields":[` +
		`{"name":"x","types":[{"type":"double","count":2,"first":2,"inexact":1}]}]}},` +
		`{"name":"m","element":{"types":[{"type":"binary","count":1,"first":2,"inexact":1}]},"maps":{"count":2,"first":1},` +
		`"key":{"types":[{"type":"string","count":1,"first":2}]}},` +
		`{"name":"v","nulls":2,"types":[{"type":"void"}]}]}`
	if show(got) != want {
		t.Errorf("got  %s\nwant %s", show(got), want)
	}
	none := columntest.Typed(t, "id int, s struct<x:bigint>, l array<date>")
	want = `{"fields":[{"name":"id","types":[{"type":"int"}]},{"name":"s","fields":[{"name":"x","types":[{"type":"bigint"}]}]},` +
		`{"name":"l","element":{"types":[{"type":"date"}]}}]}`
	if show(none) != want {
		t.Errorf("no rows: got  %s\nwant %s", show(none), want)
	}
}

func TestNothingIsAllocatedForTypedValues(t *testing.T) {
	o := column.NewTypedObserver([]schema.Type{schema.Decimal{Precision: 38, Scale: 20}, schema.Array{Element: schema.Long, ContainsNull: true}})
	slab := &column.Slab{Records: records(2, 1), Columns: []column.Column{
		columntest.Shred(t, schema.Decimal{Precision: 38, Scale: 20}, []any{json.Number("123456789012345678.12345678901234567891"), nil}),
		columntest.Shred(t, schema.Array{Element: schema.Long, ContainsNull: true}, []any{nil, []any{json.Number("9007199254740993")}}),
	}}
	if n := testing.AllocsPerRun(10, func() { o.Add(slab) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
