package contract_test

import (
	"testing"

	"landfall/internal/contract"
	"landfall/internal/event"
)

func TestActionOf(t *testing.T) {
	p := contract.Policy{
		Kinds: map[event.Kind]string{event.ValueMisfit: "null"},
		Columns: map[string]map[event.Kind]string{
			"A":           {event.ValueMisfit: "fail", event.ColumnAdded: "ignore"},
			"a.b":         {event.ValueMisfit: "quarantine"},
			"`x.y`.`c d`": {event.ValueMisfit: "rescue"},
		},
	}
	for path, want := range map[string]string{
		"a": "fail policy", "a.c": "fail policy", "a.B": "quarantine policy", "a.b.element.c": "quarantine policy", "ab": "null policy",
		"`X.y`.`C d`.e": "rescue policy", "`x.y`": "null policy", "": "null policy",
	} {
		action, rule := p.ActionOf(event.ValueMisfit, path)
		check(t, path, action+" "+rule, want)
	}
	action, rule := p.ActionOf(event.ColumnAdded, "a.c")
	check(t, "another kind", action+" "+rule, "ignore policy")
	action, rule = p.ActionOf(event.ColumnRenamed, "a")
	check(t, "no policy", action+" "+rule, " note")
}

// Without a rescue column nothing is rescued, and nothing is lost.
func TestNoRescue(t *testing.T) {
	for _, c := range []struct {
		policy contract.Policy
		kind   event.Kind
		want   string
	}{
		{contract.Policy{}, event.ValueMisfit, "rescue"},
		{contract.Policy{NoRescue: true}, event.ValueMisfit, "quarantine"},
		{contract.Policy{NoRescue: true, Rescue: "rest"}, event.TypeWider, "widen"},
		{contract.Policy{NoRescue: true, Preset: contract.AddNewColumns}, event.TypeWider, "quarantine"},
		{contract.Policy{Preset: contract.NoEvolution}, event.TypeWider, "null"},
		{contract.Policy{NoRescue: true}, event.RecordRagged, "quarantine"},
		{contract.Policy{NoRescue: true, Preset: contract.AddNewColumns}, event.RecordMalformed, "quarantine"},
		{contract.Policy{NoRescue: true, Preset: contract.RescueMode}, event.ColumnAdded, "quarantine"},
		{contract.Policy{NoRescue: true, Kinds: map[event.Kind]string{event.ColumnAdded: "ignore"}}, event.ColumnAdded, "ignore"},
		{contract.Policy{Preset: contract.NoEvolution, Kinds: map[event.Kind]string{event.ColumnAdded: "rescue"}}, event.ColumnAdded, "ignore"},
		{contract.Policy{NoRescue: true, Kinds: map[event.Kind]string{event.ValueMisfit: "rescue"}}, event.ValueMisfit, "quarantine"},
		{contract.Policy{NoRescue: true, Kinds: map[event.Kind]string{event.ValueMisfit: "null"}}, event.ValueMisfit, "null"},
		{contract.Policy{Preset: contract.NoEvolution}, event.ValueMisfit, "null"},
		{contract.Policy{Preset: contract.NoEvolution}, event.KeyDuplicate, "null"},
		{contract.Policy{Preset: contract.NoEvolution, Rescue: "rest"}, event.ValueMisfit, "rescue"},
		{contract.Policy{Preset: contract.NoEvolution}, event.RecordMalformed, "quarantine"},
		{contract.Policy{Preset: contract.AddNewColumns}, event.RecordMalformed, "rescue"},
		{contract.Policy{Preset: contract.TypeWidening}, event.TypeWider, "widen"},
		{contract.Policy{Preset: contract.AddNewColumns}, event.TypeWider, "rescue"},
		{contract.Policy{Preset: contract.TypeWidening}, event.ColumnAdded, "add"},
	} {
		if got, _ := c.policy.Action(c.kind); got != c.want {
			t.Errorf("%s under %+v: got %s, want %s", c.kind, c.policy, got, c.want)
		}
	}
}

// A type that could not widen leaves misfits behind, which are rescued.
func TestOfMisfits(t *testing.T) {
	for want, p := range map[string]contract.Policy{
		"rescue evolve":     {Kinds: map[event.Kind]string{event.ValueMisfit: "null"}},
		"quarantine evolve": {NoRescue: true},
		"fail policy":       {Columns: map[string]map[event.Kind]string{"A": {event.TypeWider: "fail"}}},
	} {
		action, rule := p.OfMisfits(event.TypeWider, "a")
		check(t, "type_wider", action+" "+rule, want)
	}
	action, _ := contract.Policy{}.OfMisfits(event.TypeConflict, "a")
	check(t, "type_conflict", action, "rescue")
}

func TestActions(t *testing.T) {
	for preset, want := range map[string]string{"": "replace evolve", contract.AddNewColumns: "skip addNewColumns"} {
		action, rule := contract.Policy{Preset: preset}.Action(event.FileRewritten)
		check(t, preset, action+" "+rule, want)
	}
	for _, kind := range contract.Kinds() {
		if action, _ := (contract.Policy{}).Action(kind); action != contract.Choices(kind)[0] {
			t.Errorf("%s: %q is not the first of %v", kind, action, contract.Choices(kind))
		}
	}
}
