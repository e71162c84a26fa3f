package evolution_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/evolution"
	"landfall/internal/hint"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// values draws JSON values, most of them of a few kinds.
func values(depth int) *rapid.Generator[string] {
	scalar := rapid.SampledFrom([]string{
		"null", "1", "2.5", "1e400", "9007199254740993", "9223372036854775808", "0.1", "true", `"x"`, `"1"`, `"N/A"`, `""`, `"2026-11-30"`, "{}", "[]",
	})
	if depth == 0 {
		return scalar
	}
	below := values(depth - 1)
	return rapid.OneOf(scalar, scalar,
		rapid.Custom(func(t *rapid.T) string {
			return "[" + strings.Join(rapid.SliceOfN(below, 0, 3).Draw(t, "elements"), ",") + "]"
		}),
		rapid.Custom(func(t *rapid.T) string { return object(t, below) }))
}

func object(t *rapid.T, value *rapid.Generator[string]) string {
	names := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "A", "b c", "b_c", "d", "_source_file"}), 0, 4).Draw(t, "names")
	members := make([]string, len(names))
	for i, name := range names {
		members[i] = fmt.Sprintf("%q:%s", name, value.Draw(t, "value"))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func rows() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return object(t, values(2)) }), 1, 8)
}

func policies() *rapid.Generator[contract.Policy] {
	return rapid.Custom(func(t *rapid.T) contract.Policy {
		flag := rapid.Bool()
		return contract.Policy{Rules: inference.Rules{
			Strings: flag.Draw(t, "strings"), PrefersDecimal: flag.Draw(t, "decimal"), Timestamps: flag.Draw(t, "timestamps"),
			DropAllNull: flag.Draw(t, "drop"), NullLikesVote: flag.Draw(t, "nullLikes"), Agreement: rapid.SampledFrom([]float64{0, 0.6, 1}).Draw(t, "agreement"),
		}}
	})
}

// typesOf are the types of a version's columns by folded path, whatever their
// order and spelling.
func typesOf(v contract.Version) []string {
	var out []string
	var walk func(path string, t schema.Type)
	walk = func(path string, t schema.Type) {
		switch t := t.(type) {
		case schema.Struct:
			for _, f := range t.Fields {
				original, _ := schema.Original(f)
				walk(path+"."+schema.Fold(original), f.Type)
			}
		case schema.Array:
			walk(path+"[]", t.Element)
		default:
			out = append(out, path+" "+t.String())
		}
	}
	for _, c := range v.Columns {
		t, err := c.SchemaType()
		if err != nil {
			return []string{err.Error()}
		}
		walk(schema.Fold(c.Original), t)
	}
	slices.Sort(out)
	return out
}

func evolved(t *rapid.T, tb testing.TB, v contract.Version, p contract.Policy, files ...[]string) evolution.Result {
	var ev evolution.Evidence
	for i, rows := range files {
		ev.Objects = append(ev.Objects, ndjson(tb, fmt.Sprint(i), rows...))
	}
	r, err := evolution.Evolve(v, ev, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The types depend on the set of values alone.
func TestOrderLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all, p := rows().Draw(rt, "rows"), policies().Draw(rt, "policy")
		one := evolved(rt, t, contract.Version{}, p, all)
		want := typesOf(one.Version)
		shuffled := rapid.Permutation(all).Draw(rt, "shuffled")
		if got := typesOf(evolved(rt, t, contract.Version{}, p, shuffled).Version); !slices.Equal(got, want) {
			rt.Fatalf("shuffled: got %v, want %v", got, want)
		}
		cut := rapid.IntRange(0, len(all)).Draw(rt, "cut")
		two := evolved(rt, t, contract.Version{}, p, all[:cut], all[cut:])
		if got := typesOf(two.Version); !slices.Equal(got, want) {
			rt.Fatalf("cut in two: got %v, want %v", got, want)
		}
		// Of one object the evidence is by spelling: under two casings of one
		// name, which members came first is not known.
		text := strings.Join(all, "")
		if strings.Contains(text, `"a":`) && strings.Contains(text, `"A":`) {
			return
		}
		if got := columns(two.Version); got != columns(one.Version) {
			rt.Fatalf("cut in two: got %s, want %s", got, columns(one.Version))
		}
	})
}

// The same evidence again changes nothing, and later evidence no type.
func TestEvolveSettles(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := policies().Draw(rt, "policy")
		first := evolved(rt, t, contract.Version{}, p, rows().Draw(rt, "first"))
		late := rows().Draw(rt, "late")
		second := evolved(rt, t, first.Version, p, late)
		again := evolved(rt, t, second.Version, p, late)
		if again.Version.Number != second.Version.Number {
			rt.Fatalf("again: version %d with %s, want %s", again.Version.Number, columns(again.Version), columns(second.Version))
		}
		have := typesOf(second.Version)
		for _, typ := range typesOf(first.Version) {
			if !strings.HasSuffix(typ, " void") && !slices.Contains(have, typ) {
				rt.Fatalf("%s went from %v", typ, have)
			}
		}
		checkTable(rt, first.Version, second.Version)
	})
}

// checkTable checks that a table grows to what it would have been at once, and
// that the contract comes back from its file.
func checkTable(t *rapid.T, first, second contract.Version) {
	table, err := contract.TableSchema(first, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	grown, _, err := contract.Extend(table, second, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	once, err := contract.TableSchema(second, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range once.Fields {
		i := grown.Lookup(f.Name)
		if i < 0 || !schema.Widens(f.Type, grown.Fields[i].Type) || !schema.Widens(grown.Fields[i].Type, f.Type) {
			t.Fatalf("grown to %s, want %s", grown, once)
		}
	}
	if text := grown.String(); strings.Contains(text, "void") {
		t.Fatalf("void in %s", text)
	}
	data, err := json.Marshal(second)
	if err != nil {
		t.Fatal(err)
	}
	var back contract.Version
	if err := json.Unmarshal(data, &back); err != nil || columns(back) != columns(second) || len(contract.Diff(back, second)) > 0 {
		t.Fatalf("came back as %s, %v", columns(back), err)
	}
}

// A map in a table keeps its type, whatever comes and whatever hints say.
func TestMapsStayAsTheyAre(t *testing.T) {
	pins := []hint.Set{{}}
	for _, text := range []string{
		"a.value.d int", "a.key string", "d.value.value.a int", "d.value.value.d.a int, a.value.a.value.d date",
		"a map<string,struct<a:int,d:struct<a:int>>>", "a.element.value.a int",
	} {
		pins = append(pins, hints(t, text))
	}
	rapid.Check(t, func(rt *rapid.T) {
		p := policies().Draw(rt, "policy")
		p.Hints = rapid.SampledFrom(pins).Draw(rt, "hints")
		first := evolved(rt, t, contract.Version{}, p, rows().Draw(rt, "first"))
		p.Hints = rapid.SampledFrom(pins).Draw(rt, "later hints")
		second, err := evolution.Evolve(first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{
			ndjson(t, "late", rows().Draw(rt, "late")...),
		}}, p, nil)
		if err != nil {
			return // a hint that what landed cannot follow
		}
		table, err := contract.TableSchema(first.Version, p)
		if err != nil {
			rt.Fatal(err)
		}
		grown, _, err := contract.Extend(table, second.Version, p)
		if err != nil {
			rt.Fatal(err)
		}
		want, err := contract.TableSchema(second.Version, p)
		if err != nil {
			rt.Fatal(err)
		}
		for _, f := range table.Fields {
			sameMaps(rt, f.Type, grown.Fields[grown.Lookup(f.Name)].Type)
			sameMaps(rt, f.Type, want.Fields[want.Lookup(f.Name)].Type)
		}
	})
}

// sameMaps fails for a map that is another one after.
func sameMaps(t *rapid.T, before, after schema.Type) {
	switch before := before.(type) {
	case schema.Array:
		sameMaps(t, before.Element, after.(schema.Array).Element)
	case schema.Map:
		if before.String() != after.String() {
			t.Fatalf("%s became %s", before, after)
		}
	case schema.Struct:
		now := after.(schema.Struct)
		for _, f := range before.Fields {
			sameMaps(t, f.Type, now.Fields[now.Lookup(f.Name)].Type)
		}
	}
}
