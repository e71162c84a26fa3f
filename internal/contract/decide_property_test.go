package contract_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/contract"
	"landfall/internal/schema"
)

// decisions draws a decision about few names, so that they meet.
func decisions() *rapid.Generator[contract.Decision] {
	names := rapid.SampledFrom([]string{"a", "A", "b", "c", "d e", "d_e", "new", "other"})
	return rapid.Custom(func(t *rapid.T) contract.Decision {
		d := contract.Decision{Column: names.Draw(t, "column"), Action: rapid.SampledFrom([]contract.Action{
			contract.Map, contract.Map, contract.Map, contract.Ignore, contract.Carry,
		}).Draw(t, "action"), Why: "w"}
		if d.Action == contract.Map {
			d.To = names.Draw(t, "to")
		}
		return d
	})
}

// Whatever is decided in whatever order: the version is one that can be read back,
// every name has one column at most, what the table has lands in one column or
// stays, no type gets narrower, and the same again is no change.
func TestDecisionLaws(t *testing.T) {
	types := rapid.SampledFrom([]string{"int", "bigint", "double", "decimal(10,2)", "string", "void", "date", "array<int>"})
	rapid.Check(t, func(t *rapid.T) {
		v := contract.Version{Number: 1}
		for _, name := range []string{"a", "b", "c", "d e"} {
			if rapid.Bool().Draw(t, "has "+name) {
				v.Columns = append(v.Columns, contract.Column{Name: schema.CleanName(name), Original: name, Type: types.Draw(t, "type")})
			}
		}
		table, err := contract.TableSchema(v, contract.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 6).Draw(t, "decisions") {
			d := decisions().Draw(t, "decision")
			r, err := contract.Decide(v, d, contract.Policy{}, &table)
			if err != nil {
				if !reflect.DeepEqual(r.Version, v) || len(r.Merges) > 0 {
					t.Fatalf("%s is refused, and makes %+v", d, r)
				}
				continue
			}
			if r.Same {
				continue
			}
			table = decidedTable(t, table, r)
			checkDecided(t, v, r, d)
			v = r.Version
			if again, err := contract.Decide(v, d, contract.Policy{}, &table); err != nil || !again.Same {
				t.Fatalf("%s once more: %+v, %v", d, again, err)
			}
		}
	})
}

// decidedTable is the table's schema after the merges, as they stand there.
func decidedTable(t *rapid.T, table schema.Struct, r contract.Decided) schema.Struct {
	for _, m := range r.Merges {
		at := table.Lookup(m.From)
		if at < 0 {
			t.Fatalf("the table has no %s", m.From)
		}
		var left []schema.Field
		for _, f := range table.Fields {
			if f.Name != m.From {
				left = append(left, f)
			}
		}
		table.Fields = left
		found := false
		for _, c := range r.Version.Columns {
			found = found || c.Name == m.To
		}
		if !found {
			t.Fatalf("no column is %s", m.To)
		}
	}
	next, _, err := contract.Extend(table, r.Version, contract.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range next.Fields {
		for _, c := range r.Version.Columns {
			if c.Name == f.Name {
				next.Fields[i].Type, _ = schema.ParseDDL(c.Type)
			}
		}
	}
	return next
}

func checkDecided(t *rapid.T, before contract.Version, r contract.Decided, d contract.Decision) {
	v := r.Version
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var back contract.Version
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatalf("after %s: %v", d, err)
	}
	names := contract.NamesOf(v, contract.Policy{})
	for _, old := range before.Columns {
		at, why := names.Find(old.Original)
		switch {
		case why == contract.WhyIgnored:
			continue
		case at < 0:
			t.Fatalf("after %s no column has the values of %s", d, old.Original)
		}
		if now := v.Columns[at]; family(old.Type) != family(now.Type) && old.Type != "void" && now.Type != "string" {
			t.Fatalf("after %s %s %s is %s %s", d, old.Original, old.Type, now.Original, now.Type)
		}
		for _, f := range contract.Bind(v, contract.Policy{}, []string{old.Original}, nil).Fields {
			if f.Column != at {
				t.Fatalf("%s is column %d of records, and %d of headers", old.Original, at, f.Column)
			}
		}
	}
}

// family is what types have in common that may hold one column.
func family(ddl string) string {
	switch ddl {
	case "int", "bigint", "double", "decimal(10,2)":
		return "number"
	}
	if len(ddl) > 8 && ddl[:8] == "decimal(" {
		return "number"
	}
	return ddl
}
