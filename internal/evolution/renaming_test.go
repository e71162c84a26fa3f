package evolution_test

import (
	"testing"

	"landfall/internal/contract"
	"landfall/internal/event"
)

// The files of the JHU reports, before and after.
func TestRenamed(t *testing.T) {
	first := land(t, contract.Version{}, contract.Policy{}, nil,
		csv("a.csv", "Province/State,Country/Region,Last Update,Confirmed,Deaths,Recovered,Latitude,Longitude", "Hubei,China,2020-03-01T10:00:00,1,2,3,30.5,112.25"))
	second := land(t, first.Version, contract.Policy{}, nil,
		csv("b.csv", "FIPS,Admin2,Province_State,Country_Region,Last_Update,Lat,Long_,Confirmed,Deaths,Recovered,Active,Combined_Key,Incidence_Rate,Case-Fatality_Ratio",
			"45001,Abbeville,South Carolina,US,2020-03-23 23:19:34,34.22,-82.46,1,0,0,0,\"Abbeville\",1.5,2.5"),
		csv("c.csv", "FIPS,Admin2,Province_State,Country_Region,Last_Update,Lat,Long_,Confirmed,Deaths,Recovered,Active,Combined_Key,Incidence_Rate,Case-Fatality_Ratio",
			"45001,Abbeville,South Carolina,US,2020-03-23 23:19:34,34.22,-82.46,1,0,0,0,\"Abbeville\",1.5,2.5"))
	check(t, "second", brief(second, event.ColumnRenamed), `column_renamed? Province/State Province/State>Province_State as added and missing
column_renamed? Country/Region Country/Region>Country_Region as added and missing
column_renamed? Last Update Last Update>Last_Update as added and missing
column_renamed? Latitude Latitude>Lat as added and missing
column_renamed? Longitude Longitude>Long_ as added and missing`)
	last := second.Drift[len(second.Drift)-1]
	if last.Count != 2 || last.File != "b.csv" || last.Policy != "note" || last.Hint != "if Long_ is Longitude under another name, landfall drift decide makes them one column" {
		t.Errorf("got %+v", last)
	}
	third := land(t, second.Version, contract.Policy{}, nil,
		csv("d.csv", "FIPS,Admin2,Province_State,Country_Region,Last_Update,Lat,Long_,Confirmed,Deaths,Recovered,Active,Combined_Key,Incident_Rate,Case_Fatality_Ratio",
			"45001,Abbeville,South Carolina,US,2020-03-23 23:19:34,34.22,-82.46,1,0,0,0,\"Abbeville\",1.5,2.5"))
	check(t, "third", brief(third, event.ColumnRenamed), `column_renamed? Incidence_Rate Incidence_Rate>Incident_Rate as added and missing
column_renamed? Case-Fatality_Ratio Case-Fatality_Ratio>Case_Fatality_Ratio as added and missing`)
}

func TestNotRenamed(t *testing.T) {
	for _, c := range []struct{ name, before, after, values, want string }{
		{"unrelated", "id,customer,amount", "id,weight,channel", "1,2,3", ""},
		{"another type", "id,total", "id,total_", "1,x", ""},
		{"short names", "id,ab,x", "id,ac,y", "1,2,3", ""},
		{"one for one in its place", "id,cost", "id,weight", "1,2", "column_renamed? cost cost>weight as added and missing"},
		{"one for one elsewhere", "id,cost", "weight,id", "1,2", ""},
		{"each once", "id,rate,x", "id,rate_1,rate_2", "1,2,3", "column_renamed? rate rate>rate_1 as added and missing"},
		{"the nearest", "id,unit_price,q", "id,unit_cost,unitprice", "1,2,3", "column_renamed? unit_price unit_price>unitprice as added and missing"},
		{"only nulls", "id,total,x", "id,total_,y", "1,,", ""},
	} {
		first := land(t, contract.Version{}, contract.Policy{}, nil, csv("a.csv", c.before, "1,2,3"))
		second := land(t, first.Version, contract.Policy{}, nil, csv("b.csv", c.after, c.values))
		check(t, c.name, brief(second, event.ColumnRenamed), c.want)
	}
}

// A renaming within a batch is one too, a first one's as well; what stands side by
// side in another file is none.
func TestRenamedInABatch(t *testing.T) {
	old, renamed := csv("a.csv", "id,Last Update", "1,x"), csv("b.csv", "id,Last_Update", "2,y")
	r := land(t, contract.Version{}, contract.Policy{}, nil, old, renamed)
	check(t, "first", brief(r, event.ColumnRenamed), "column_renamed? Last Update Last Update>Last_Update as added and missing")
	r = land(t, contract.Version{}, contract.Policy{}, nil, old, renamed, csv("c.csv", "id,Last Update,Last_Update", "3,x,y"))
	check(t, "both", brief(r, event.ColumnRenamed), "")
	stood := land(t, contract.Version{}, contract.Policy{}, nil, csv("z.csv", "id", "0"))
	r = land(t, stood.Version, contract.Policy{}, nil, old, renamed)
	check(t, "second", brief(r, event.ColumnRenamed), "column_renamed? Last Update Last Update>Last_Update as added and missing")
}
