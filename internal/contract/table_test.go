package contract_test

import (
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/schema"
)

func TestExtend(t *testing.T) {
	v, _ := stands(t, "id: string", "a b: string")
	table, err := contract.TableSchema(v, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	check(t, "new", table.String(), "struct<id:string,a_b:string,_rescued_data:string,_source_file:string,_ingested_at:timestamp>")
	check(t, "original", string(table.Fields[1].Metadata[schema.OriginalKey]), `"a b"`)

	table.Fields = append(table.Fields, schema.Field{Name: "theirs", Type: schema.Date, Nullable: true})
	if _, changed, err := contract.Extend(table, v, contract.Policy{}); changed || err != nil {
		t.Errorf("changed %v, %v", changed, err)
	}
	v, _ = stands(t, "id: string", "a b: string", "c: string")
	more, changed, err := contract.Extend(table, v, contract.Policy{Rescue: "rest"})
	if err != nil || !changed {
		t.Fatalf("changed %v, %v", changed, err)
	}
	check(t, "more", more.String(), "struct<id:string,a_b:string,c:string,_rescued_data:string,_source_file:string,_ingested_at:timestamp,theirs:date,rest:string>")
	none, err := contract.TableSchema(v, contract.Policy{Preset: contract.NoEvolution})
	if err != nil || none.Lookup(contract.RescuedData) >= 0 {
		t.Errorf("no rescue column was wanted: %s, %v", none, err)
	}
}

func TestExtendNested(t *testing.T) {
	v := contract.Version{Columns: []contract.Column{
		{Name: "o", Original: "o", Type: "struct<a:bigint,b_c:string,v:void>", Nested: map[string]string{"b_c": "b c"}},
		{Name: "l", Original: "l", Type: "array<struct<x:bigint,y:struct<z:date>>>"},
		{Name: "m", Original: "m", Type: "map<string,struct<k:bigint,n:double>>"},
		{Name: "t", Original: "t", Type: "double"},
	}}
	have, err := schema.ParseDDL("struct<o:struct<A:int,theirs:date>,l:array<struct<x:int>>,m:map<string,struct<k:bigint>>,t:string,_rescued_data:string,_source_file:string,_ingested_at:timestamp>")
	if err != nil {
		t.Fatal(err)
	}
	more, changed, err := contract.Extend(have.(schema.Struct), v, contract.Policy{})
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	check(t, "more", more.String(), "struct<o:struct<A:bigint,theirs:date,b_c:string>,l:array<struct<x:bigint,y:struct<z:date>>>,m:map<string,struct<k:bigint>>,t:string,_rescued_data:string,_source_file:string,_ingested_at:timestamp>")
	original, _ := schema.Original(more.Fields[0].Type.(schema.Struct).Fields[2])
	check(t, "original", original, "b c")
	if again, changed, err := contract.Extend(more, v, contract.Policy{}); changed || err != nil || again.String() != more.String() {
		t.Errorf("changed %v, %v", changed, err)
	}
	if strings.Contains(have.String(), "b_c") {
		t.Error("the old schema changed too")
	}
}

func TestFollow(t *testing.T) {
	for _, c := range []struct{ ours, table, want string }{
		{"int", "bigint", "bigint"},
		{"void", "date", "void"},
		{"array<int>", "array<double>", "array<double>"},
		{"map<string,int>", "map<string,bigint>", "map<string,bigint>"},
		{"struct<a:int,b:int>", "struct<A:double,theirs:date>", "struct<a:double,b:int>"},
		{"struct<a:int>", "string", "string"},
	} {
		ours, err1 := schema.ParseDDL(c.ours)
		table, err2 := schema.ParseDDL(c.table)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		check(t, c.ours+" in "+c.table, contract.Follow(ours, table).String(), c.want)
	}
}

func TestMayWiden(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     bool
	}{
		{"int", "bigint", true},
		{"bigint", "int", false},
		{"int", "int", false},
		{"bigint", "double", true},
		{"bigint", "decimal(3,1)", true},
		{"double", "decimal(38,2)", false},
		{"void", "int", false},
		{"int", "string", false},
		{"array<int>", "array<bigint>", false},
	} {
		from, err1 := schema.ParseDDL(c.from)
		to, err2 := schema.ParseDDL(c.to)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if got := contract.MayWiden(from, to); got != c.want {
			t.Errorf("%s to %s: found %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
