package evolution_test

import (
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

func ddl(t *testing.T, text string) schema.Type {
	t.Helper()
	typ, err := schema.ParseDDL(text)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// land evolves by objects and gives their table what it needs.
func land(t *testing.T, v contract.Version, p contract.Policy, table *schema.Struct, objects ...contract.ObjectEvidence) evolution.Result {
	t.Helper()
	r, err := evolution.Evolve(v, evolution.Evidence{Objects: objects}, p, table)
	if err != nil {
		t.Fatal(err)
	}
	again, err := evolution.Evolve(r.Version, evolution.Evidence{Objects: objects}, p, table)
	if err != nil || again.Version.Number != r.Version.Number {
		t.Errorf("the same evidence again leads to version %d, %v:\n%s", again.Version.Number, err, drift(again))
	}
	return r
}

// brief is the drift of given kinds as "kind column from>to decision".
func brief(r evolution.Result, kinds ...event.Kind) string {
	var s []string
	for _, d := range r.Drift {
		for _, k := range kinds {
			if d.Kind == k {
				s = append(s, strings.Join([]string{string(d.Kind), d.Column, d.From + ">" + d.To, d.Decision}, " "))
			}
		}
	}
	return strings.Join(s, "\n")
}

func TestTypesOfABatch(t *testing.T) {
	for _, c := range []struct {
		name    string
		objects []contract.ObjectEvidence
		want    string
	}{
		{"O1", []contract.ObjectEvidence{csv("a.csv", "NAME,AGE", "Bob,31", "Alice,45"), csv("b.csv", "AGE,NAME", "54,Sam")}, "NAME AGE:bigint"},
		{"O3", []contract.ObjectEvidence{csv("a.csv", "id,zip", "1,02134", "2,90210", "3,0")}, "id:bigint zip"},
		{"O3 of two files", []contract.ObjectEvidence{csv("a.csv", "id,zip", "2,90210"), csv("b.csv", "id,zip", "1,02134")}, "id:bigint zip"},
		{"O5", []contract.ObjectEvidence{ndjson(t, "a", `{"obj":null}`), ndjson(t, "b", `{"obj":{"foo":1}}`)}, "obj:struct<foo:bigint>"},
		{"O5 turned", []contract.ObjectEvidence{ndjson(t, "a", `{"obj":{"foo":1}}`), ndjson(t, "b", `{"obj":null}`)}, "obj:struct<foo:bigint>"},
		{"O11", []contract.ObjectEvidence{csv("a.csv", "a,a_1,a", "1,2,x")}, "a:bigint a_1:bigint a#2"},
		{"O15", []contract.ObjectEvidence{ndjson(t, "a", `{"a":1,"m":{}}`), ndjson(t, "b", `{"a":2,"m":{"k":5}}`)}, "a:bigint m:struct<k:bigint>"},
		{"O17", []contract.ObjectEvidence{csv("a.csv", "c", "1", "1"), csv("b.csv", "c", "2.5")}, "c:double"},
		{"O18", []contract.ObjectEvidence{csv("a.csv", "id,v", "0047583311587DD90005,1", "0047583311587E590003,2", "39e1804,3", "1e5,4")}, "id v:bigint"},
		{"O18 alone", []contract.ObjectEvidence{csv("a.csv", "id", "1e5", "2e3")}, "id"},
		{"O22", []contract.ObjectEvidence{csv("a.csv", "name,iso2", "Namibia,NA", "Norway,NO", "Nowhere,")}, "name iso2"},
		{"folders are text", []contract.ObjectEvidence{csv("hour=01/a.csv", "x", "1")}, "x:bigint hour/"},
		{"only nulls", []contract.ObjectEvidence{csv("a.csv", "a,b", "1,")}, "a:bigint b:void"},
		{"casings", []contract.ObjectEvidence{ndjson(t, "a", `{"Id":"1"}`, `{"Id":"2","UserUPN":"abc"}`, `{"Id":"3","UserUpn":7}`)}, "Id UserUPN"},
		{"nested casings", []contract.ObjectEvidence{ndjson(t, "a", `{"o":{"a":1}}`, `{"o":{"A":2.5}}`)}, "o:struct<a:double>"},
		{"first met", []contract.ObjectEvidence{ndjson(t, "a", `{"b":1,"a":{"z":1}}`), ndjson(t, "b", `{"a":{"y":1,"z":1},"c":true}`)}, "b:bigint a:struct<z:bigint,y:bigint> c:boolean"},
	} {
		r := land(t, contract.Version{}, contract.Policy{}, nil, c.objects...)
		check(t, c.name, columns(r.Version), c.want)
	}
}

func TestRules(t *testing.T) {
	nested := []string{`{"n":1,"s":"x","b":true,"o":{"a":1.5,"z":null},"d":"2026-11-30","e":"","l":[1]}`, `{"n":2.5}`}
	for _, c := range []struct {
		name  string
		rules inference.Rules
		want  string
	}{
		{"default", inference.Rules{}, "n:double s b:boolean o:struct<a:double,z:void> d e l:array<bigint>"},
		{"strings", inference.Rules{Strings: true}, "n s b o:struct<a:string,z:void> d e l:array<string>"},
		{"timestamps", inference.Rules{Timestamps: true}, "n:double s b:boolean o:struct<a:double,z:void> d:date e l:array<bigint>"},
		{"no dates", inference.Rules{Timestamps: true, NoDates: true}, "n:double s b:boolean o:struct<a:double,z:void> d:timestamp e l:array<bigint>"},
		{"decimals", inference.Rules{PrefersDecimal: true}, "n:decimal(2,1) s b:boolean o:struct<a:decimal(2,1),z:void> d e l:array<bigint>"},
		{"primitives", inference.Rules{PrimitivesAsString: true}, "n s b o:struct<a:string,z:void> d e l:array<string>"},
		{"no nulls", inference.Rules{DropAllNull: true}, "n:double s b:boolean o:struct<a:double> d e l:array<bigint>"},
	} {
		r := land(t, contract.Version{}, contract.Policy{Rules: c.rules}, nil, ndjson(t, "a", nested...))
		check(t, c.name, columns(r.Version), c.want)
	}
	strings := contract.Policy{Rules: inference.Rules{Strings: true}}
	check(t, "CSV", columns(land(t, contract.Version{}, strings, nil, csv("a.csv", "a,b", "1,")).Version), "a b")
	check(t, "JSON", columns(land(t, contract.Version{}, strings, nil, ndjson(t, "a", `{"a":1,"b":null}`)).Version), "a b:void")
	dropped := land(t, contract.Version{}, contract.Policy{Rules: inference.Rules{DropAllNull: true}}, nil, ndjson(t, "a", `{"a":1,"b":null,"c":{}}`))
	check(t, "dropped", columns(dropped.Version), "a:bigint")
	check(t, "dropped", brief(dropped, event.ColumnAdded), "column_added a >bigint add")
	ones := contract.Policy{Rules: inference.Rules{Agreement: 1, NullLikesVote: true}}
	check(t, "Spark", columns(land(t, contract.Version{}, ones, nil, csv("a.csv", "a,b,c", "1,N/A,1", "2,1,1", "x,1,")).Version), "a b c:bigint")
	for preset, want := range map[string]string{contract.Evolves: "a:bigint d", contract.AddNewColumns: "a d"} {
		r := land(t, contract.Version{}, contract.Policy{Preset: preset}, nil, ndjson(t, "a", `{"a":1,"d":"2026-11-30"}`, `{"a":"2"}`))
		check(t, preset, columns(r.Version), want)
	}
	text := contract.Policy{Rules: inference.Rules{PrefersDecimal: true}}
	check(t, "texts of numbers", columns(land(t, contract.Version{}, text, nil,
		ndjson(t, "a", `{"a":"12.50","b":"7","c":"7","d":"007"}`, `{"a":1,"b":"x"}`)).Version), "a:decimal(3,1) b c:decimal(1,0) d")
}

func TestVoidColumns(t *testing.T) {
	first := land(t, contract.Version{}, contract.Policy{}, nil, ndjson(t, "a", `{"id":1,"note":null,"o":{"x":null,"y":{}}}`))
	check(t, "O16", columns(first.Version), "id:bigint note:void o:struct<x:void,y:void>")
	table, err := contract.TableSchema(first.Version, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "table", table.String(), "struct<id:bigint,_rescued_data:string,_source_file:string,_ingested_at:timestamp>")
	// Any policy: the columns are known.
	p := contract.Policy{Preset: contract.RescueMode}
	second := land(t, first.Version, p, &table, ndjson(t, "b", `{"id":4,"note":null}`, `{"id":4,"note":"x","o":{"x":1,"y":{}}}`))
	check(t, "second", columns(second.Version), "id:bigint note o:struct<x:bigint,y:void>")
	check(t, "drift", drift(second), `column_added note b void>string 1 add rescue
column_added o.x b void>bigint 1 add rescue`)
	if d := second.Drift[0]; d.Record != 2 || second.Version.Number != 2 || len(second.Version.Cause) != 2 {
		t.Errorf("record %d, version %d", d.Record, second.Version.Number)
	}
	more, changed, err := contract.Extend(table, second.Version, p)
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	check(t, "more", more.String(), "struct<id:bigint,note:string,o:struct<x:bigint>,_rescued_data:string,_source_file:string,_ingested_at:timestamp>")
}

func TestStandingTypesStay(t *testing.T) {
	first := land(t, contract.Version{}, contract.Policy{}, nil, csv("a.csv", "id,zip", "1,90210"))
	r := land(t, first.Version, contract.Policy{}, nil, csv("b.csv", "id,zip", "1.5,02134"))
	if check(t, "columns", columns(r.Version), "id:bigint zip:bigint"); r.Version.Number != 1 || len(r.Drift) > 0 {
		t.Errorf("version %d, %s", r.Version.Number, drift(r))
	}
}

func TestCaseSensitive(t *testing.T) {
	p := contract.Policy{CaseSensitive: true}
	first := land(t, contract.Version{}, p, nil, csv("a.csv", "id,Name", "1,x"), csv("b.csv", "ID,Name,ID", "z,x,z"))
	check(t, "columns", columns(first.Version), "id:bigint Name")
	check(t, "drift", brief(first, event.ColumnRecased), "column_recased id id>ID rescue")
	b := contract.Bind(first.Version, p, []string{"ID", "Name"}, nil)
	if f := b.Fields[0]; f.Column != -1 || f.Why != contract.WhyCase || b.Fields[1].Column != 1 {
		t.Errorf("got %+v", b.Fields)
	}
	names := contract.NamesOf(first.Version, p)
	for spelling, want := range map[string]int{"id": 0, " id ": 0, "Name": 1, "name": -1, "x": -1, "": -1, "_source_file": -1} {
		if at, why := names.Find(spelling); at != want || (at < 0) != (why != "") {
			t.Errorf("%q: got %d, %q", spelling, at, why)
		}
	}
	tree := land(t, contract.Version{}, p, nil, ndjson(t, "a", `{"o":{"a":1},"u":1}`, `{"o":{"A":"x"},"U":"y"}`))
	check(t, "tree", columns(tree.Version), "o:struct<a:bigint> u:bigint")
	more := land(t, tree.Version, p, nil, ndjson(t, "b", `{"o":{"A":"x","b":1,"B":2.5},"u":1}`))
	check(t, "more", columns(more.Version), "o:struct<a:bigint,b:bigint> u:bigint")
	check(t, "recased", brief(more, event.ColumnRecased), "column_recased o.a a>A rescue\ncolumn_recased o.b b>B rescue")
}

func TestFieldLimit(t *testing.T) {
	p := contract.Policy{MaxColumns: 4}
	first := land(t, contract.Version{}, p, nil, ndjson(t, "a", `{"a":1,"o":{"x":1,"y":2,"z":3},"b":2}`))
	check(t, "first", columns(first.Version), "a:bigint o:struct<x:bigint> b:bigint")
	check(t, "drift", brief(first, event.ColumnOverflow), "column_overflow  >more than 4 columns and fields rescue")
	next := land(t, first.Version, p, nil, ndjson(t, "b", `{"a":1,"o":{"w":1},"c":2}`))
	if next.Version.Number != 1 || len(next.Drift) == 0 || next.Drift[0].Kind != event.ColumnOverflow {
		t.Errorf("version %d, %s", next.Version.Number, drift(next))
	}
}

// Names that are data do not become columns, and do not hide those that are.
func TestOverflow(t *testing.T) {
	first := land(t, contract.Version{}, contract.Policy{}, nil, ndjson(t, "a", `{"a":1,"o":{"x":1}}`))
	many := ndjson(t, "b", `{"b":1,"o":{"x":1}}`)
	many.Evidence.Overflow, many.Evidence.Fields[1].Overflow = 5, 1
	r := land(t, first.Version, contract.Policy{}, nil, many)
	check(t, "drift", brief(r, event.ColumnMissing, event.ColumnOverflow), "column_overflow  >more than 20480 columns and fields rescue")
	if d := r.Drift[len(r.Drift)-1]; d.Count != 2 || d.File != "b" {
		t.Errorf("got %+v", d)
	}
	if !evolution.Stale(first.Version, r.Version, many, contract.Policy{}) || evolution.Stale(r.Version, r.Version, many, contract.Policy{}) {
		t.Error("an object whose names are not all known is stale where anything changed")
	}
	deep := ndjson(t, "c", `{"a":1,"o":{"x":1},"l":[{"y":1}]}`)
	deep.Evidence.Fields[2].Element.Overflow = 1
	if r = land(t, first.Version, contract.Policy{}, nil, deep); brief(r, event.ColumnOverflow) == "" {
		t.Errorf("got %s", drift(r))
	}
}

// Objects and arrays that a string takes are told, once a column, in a first batch
// as later; where a hint wants them as text they are not.
func TestObjectsInStrings(t *testing.T) {
	const conflict = event.TypeConflict
	first := land(t, contract.Version{}, contract.Policy{}, nil,
		ndjson(t, "a", `{"team":"Bayern","l":[{"m":"x"}]}`), ndjson(t, "b", `{"team":"Ajax"}`, `{"team":{"key":"b"},"l":[{"m":{"k":1}},{"m":{}}]}`))
	check(t, "first", columns(first.Version), "team l:array<struct<m:string>>")
	check(t, "first", brief(first, conflict), "type_conflict team struct>string land as JSON text\ntype_conflict l.element.m struct>string land as JSON text")
	if d := first.Drift[len(first.Drift)-2]; d.File != "b" || d.Record != 2 || d.Count != 1 {
		t.Errorf("found %+v, want the second record of b", d)
	}
	second := land(t, first.Version, contract.Policy{}, nil, ndjson(t, "c", `{"team":[1]}`), ndjson(t, "d", `{"team":{"key":"b"}}`))
	check(t, "second", brief(second, conflict), "type_conflict team struct>string land as JSON text")
	hinted := land(t, contract.Version{}, contract.Policy{Hints: hints(t, "team STRING")}, nil, ndjson(t, "b", `{"team":{"key":"b"}}`))
	check(t, "hinted", brief(hinted, conflict), "")
}

// A folder's value gives a type to a column that had none, whichever came first.
func TestFoldersTypeColumns(t *testing.T) {
	nulls, folder := csv("f.csv", "id,a", "1,"), csv("a=2/g.csv", "id", "5")
	for _, objects := range [][]contract.ObjectEvidence{{nulls, folder}, {folder, nulls}} {
		r := land(t, contract.Version{}, contract.Policy{Rules: inference.Rules{DropAllNull: true}}, nil, objects...)
		check(t, "one batch", columns(r.Version), "id:bigint a/")
	}
	first := land(t, contract.Version{}, contract.Policy{}, nil, nulls)
	second := land(t, first.Version, contract.Policy{}, nil, folder)
	check(t, "later", columns(second.Version), "id:bigint a")
	check(t, "later", brief(second, event.ColumnAdded), "column_added a void>string add")
}

// No casing of an equal name lands in the column of another.
func TestCasingsOfEqualNames(t *testing.T) {
	p := contract.Policy{CaseSensitive: true, Hints: hints(t, "a INT")}
	first := land(t, contract.Version{}, p, nil, csv("f.csv", "id,A,A", "1,,0"))
	b := contract.Bind(first.Version, p, []string{"a", "a"}, nil)
	for _, f := range b.Fields {
		if f.Column >= 0 && first.Version.Columns[f.Column].Original != f.Base {
			t.Errorf("%s lands in %+v", f.Name, first.Version.Columns[f.Column])
		}
	}
}
