package schema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"landfall/internal/schema"
)

const everyType = `{"type":"struct","fields":[` +
	`{"name":"id","type":"long","nullable":false,"metadata":{"delta.invariants":"{\"expression\":{\"expression\":\"id > 3\"}}","n":12345678901234567890}},` +
	`{"name":"a b","type":{"type":"array","elementType":"decimal(38,10)","containsNull":false},"nullable":true,"metadata":{}},` +
	`{"name":"m<é>","type":{"type":"map","keyType":"string","valueType":{"type":"struct","fields":[` +
	`{"name":"x","type":"timestamp_ntz","nullable":true,"metadata":{"comment":"<&>"}}]},"valueContainsNull":true},"nullable":true,"metadata":{}},` +
	`{"name":"v","type":"void","nullable":true,"metadata":{}}]}`

func TestJSONKeepsEverything(t *testing.T) {
	s, err := schema.ParseJSON([]byte(everyType))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != everyType {
		t.Errorf("got  %s\nwant %s", got, everyType)
	}
}

func TestJSONRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`"long"`: "want a struct",
		`{"type":"struct","fields":[{"name":"v","type":"variant","nullable":true}]}`:                                   `v: type "variant" is not supported [E0502]`,
		`{"type":"struct","fields":[{"name":"a","type":{"type":"array","elementType":"interval"},"nullable":true}]}`:   `a.element: type "interval"`,
		`{"type":"struct","fields":[{"name":"d","type":"decimal(39,1)","nullable":true}]}`:                             "want 1 to 38 digits",
		`{"type":"struct","fields":[{"type":"long","nullable":true}]}`:                                                 "has no name",
		`{"type":"struct","fields":[{"name":"d"}]}`:                                                                    "schema: ",
		`{"type":"struct","fields":[{"name":"d","type":` + strings.Repeat(`{"type":"array","elementType":`, 300) + `}`: "schema: ",
	} {
		if _, err := schema.ParseJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: got %v, want %q", text, err, want)
		}
	}
}

func TestDDL(t *testing.T) {
	for text, want := range map[string]string{
		"bigint": "bigint", "LONG": "bigint", " int ": "int", "integer": "int", "byte": "tinyint", "SHORT": "smallint",
		"real": "float", "VARCHAR(12)": "string", "char( 1 )": "string", "timestamp_ltz": "timestamp", "timestamp_ntz": "timestamp_ntz", "void": "void",
		"decimal": "decimal(10,0)", "numeric(5)": "decimal(5,0)", "DEC( 18 , 2 )": "decimal(18,2)",
		"ARRAY<array<string>>": "array<array<string>>", "map<string,INT>": "map<string,int>",
		"struct<>":                              "struct<>",
		"struct<a: int, b string NOT NULL>":     "struct<a:int,b:string not null>",
		"struct<`a b`:int,`x``y`:date,é:float>": "struct<`a b`:int,`x``y`:date,é:float>",
		"struct<not:int,null:string>":           "struct<not:int,null:string>",
		"struct<a int comment 'it''s, \\'so',b INT NOT NULL COMMENT \"x>\">": "struct<a:int,b:int not null>",
	} {
		got, err := schema.ParseDDL(text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got.String() != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		again, err := schema.ParseDDL(got.String())
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s: read back as %v, %v", got, again, err)
		}
	}
}

func TestDDLRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "found the end, want a type",
		"text":                         `found "text", want a type; did you mean string?`,
		"int int":                      `found "int" after the type`,
		"decimal(0,0)":                 "want 1 to 38 digits",
		"decimal(5,6)":                 "no more of them after the point",
		"decimal(x)":                   `found "x", want a number`,
		"array<int":                    `found the end, want ">"`,
		"array int":                    `found "int", want "<"`,
		"map<string>":                  `found ">", want ","`,
		"struct<:int>":                 "want a field's name",
		"struct<`a:int>":               "without its end",
		"struct<a:int not b>":          `want "null"`,
		"varchar":                      `found the end, want "("`,
		"char(x)":                      `found "x", want a number`,
		"variant":                      "which no column can have here",
		strings.Repeat("array<", 1000): "nested too deep",
	} {
		if _, err := schema.ParseDDL(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: got %v, want %q", text, err, want)
		}
	}
}

func TestFold(t *testing.T) {
	for name, want := range map[string]string{
		"Order_ID": "order_id", "RÉGION": "région", "İd": "i\u0307d", "I": "i", "ΟΔΟΣ": "οδος", "Σ": "σ",
		"ΣΑ": "σα", "ΑΣ1": "ας1", "Straße": "straße", "": "",
	} {
		if got := schema.Fold(name); got != want {
			t.Errorf("Fold(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestCleanName(t *testing.T) {
	for name, want := range map[string]string{
		"id": "id", " id\t": "id", "Order ID": "Order_ID", "Order/ID": "Order/ID", "Code région": "Code_région",
		"a,b;c{d}e(f)g=h": "a_b_c_d_e_f_g_h", "a\tb\nc": "a_b_c", "a\x00b": "a_b", "x\xffy": "x_y", "a#2": "a#2", "  ": "",
	} {
		if got := schema.CleanName(name); got != want {
			t.Errorf("CleanName(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestFreeName(t *testing.T) {
	taken := map[string]bool{"order_id": true}
	free := func(original string) string {
		return schema.FreeName(original, func(folded string) bool { return taken[folded] })
	}
	first := free("Order ID")
	if !strings.HasPrefix(first, "Order_ID_") || len(first) != len("Order_ID_")+8 {
		t.Errorf("got %q, want a suffix of 8 digits", first)
	}
	if other := free("Order,ID"); other == first {
		t.Errorf("two originals got the one name %q", other)
	}
	taken[schema.Fold(first)] = true
	if again := free("Order ID"); again == first || again == "Order_ID" {
		t.Errorf("got %q, which is taken", again)
	}
	if got := free("note"); got != "note" {
		t.Errorf("got %q for a free name", got)
	}
}

func TestPhysicalName(t *testing.T) {
	mapped := schema.Field{Name: "a", Metadata: map[string]json.RawMessage{
		"delta.columnMapping.physicalName": json.RawMessage(`"col-1"`),
	}}
	if got := schema.PhysicalName(mapped); got != "col-1" {
		t.Errorf("got %q, want col-1", got)
	}
	if got := schema.PhysicalName(schema.Field{Name: "a"}); got != "a" {
		t.Errorf("got %q, want a", got)
	}
}

func TestLookup(t *testing.T) {
	s := schema.Struct{Fields: []schema.Field{{Name: "A"}, {Name: "Région"}}}
	if s.Lookup("a") != 0 || s.Lookup("RÉGION") != 1 || s.Lookup("b") != -1 {
		t.Errorf("got %d %d %d", s.Lookup("a"), s.Lookup("RÉGION"), s.Lookup("b"))
	}
}
