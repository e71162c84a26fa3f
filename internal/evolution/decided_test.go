package evolution_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
)

// decision is the decision "X is Y" or "ignore X".
func decision(text string) contract.Decision {
	d := contract.Decision{Why: "a test", Who: "ann", At: time.Date(2026, 11, 30, 8, 30, 0, 0, time.UTC)}
	if column, to, ok := strings.Cut(text, " is "); ok {
		d.Column, d.To, d.Action = column, to, contract.Map
		return d
	}
	action, column, _ := strings.Cut(text, " ")
	d.Action, d.Column = contract.Action(action), column
	return d
}

// decide is a version with one decision more, that of a source without a table.
func decide(t *testing.T, v contract.Version, text string) contract.Version {
	t.Helper()
	r, err := contract.Decide(v, decision(text), contract.Policy{}, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return r.Version
}

// A mapped name is neither a new column nor another casing, and its column is not
// missing; where both stand in a header, the second is told.
func TestEvolveUnderDecisions(t *testing.T) {
	v := decide(t, evolve(t, contract.Version{}, contract.Policy{}, "a.csv: id,new").Version, "old is new")
	for _, c := range []struct {
		name, decided, file, columns, drift string
		policy                              contract.Policy
	}{
		{"mapped", "", "b.csv: id,old", "id new", "", contract.Policy{}},
		{"mapped in a tree of folders", "", "old=1/b.csv: id", "id new", "", contract.Policy{}},
		{"both", "", "b.csv: id,old,new", "id new", "column_recased new (new → old) rescue", contract.Policy{}},
		{"mapped, another casing", "", "b.csv: id,Old", "id new", "column_recased new (old → Old) fold", contract.Policy{}},
		{"mapped under a policy", "", "b.csv: id,old", "id new", "", contract.Policy{Preset: contract.FailOnNewColumns}},
		{"ignored", "ignore new", "b.csv: id,new", "id new", "column_added new (ignored → ) ignore", contract.Policy{}},
		{"ignored by a mapped name", "ignore new", "b.csv: id,old", "id new", "column_added old (ignored → ) ignore", contract.Policy{}},
		{"ignored and not there", "ignore new", "b.csv: id", "id new", "", contract.Policy{}},
		{"ignored that never came", "ignore junk", "b.csv: id,new,junk", "id new", "column_added junk (ignored → ) ignore", contract.Policy{}},
		{"a folder", "ignore dt", "dt=1/b.csv: id,new", "id new", "column_added dt (ignored → ) ignore", contract.Policy{}},
		{"a new name for what never came", "held is wanted", "b.csv: id,new,held", "id new wanted", "column_added wanted ( → string) add", contract.Policy{Preset: contract.RescueMode}},
		{"both of a new name", "held is wanted", "b.csv: id,new,held,wanted", "id new wanted", "column_added wanted ( → string) add; column_recased wanted (wanted → held) rescue", contract.Policy{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := v
			if c.decided != "" {
				v = decide(t, v, c.decided)
			}
			r := evolve(t, v, c.policy, c.file)
			check(t, "columns", columns(r.Version), c.columns)
			check(t, "drift", told(r.Drift), c.drift)
			check(t, "decisions", strconv.Itoa(len(r.Version.Decisions)), strconv.Itoa(len(v.Decisions)))
			again := evolve(t, r.Version, c.policy, c.file)
			check(t, "columns once more", columns(again.Version), c.columns)
		})
	}
}

func told(drift []event.Drift) string {
	var s []string
	for _, d := range drift {
		s = append(s, string(d.Kind)+" "+d.Column+" ("+d.From+" → "+d.To+") "+d.Decision)
	}
	return strings.Join(s, "; ")
}

// Records of trees may have a name each, so that both are evidence on one column.
func TestMappedMembers(t *testing.T) {
	v := land(t, contract.Version{}, contract.Policy{}, nil, ndjson(t, "a.json", `{"id":1}`)).Version
	v = decide(t, v, "old is new")
	r := land(t, v, contract.Policy{}, nil, ndjson(t, "b.json", `{"id":2,"old":7}`, `{"id":3,"new":1.5}`))
	check(t, "columns", columns(r.Version), "id:bigint new:double")
}

// With the first landing the decisions of the policy are in force, but not those
// that contradict others.
func TestDecisionsOfThePolicy(t *testing.T) {
	p := contract.Policy{Decisions: []contract.Decision{decision("old is new"), decision("ignore junk"), decision("old is other")}}
	if pending := contract.Pending(contract.Version{}, p); len(pending) != 3 {
		t.Errorf("%d are pending before the first landing", len(pending))
	}
	r := evolve(t, contract.Version{}, p, "a.csv: id,old,junk", "b.csv: id,new")
	check(t, "columns", columns(r.Version), "id new")
	pending := contract.Pending(r.Version, p)
	if len(pending) != 1 || pending[0].To != "other" {
		t.Errorf("pending are %v", pending)
	}
	if _, err := contract.Decide(r.Version, pending[0], p, nil); err == nil {
		t.Error("what contradicts another is taken")
	}
	// Later ones wait for who carries them out.
	later := p
	later.Decisions = append(later.Decisions[:2:2], decision("id is number"))
	if next := evolve(t, r.Version, later, "c.csv: id,new").Version; len(next.Decisions) != 2 {
		t.Errorf("a later decision is in force by itself: %v", next.Decisions)
	}
}

// A hint on a name that is mapped is one on its column, and makes no other.
func TestHintsOnMappedNames(t *testing.T) {
	p := contract.Policy{Hints: hints(t, "old decimal(18,2)"), Decisions: []contract.Decision{decision("old is new")}}
	r := land(t, contract.Version{}, p, nil, csv("a.csv", "id,new", "1,120"), csv("b.csv", "id,old", "2,99.90"))
	check(t, "columns", columns(r.Version), "id:bigint new:decimal(18,2)")
}
