package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"landfall/internal/schema"
)

// TestReadsAs goes through the pairs that Delta's protocol lists, and their neighbours.
func TestReadsAs(t *testing.T) {
	for pair, want := range map[string]bool{
		"tinyint smallint": true, "tinyint bigint": true, "int bigint": true, "bigint int": false, "int int": false,
		"float double": true, "double float": false, "tinyint double": true, "int double": true, "bigint double": false, "tinyint float": false, "smallint float": false,
		"date timestamp_ntz": true, "date timestamp": false, "timestamp timestamp_ntz": false, "timestamp_ntz timestamp": false,
		"tinyint decimal(10,0)": true, "smallint decimal(5,0)": false, "int decimal(11,1)": true, "int decimal(10,1)": false, "int decimal(38,28)": true,
		"bigint decimal(20,0)": true, "bigint decimal(19,0)": false, "bigint decimal(22,2)": true, "bigint decimal(21,2)": false,
		"decimal(5,2) decimal(5,2)": false, "decimal(5,2) decimal(6,2)": true, "decimal(5,2) decimal(6,3)": true, "decimal(5,2) decimal(5,3)": false, "decimal(5,2) decimal(4,2)": false,
		"decimal(2,0) bigint": false, "decimal(5,2) double": false, "int string": false, "void int": false, "boolean int": false, "string binary": false,
		"array<int> array<bigint>": false,
	} {
		from, to, _ := strings.Cut(pair, " ")
		a, b := typ(t, from), typ(t, to)
		if got := schema.ReadsAs(a, b); got != want {
			t.Errorf("%s: found %v", pair, got)
		}
		if want && !schema.Widens(a, b) {
			t.Errorf("%s is read, and loses values", pair)
		}
	}
}

func spelled(t *testing.T, f schema.Field) string {
	t.Helper()
	text, err := schema.Struct{Fields: []schema.Field{f}}.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAllReadAs(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"struct<a:int,b:string>", "struct<a:bigint,b:string,c:date>", true},
		{"struct<a:int,b:string>", "struct<a:bigint>", false},
		{"struct<a:int>", "struct<a:bigint,b:string NOT NULL>", false},
		{"struct<a:int>", "struct<a:bigint NOT NULL>", false},
		{"map<int,array<date>>", "map<bigint,array<timestamp_ntz>>", true},
		{"map<int,array<date>>", "map<bigint,array<timestamp>>", false},
		{"array<int>", "int", false},
		{"struct<a:int>", "map<string,int>", false},
	} {
		if got := schema.AllReadAs(typ(t, c.from), typ(t, c.to)); got != c.want {
			t.Errorf("%s to %s: found %v", c.from, c.to, got)
		}
	}
}

// Changes stand at the nearest field, after those that stood there, and other
// metadata stays, what others added to a change among it.
func TestTypeChanges(t *testing.T) {
	f := schema.Field{
		Name: "e", Type: typ(t, "struct<m:array<map<bigint,decimal(10,4)>>,s:struct<x:double>,n:bigint,o:double>"),
		Metadata: map[string]json.RawMessage{"comment": json.RawMessage(`"c"`)},
	}
	was := typ(t, "struct<m:array<map<int,decimal(6,2)>>,s:struct<x:float>,n:bigint,o:bigint>")
	got, err := f.WithTypeChanges(was)
	if err != nil {
		t.Fatal(err)
	}
	text := spelled(t, got)
	for _, want := range []string{
		`"metadata":{"comment":"c"}`, `"name":"n","type":"long","nullable":true,"metadata":{}`, `"name":"o","type":"double","nullable":true,"metadata":{}`,
		`{"delta.typeChanges":[{"fromType":"integer","toType":"long","fieldPath":"element.key"},{"fromType":"decimal(6,2)","toType":"decimal(10,4)","fieldPath":"element.value"}]}`,
		`{"delta.typeChanges":[{"fromType":"float","toType":"double"}]}`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("found %s\nwant %s", text, want)
		}
	}
	if strings.Contains(spelled(t, f), "typeChanges") {
		t.Error("the field that it was made of has changed")
	}
	m := got.Type.(schema.Struct).Fields[0]
	changes, err := m.TypeChanges()
	if found := fmt.Sprint(changes, err); found != "[{int bigint element.key} {decimal(6,2) decimal(10,4) element.value}] <nil>" {
		t.Errorf("found %s", found)
	}
	if bare := got.WithoutTypeChanges(); spelled(t, bare) != spelled(t, f) || spelled(t, got) != text {
		t.Errorf("found %v of %v", bare, got)
	}

	n := schema.Field{Name: "n", Type: schema.Long, Metadata: map[string]json.RawMessage{
		schema.ChangesKey: json.RawMessage(`[{"tableVersion":3,"fromType":"short","toType":"integer"}]`),
	}}
	n, err = n.WithTypeChanges(schema.Integer)
	if err != nil || string(n.Metadata[schema.ChangesKey]) != `[{"tableVersion":3,"fromType":"short","toType":"integer"},{"fromType":"integer","toType":"long"}]` {
		t.Errorf("found %s, %v", n.Metadata, err)
	}
	for _, broken := range []string{`{}`, `[{"fromType":"what","toType":"long"}]`, `[{"fromType":"integer","toType":""}]`, `["x"]`} {
		n.Metadata = map[string]json.RawMessage{schema.ChangesKey: json.RawMessage(broken)}
		if changes, err := n.TypeChanges(); err == nil {
			t.Errorf("%s: found %v", broken, changes)
		}
	}
}
