package evolution_test

import (
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
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
	r, err := evolution.Evolve(contract.Version{}, evidence("a.csv: order id,Order_ID,amount,n"), contract.Policy{}, &table)
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
	r, err = evolution.Evolve(v, evidence("b.csv: id,note,x"), contract.Policy{Preset: contract.RescueMode}, &table)
	if err != nil || columns(r.Version) != "id note" {
		t.Errorf("got %s, %v", columns(r.Version), err)
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
