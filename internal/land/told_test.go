package land_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"landfall/internal/contract"
	"landfall/internal/event"
)

// told writes down the events of the kinds that names bring.
func (l *landed) told() string {
	r := l.lands()
	var all []string
	for _, d := range r.Drift {
		if d.Kind == event.ColumnRecased || d.Kind == event.ColumnAdded && d.Decision != "add" {
			all = append(all, fmt.Sprintf("%s %s %s>%s %s %s:%d ×%d", d.Kind, d.Column, d.From, d.To, d.Decision, d.File, d.Record, d.Count))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// What is rescued, ignored or kept out since another casing of its name was
// taken, or since its name has no column, has an event.
func TestNamesAreTold(t *testing.T) {
	records := `{"id":"a","b":{"x":1,"X":2}}` + "\n" + `{"id":"b","b":{"x":1}}` + "\n" + `{"ID":"c","id":"d","b":{"X":3,"x":4}}` + "\n"
	for _, c := range []struct {
		name   string
		policy contract.Policy
		does   string
	}{
		{"rescued", contract.Policy{}, "rescue"},
		{"kept out", contract.Policy{NoRescue: true}, "quarantine"},
		{"dropped", contract.Policy{Preset: contract.NoEvolution}, "ignore"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := afterDays(t, 0, scene{tree: true, policy: c.policy})
			lands := map[string]int{"a": 1, "b": 1, "d": 1}
			if c.does == "quarantine" {
				lands = map[string]int{"b": 1}
			}
			l.put("a.json", records, lands)
			got := l.told()
			for _, want := range []string{
				"column_recased b.x x>X " + c.does + " a.json:1 ×2",
				"column_recased id id>ID " + c.does + " a.json:3 ×1",
			} {
				if c.does == "quarantine" {
					want = strings.ReplaceAll(want, "×2", "×1") // record 3 is kept out for its first reason
				}
				if !strings.Contains(got, want) {
					t.Errorf("found\n%s\nwant %s", got, want)
				}
			}
		})
	}
}

// A name of which the contract has told is not told twice.
func TestNamesAreToldOnce(t *testing.T) {
	l := afterDays(t, 0, scene{tree: true, policy: contract.Policy{Preset: contract.RescueMode, CaseSensitive: true}})
	l.put("a.json", `{"id":"a","s":{"x":1}}`+"\n")
	l.lands()
	l.put("b.json", `{"id":"a","new":1,"s":{"x":1,"X":2,"y":[1]},"":5,"_source_file":"x"}`+"\n"+`{"id":"a","new":1,"":7}`+"\n")
	got := l.told()
	for _, want := range []string{"column_added new ", "column_added s.y ", "column_added  ", "column_added _source_file ", "column_recased s.x x>X rescue"} {
		if strings.Count(got, want) != 1 {
			t.Errorf("found\n%s\nwant %sonce", got, want)
		}
	}
	if n := strings.Count(got, "\n"); n != 4 {
		t.Errorf("found %d events more than one:\n%s", n, got)
	}
}
