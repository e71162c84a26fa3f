package contract_test

import (
	"strings"
	"testing"
	"time"

	"landfall/internal/contract"
)

// mappedTo is a version of the columns id and new, with old another name of new.
func mappedTo(t *testing.T) contract.Version {
	t.Helper()
	v, _ := stands(t, "id: string", "new: string")
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
