package typed_test

import (
	"testing"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// TestCastable: which casts there are, and that the others are refused.
func TestCastable(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"int", "timestamp", true},
		{"int", "date", false},
		{"int", "timestamp_ntz", false},
		{"boolean", "date", false},
		{"string", "binary", true},
		{"int", "binary", false},
		{"date", "int", false},
		{"timestamp", "bigint", true},
		{"timestamp_ntz", "bigint", false},
		{"array<int>", "array<string>", true},
		{"array<int>", "int", false},
		{"array<date>", "array<int>", false},
		{"map<int,int>", "string", true},
		{"struct<a:int>", "struct<b:string>", true},
		{"struct<a:int>", "struct<a:int,b:int>", false},
		{"void", "map<int,int>", true},
	} {
		from, err := schema.ParseDDL(c.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := schema.ParseDDL(c.to)
		if err != nil {
			t.Fatal(err)
		}
		for _, try := range []bool{false, true} {
			text, err := typed.Cast(typed.Argument{SQL: "x", Type: from}, to, try)
			if (err == nil) != c.ok || c.ok && text == "" {
				t.Errorf("%s to %s: found %q %v", c.from, c.to, text, err)
			}
		}
	}
}

// TestOnce: what is long is computed once, under a name that nothing has.
func TestOnce(t *testing.T) {
	twice := func(n []string) string { return n[0] + " + " + n[0] }
	for text, want := range map[string]string{
		`r."a"`:    `(r."a" + r."a")`,
		"f(a)":     "list_transform([{'a0': f(a)}], lambda _v1: _v1.a0 + _v1.a0)[1]",
		"f(_v1.a)": "list_transform([{'a0': f(_v1.a)}], lambda _v2: _v2.a0 + _v2.a0)[1]",
	} {
		if got := typed.Once([]string{text}, twice); got != want {
			t.Errorf("%s: found %s, want %s", text, got, want)
		}
	}
}
