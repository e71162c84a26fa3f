package hint_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/diag"
	"landfall/internal/hint"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
)

func parse(t *testing.T, text string) hint.Set {
	t.Helper()
	h, err := hint.Parse(text)
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
func TestApply(t *testing.T) {
	for _, line := range strings.Split(strings.TrimSpace(`
c int                                       | bigint                            | int
c map<string,string>                        | struct<a:bigint>                  | map<string,string>
c ARRAY<INT>                                | string                            | array<int>
c MAP<STRING,INT>                           | void                              | map<string,int>
C: varchar(10) NOT NULL COMMENT 'x'         | bigint                            | string
c STRUCT<a: INT NOT NULL, B: date>          | struct<b:string>                  | struct<a:int,B:date>
c STRUCT<b: INT>                            | struct<b:bigint,d:bigint>         | struct<b:int,d:bigint>
c ARRAY<STRUCT<b: INT>>                     | array<struct<B:bigint,d:date>>    | array<struct<b:int,d:date>>
c MAP<STRING,STRUCT<b: INT>>                | struct<x:struct<b:bigint,d:date>> | map<string,struct<b:int>>
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
		n := parse(t, text).For("c")
		if n == nil {
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

// names are the hinted columns.
func names(s hint.Set) []string {
	var out []string
	for _, n := range s.Columns() {
		out = append(out, n.Name)
	}
	return out
}

func TestSet(t *testing.T) {
	h := parse(t, "time TIMESTAMP, ` Order ID ` INT,\nuser_info.dob DATE, TIME TIMESTAMP, _corrupt_record string, user_info.id INT")
	if got := strings.Join(names(h), "|"); got != "time|Order ID|user_info|_corrupt_record" {
		t.Errorf("got %s", got)
	}
	n := h.For("ORDER id")
	if n == nil || n.Name != "Order ID" || n.Type != schema.Type(schema.Integer) || n.At != 17 {
		t.Errorf("got %+v", n)
	}
	n = h.For("USER_INFO")
	if n == nil || n.Type != nil || len(n.Parts()) != 2 || n.Parts()[1].Name != "id" || n.At != 35 {
		t.Errorf("got %+v", n)
	}
	if h.For("dob") != nil || h.IsZero() {
		t.Error("dob is no column")
	}
}

func TestRequired(t *testing.T) {
	for text, want := range map[string]string{
		"a INT, b DATE": "", "a INT NOT NULL": "a", "`a.b` INT NOT NULL, c.d DATE NOT NULL": "`a.b`, c.d",
		"s STRUCT<a: INT NOT NULL, b: ARRAY<STRUCT<c: INT NOT NULL>>> NOT NULL": "s, s.a, s.b.element.c",
	} {
		h, err := hint.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(h.Required(), ", "); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestParts(t *testing.T) {
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
		n := parse(t, c.hints).For("c")
		for _, name := range strings.Split(c.path, ".") {
			n = n.Part(name)
		}
		got := ""
		if n != nil {
			got = fmt.Sprintf("%s %s %d", n.Name, n.Type, n.At)
		}
		if got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.hints, c.path, got, c.want)
		}
		if spelt, _, _ := strings.Cut(c.want, " "); n.Spelling() != spelt {
			t.Errorf("%s: %s is spelt %q, want %q", c.hints, c.path, n.Spelling(), spelt)
		}
	}
}

func TestNoHints(t *testing.T) {
	for _, text := range []string{"", " \n"} {
		h := parse(t, text)
		if h.For("a") != nil || !h.IsZero() || len(h.Columns()) > 0 || h.Text != text {
			t.Errorf("%q: got %+v", text, h)
		}
	}
	if h := (hint.Set{}); !h.IsZero() || len(h.Columns()) > 0 {
		t.Error("the zero value hints something")
	}
}

func TestStoredNamesStay(t *testing.T) {
	f := schema.Field{Name: "a_b", Type: schema.Long, Nullable: true}.WithOriginal("a b", 0)
	got, ok := parse(t, "c.`A b` INT").For("c").Apply(schema.Struct{Fields: []schema.Field{f}}).(schema.Struct)
	if !ok || got.String() != "struct<a_b:int>" {
		t.Fatalf("got %s", got)
	}
	if name, _ := schema.Original(got.Fields[0]); name != "a b" {
		t.Errorf("got the original name %q", name)
	}
}

func TestParseRefuses(t *testing.T) {
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
		strings.Repeat("a.", 150) + "b INT":       "found 151 names, want 32 at most",
		strings.Repeat("a.", 31) + "b ARRAY<INT>": "found a type of more than 32 levels",
	} {
		_, err := hint.Parse(text)
		var place *schema.DDLError
		if diag.CodeOf(err) != diag.BadOption || !errors.As(err, &place) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %s", text, err, want)
		}
	}
}

func TestEveryConflictIsTold(t *testing.T) {
	_, err := hint.Parse("a INT, a.b INT, c DATE, C INT, d void")
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
func TestPartsAndWholes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := types(3).Draw(t, "type")
		whole, err := hint.Parse("c " + want.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := whole.For("c").Apply(schema.Unknown); got.String() != want.String() {
			t.Fatalf("%s became %s", want, got)
		}
		text := strings.Join(ofLeaves(schema.Path{"c"}, want), ", ")
		parts, err := hint.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		n := parts.For("c")
		if got := n.Apply(schema.Unknown); got.String() != want.String() {
			t.Fatalf("%s became %s", text, got)
		}
		if got := n.Apply(want); got.String() != want.String() {
			t.Fatalf("%s on itself became %s", text, got)
		}
		if _, err := hint.Parse(text + ", c " + want.String()); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	})
}

// ofLeaves hints each part of a type by itself.
func ofLeaves(path schema.Path, t schema.Type) []string {
	switch t := t.(type) {
	case schema.Array:
		return ofLeaves(path.Child("element"), t.Element)
	case schema.Map:
		return append(ofLeaves(path.Child("key"), t.Key), ofLeaves(path.Child("value"), t.Value)...)
	case schema.Struct:
		var list []string
		for _, f := range t.Fields {
			list = append(list, ofLeaves(path.Child(f.Name), f.Type)...)
		}
		return list
	default:
		return []string{path.String() + " " + t.String()}
	}
}

func types(depth int) *rapid.Generator[schema.Type] {
	scalar := rapid.SampledFrom([]schema.Type{schema.Integer, schema.String, schema.Date, schema.Decimal{Precision: 9, Scale: 2}})
	if depth == 0 {
		return scalar
	}
	below := types(depth - 1)
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

// The deepest types that hints can give can be written.
func TestDeepestHints(t *testing.T) {
	arrays := strings.Repeat("ARRAY<", schema.MaxNesting-1) + "INT" + strings.Repeat(">", schema.MaxNesting-1)
	for _, text := range []string{"c " + arrays, "c" + strings.Repeat(".element", schema.MaxNesting-1) + " INT"} {
		typ := parse(t, text).For("c").Apply(schema.Unknown)
		if typ.String() != strings.ToLower(arrays) {
			t.Errorf("got %s", typ)
		}
		table := schema.Struct{Fields: []schema.Field{{Name: "c", Type: typ, Nullable: true}}}
		if _, err := parquetfile.NewWriter(io.Discard, table, parquetfile.Options{}); err != nil {
			t.Error(err)
		}
	}
	if _, err := hint.Parse("c ARRAY<" + arrays + ">"); diag.CodeOf(err) != diag.BadOption {
		t.Errorf("got %v", err)
	}
}

func TestNothingHinted(t *testing.T) {
	n := hint.Set{}.For("c")
	if n.Part("a") != nil || len(n.Parts()) > 0 || n.Apply(schema.Long) != schema.Type(schema.Long) {
		t.Error("nil hints something")
	}
	whole := parse(t, "c STRUCT<A: INT, b: DATE>, d MAP<STRING,INT>")
	if p := whole.For("c").Parts(); len(p) != 2 || p[0].Name != "A" || p[1].Type != schema.Type(schema.Date) || len(whole.For("d").Parts()) > 0 {
		t.Errorf("got %+v", p)
	}
}
