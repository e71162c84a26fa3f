package contract_test

import (
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
)

// mappedTo is a version of the columns id and new, with old another name of new.
func mappedTo(t *testing.T) contract.Version {
	t.Helper()
	v := evolve(t, contract.Version{}, contract.Policy{}, "a.csv: id,new").Version
	return decide(t, v, nil, "old is new").Version
}

func TestMappedNames(t *testing.T) {
	v := mappedTo(t)
	for _, c := range []struct{ header, columns, why string }{
		{"id,old", "0 1", " "},
		{"id,OLD", "0 1", " "},
		{"old,new", "-1 1", "case "},
		{"new,old", "1 -1", " case"},
		{"old,NEW", "-1 1", "case "},
		{"OLD,old", "-1 1", "case "},
		{"old,old", "1 -1", " unknown"},
	} {
		var columns, why []string
		for _, f := range contract.Bind(v, contract.Policy{}, strings.Split(c.header, ","), nil).Fields {
			columns, why = append(columns, itoa(f.Column)), append(why, f.Why)
		}
		check(t, c.header, strings.Join(columns, " ")+"|"+strings.Join(why, " "), c.columns+"|"+c.why)
	}
	names := contract.NamesOf(v, contract.Policy{})
	for _, name := range []string{"old", "Old", " old ", "new"} {
		if at, why := names.Find(name); at != 1 || why != "" || names.Spelling(name) != "new" {
			t.Errorf("%q is column %d (%s), spelt %q", name, at, why, names.Spelling(name))
		}
	}
	exact := contract.NamesOf(v, contract.Policy{CaseSensitive: true})
	if at, _ := exact.Find("old"); at != 1 {
		t.Errorf("exactly old is column %d", at)
	}
	if _, why := exact.Find("Old"); why != contract.WhyCase {
		t.Errorf("Old is known: %q", why)
	}
}

func itoa(n int) string {
	if n < 0 {
		return "-1"
	}
	return string(rune('0' + n))
}

// A mapped name is neither a new column nor another casing, and its column is not
// missing; where both stand in a header, the second is told.
func TestEvolveUnderDecisions(t *testing.T) {
	v := mappedTo(t)
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
				v = decide(t, v, nil, c.decided).Version
			}
			r := evolve(t, v, c.policy, c.file)
			check(t, "columns", columns(r.Version), c.columns)
			check(t, "drift", told(r.Drift), c.drift)
			check(t, "decisions", itoa(len(r.Version.Decisions)), itoa(len(v.Decisions)))
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
	v = decide(t, v, nil, "old is new").Version
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

func TestDecisionsInHistory(t *testing.T) {
	v, table := stands(t, "id: bigint", "old: int", "new: bigint", "junk: string")
	merged := decide(t, v, table, "old is new", "ignore junk").Version
	changes := func(a, b contract.Version) string {
		var s []string
		for _, c := range contract.Diff(a, b) {
			s = append(s, c.Kind+" "+c.Path+" "+c.To)
		}
		return strings.Join(s, "; ")
	}
	check(t, "a merge", changes(v, merged), "mapped old new; ignored junk ")
	renamed := decide(t, merged, tableOf(t, merged), "id is number").Version
	check(t, "a rename", changes(merged, renamed), "renamed number number; mapped id number")

	back := contract.Rollback(renamed, v)
	check(t, "columns of a rollback", columns(back), "number:bigint new:bigint junk")
	for _, c := range back.Columns {
		if c.Retired {
			t.Errorf("%s is retired, though its values stood there", c.Name)
		}
	}
	check(t, "a rollback", changes(renamed, back), "undecided junk ")
}

func TestDecisionsOnDisk(t *testing.T) {
	v, table := stands(t, "id: bigint", "old: double", "new: double")
	v = decide(t, v, table, "old is new", "ignore junk").Version
	v.At = time.Date(2026, 11, 30, 8, 30, 0, 0, time.UTC)
	golden(t, "testdata/version2.json", v)
}

// A hint on a name that is mapped is one on its column, and makes no other.
func TestHintsOnMappedNames(t *testing.T) {
	p := contract.Policy{Hints: hints(t, "old decimal(18,2)"), Decisions: []contract.Decision{decision("old is new")}}
	r := land(t, contract.Version{}, p, nil, csv("a.csv", "id,new", "1,120"), csv("b.csv", "id,old", "2,99.90"))
	check(t, "columns", columns(r.Version), "id:bigint new:decimal(18,2)")
}
