package contract_test

import (
	"fmt"
	"testing"

	"landfall/internal/contract"
)

func version(columns ...contract.Column) contract.Version {
	for i := range columns {
		c := &columns[i]
		if c.Original == "" {
			c.Original = c.Name
		}
	}
	return contract.Version{Number: len(columns), Columns: columns}
}

func TestDiff(t *testing.T) {
	a := version(
		contract.Column{Name: "id", Type: "bigint"}, contract.Column{Name: "gone", Type: "date"},
		contract.Column{Name: "o", Type: "struct<a:bigint,b_c:string,l:array<struct<x:int>>>", Nested: map[string]string{"b_c": "b c"}},
		contract.Column{Name: "late", Type: "void"}, contract.Column{Name: "r", Type: "int"}, contract.Column{Name: "back", Type: "int", Retired: true},
		contract.Column{Name: "a#2", Original: "a", K: 2, Type: "string"}, contract.Column{Name: "bad", Type: "?"},
	)
	b := version(
		contract.Column{Name: "ID_1", Original: "ID", Type: "bigint"},
		contract.Column{Name: "o", Type: "struct<a:double,b_d:string,l:array<struct<x:int,y:date>>>", Nested: map[string]string{"b_d": "b c"}},
		contract.Column{Name: "late", Type: "string"}, contract.Column{Name: "r", Type: "int", Retired: true}, contract.Column{Name: "back", Type: "int"},
		contract.Column{Name: "a", Type: "string"}, contract.Column{Name: "a#2", Original: "a", K: 2, Type: "string"}, contract.Column{Name: "bad", Type: "!"},
	)
	want := "[{renamed ID id ID_1} {retyped o.a bigint double} {renamed o.`b c` b_c b_d} {added o.l.element.y  date} " +
		"{retyped late void string} {retired r int } {restored back  int} {added a  string} {retyped bad ? !} {removed gone date }]"
	check(t, "diff", fmt.Sprint(contract.Diff(a, b)), want)
	check(t, "same", fmt.Sprint(contract.Diff(b, b)), "[]")
}
