package evolution_test

import (
	"fmt"
	"testing"

	"landfall/internal/contract"
)

func TestRollback(t *testing.T) {
	first := land(t, contract.Version{}, contract.Policy{}, nil, ndjson(t, "a", `{"id":1,"o":{"a":1}}`))
	second := land(t, first.Version, contract.Policy{}, nil, ndjson(t, "b", `{"id":1,"o":{"b":1},"x":1}`))
	back := contract.Rollback(second.Version, first.Version)
	if back.Number != 3 || back.Reason != "rollback to 1" || second.Version.Columns[2].Retired {
		t.Errorf("got %+v", back)
	}
	check(t, "diff", fmt.Sprint(contract.Diff(second.Version, back)), "[{retired x bigint }]")
	check(t, "types stay", back.Columns[1].Type, "struct<a:bigint,b:bigint>")

	// A retired column keeps its name, and its values go nowhere else.
	r := land(t, back, contract.Policy{}, nil, ndjson(t, "c", `{"id":1,"o":{"a":1},"X":2}`), csv("x=1/d.csv", "id,o", "1,"))
	check(t, "drift", drift(r), "column_added x c retired> 2 rescue evolve")
	if r.Version.Number != 3 {
		t.Errorf("version %d: %s", r.Version.Number, columns(r.Version))
	}
	if at, why := contract.NamesOf(back, contract.Policy{}).Find("x"); at != -1 || why != contract.WhyUnknown {
		t.Errorf("got %d, %s", at, why)
	}
	b := contract.Bind(back, contract.Policy{}, []string{"x"}, []string{"x"})
	if b.Fields[0].Column != -1 || b.Folders[0].Column != -1 || b.Folders[0].Why != contract.WhyUnknown {
		t.Errorf("got %+v", b)
	}
	table, err := contract.TableSchema(back, contract.Policy{})
	if err != nil || table.Lookup("x") < 0 {
		t.Errorf("the table lost a column: %s, %v", table, err)
	}

	forth := contract.Rollback(back, second.Version)
	check(t, "forth", fmt.Sprint(contract.Diff(back, forth)), "[{restored x  bigint}]")
	if forth.Number != 4 || forth.Reason != "rollback to 2" {
		t.Errorf("got %+v", forth)
	}
}
