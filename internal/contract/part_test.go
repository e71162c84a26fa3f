package contract_test

import (
	"testing"

	"landfall/internal/contract"
)

func TestTypeOf(t *testing.T) {
	v := contract.Version{
		Columns: []contract.Column{
			{Name: "order_id", Original: "order id", Type: "bigint"},
			{Name: "a", Original: "a", Type: "struct<b_c:array<struct<d:int>>>", Nested: map[string]string{"b_c": "b c"}},
			{Name: "a.b", Original: "a.b", Type: "date"},
			{Name: "m", Original: "m", Type: "map<string,double>"},
		},
		Decisions: []contract.Decision{{Column: "no", Action: contract.Map, To: "order id"}},
	}
	for name, want := range map[string]string{
		"order id": "bigint", "ORDER_ID": "bigint", "no": "bigint", "a.b": "date", "`a.b`": "date",
		"a.`b c`.element.D": "int", "a.b_c": "array<struct<d:int>>", "m.value": "double", "m.key": "string",
		"a.x": "", "x": "", "order id.x": "", "a..b": "",
	} {
		got, ok := v.TypeOf(name)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%s: found %v, %v, want %q", name, got, ok, want)
		}
	}
}
