package schema_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/schema"
)

func TestPath(t *testing.T) {
	for text, want := range map[string]struct {
		path schema.Path
		text string
	}{
		"a":               {schema.Path{"a"}, "a"},
		"a.b.element.Key": {schema.Path{"a", "b", "element", "Key"}, "a.b.element.Key"},
		" a . Order ID ":  {schema.Path{"a", "Order ID"}, "a.`Order ID`"},
		"`a.b`.`c``d`. e": {schema.Path{"a.b", "c`d", "e"}, "`a.b`.`c``d`.e"},
		"` a `.``":        {schema.Path{" a ", ""}, "` a `.``"},
		"région.x-y":      {schema.Path{"région", "x-y"}, "région.`x-y`"},
	} {
		got, err := schema.ParsePath(text)
		if err != nil || !slices.Equal(got, want.path) || got.String() != want.text {
			t.Errorf("%s: got %q (%s), %v, want %q (%s)", text, got, got, err, want.path, want.text)
		}
	}
}

func TestPathRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "character 1: found the end, want a name",
		"  ":                      "character 1: found the end, want a name",
		"é.":                      "character 3: found the end, want a name",
		"a..b":                    `character 3: found ".", want a name`,
		".a":                      `character 1: found ".", want a name`,
		"a.b`c`":                  "character 4: found a backtick within a name",
		"é.`b":                    "character 3: found a quoted name without its end",
		"`a``":                    "character 1: found a quoted name without its end",
		"`a`b":                    `character 4: found "b", want a dot or the end`,
		strings.Repeat("a.", 300): "nested too deep",
	} {
		_, err := schema.ParsePath(text)
		var ddl *schema.DDLError
		if !errors.As(err, &ddl) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want %s", text, err, want)
		}
	}
}

func TestPathSteps(t *testing.T) {
	p := schema.Path{"A", "İ.x"}
	if other := (schema.Path{"a", "i\u0307.X"}); !p.Equal(other) || p.Folded() != other.Folded() {
		t.Errorf("%s and %s should be equal", p, other)
	}
	if p.Equal(schema.Path{"a"}) || p.Equal(schema.Path{"a.i\u0307", "x"}) {
		t.Errorf("%s should have no equal here", p)
	}
	first, second := p.Child("b"), p.Child("c")
	if got := first.String() + " " + second.String() + " " + second.Parent().Parent().String(); got != "A.`İ.x`.b A.`İ.x`.c A" {
		t.Errorf("got %s", got)
	}
	if got := p[:1].Parent(); got != nil {
		t.Errorf("got %q before the first name", got)
	}
}

func TestPathComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := schema.Path(rapid.SliceOfN(rapid.String(), 1, 4).Draw(t, "path"))
		got, err := schema.ParsePath(p.String())
		if err != nil || !slices.Equal(got, p) {
			t.Fatalf("%q as %s came back as %q, %v", []string(p), p, []string(got), err)
		}
	})
}
