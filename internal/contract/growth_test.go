package contract_test

import (
	"testing"

	"landfall/internal/contract"
	"landfall/internal/event"
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
		r, err := contract.Evolve(first.Version, contract.Evidence{Objects: []contract.ObjectEvidence{grown}}, contract.Policy{Columns: c.columns}, nil)
		check(t, c.name, columns(r.Version), c.want)
		if c.fails != "" && (err == nil || err.Error() != c.fails) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	rescued := land(t, first.Version, contract.Policy{Preset: contract.RescueMode}, nil, grown)
	check(t, "rescue mode", brief(rescued, event.ColumnAdded), "column_added address.`zip code` >string rescue\ncolumn_added address.geo >struct<lat:double> rescue\ncolumn_added l.element.b >bigint rescue")
}
