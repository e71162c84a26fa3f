package hint_test

import (
	"errors"
	"testing"

	"landfall/internal/diag"
	"landfall/internal/hint"
	"landfall/internal/schema"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"version int, tags map<string,string>", "user_info.dob DATE, users.element.id INT", "names.key INT, prices.value INT",
		"discounts.key.id INT, descriptions.value.content STRING", "a INT, a.b INT", "a STRUCT<b INT>, a.b INT, `x.y` date",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := hint.Parse(text)
		if err != nil {
			var place *schema.DDLError
			if !errors.As(err, &place) || place.At < 1 || diag.CodeOf(err) == "" {
				t.Fatalf("%q: no place in %v", text, err)
			}
			return
		}
		for _, n := range h.Columns() {
			if h.For(n.Name) != n || n.At < 1 {
				t.Fatalf("%q: nothing on %q", text, n.Name)
			}
			for _, inferred := range []schema.Type{
				nil, schema.Unknown, schema.String,
				schema.Array{Element: schema.Long},
				schema.Map{Key: schema.String, Value: schema.Unknown},
				schema.Struct{Fields: []schema.Field{{Name: "a", Type: schema.Long}, {Name: "value", Type: schema.Unknown}}},
			} {
				got := n.Apply(inferred)
				if again := n.Apply(got); again.String() != got.String() {
					t.Fatalf("%q on %v: %s, then %s", text, inferred, got, again)
				}
			}
		}
	})
}
