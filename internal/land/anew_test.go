package land_test

import (
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/land"
)

// What a person decided about a column is in force after a replay of all objects,
// too: the table is the one that landing them under the decision gives.
func TestReplayAllDecided(t *testing.T) {
	for name, d := range map[string]contract.Decision{
		"merge":  {Column: "amt", Action: contract.Map, To: "amount"},
		"rename": {Column: "x", Action: contract.Map, To: "y"},
		"ignore": {Column: "junk", Action: contract.Ignore},
		"carry":  {Column: "amt", Action: contract.Carry},
	} {
		t.Run(name, func(t *testing.T) {
			l := afterDays(t, 0, scene{})
			l.put("a.csv", "id,amt,x\na1,1.5,p\n")
			l.lands()
			l.put("b.csv", "id,amount,x\nb1,2,q\n")
			l.lands()
			l.decides(d)
			l.put("c.csv", "id,amt,x,junk\nc1,3.25,r,z\n")
			l.lands()
			want, columns := l.typesOf(), l.rows()
			l.replays(land.Choice{All: true})
			found, again := l.typesOf(), l.rows()
			order := func(s string) string {
				return sorted(strings.Split(strings.TrimSuffix(strings.TrimPrefix(s, "struct<"), ">"), ","))
			}
			if order(found) != order(want) || sorted(again) != sorted(columns) {
				t.Errorf("found %s\n%s\nwant %s\n%s", found, sorted(again), want, sorted(columns))
			}
			if d.Action == contract.Carry {
				return
			}
			if r := l.decides(d); len(r.Batches) != 0 {
				t.Errorf("found %+v, want the decision still in force", r.Batches)
			}
		})
	}
}

// A replay of files that have no column any more leaves none in the contract.
func TestReplayAllOfNothing(t *testing.T) {
	l := afterDays(t, 0, scene{tree: true})
	l.put("a.json", `{"x":null}`+"\n", map[string]int{"": 1})
	l.lands()
	l.put("a.json", "{}\n", map[string]int{"": 1})
	l.lands()
	l.replays(land.Choice{All: true})
	if found, want := l.versions(), "1, 2 replay --all"; found != want {
		t.Errorf("found versions %s, want %s", found, want)
	}
}

// A file that policy left as it had landed keeps its rows, and they stay readable,
// whatever the others become.
func TestReplayAllBesideSkipped(t *testing.T) {
	l := afterDays(t, 0, scene{policy: contract.Policy{Preset: contract.AddNewColumns}})
	l.put("a.csv", "id,n\na1,x\n")
	l.lands()
	l.put("a.csv", "id,n\na2,2\n", map[string]int{"a1": 1})
	l.put("b.csv", "id,n\nb1,2\n")
	l.lands()
	l.replays(land.Choice{All: true})
	l.fits()
}
