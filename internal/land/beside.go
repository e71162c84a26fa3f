package land

import (
	"context"
	"fmt"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/store"
)

// besideOthers tells of new columns that another source of the table has under another
// name, since people decided so: the name is back, and both stand side by side. States
// that are not kept beside the table are not asked.
func (l *landing) besideOthers(ctx context.Context, drift []event.Drift) ([]event.Drift, error) {
	var told []event.Drift
	if l.others() == "" {
		return nil, nil
	}
	decided, err := l.decidedBeside(ctx, drift)
	if err != nil {
		return nil, err
	}
	for _, d := range drift {
		by, ok := decided[schema.Fold(d.Column)]
		if !added(d) || !ok {
			continue
		}
		told = append(told, event.Drift{
			Kind: event.ColumnRenamed, Column: d.Column, File: d.File, Record: d.Record, From: d.Column, To: by.decision.To,
			Count: d.Count, Decision: "side by side", Policy: d.Policy,
			Hint: fmt.Sprintf("of source %s it is decided that %s, of this one it is not, so that the table has both columns; to have one, land the sources into tables of their own", by.source, by.decision),
		})
	}
	return told, nil
}

// added tells whether a column of the table is new.
func added(d event.Drift) bool {
	return d.Kind == event.ColumnAdded && (d.Decision == "add" || d.Decision == "adopt")
}

// theirs is a decision about another source.
type theirs struct {
	source   string
	decision contract.Decision
}

// decidedBeside are the decisions of the table's other sources that give a column
// another name, by the folded name; none if the drift adds no column.
func (l *landing) decidedBeside(ctx context.Context, drift []event.Drift) (map[string]theirs, error) {
	some := false
	for _, d := range drift {
		some = some || added(d)
	}
	if !some {
		return nil, nil //nolint:nilnil // nobody is asked
	}
	all, err := source.States(ctx, l.src.Data)
	if err != nil {
		return nil, err
	}
	out := map[string]theirs{}
	for _, at := range all {
		if l.UUIDs[at.Identity.UUID] {
			continue
		}
		decisions, err := state.New(store.Below(l.src.Data, at.Folder)).Decisions(ctx)
		if err != nil {
			continue // what is broken there is not ours to stop at
		}
		for _, d := range decisions {
			if d.Action == contract.Map {
				out[schema.Fold(d.Column)] = theirs{at.Identity.Name, d}
			}
		}
	}
	return out, nil
}
