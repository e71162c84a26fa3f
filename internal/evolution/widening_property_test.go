package evolution_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/evolution"
	"landfall/internal/inference"
)

// texts draws batches of fields, most of them numbers. None is of a form that
// converts to a type of another class: what converts wants no wider one.
func texts() *rapid.Generator[[][]string] {
	kinds := [][]string{
		{"1", "-42", "7", "2.5", "0.1"},
		{"1", "9007199254740993", "2.5", "9223372036854775808", "12345678901234567.89", "1.5E-7", "N/A", "x"},
		{"2026-11-30", "2024-02-29", "2026-11-30T10:00:00Z", "x"},
	}
	return rapid.Custom(func(t *rapid.T) [][]string {
		field := rapid.SampledFrom(rapid.SampledFrom(kinds).Draw(t, "kind"))
		return rapid.SliceOfN(rapid.SliceOfN(field, 1, 6), 1, 5).Draw(t, "batches")
	})
}

// exactly reports whether what a column of one type has of the values is all in
// another, which is wider; written anew, by the numbers.
func exactly(from, to string, values []string) bool {
	if from == to || from == "void" || from == "date" && to == "timestamp" {
		return true
	}
	var p, s, q, r int
	if n, _ := fmt.Sscanf(to, "decimal(%d,%d)", &p, &s); n != 2 && to != "double" {
		return false
	}
	if n, _ := fmt.Sscanf(from, "decimal(%d,%d)", &q, &r); n == 2 {
		return to != "double" && p-s >= q-r && s >= r
	}
	if from != "bigint" {
		return false
	}
	for _, v := range values {
		n, ok := new(big.Int).SetString(v, 10)
		if !ok || !n.IsInt64() {
			continue // it is not in the column
		}
		if _, accuracy := new(big.Float).SetInt(n).Float64(); to == "double" && accuracy != big.Exact {
			return false
		}
		if to != "double" && len(new(big.Int).Abs(n).String()) > p-s {
			return false
		}
	}
	return true
}

// Types widen without loss or not at all; they do not hang on the order of objects,
// and where every step is one without loss, in batches they are those of one.
func TestWideningLaw(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		batches := texts().Draw(rt, "batches")
		p := contract.Policy{Rules: inference.Rules{Agreement: rapid.SampledFrom([]float64{0, 0.6}).Draw(rt, "agreement")}}
		var v contract.Version
		var life []contract.ObjectEvidence
		var values []string
		once, steps := "void", true
		for _, batch := range batches {
			objects := objectsOf(rt, batch)
			r := lived(t, v, evolution.Evidence{Objects: objects, Life: life}, p, nil)
			mirrored := lived(t, v, evolution.Evidence{Objects: mirror(objects), Life: mirror(life)}, p, nil)
			if a, b := typesOf(r.Version), typesOf(mirrored.Version); !slices.Equal(a, b) || reshapes(r) != reshapes(mirrored) {
				rt.Fatalf("in another order: %v, was %v", b, a)
			}
			checkWidened(rt, v, r, values, objects)
			life, v = append(life, objects...), r.Version

			before := once
			values = append(values, batch...)
			once = evolvedOnce(t, life, p)
			if steps = steps && exactly(before, once, values); steps && v.Columns[0].Type != once {
				rt.Fatalf("in batches %s, in one %s", v.Columns[0].Type, once)
			}
		}
	})
}

// objectsOf deals fields to one object or two.
func objectsOf(t *rapid.T, fields []string) []contract.ObjectEvidence {
	cut := rapid.IntRange(1, len(fields)).Draw(t, "cut")
	objects := []contract.ObjectEvidence{cells("a", strings.Join(fields[:cut], " "))}
	if cut < len(fields) {
		objects = append(objects, cells("b", strings.Join(fields[cut:], " ")))
	}
	return objects
}

func mirror(objects []contract.ObjectEvidence) []contract.ObjectEvidence {
	objects = slices.Clone(objects)
	slices.Reverse(objects)
	return objects
}

func evolvedOnce(t testing.TB, objects []contract.ObjectEvidence, p contract.Policy) string {
	t.Helper()
	r, err := evolution.Evolve(contract.Version{}, evolution.Evidence{Objects: objects}, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Version.Columns[0].Type
}

// checkWidened checks one step: the types, what is reshaped, the table, and that
// all that was fitted to the type before is fitted again.
func checkWidened(t *rapid.T, before contract.Version, r evolution.Result, values []string, objects []contract.ObjectEvidence) {
	if len(before.Columns) == 0 {
		return
	}
	was, is := before.Columns[0].Type, r.Version.Columns[0].Type
	if !exactly(was, is, values) {
		t.Fatalf("%s became %s, with %v", was, is, values)
	}
	if (was != is && was != "void") != (len(r.Reshaped) == 1) {
		t.Fatalf("%s became %s, reshaped %s", was, is, reshapes(r))
	}
	if len(r.Reshaped) == 0 {
		return
	}
	for _, o := range objects {
		if !evolution.Stale(before, r.Version, o, contract.Policy{}) {
			t.Fatalf("%s was read for %s and stays, under %s", o.Path, was, is)
		}
	}
	table, err := contract.TableSchema(before, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	grown, changed, err := contract.Extend(table, r.Version, contract.Policy{})
	if err != nil || !changed || grown.Fields[0].Type.String() != is {
		t.Fatalf("the table has %s, want %s: %v", grown.Fields[0].Type, is, err)
	}
	if r.Reshaped[0].From.String() != was || r.Reshaped[0].To.String() != is {
		t.Fatalf("%s became %s, reshaped %s", was, is, reshapes(r))
	}
}
