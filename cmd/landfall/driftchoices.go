package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/table"
)

// wouldBe is a choice and what comes of it.
type wouldBe struct {
	Action  contract.Action `json:"action"`
	To      string          `json:"to,omitempty"`
	Effect  string          `json:"effect"`
	Command string          `json:"command"`
}

// choosing finds the decisions that are possible about a column.
type choosing struct {
	version contract.Version
	// table is the table's schema, nil without one; shared tells that it has rows of
	// other sources, so that none of its columns can move.
	table  *schema.Struct
	shared bool
	// where names the source to a command, id the first drift of the column.
	where, id string
}

// of are the choices about drift of one column, and what each would do.
func (c choosing) of(met []state.Met) []wouldBe {
	column, name := met[0].Column, quoted(met[0].Column)
	if strings.HasPrefix(column, "-") { // it would be a flag
		name = c.id
	}
	out := []wouldBe{}
	add := func(d contract.Decision, name, flags string) bool {
		d.Column = column
		effect, possible := c.effect(d)
		if possible {
			command := strings.Join(strings.Fields("landfall drift decide "+c.where), " ") + " " + name + " " + flags + ` --why "…"`
			out = append(out, wouldBe{d.Action, d.To, effect, command})
		}
		return possible
	}
	whole := !c.part(column)
	if whole && !c.renamings(met, func(to string) bool {
		return add(contract.Decision{Action: contract.Map, To: to}, name, "--map-to "+quoted(to))
	}) && add(contract.Decision{Action: contract.Map, To: c.fresh(column)}, name, "--map-to COLUMN") {
		out[0].To, out[0].Effect = "", "one column holds its values and those of COLUMN"
	}
	if !add(contract.Decision{Action: contract.Carry}, name, "--carry") {
		for _, x := range met { // what came after it was carried is another matter
			if x.Status == state.Open {
				add(contract.Decision{Action: contract.Carry, Drift: x.ID}, x.ID, "--carry")
			}
		}
	}
	if whole {
		add(contract.Decision{Action: contract.Ignore}, name, "--ignore")
	}
	return out
}

// renamings adds the names that the column may have now, and tells whether any can
// be its.
func (c choosing) renamings(met []state.Met, add func(to string) bool) bool {
	some := false
	for _, x := range met {
		if x.Kind == event.ColumnRenamed && add(x.To) {
			some = true
		}
	}
	return some
}

// part tells whether a name is that of a part of a column, about which nothing but
// carrying it can be decided.
func (c choosing) part(name string) bool {
	path, err := schema.ParsePath(name)
	return err == nil && len(path) > 1 && !knows(c.version, name) && knows(c.version, path[0])
}

// fresh is a name that no column has.
func (c choosing) fresh(name string) string {
	for knows(c.version, name) {
		name += "_"
	}
	return name + "_"
}

// effect says what a decision comes to. One that is refused, or in force, is not
// possible. What the rows that stand have against it only landing it tells.
func (c choosing) effect(d contract.Decision) (text string, possible bool) {
	d.Why = "to see"
	r, err := contract.Decide(c.version, d, contract.Policy{}, c.table)
	switch {
	case err != nil || r.Same || len(r.Merges) > 0 && c.shared:
		return "", false
	case d.Action == contract.Carry:
		return "nothing changes; this is settled", true
	case d.Action == contract.Ignore:
		return "values of later files are dropped and counted; what stands in the table stays", true
	}
	if col, ok := r.Version.Named(d.To); ok {
		return fmt.Sprintf("one column %s %s holds both, also in the rows that stand in the table", col.Name, col.Type), true
	}
	return "one column holds both", true
}

// shared tells whether the table has rows of other sources.
func (t target) shared(ctx context.Context, snap *table.Snapshot) (bool, error) {
	ids, err := t.state.Identities(ctx)
	if err != nil {
		return false, err
	}
	others := maps.Clone(snap.Txns)
	for _, id := range ids {
		delete(others, id.App())
		for _, uuid := range id.Forgets {
			delete(others, "landfall/"+uuid)
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Keys(others)), func(app string) bool { return strings.HasPrefix(app, "landfall/") }), nil
}
