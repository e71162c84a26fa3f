package contract_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

func hints(t *testing.T, text string) contract.Hints {
	t.Helper()
	h, err := contract.ParseHints(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return h
}

func ddl(t *testing.T, text string) schema.Type {
	t.Helper()
	typ, err := schema.ParseDDL(text)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// Each line: hints, the inferred type of column c, the type that comes of both.
func TestHintsApply(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(`
c int                                       | bigint                            | int
c map<string,string>                        | struct<a:bigint>                  | map<string,string>
c ARRAY<INT>                                | string                            | array<int>
c MAP<STRING,INT>                           | void                              | map<string,int>
C: varchar(10) NOT NULL COMMENT 'x'         | bigint                            | string
c STRUCT<a: INT NOT NULL, B: date>          | struct<b:string>                  | struct<a:int,B:date>
c.dob DATE                                  | struct<id:bigint,dob:string>      | struct<id:bigint,dob:date>
c.dob DATE, c.x.y INT, c.A STRING           | struct<a:bigint>                  | struct<A:string,dob:date,x:struct<y:int>>
c.dob DATE                                  | string                            | struct<dob:date>
c.dob DATE                                  | void                              | struct<dob:date>
c.dob DATE                                  | array<struct<dob:string>>         | struct<dob:date>
c.a.b.c INT                                 | struct<a:struct<b:string,d:date>> | struct<a:struct<b:struct<c:int>,d:date>>
c.element STRING                            | array<bigint>                     | array<string>
c.element STRING                            | void                              | array<string>
c.element STRING                            | string                            | array<string>
c.Element.id INT                            | array<struct<name:string,ID:bigint>> | array<struct<name:string,id:int>>
c.element.id INT                            | array<void>                       | array<struct<id:int>>
c.element.element INT                       | array<array<bigint>>              | array<array<int>>
c.element STRING                            | struct<element:bigint>            | struct<element:string>
c.element STRING                            | struct<symbol:bigint>             | struct<symbol:bigint,element:string>
c.element STRING, c.mass DOUBLE             | void                              | struct<element:string,mass:double>
c.element INT, c.value INT                  | void                              | struct<element:int,value:int>
c.key INT                                   | struct<a:bigint,b:double>         | map<int,string>
c.value INT                                 | struct<a:bigint,b:double>         | map<string,int>
c.key STRING                                | struct<a:bigint,b:void>           | map<string,bigint>
c.value.content STRING                      | struct<a:struct<n:bigint>,b:struct<content:bigint,n:bigint>> | map<string,struct<n:bigint,content:string>>
c.value INT, c.key STRING                   | void                              | map<string,int>
c.value.content STRING                      | string                            | map<string,struct<content:string>>
c.key INT                                   | map<string,bigint>                | map<int,bigint>
c.value.a INT                               | map<string,struct<b:date>>        | map<string,struct<b:date,a:int>>
c.key STRING, c.value INT                   | struct<key:bigint,value:bigint>   | struct<key:string,value:int>
c.value INT                                 | struct<key:bigint,Value:bigint>   | struct<key:bigint,value:int>
c.key STRING, c.value INT                   | struct<value:bigint,a:bigint>     | map<string,int>
c.key.id INT                                | void                              | struct<key:struct<id:int>>
c.key.id INT, c.value INT                   | struct<a:bigint>                  | struct<a:bigint,key:struct<id:int>,value:int>
c.key array<int>                            | void                              | struct<key:array<int>>
c.key INT, c.other INT                      | void                              | struct<key:int,other:int>
c.key INT                                   | map<void,bigint>                  | map<int,bigint>
c ARRAY<STRUCT<id: INT>>, c.element.ID INT  | void                              | array<struct<id:int>>
c.value INT, c MAP<STRING,INT>, c.key STRING | void                             | map<string,int>
c INT, C INT                                | void                              | int
`), "\n") {
		part := strings.Split(line, "|")
		text, inferred, want := strings.TrimSpace(part[0]), strings.TrimSpace(part[1]), strings.TrimSpace(part[2])
		n, ok := hints(t, text).For("c")
		if !ok {
			t.Errorf("%s: nothing on c", text)
			continue
		}
		was := ddl(t, inferred)
		if got := n.Apply(was); got.String() != want {
			t.Errorf("%s on %s: got %s, want %s", text, inferred, got, want)
		}
		if was.String() != inferred {
			t.Errorf("%s changed %s to %s", text, inferred, was)
		}
	}
}

func TestHintsNames(t *testing.T) {
	h := hints(t, "time TIMESTAMP, ` Order ID ` INT,\nuser_info.dob DATE, TIME TIMESTAMP, _corrupt_record string, user_info.id INT")
	if got := strings.Join(h.Names(), "|"); got != "time|Order ID|user_info|_corrupt_record" {
		t.Errorf("got %s", got)
	}
	n, ok := h.For("ORDER id")
	if !ok || n.Name != "Order ID" || n.Type != schema.Type(schema.Integer) || n.At != 17 {
		t.Errorf("got %+v", n)
	}
	n, ok = h.For("USER_INFO")
	if !ok || n.Type != nil || len(n.Fields) != 2 || n.Fields[1].Name != "id" || n.At != 35 {
		t.Errorf("got %+v", n)
	}
	if _, ok := h.For("dob"); ok || h.IsZero() {
		t.Error("dob is no column")
	}
}

func TestHintsOfParts(t *testing.T) {
	for _, c := range []struct{ hints, path, want string }{
		{"c.user.dob DATE", "USER.DOB", "dob date 1"},
		{"b INT, c.element.Id INT", "element.ID", "Id int 8"},
		{"c STRUCT<User: STRUCT<dob: DATE>>", "user", "User struct<dob:date> 1"},
		{"c MAP<STRING, ARRAY<INT>>", "value.element", "element int 1"},
		{"c.key INT", "key", "key int 1"},
		{"c.user.dob DATE", "user.id", ""},
		{"c STRUCT<a: INT>", "b", ""},
		{"c INT", "element", ""},
	} {
		n, ok := hints(t, c.hints).For("c")
		for _, name := range strings.Split(c.path, ".") {
			if ok {
				n, ok = n.Part(name)
			}
		}
		got := ""
		if ok {
			got = fmt.Sprintf("%s %s %d", n.Name, n.Type, n.At)
		}
		if got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.hints, c.path, got, c.want)
		}
	}
}

func TestNoHints(t *testing.T) {
	for _, text := range []string{"", " \n"} {
		h := hints(t, text)
		if _, ok := h.For("a"); ok || !h.IsZero() || len(h.Names()) > 0 || h.Text != text {
			t.Errorf("%q: got %+v", text, h)
		}
	}
	if h := (contract.Hints{}); !h.IsZero() || len(h.Names()) > 0 {
		t.Error("the zero value hints something")
	}
}

func TestHintsKeepStoredNames(t *testing.T) {
	f := schema.Field{Name: "a_b", Type: schema.Long, Nullable: true}.WithOriginal("a b", 0)
	n, _ := hints(t, "c.`A b` INT").For("c")
	got, ok := n.Apply(schema.Struct{Fields: []schema.Field{f}}).(schema.Struct)
	if !ok || got.String() != "struct<a_b:int>" {
		t.Fatalf("got %s", got)
	}
	if name, _ := schema.Original(got.Fields[0]); name != "a b" {
		t.Errorf("got the original name %q", name)
	}
}

func TestHintsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		"a":                                       "character 2: found the end, want a type",
		"é INT, b intt":                           `character 10: found "intt", want a type; did you mean int?`,
		"a INT,":                                  `character 6: found "," at the end`,
		"a INT, A STRING":                         `character 8: found "A string", want what agrees with "a int" at character 1`,
		"a INT, a.b INT":                          `character 8: found "a.b int", want what agrees with "a int" at character 1`,
		"a.b INT, a INT":                          `character 10: found "a int", want what agrees with "a.b int" at character 1`,
		"a STRUCT<b:INT>, A.B STRING":             `character 18: found "A.B string", want what agrees with "a struct<b:int>" at character 1`,
		"a STRUCT<b:INT>, a.c STRING":             `found "a.c string", want what agrees with "a struct<b:int>"`,
		"a.b STRUCT<c:INT>, a.b.c DATE":           `found "a.b.c date", want what agrees with "a.b struct<c:int>"`,
		"a STRUCT<b:STRUCT<c:INT>>, a.b.c DATE":   `found "a.b.c date", want what agrees with "a struct<b:struct<c:int>>"`,
		"a ARRAY<INT>, a.element.id INT":          `found "a.element.id int", want what agrees with "a array<int>"`,
		"a ARRAY<INT>, a.key INT":                 `found "a.key int", want what agrees with "a array<int>"`,
		"a MAP<STRING,INT>, a.value STRING":       `found "a.value string", want what agrees with "a map<string,int>"`,
		"a MAP<STRING,INT>, a.b STRING":           `found "a.b string", want what agrees with "a map<string,int>"`,
		"a.element INT, a.element.id INT":         `found "a.element.id int", want what agrees with "a.element int"`,
		"a void":                                  "character 1: found void, want a type that holds values for a",
		"a INT, b.c ARRAY<STRUCT<`x y`: void>>":   "character 8: found void, want a type that holds values for b.c.element.`x y`",
		"a struct<>":                              "found a struct without fields",
		"a struct<b:int,B:int>":                   "found field B of a twice",
		"a struct<` `:int>":                       "found a field of a with a blank name",
		"`` INT":                                  "found a blank name",
		"a.` `.b INT":                             "found a blank name",
		"a MAP<ARRAY<INT>,INT>":                   `found "array<int>" as the keys of a, want a type without parts`,
		"a MAP<STRING,MAP<STRUCT<b:INT>,STRING>>": `found "struct<b:int>" as the keys of a.value`,
		strings.Repeat("a.", 150) + "b INT":       "found 151 names, want 100 at most",
		strings.Repeat("a.", 99) + "b ARRAY<INT>": "found a type of more than 100 levels",
	} {
		_, err := contract.ParseHints(text)
		var place *schema.DDLError
		if diag.CodeOf(err) != diag.BadOption || !errors.As(err, &place) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %s", text, err, want)
		}
	}
}

func TestHintsTellEveryConflict(t *testing.T) {
	_, err := contract.ParseHints("a INT, a.b INT, c DATE, C INT, d void")
	var all diag.List
	if !errors.As(err, &all) || len(all) != 3 {
		t.Fatalf("got %v", err)
	}
	for i, want := range []int{17 + 8, 8, 32} {
		found := slices.ContainsFunc(all, func(d *diag.Diagnostic) bool {
			var place *schema.DDLError
			return errors.As(d, &place) && place.At == want && d.Hint != ""
		})
		if !found {
			t.Errorf("problem %d: none at character %d in %v", i, want, all)
		}
	}
}

// What hints say of whole types and of all of their parts is the same.
func TestHintsOfPartsAndWholes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := hintTypes(3).Draw(t, "type")
		whole, err := contract.ParseHints("c " + want.String())
		if err != nil {
			t.Fatal(err)
		}
		n, _ := whole.For("c")
		if got := n.Apply(schema.Unknown); got.String() != want.String() {
			t.Fatalf("%s became %s", want, got)
		}
		text := strings.Join(leafHints(schema.Path{"c"}, want), ", ")
		parts, err := contract.ParseHints(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		n, _ = parts.For("c")
		if got := n.Apply(schema.Unknown); got.String() != want.String() {
			t.Fatalf("%s became %s", text, got)
		}
		if got := n.Apply(want); got.String() != want.String() {
			t.Fatalf("%s on itself became %s", text, got)
		}
		if _, err := contract.ParseHints(text + ", c " + want.String()); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

// leafHints hints each part of a type by itself.
func leafHints(path schema.Path, t schema.Type) []string {
	switch t := t.(type) {
	case schema.Array:
		return leafHints(path.Child("element"), t.Element)
	case schema.Map:
		return append(leafHints(path.Child("key"), t.Key), leafHints(path.Child("value"), t.Value)...)
	case schema.Struct:
		var list []string
		for _, f := range t.Fields {
			list = append(list, leafHints(path.Child(f.Name), f.Type)...)
		}
		return list
	default:
		return []string{path.String() + " " + t.String()}
	}
}

func hintTypes(depth int) *rapid.Generator[schema.Type] {
	scalar := rapid.SampledFrom([]schema.Type{schema.Integer, schema.String, schema.Date, schema.Decimal{Precision: 9, Scale: 2}})
	if depth == 0 {
		return scalar
	}
	below := hintTypes(depth - 1)
	return rapid.OneOf(scalar,
		rapid.Custom(func(t *rapid.T) schema.Type {
			return schema.Array{Element: below.Draw(t, "element"), ContainsNull: true}
		}),
		rapid.Custom(func(t *rapid.T) schema.Type {
			return schema.Map{Key: scalar.Draw(t, "key"), Value: below.Draw(t, "value"), ValueContainsNull: true}
		}),
		rapid.Custom(func(t *rapid.T) schema.Type {
			s := schema.Struct{}
			names := rapid.SampledFrom([]string{"a", "b c", "d.e", "x`y", "f"})
			for _, name := range rapid.SliceOfNDistinct(names, 1, 3, rapid.ID).Draw(t, "names") {
				s.Fields = append(s.Fields, schema.Field{Name: name, Type: below.Draw(t, "type"), Nullable: true})
			}
			return s
		}))
}

func FuzzParseHints(f *testing.F) {
	for _, s := range []string{
		"version int, tags map<string,string>", "user_info.dob DATE, users.element.id INT", "names.key INT, prices.value INT",
		"discounts.key.id INT, descriptions.value.content STRING", "a INT, a.b INT", "a STRUCT<b INT>, a.b INT, `x.y` date",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := contract.ParseHints(text)
		if err != nil {
			var place *schema.DDLError
			if !errors.As(err, &place) || place.At < 1 || diag.CodeOf(err) == "" {
				t.Fatalf("%q: no place in %v", text, err)
			}
			return
		}
		for _, name := range h.Names() {
			n, ok := h.For(name)
			if !ok || n.At < 1 {
				t.Fatalf("%q: nothing on %q", text, name)
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
