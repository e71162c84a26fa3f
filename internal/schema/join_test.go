package schema_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/schema"
)

func typ(t *testing.T, ddl string) schema.Type {
	t.Helper()
	got, err := schema.ParseDDL(ddl)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		a, b, want string
		lossless   bool
	}{
		{"void", "struct<a:int>", "struct<a:int>", true},
		{"tinyint", "smallint", "smallint", true},
		{"int", "bigint", "bigint", true},
		{"int", "double", "double", true},
		{"smallint", "float", "float", true},
		{"int", "float", "double", true},
		{"bigint", "double", "string", false},
		{"bigint", "float", "string", false},
		{"float", "double", "double", true},
		{"int", "decimal(5,2)", "decimal(12,2)", true},
		{"bigint", "decimal(5,2)", "decimal(22,2)", true},
		{"bigint", "decimal(38,10)", "decimal(38,10)", true},
		{"bigint", "decimal(38,20)", "string", false},
		{"decimal(10,2)", "decimal(9,4)", "decimal(12,4)", true},
		{"decimal(38,0)", "decimal(38,38)", "string", false},
		{"decimal(3,1)", "double", "string", false},
		{"date", "timestamp", "timestamp", true},
		{"date", "timestamp_ntz", "timestamp_ntz", true},
		{"timestamp", "timestamp_ntz", "string", false},
		{"boolean", "int", "string", false},
		{"string", "int", "string", false},
		{"binary", "string", "string", false},
		{"struct<a:int>", "int", "string", false},
		{"struct<a:int>", "array<int>", "string", false},
		{"array<int>", "array<bigint>", "array<bigint>", true},
		{"array<int>", "array<string>", "array<string>", false},
		{"map<string,int>", "map<string,double>", "map<string,double>", true},
		{"map<string,int>", "map<int,int>", "map<string,int>", false},
		{"struct<a:int,B:void>", "struct<c:date,b:string,A:bigint>", "struct<a:bigint,B:string,c:date>", true},
		{"struct<a:int not null,b:int not null>", "struct<a:int not null>", "struct<a:int not null,b:int>", true},
		{"struct<>", "struct<a:int not null>", "struct<a:int>", true},
		{"struct<a:struct<b:int>>", "struct<a:struct<b:string>>", "struct<a:struct<b:string>>", false},
	} {
		a, b := typ(t, c.a), typ(t, c.b)
		if got, lossless := schema.Join(a, b); got.String() != c.want || lossless != c.lossless {
			t.Errorf("%s with %s: got %s, %v, want %s, %v", c.a, c.b, got, lossless, c.want, c.lossless)
		}
		got, lossless := schema.Join(b, a)
		if _, composite := got.(schema.Struct); lossless != c.lossless || !composite && got.String() != c.want {
			t.Errorf("%s with %s: got %s, %v, want %s, %v", c.b, c.a, got, lossless, c.want, c.lossless)
		}
	}
}

func TestJoinGoesByOriginalNames(t *testing.T) {
	field := func(name, original string) schema.Field {
		return schema.Field{Name: name, Type: schema.Integer, Nullable: true}.WithOriginal(original, 0)
	}
	a := schema.Struct{Fields: []schema.Field{field("a_b", "a b")}}
	b := schema.Struct{Fields: []schema.Field{field("a_b_1234", "A B"), field("a_b", "a_b")}}
	got, lossless := schema.Join(a, b)
	s, ok := got.(schema.Struct)
	if !ok || !lossless || len(s.Fields) != 2 {
		t.Fatalf("got %s, %v", got, lossless)
	}
	first, _ := schema.Original(s.Fields[0])
	second, _ := schema.Original(s.Fields[1])
	if s.Fields[0].Name != "a_b" || first != "a b" || !strings.HasPrefix(s.Fields[1].Name, "a_b_") || second != "a_b" {
		t.Errorf("got %s of %q and %q", s, first, second)
	}
}

func TestWidens(t *testing.T) {
	for pair, want := range map[string]bool{
		"tinyint smallint": true, "tinyint int": true, "tinyint bigint": true, "tinyint decimal(3,0)": true, "tinyint double": true,
		"smallint int": true, "smallint float": true, "smallint decimal(7,2)": true, "smallint decimal(6,2)": false,
		"int bigint": true, "int double": true, "int float": false, "int decimal(10,0)": true, "int decimal(9,0)": false,
		"bigint decimal(20,0)": true, "bigint decimal(19,0)": true, "bigint decimal(20,2)": false, "bigint double": false,
		"bigint int": false, "double bigint": false, "float double": true, "double float": false, "float decimal(38,10)": false,
		"decimal(5,2) decimal(5,2)": true, "decimal(5,2) decimal(7,3)": true, "decimal(5,2) decimal(7,5)": false,
		"decimal(5,2) double": false, "decimal(2,0) int": false, "decimal(2,2) decimal(2,2)": true,
		"date timestamp_ntz": true, "date timestamp": true, "timestamp date": false, "timestamp timestamp_ntz": false,
		"int string": false, "string int": false, "boolean int": false, "void array<int>": true, "int void": false,
		"array<int> array<bigint>": true, "array<int> int": false, "map<string,int> map<string,bigint>": true,
		"map<string,int> struct<a:int>": false, "int array<int>": false,
		"struct<a:int> struct<b:date,A:bigint>": true, "struct<a:int> struct<b:date>": false,
		"struct<a:int> struct<a:int,b:date_not_null>": false, "struct<a:int> struct<a:int_not_null>": false,
		"struct<a:int_not_null> struct<a:int>": true, "struct<a:int> int": false,
	} {
		from, to, _ := strings.Cut(pair, " ")
		to = strings.ReplaceAll(to, "_not_null", " not null")
		from = strings.ReplaceAll(from, "_not_null", " not null")
		if got := schema.Widens(typ(t, from), typ(t, to)); got != want {
			t.Errorf("%s: got %v", pair, got)
		}
	}
	some := schema.Array{Element: schema.Integer, ContainsNull: true}
	none := schema.Array{Element: schema.Integer}
	if !schema.Widens(none, some) || schema.Widens(some, none) {
		t.Error("an element that may be null is wider than one that is not")
	}
}

func scalars() *rapid.Generator[schema.Type] {
	return rapid.OneOf(
		rapid.SampledFrom([]schema.Type{
			schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double,
			schema.String, schema.Binary, schema.Date, schema.Timestamp, schema.TimestampNTZ, schema.Unknown,
		}),
		rapid.Custom(func(t *rapid.T) schema.Type {
			p := rapid.IntRange(1, 38).Draw(t, "precision")
			return schema.Decimal{Precision: p, Scale: rapid.IntRange(0, p).Draw(t, "scale")}
		}))
}

// types draws types to a depth; the names of fields are few, so that they meet.
func types(depth int, names *rapid.Generator[string]) *rapid.Generator[schema.Type] {
	if depth == 0 {
		return scalars()
	}
	below := types(depth-1, names)
	return rapid.OneOf(scalars(),
		rapid.Custom(func(t *rapid.T) schema.Type {
			return schema.Array{Element: below.Draw(t, "element"), ContainsNull: rapid.Bool().Draw(t, "nulls")}
		}),
		rapid.Custom(func(t *rapid.T) schema.Type {
			return schema.Map{
				Key: scalars().Draw(t, "key"), Value: below.Draw(t, "value"),
				ValueContainsNull: rapid.Bool().Draw(t, "nulls"),
			}
		}),
		rapid.Map(structs(depth-1, names), func(s schema.Struct) schema.Type { return s }))
}

func structs(depth int, names *rapid.Generator[string]) *rapid.Generator[schema.Struct] {
	return rapid.Custom(func(t *rapid.T) schema.Struct {
		s := schema.Struct{Fields: []schema.Field{}}
		for _, name := range rapid.SliceOfNDistinct(names, 0, 3, schema.Fold).Draw(t, "names") {
			s.Fields = append(s.Fields, schema.Field{
				Name: name, Type: types(depth, names).Draw(t, "type"), Nullable: rapid.Bool().Draw(t, "nullable"),
			})
		}
		return s
	})
}

func few() *rapid.Generator[string] { return rapid.SampledFrom([]string{"a", "A", "b", "c d"}) }

// sorted gives the fields of structs one order and one casing.
func sorted(t schema.Type) schema.Type {
	switch t := t.(type) {
	case schema.Array:
		t.Element = sorted(t.Element)
		return t
	case schema.Map:
		t.Value = sorted(t.Value)
		return t
	case schema.Struct:
		fields := slices.Clone(t.Fields)
		for i := range fields {
			fields[i].Name = schema.Fold(fields[i].Name)
			fields[i].Type = sorted(fields[i].Type)
		}
		slices.SortFunc(fields, func(a, b schema.Field) int { return strings.Compare(a.Name, b.Name) })
		return schema.Struct{Fields: fields}
	default:
		return t
	}
}

func TestJoinLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := types(2, few()).Draw(t, "a"), types(2, few()).Draw(t, "b")
		ab, lossless := schema.Join(a, b)
		ba, same := schema.Join(b, a)
		if lossless != same || !reflect.DeepEqual(sorted(ab), sorted(ba)) {
			t.Fatalf("%s, %v and %s, %v", ab, lossless, ba, same)
		}
		if lossless && (!schema.Widens(a, ab) || !schema.Widens(b, ab)) {
			t.Fatalf("%s and %s do not widen to %s", a, b, ab)
		}
		if aa, lossless := schema.Join(a, a); !lossless || !reflect.DeepEqual(aa, a) {
			t.Fatalf("%s with itself is %s, %v", a, aa, lossless)
		}
		if again, _ := schema.Join(ab, b); !reflect.DeepEqual(again, ab) {
			t.Fatalf("%s with %s again is %s", ab, b, again)
		}
	})
}

func TestScalarsJoinInAnyGrouping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := scalars().Draw(t, "a"), scalars().Draw(t, "b"), scalars().Draw(t, "c")
		ab, _ := schema.Join(a, b)
		bc, _ := schema.Join(b, c)
		left, _ := schema.Join(ab, c)
		right, _ := schema.Join(a, bc)
		if left != right {
			t.Fatalf("(%s %s) %s is %s, %s (%s %s) is %s", a, b, c, left, a, b, c, right)
		}
	})
}

func TestWidensIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := types(2, few()).Draw(t, "a"), types(2, few()).Draw(t, "b"), types(2, few()).Draw(t, "c")
		switch ab, ba := schema.Widens(a, b), schema.Widens(b, a); {
		case !schema.Widens(a, a):
			t.Fatalf("%s does not widen to itself", a)
		case ab && ba && !reflect.DeepEqual(sorted(a), sorted(b)):
			t.Fatalf("%s and %s widen to each other", a, b)
		case ab && schema.Widens(b, c) && !schema.Widens(a, c):
			t.Fatalf("%s widens to %s, that to %s", a, b, c)
		}
	})
}

func TestStorable(t *testing.T) {
	for text, want := range map[string]string{
		"int": "int", "void": "", "decimal(3,1)": "decimal(3,1)", "struct<>": "", "array<void>": "", "array<array<int>>": "array<array<int>>",
		"map<string,struct<a:void>>": "", "map<void,int>": "", "map<string,struct<a:int not null,b:array<struct<>>>>": "map<string,struct<a:int not null>>",
		"struct<a:void,b:struct<c:void,d:date>,e:array<void>>": "struct<b:struct<d:date>>",
	} {
		got, ok := schema.Storable(typ(t, text))
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s: got %v, %v, want %q", text, got, ok, want)
		}
	}
	if _, ok := schema.Storable(nil); ok {
		t.Error("no type is storable")
	}
}

func TestStorableHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := types(3, few()).Draw(t, "type")
		got, ok := schema.Storable(a)
		if !ok {
			return
		}
		if strings.Contains(got.String(), "void") || strings.Contains(got.String(), "struct<>") {
			t.Fatalf("%s became %s", a, got)
		}
		if again, ok := schema.Storable(got); !ok || !reflect.DeepEqual(again, got) {
			t.Fatalf("%s became %s", got, again)
		}
	})
}

func TestOriginal(t *testing.T) {
	f := schema.Field{Name: "a_b", Metadata: map[string]json.RawMessage{"comment": json.RawMessage(`"x"`)}}
	g := f.WithOriginal("a \"b\xff", 2)
	if name, k := schema.Original(g); name != "a \"b\uFFFD" || k != 2 || len(g.Metadata) != 3 || len(f.Metadata) != 1 {
		t.Errorf("got %q, %d of %s", name, k, g.Metadata)
	}
	if name, k := schema.Original(g.WithOriginal("a_b", 0)); name != "a_b" || k != 0 {
		t.Errorf("got %q, %d", name, k)
	}
	if plain := (schema.Field{Name: "a"}).WithOriginal("a", 0); plain.Metadata != nil {
		t.Errorf("got %s for a name that needs none", plain.Metadata)
	}
	for _, broken := range []map[string]json.RawMessage{
		{schema.OriginalKey: json.RawMessage(`3`)},
		{schema.OriginalKey: json.RawMessage(`"x"`), schema.NthKey: json.RawMessage(`"y"`)},
	} {
		if name, k := schema.Original(schema.Field{Name: "a", Metadata: broken}); name != "a" || k != 0 {
			t.Errorf("got %q, %d of %s", name, k, broken)
		}
	}
}
