package evolution_test

import (
	"io"
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
)

func TestStructsGrow(t *testing.T) {
	first := land(t, contract.Version{}, contract.Policy{}, nil,
		ndjson(t, "a", `{"id":1,"address":{"city":"Leeds"},"l":[{"a":1}]}`))
	grown := ndjson(t, "b", `{"id":2,"address":{"city":"Hull"}}`,
		`{"id":3,"address":{"CITY":"Hull","zip code":"HU1","geo":{"lat":1.5}},"l":[{"a":1,"b":2}]}`)
	r := land(t, first.Version, contract.Policy{}, nil, grown)
	check(t, "s12", columns(r.Version), "id:bigint address:struct<city:string,zip_code:string,geo:struct<lat:double>> l:array<struct<a:bigint,b:bigint>>")
	check(t, "drift", drift(r), "column_recased address.city b city>CITY 1 fold evolve\n"+
		"column_added address.`zip code` b >string 1 add evolve\n"+
		"column_added address.geo b >struct<lat:double> 1 add evolve\n"+
		"name_cleaned address.`zip code` b zip code>zip_code 1 clean evolve\n"+
		"column_added l.element.b b >bigint 1 add evolve")
	if d := r.Drift[1]; d.Record != 2 {
		t.Errorf("first met in record %d", d.Record)
	}
	check(t, "nested", r.Version.Columns[1].Nested["zip_code"], "zip code")
	typ, err := r.Version.Columns[1].SchemaType()
	if err != nil {
		t.Fatal(err)
	}
	original, _ := schema.Original(typ.(schema.Struct).Fields[1])
	check(t, "original", original, "zip code")

	// A policy for a path holds for what is below.
	for _, c := range []struct {
		name    string
		columns map[string]map[event.Kind]string
		want    string
		fails   string
	}{
		{"rescue", map[string]map[event.Kind]string{"Address": {event.ColumnAdded: "rescue"}}, "id:bigint address:struct<city:string> l:array<struct<a:bigint,b:bigint>>", ""},
		{"finer", map[string]map[event.Kind]string{"address": {event.ColumnAdded: "rescue"}, "address.geo": {event.ColumnAdded: "add"}}, "id:bigint address:struct<city:string,geo:struct<lat:double>> l:array<struct<a:bigint,b:bigint>>", ""},
		{"fail", map[string]map[event.Kind]string{"address.`zip code`": {event.ColumnAdded: "fail"}}, "id:bigint address:struct<city:string> l:array<struct<a:bigint>>", "b: column \"address.`zip code`\" is new (policy column_added: fail) [E0701]"},
	} {
		r, err := evolution.Evolve(first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{grown}}, contract.Policy{Columns: c.columns}, nil)
		check(t, c.name, columns(r.Version), c.want)
		if c.fails != "" && (err == nil || err.Error() != c.fails) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	rescued := land(t, first.Version, contract.Policy{Preset: contract.RescueMode}, nil, grown)
	check(t, "rescue mode", brief(rescued, event.ColumnAdded), "column_added address.`zip code` >string rescue\ncolumn_added address.geo >struct<lat:double> rescue\ncolumn_added l.element.b >bigint rescue")
}

// A struct in a map of the table never grows: there are readers that refuse it.
func TestMapsStay(t *testing.T) {
	p := contract.Policy{Hints: hints(t, "m.value.a int")}
	first := land(t, contract.Version{}, p, nil, ndjson(t, "a", `{"id":1,"m":{"k":{"a":1,"v":null,"l":[{"x":1}]}}}`))
	check(t, "first", columns(first.Version), "id:bigint m:map<string,struct<a:int,v:void,l:array<struct<x:bigint>>>>")
	table, err := contract.TableSchema(first.Version, p)
	if err != nil {
		t.Fatal(err)
	}
	more := ndjson(t, "b", `{"id":1,"m":{}}`, `{"id":1,"m":{"n":{"a":1,"b":2.5,"v":"x","l":[{"x":1,"y":{"z":1}}]}}}`)
	second := land(t, first.Version, contract.Policy{}, &table, more)
	check(t, "second", columns(second.Version), columns(first.Version))
	check(t, "drift", drift(second), `column_added m.value.b b >double 1 rescue evolve
column_added m.value.v b void>string 1 rescue evolve
column_added m.value.l.element.y b >struct<z:bigint> 1 rescue evolve`)
	if d := second.Drift[0]; d.Record != 2 || second.Version.Number != 1 {
		t.Errorf("record %d, version %d", d.Record, second.Version.Number)
	}

	// Neither hints nor policies nor a first landing open it, but its owner does.
	p = contract.Policy{Hints: hints(t, "m.value.b int, m.value.c.d date, m.value.v string")}
	held := land(t, first.Version, p, &table, more)
	check(t, "held", columns(held.Version), columns(first.Version))
	check(t, "hints", brief(held, event.HintHeld), `hint_held m.value.v void>string hold
hint_held m.value.b void>int hold
hint_held m.value.c void>struct<d:date> hold`)
	none := land(t, first.Version, contract.Policy{NoRescue: true}, &table, more)
	check(t, "no rescue", brief(none, event.ColumnAdded), `column_added m.value.b >double quarantine
column_added m.value.v void>string quarantine
column_added m.value.l.element.y >struct<z:bigint> quarantine`)
	other := land(t, contract.Version{}, contract.Policy{}, &table, more)
	check(t, "another source", columns(other.Version), "id:bigint m:map<string,struct<a:int,l:array<struct<x:bigint>>>>")
	fails := contract.Policy{Kinds: map[event.Kind]string{event.ColumnAdded: "fail"}}
	if _, err := evolution.Evolve(first.Version, evolution.Evidence{Objects: []contract.ObjectEvidence{more}}, fails, &table); err == nil {
		t.Error("a policy of fail did not")
	}
	table, ok := ddl(t, "struct<id:bigint,m:map<string,struct<a:int,l:array<struct<x:bigint>>,b:double,v:string>>>").(schema.Struct)
	if !ok {
		t.Fatal(table)
	}
	taken := land(t, first.Version, contract.Policy{}, &table, more)
	check(t, "taken up", columns(taken.Version), "id:bigint m:map<string,struct<a:int,v:string,l:array<struct<x:bigint>>,b:double>>")
}

// A map that has no place in the table yet is open.
func TestMapsOfNothingGrow(t *testing.T) {
	p := contract.Policy{Hints: hints(t, "m.key string")}
	first := land(t, contract.Version{}, p, nil, ndjson(t, "a", `{"id":1,"m":{"k":{"v":null}}}`))
	check(t, "first", columns(first.Version), "id:bigint m:map<string,struct<v:void>>")
	second := land(t, first.Version, p, nil, ndjson(t, "b", `{"id":1,"m":{"l":{"v":1,"w":"x"}}}`))
	check(t, "second", columns(second.Version), "id:bigint m:map<string,struct<v:bigint,w:string>>")
}

// However a type grows, files can be written of it.
func TestNesting(t *testing.T) {
	deep := func(n int, inner string) string { return strings.Repeat("[", n) + inner + strings.Repeat("]", n) }
	first := land(t, contract.Version{}, contract.Policy{}, nil, ndjson(t, "a", `{"o":`+deep(10, `{"a":1,"v":null}`)+`}`))
	second := land(t, first.Version, contract.Policy{}, nil,
		ndjson(t, "b", `{"o":`+deep(10, `{"b":`+deep(99, "1")+`,"v":`+deep(99, "1")+`}`)+`}`))
	typ := ddl(t, second.Version.Columns[0].Type)
	for range 10 {
		typ = typ.(schema.Array).Element
	}
	for _, f := range typ.(schema.Struct).Fields[1:] {
		if want := strings.Repeat("array<", schema.MaxNesting-11) + "string" + strings.Repeat(">", schema.MaxNesting-11); f.Type.String() != want {
			t.Errorf("%s is %s", f.Name, f.Type)
		}
	}
	table, err := contract.TableSchema(second.Version, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parquetfile.NewWriter(io.Discard, table, parquetfile.Options{}); err != nil {
		t.Error(err)
	}
}

// A hint pins what it names; what else the objects have is found, in the first
// batch as in the second, and whether other values are no objects.
func TestHintedStructsAreOpen(t *testing.T) {
	for text, want := range map[string]string{
		"m STRUCT<b:INT>": "m:struct<b:int,D:bigint>",
		"m.b INT":         "m:struct<b:int,D:bigint>",
		"m.c INT":         "m:struct<b:bigint,D:bigint,c:int>",
	} {
		p := contract.Policy{Hints: hints(t, text)}
		for _, lines := range [][]string{{`{"m":{"b":1,"D":5}}`}, {`{"m":{"b":1,"D":5}}`, `{"m":"x"}`}} {
			first := land(t, contract.Version{}, p, nil, ndjson(t, "a", lines...))
			check(t, text, columns(first.Version), want)
		}
	}
}
