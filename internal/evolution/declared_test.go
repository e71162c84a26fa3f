package evolution_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column/columntest"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// parquet is an object whose columns have the types of DDL, and rows as JSON.
func parquet(t testing.TB, path, ddl string, rows ...string) contract.ObjectEvidence {
	t.Helper()
	keys, _ := contract.Folders(path)
	o := contract.ObjectEvidence{Path: path, Partitions: keys, Evidence: columntest.Typed(t, ddl, rows...)}
	for _, f := range o.Evidence.Fields {
		o.Header = append(o.Header, f.Name)
	}
	return o
}

func TestDeclaredTypesOfABatch(t *testing.T) {
	day1 := parquet(t, "1", "order_id int, order_total int, currency string", `{"order_id":1001,"order_total":120,"currency":"GBP"}`)
	day2 := parquet(t, "2", "order_id int, order_total decimal(18,2), currency string, discount_code string, `ship region` string",
		`{"order_id":1004,"order_total":99.90,"currency":"GBP","discount_code":"AUTUMN10","ship region":"UK-South"}`)
	for _, c := range []struct {
		name    string
		objects []contract.ObjectEvidence
		want    string
	}{
		{"orders", []contract.ObjectEvidence{day1, day2}, "order_id:int order_total:decimal(18,2) currency discount_code ship_region=ship region"},
		{
			"no rows",
			[]contract.ObjectEvidence{parquet(t, "a", "id int, s struct<`a b`:date>, l array<struct<`c d`:int>>, v void")},
			"id:int s:struct<a_b:date> l:array<struct<c_d:int>> v:void",
		},
		{"O13", []contract.ObjectEvidence{parquet(t, "a", "u int", `{"u":7}`), parquet(t, "b", "u bigint", `{"u":3000000000}`), parquet(t, "c", "U string", `{"U":"42"}`)}, "u"},
		{"O16", []contract.ObjectEvidence{parquet(t, "a", "n void", `{}`), parquet(t, "b", "n string", `{"n":"x"}`)}, "n"},
		{"codes are text", []contract.ObjectEvidence{parquet(t, "a", "zip string, d string", `{"zip":"02134","d":"2026-11-30"}`)}, "zip d"},
		{"folders", []contract.ObjectEvidence{parquet(t, "hour=01/a", "x int", `{"x":1}`)}, "x:int hour/"},
		{"maps", []contract.ObjectEvidence{parquet(t, "a", "m map<string,struct<`a b`:int>>", `{"m":{}}`)}, "m:map<string,struct<a_b:int>>"},
		{"casings", []contract.ObjectEvidence{parquet(t, "a", "s struct<Fee:int>", `{"s":{"Fee":1}}`), parquet(t, "b", "S struct<fee:bigint>", `{"S":{"fee":1}}`)}, "s:struct<Fee:bigint>"},
	} {
		r := land(t, contract.Version{}, contract.Policy{}, nil, c.objects...)
		check(t, c.name, columns(r.Version), c.want)
		// The rules for text are for text.
		p := contract.Policy{Rules: inference.Rules{Strings: true, PrimitivesAsString: true, PrefersDecimal: true}, Preset: contract.AddNewColumns}
		check(t, c.name+" under rules for text", columns(land(t, contract.Version{}, p, nil, c.objects...).Version), c.want)
	}
	first := land(t, contract.Version{}, contract.Policy{}, nil, day1)
	second := land(t, first.Version, contract.Policy{}, nil, day2)
	check(t, "the next day", brief(second, event.ColumnAdded, event.NameCleaned),
		"column_added discount_code >string add\ncolumn_added ship region >string add\nname_cleaned ship region ship region>ship_region clean")
	turned := land(t, first.Version, contract.Policy{}, nil, parquet(t, "3", "currency string, order_id int, order_total int"))
	check(t, "another order", drift(turned), "")
}

func TestDeclaredTypesGrow(t *testing.T) {
	first := land(t, contract.Version{}, contract.Policy{}, nil, parquet(t, "a",
		"id int, s struct<a:int>, m map<string,struct<a:int>>, l array<struct<a:int>>, v void",
		`{"id":1,"s":{"a":1},"m":{"k":{"a":1}},"l":[{"a":1}]}`))
	table, err := contract.TableSchema(first.Version, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	p := contract.Policy{Preset: contract.AddNewColumns}
	r := land(t, first.Version, p, &table, parquet(t, "b",
		"id int, s struct<A:int,`b c`:date>, m map<string,struct<a:int,b:double>>, l array<struct<a:int,c:map<string,int>>>, v array<int>",
		`{"m":{"k":{"b":2.5}},"l":[{"c":{"k":1}}]}`))
	check(t, "second", columns(r.Version),
		"id:int s:struct<a:int,b_c:date> m:map<string,struct<a:int>> l:array<struct<a:int,c:map<string,int>>> v:array<int>")
	check(t, "drift", drift(r), `column_recased s.a b a>A 1 fold addNewColumns
column_added s.`+"`b c`"+` b >date 1 add addNewColumns
name_cleaned s.`+"`b c`"+` b b c>b_c 1 clean addNewColumns
column_added m.value.b b >double 1 rescue addNewColumns
column_added l.element.c b >map<string,int> 1 add addNewColumns
column_added v b void>array<int> 1 add addNewColumns`)
	// An array's elements are none of a map's values.
	other := land(t, first.Version, p, &table, parquet(t, "c", "l map<string,struct<z:int>>", `{"l":{"k":{"z":1}}}`))
	check(t, "a map in place of an array", columns(other.Version), columns(first.Version))
}

func TestJudgeDeclared(t *testing.T) {
	for _, c := range []struct {
		typ, declared, value string
		want                 event.Kind
	}{
		{"int", "bigint", "3000000000", event.TypeWider},
		{"int", "bigint", "null", event.ValueMisfit},
		{"int", "string", `"x"`, event.TypeConflict},
		{"bigint", "double", "2.5", event.TypeConflict},
		{"decimal(18,2)", "decimal(20,4)", "1.2345", event.TypeWider},
		{"struct<a:int,b:int>", "struct<a:bigint,b:string>", `{"a":3000000000}`, event.TypeWider},
		{"struct<a:int,b:int>", "struct<a:bigint,b:string>", `{"a":3000000000,"b":"x"}`, event.TypeConflict},
		{"struct<a:int>", "map<string,int>", `{"a":1}`, event.TypeConflict},
		{"struct<a:int>", "string", `"x"`, event.TypeConflict},
		{"array<int>", "array<bigint>", "[3000000000]", event.TypeWider},
		{"array<int>", "map<string,int>", `{"k":1}`, event.TypeConflict},
		{"map<string,int>", "map<string,bigint>", `{"k":3000000000}`, event.TypeWider},
		{"map<int,bigint>", "map<string,bigint>", `{"k":3}`, event.TypeConflict},
	} {
		e := columntest.Typed(t, "v "+c.declared, `{"v":`+c.value+`}`)
		text := contract.Policy{Rules: inference.Rules{Strings: true}}
		for _, p := range []contract.Policy{{}, text} {
			if got := evolution.Judge(ddl(t, c.typ), e.Fields[0].Evidence, p); got != c.want {
				t.Errorf("%s %s in %s: got %s, want %s", c.declared, c.value, c.typ, got, c.want)
			}
		}
	}
}

func TestStaleDeclared(t *testing.T) {
	of := func(typ string) contract.Version { return version(contract.Column{Name: "v", Type: typ}) }
	for _, c := range []struct {
		name, before, after, declared string
		rows                          []string
		want                          bool
	}{
		{"nothing", "int", "int", "v int", []string{`{"v":1}`}, false},
		{"a type for what was void", "void", "int", "v int", []string{`{"v":1}`}, true},
		{"the same, all null", "void", "int", "v int", []string{`{}`}, false},
		{"the same, no rows", "void", "int", "v int", nil, false},
		{"a field it has", "struct<a:int>", "struct<a:int,b:date>", "v struct<a:int,b:date>", []string{`{"v":{"b":"2026-11-30"}}`}, true},
		{"a field of nulls", "struct<a:int>", "struct<a:int,b:date>", "v struct<a:int,b:date>", []string{`{"v":{"a":1}}`}, false},
		{"a misfit that names its type", "struct<a:int>", "struct<a:int,b:date>", "v int", []string{`{"v":1}`}, true},
		{"a map that names its type", "struct<a:int>", "struct<a:int,b:date>", "v map<string,int>", []string{`{"v":{}}`}, true},
		{"a wider type", "int", "bigint", "v bigint", []string{`{"v":3000000000}`}, true},
	} {
		if got := evolution.Stale(of(c.before), of(c.after), parquet(t, "a", c.declared, c.rows...), contract.Policy{}); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

// What a string takes of other types is told, in a first batch as later.
func TestDeclaredTypesInStrings(t *testing.T) {
	const conflict = event.TypeConflict
	numbers := parquet(t, "b", "id int, s struct<x:bigint>, m map<string,binary>", `{}`, `{"id":7,"s":{"x":1},"m":{"k":"41","l":"ff"}}`)
	text := parquet(t, "a", "id string, s struct<x:string>, m map<string,string>", `{"id":"x","s":{"x":"y"},"m":{"k":"z"}}`)
	want := "type_conflict id int>string land as text\ntype_conflict s.x bigint>string land as text\ntype_conflict m.value binary>string land as text"
	first := land(t, contract.Version{}, contract.Policy{Hints: hints(t, "other int")}, nil, text)
	check(t, "text alone", brief(first, conflict), "")
	second := land(t, first.Version, contract.Policy{}, nil, numbers)
	check(t, "numbers later", brief(second, conflict), want)
	last := second.Drift[len(second.Drift)-1]
	if last.File != "b" || last.Record != 2 || last.Count != 1 {
		t.Errorf("found %+v, want one value of record 2 of b", last)
	}
	at := land(t, contract.Version{}, contract.Policy{}, nil, text, parquet(t, "c", "id struct<y:int>", `{"id":{"y":1}}`), parquet(t, "d", "id map<string,int>", `{"id":{}}`))
	check(t, "at once", brief(at, conflict), "type_conflict id struct>string land as JSON text")
	if d := at.Drift[len(at.Drift)-1]; d.File != "c" || d.Record != 1 || d.Count != 2 {
		t.Errorf("found %+v, want two values from record 1 of c on", d)
	}
	hinted := land(t, contract.Version{}, contract.Policy{Hints: hints(t, "id STRING")}, nil, parquet(t, "b", "id int", `{"id":7}`))
	check(t, "hinted", brief(hinted, conflict), "")
}

// declared draws an object that declares types.
func declared(tb testing.TB) *rapid.Generator[contract.ObjectEvidence] {
	scalars := []string{"int 7", "bigint 9007199254740993", "double 2.5", "decimal(18,2) 99.90", `string "x"`, `binary "ff"`, `date "2026-11-30"`, "void null"}
	return rapid.Custom(func(t *rapid.T) contract.ObjectEvidence {
		field := func(depth int) (typ, value string) { return drawDeclared(t, scalars, depth) }
		var ddl, members []string
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b c", "B_c", "d"}), 1, 4, rapid.ID).Draw(t, "names") {
			typ, value := field(2)
			ddl, members = append(ddl, "`"+name+"` "+typ), append(members, fmt.Sprintf("%q:%s", name, value))
		}
		rows := []string{"{" + strings.Join(members, ",") + "}", "{}"}
		return parquet(tb, "x", strings.Join(ddl, ", "), rows[:rapid.IntRange(0, 2).Draw(t, "rows")]...)
	})
}

func drawDeclared(t *rapid.T, scalars []string, depth int) (typ, value string) {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 || kind > 2 {
		typ, value, _ = strings.Cut(rapid.SampledFrom(scalars).Draw(t, "scalar"), " ")
	} else {
		typ, value = drawDeclared(t, scalars, depth-1)
		name := rapid.SampledFrom([]string{"a", "A", "b c", "b_c"}).Draw(t, "name")
		switch kind {
		case 0:
			typ, value = "struct<`"+name+"`:"+typ+">", fmt.Sprintf("{%q:%s}", name, value)
		case 1:
			typ, value = "array<"+typ+">", "["+value+"]"
		default:
			typ, value = "map<string,"+typ+">", fmt.Sprintf("{%q:%s}", name, value)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		value = "null"
	}
	return typ, value
}

// The types depend on the set of objects alone; the same again changes nothing, and
// what comes later no type.
func TestDeclaredLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		objects := rapid.SliceOfN(declared(t), 1, 5).Draw(rt, "objects")
		evolve := func(v contract.Version, objects []contract.ObjectEvidence) contract.Version {
			named := slices.Clone(objects)
			for i := range named {
				named[i].Path = fmt.Sprint(i)
			}
			r, err := evolution.Evolve(v, evolution.Evidence{Objects: named}, contract.Policy{Kinds: map[event.Kind]string{event.FileForeign: "land", event.TypeWider: "rescue"}}, nil)
			if err != nil {
				rt.Fatal(err)
			}
			return r.Version
		}
		all := evolve(contract.Version{}, objects)
		shuffled := evolve(contract.Version{}, rapid.Permutation(objects).Draw(rt, "order"))
		if got, want := typesOf(shuffled), typesOf(all); !slices.Equal(mapless(got), mapless(want)) {
			rt.Fatalf("in another order: got %v, want %v", got, want)
		}
		later := evolve(all, rapid.SliceOfN(declared(t), 1, 3).Draw(rt, "later"))
		if again := evolve(later, objects); again.Number != later.Number {
			rt.Fatalf("again: got %s, want %s", columns(again), columns(later))
		}
		have := typesOf(later)
		for _, typ := range typesOf(all) {
			if !strings.Contains(typ, "void") && !slices.Contains(have, typ) {
				rt.Fatalf("%s went from %v", typ, have)
			}
		}
		for _, c := range later.Columns {
			if typ, err := c.SchemaType(); err != nil || !clean(typ) || schema.CleanName(c.Name) != c.Name {
				rt.Fatalf("%s is no name for a table: %s", c.Name, c.Type)
			}
		}
		checkTable(rt, all, later)
	})
}

// mapless leaves out the types of maps, whose fields typesOf has in their order.
func mapless(types []string) []string {
	return slices.DeleteFunc(slices.Clone(types), func(t string) bool { return strings.Contains(t, "map<") })
}

// clean reports whether no field of a type has a name that readers refuse.
func clean(t schema.Type) bool {
	switch t := t.(type) {
	case schema.Array:
		return clean(t.Element)
	case schema.Map:
		return clean(t.Value)
	case schema.Struct:
		return !slices.ContainsFunc(t.Fields, func(f schema.Field) bool { return schema.CleanName(f.Name) != f.Name || !clean(f.Type) })
	}
	return true
}
