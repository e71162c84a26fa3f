package contract_test

import (
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// Others may have added columns to the table, of any type.
func TestTableOfOthers(t *testing.T) {
	table, err := contract.TableSchema(contract.Version{Columns: []contract.Column{
		{Name: "Order_ID", Original: "Order ID", Type: "string"}, {Name: "Amount", Original: "Amount", Type: "bigint"},
	}}, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := contract.Evolve(contract.Version{}, evidence("a.csv: order id,Order_ID,amount,n"), contract.Policy{}, &table)
	if err != nil {
		t.Fatal(err)
	}
	hashed := r.Version.Columns[1].Name
	check(t, "columns", columns(r.Version), "Order_ID=order id "+hashed+"=Order_ID Amount=amount:bigint n")
	if !strings.HasPrefix(hashed, "Order_ID_") {
		t.Errorf("Order_ID is stored as %s, which the table has for another", hashed)
	}
	if d := r.Drift[0]; d.Decision != "adopt" {
		t.Errorf("a column of the table was decided on as %s", d.Decision)
	}
	// Rescue mode takes up what the owner added by hand.
	v := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: id").Version
	table.Fields = append(table.Fields, schema.Field{Name: "note", Type: schema.String, Nullable: true})
	r, err = contract.Evolve(v, evidence("b.csv: id,note,x"), contract.Policy{Preset: contract.RescueMode}, &table)
	if err != nil || columns(r.Version) != "id note" {
		t.Errorf("got %s, %v", columns(r.Version), err)
	}
}

func TestExtend(t *testing.T) {
	v := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: id,a b").Version
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
	v = evolve(t, v, contract.Policy{}, "b.csv: id,a b,c").Version
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

// The table's owner may have added columns of any type, and fields to structs.
func TestTypesOfTheTable(t *testing.T) {
	table, err := schema.ParseDDL("struct<id:int,o:struct<a:bigint,D:date>,note:date,_rescued_data:string,_source_file:string,_ingested_at:timestamp>")
	if err != nil {
		t.Fatal(err)
	}
	s := table.(schema.Struct)
	p := contract.Policy{Preset: contract.RescueMode}
	first := land(t, contract.Version{}, p, &s, ndjson(t, "a", `{"id":1,"o":{"a":1,"b":true},"note":null}`))
	check(t, "first", columns(first.Version), "id:int o:struct<a:bigint,D:date,b:boolean> note:date")
	before := land(t, contract.Version{}, p, nil, ndjson(t, "a", `{"o":{"a":1},"note":null}`))
	after := land(t, before.Version, p, &s, ndjson(t, "b", `{"o":{"a":1,"d":"x","e":1},"note":"y"}`))
	check(t, "after", columns(after.Version), "o:struct<a:bigint,D:date> note:date")
	check(t, "drift", brief(after, event.ColumnAdded), "column_added o.d >date adopt\ncolumn_added o.e >bigint rescue\ncolumn_added note void>date adopt")
}
