package evolution_test

import (
	"testing"

	"landfall/internal/contract"
	"landfall/internal/evolution"
)

func TestStale(t *testing.T) {
	id := contract.Column{Name: "id", Type: "bigint"}
	for _, c := range []struct {
		name          string
		before, after contract.Version
		object        contract.ObjectEvidence
		want          bool
	}{
		{"nothing", version(id), version(id), csv("a.csv", "id", "1"), false},
		{"a column it lacks", version(id), version(id, contract.Column{Name: "x", Type: "date"}), csv("a.csv", "id", "1"), false},
		{"a column it has", version(id), version(id, contract.Column{Name: "x", Type: "date"}), csv("a.csv", "id,x", "1,y"), true},
		{"a column of nulls", version(id), version(id, contract.Column{Name: "x", Type: "date"}), csv("a.csv", "id,x", "1,"), false},
		{"another type", version(id), version(contract.Column{Name: "id", Type: "double"}), csv("a.csv", "id", "1"), true},
		{"another type of what it lacks", version(id), version(contract.Column{Name: "id", Type: "double"}), csv("a.csv", "x", "1"), true},
		{"another stored name", version(id), version(contract.Column{Name: "ID_1", Original: "id", Type: "bigint"}), csv("a.csv", "id", "1"), true},
		{"a guess that went", version(id, contract.Column{Name: "x", Type: "date"}), version(id), csv("a.csv", "id", "1"), true},
		{"void typed", version(contract.Column{Name: "id", Type: "void"}), version(id), csv("a.csv", "id", "1"), true},
		{"void typed, nulls", version(contract.Column{Name: "id", Type: "void"}), version(id), csv("a.csv", "id,x", ",1"), false},
		{"a folder", version(id), version(id, contract.Column{Name: "dt", Type: "string", Partition: true}), csv("dt=1/a.csv", "id", "1"), true},
		{"retired", version(id), version(contract.Column{Name: "id", Type: "bigint", Retired: true}), csv("a.csv", "id", "1"), true},
		{"the contract's casing", version(contract.Column{Name: "ID", Type: "bigint"}), version(contract.Column{Name: "ID", Original: "id", Type: "bigint"}), ndjson(t, "a", `{"id":1,"ID":2}`), true},
		{"a field it lacks", version(contract.Column{Name: "o", Type: "struct<a:bigint>"}), version(contract.Column{Name: "o", Type: "struct<a:bigint,b:date>"}), ndjson(t, "a", `{"o":{"a":1}}`), false},
		{"a field it has", version(contract.Column{Name: "o", Type: "struct<a:bigint>"}), version(contract.Column{Name: "o", Type: "struct<a:bigint,b:date>"}), ndjson(t, "a", `{"o":{"a":1,"b":"x"}}`), true},
		{"a field of nulls", version(contract.Column{Name: "o", Type: "struct<a:bigint>"}), version(contract.Column{Name: "o", Type: "struct<a:bigint,b:date>"}), ndjson(t, "a", `{"o":{"a":1,"b":null}}`), false},
		{"a misfit that names its type", version(contract.Column{Name: "o", Type: "struct<a:bigint>"}), version(contract.Column{Name: "o", Type: "struct<a:bigint,b:date>"}), ndjson(t, "a", `{"o":"x"}`), true},
		{"a field of a field", version(contract.Column{Name: "o", Type: "struct<a:struct<x:bigint>>"}), version(contract.Column{Name: "o", Type: "struct<a:struct<x:bigint,y:date>>"}), ndjson(t, "a", `{"o":{"a":{"x":1}}}`), false},
		{"another field type", version(contract.Column{Name: "o", Type: "struct<a:bigint>"}), version(contract.Column{Name: "o", Type: "struct<a:double>"}), ndjson(t, "a", `{"o":{}}`), true},
		{"a void field typed", version(contract.Column{Name: "o", Type: "struct<a:bigint,b:void>"}), version(contract.Column{Name: "o", Type: "struct<a:bigint,b:date>"}), ndjson(t, "a", `{"o":{"b":null}}`), false},
		{"an empty object that finds a struct", version(contract.Column{Name: "o", Type: "struct<b:void>"}), version(contract.Column{Name: "o", Type: "struct<b:void,p:bigint>"}), ndjson(t, "a", `{"o":{"b":null}}`), true},
		{"elements", version(contract.Column{Name: "l", Type: "array<struct<a:bigint>>"}), version(contract.Column{Name: "l", Type: "array<struct<a:bigint,b:date>>"}), ndjson(t, "a", `{"l":[{"a":1}]}`), true},
		{"no elements", version(contract.Column{Name: "l", Type: "array<struct<a:bigint>>"}), version(contract.Column{Name: "l", Type: "array<struct<a:bigint,b:date>>"}), ndjson(t, "a", `{"l":null}`), false},
	} {
		if got := evolution.Stale(c.before, c.after, c.object, contract.Policy{}); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

func version(columns ...contract.Column) contract.Version {
	for i := range columns {
		c := &columns[i]
		if c.Original == "" {
			c.Original = c.Name
		}
	}
	return contract.Version{Number: len(columns), Columns: columns}
}
