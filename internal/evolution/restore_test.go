package evolution_test

import (
	"fmt"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/evolution"
)

// TestRestore: a retired column comes back if a file has it, in any casing that is
// it, and no other does.
func TestRestore(t *testing.T) {
	v := contract.Version{Number: 3, Columns: []contract.Column{
		{Name: "id", Original: "id", Type: "bigint"},
		{Name: "City", Original: "City", Type: "string", Retired: true},
		{Name: "zip", Original: "zip", Type: "string", Retired: true},
		{Name: "dt", Original: "dt", Type: "string", Retired: true, Partition: true},
	}}
	objects := func(o ...contract.ObjectEvidence) evolution.Evidence { return evolution.Evidence{Objects: o} }
	a := contract.ObjectEvidence{Path: "a", Header: []string{"id", "city"}}
	b := contract.ObjectEvidence{Path: "dt=1/b", Header: []string{"id", "City"}, Partitions: []string{"dt"}}
	plain := contract.ObjectEvidence{Path: "c", Header: []string{"id", "new"}}
	for _, c := range []struct {
		name string
		ev   evolution.Evidence
		p    contract.Policy
		want string
	}{
		{"nothing", objects(plain), contract.Policy{}, "City retired, zip retired, dt retired"},
		{"a field", objects(plain, a), contract.Policy{}, "zip retired, dt retired; City in a ×1"},
		{"twice", objects(a, b), contract.Policy{}, "zip retired; City in a ×2, dt in dt=1/b ×1"},
		{"another casing", objects(a), contract.Policy{CaseSensitive: true}, "City retired, zip retired, dt retired"},
		{"a folder that is not taken", objects(b), contract.Policy{Folders: []string{}}, "zip retired, dt retired; City in dt=1/b ×1"},
	} {
		next, drift := evolution.Restore(v, c.ev, c.p)
		got, sep := "", ""
		for _, col := range next.Columns {
			if col.Retired {
				got += sep + col.Name + " retired"
				sep = ", "
			}
		}
		sep = "; "
		for _, d := range drift {
			got += fmt.Sprintf("%s%s in %s ×%d", sep, d.Column, d.File, d.Count)
			sep = ", "
		}
		if got != c.want || next.Number != 3 || !v.Columns[1].Retired {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
