package land

import (
	"context"
	"maps"
	"slices"

	"landfall/internal/event"
	"landfall/internal/reclaim"
	"landfall/internal/state"
)

// reclaim takes what was rescued of objects that a replay does not find any more
// out of their rows, as far as today's contract has a place for it.
func (a *attempt) reclaim(ctx context.Context) error {
	gone := a.vanished()
	if len(gone) == 0 || a.rowsStay() {
		return nil
	}
	files, urls, err := a.change.Holding(ctx, gone)
	if err != nil {
		return err
	}
	from, err := a.reclaimer(ctx, gone, urls)
	if err != nil {
		return err
	}
	done, err := a.change.Reclaim(ctx, from, files)
	if err != nil {
		return err
	}
	for _, why := range done.Refused {
		a.l.report.Notes = append(a.l.report.Notes, "rescued values stay where they are: "+why.Error())
	}
	a.reclaimed(done.Counts)
	return nil
}

// vanished returns the objects of a replay that are not there any more, or not at
// that version, and the batch whose rows of each stand.
func (a *attempt) vanished() map[string]int64 {
	gone := map[string]int64{}
	if a.in.Kind != state.KindReplay || a.in.Anew {
		return gone
	}
	for _, o := range a.Outcomes {
		if o.Fate == state.Superseded && o.Landed > 0 {
			gone[o.Path] = o.Landed
		}
	}
	return gone
}

// rowsStay tells whether standing rows cannot be written again, or have no rescue
// column.
func (a *attempt) rowsStay() bool {
	name := a.l.src.Policy.RescueColumn()
	if a.l.Snap == nil || name == "" || a.shape.File.Lookup(name) < 0 {
		return true
	}
	if _, _, keeps := a.l.keepsRows(); keeps {
		return true
	}
	mode := a.l.Snap.Config["delta.columnMapping.mode"]
	return mode != "" && mode != "none"
}

// reclaimer returns what takes the values of those of the objects whose names and
// kind are on record.
func (a *attempt) reclaimer(ctx context.Context, gone map[string]int64, urls map[string]string) (*reclaim.Reclaimer, error) {
	c, err := reclaim.New(reclaim.Rules{
		Version: a.shape.Version, Policy: a.l.src.Policy, Forms: a.l.src.Forms,
		Table: a.shape.Fits, File: a.shape.File, Held: a.shape.Held,
	})
	if err != nil {
		return nil, err
	}
	of := map[string][]string{}
	for url, path := range urls {
		of[path] = append(of[path], url)
	}
	batches := map[int64]bool{}
	for _, batch := range gone {
		batches[batch] = true
	}
	for _, n := range slices.Sorted(maps.Keys(batches)) {
		m, ok, err := a.l.src.State.Mark(ctx, n)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		for e, err := range a.l.src.State.Evidence(ctx, n, m.Attempt) {
			if err != nil {
				return nil, err
			}
			if gone[e.Path] != n {
				continue
			}
			o := reclaim.Object{Path: e.Path, URLs: of[e.Path], Header: e.Header, Tree: e.Tree, Typed: e.Evidence.Typed()}
			if err := c.Add(o); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// reclaimed settles the objects of which rows changed.
func (a *attempt) reclaimed(counts map[string]reclaim.Counts) {
	for i := range a.Outcomes {
		o := &a.Outcomes[i]
		n := counts[o.Path]
		if o.Fate != state.Superseded || n.Changed == 0 {
			continue
		}
		a.Close(i, state.Reclaimed, "", o.Reason+"; what was rescued of its rows went into columns as far as it fits")
		o.Rescued, o.Left = n.Left, leftOf(n.Names)
		a.Drift[i] = slices.DeleteFunc(a.Drift[i], func(d event.Drift) bool { return d.Kind == event.FileVanished })
		a.Note(i, event.Drift{Kind: event.FileVanished, Count: n.Before - n.Left, Decision: "reclaim"})
	}
}

// leftOf are the names under which values stay rescued, in order; none where they
// are not known or too many to keep.
func leftOf(names map[string]bool) []string {
	const most = 100
	if len(names) > most || names[""] {
		return nil
	}
	return slices.Sorted(maps.Keys(names))
}
