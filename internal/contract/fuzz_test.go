package contract_test

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"landfall/internal/contract"
)

func FuzzVersion(f *testing.F) {
	for _, name := range []string{"testdata/version1.json", "testdata/version1-types.json"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"format":1,"columns":[{"type":"struct<a:struct<b:int>>","nested":{"a.b":"\ud800","a.":"x"}}]}`))
	f.Add([]byte(`{"format":1,"columns":[{"name":"w","original":"w","type":"struct<f:string>","nested":{"f":" name"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v contract.Version
		if json.Unmarshal(data, &v) != nil {
			return
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var again contract.Version
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%s cannot be read back: %v", text, err)
		}
		if same, err := json.Marshal(again); err != nil || string(same) != string(text) {
			t.Fatalf("%s came back as %s, %v", text, same, err)
		}
		for _, c := range v.Columns {
			a, err1 := c.SchemaType()
			b, err2 := c.SchemaType()
			if (err1 == nil) != (err2 == nil) || !reflect.DeepEqual(a, b) {
				t.Fatalf("%+v is %v and %v", c, a, b)
			}
		}
		table, err := contract.TableSchema(v, contract.Policy{})
		if err != nil {
			return
		}
		if _, changed, err := contract.Extend(table, v, contract.Policy{}); changed || err != nil {
			t.Fatalf("a new table of %s: changed %v, %v", text, changed, err)
		}
		if changes := contract.Diff(v, v); len(changes) > 0 {
			t.Fatalf("%s differs from itself: %v", text, changes)
		}
	})
}
