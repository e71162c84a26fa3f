package land

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"landfall/internal/datafile"
	"landfall/internal/event"
	"landfall/internal/reclaim"
	"landfall/internal/state"
	"landfall/internal/table"
)

// reclaim takes what was rescued of objects that a replay does not find any more
// out of their rows, as far as today's contract has a place for it.
func (a *attempt) reclaim(ctx context.Context) error {
	gone := a.vanished()
	if len(gone) == 0 || a.rowsStay() {
		return nil
	}
	files, urls, err := a.removal().Holding(ctx, gone)
	if err != nil {
		return err
	}
	c, err := a.reclaimer(ctx, gone, urls)
	if err != nil {
		return err
	}
	r := reclaiming{attempt: a, from: c, counts: map[string]reclaim.Counts{}}
	if err := r.carriedFiles(ctx); err != nil {
		return err
	}
	if err := r.liveFiles(ctx, files); err != nil {
		return err
	}
	r.close()
	return nil
}

// vanished returns the objects of a replay that are not there any more, or not at
// that version, and the batch whose rows of each stand.
func (a *attempt) vanished() map[string]int64 {
	gone := map[string]int64{}
	if a.in.Kind != state.KindReplay || a.in.Anew {
		return gone
	}
	for _, o := range a.outcomes {
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
	if a.l.Snap == nil || name == "" || a.shape.file.Lookup(name) < 0 {
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
		Version: a.shape.version, Policy: a.l.src.Policy, Forms: a.l.src.Forms,
		Table: a.shape.fits, File: a.shape.file, Held: a.shape.held,
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

// reclaiming goes through the data files that may hold rows of such objects.
type reclaiming struct {
	*attempt
	from   *reclaim.Reclaimer
	counts map[string]reclaim.Counts
	files  int
}

// carriedFiles takes the files that hold the rest of others.
func (r *reclaiming) carriedFiles(ctx context.Context) error {
	for i, f := range r.carried {
		again, err := r.file(ctx, f)
		if err != nil {
			return err
		}
		if again != nil {
			r.carried[i] = *again
		}
	}
	return nil
}

func (r *reclaiming) liveFiles(ctx context.Context, files []table.File) error {
	gone := map[table.Key]bool{}
	for _, f := range r.removed {
		gone[f.Key()] = true
	}
	for _, f := range files {
		if gone[f.Key()] {
			continue
		}
		again, err := r.file(ctx, f)
		if err != nil {
			return err
		}
		if again == nil {
			continue
		}
		r.successors[again.Path] = f.Path
		r.carried = append(r.carried, *again)
		r.removed = append(r.removed, f)
	}
	return nil
}

// file writes a file again; nil if none of its rows changes.
func (r *reclaiming) file(ctx context.Context, f table.File) (*table.File, error) {
	deleted, err := r.l.src.Table.Deleted(ctx, f)
	if err != nil {
		return nil, err
	}
	res, err := r.from.File(ctx, r.l.src.Data, f.Path, deleted, datafile.Options{
		Name: func() string { r.files++; return r.fileName(fmt.Sprintf("reclaimed-%d", r.files)) }, NoStats: r.noStats(),
	})
	if err != nil {
		return nil, err
	}
	if res.Refused != nil {
		r.l.report.Notes = append(r.l.report.Notes, "rescued values stay where they are: "+res.Refused.Error())
	}
	for path, n := range res.Counts {
		sum := r.counts[path]
		sum.Changed, sum.Before, sum.Left = sum.Changed+n.Changed, sum.Before+n.Before, sum.Left+n.Left
		r.counts[path] = sum
	}
	if res.File == nil {
		return nil, nil //nolint:nilnil // it stays as it is
	}
	return &table.File{
		Path: res.File.Path, Size: res.File.Size, Rows: res.File.Rows, Stats: res.File.Stats,
		ModTime: r.l.env.Now().UTC(), Partition: f.Partition, Tags: f.Tags,
	}, nil
}

// close settles the objects of which rows changed.
func (r *reclaiming) close() {
	for i := range r.outcomes {
		o := &r.outcomes[i]
		n := r.counts[o.Path]
		if o.Fate != state.Superseded || n.Changed == 0 {
			continue
		}
		r.attempt.close(i, state.Reclaimed, "", o.Reason+"; what was rescued of its rows went into columns as far as it fits")
		o.Rescued = n.Left
		r.drift[i] = slices.DeleteFunc(r.drift[i], func(d event.Drift) bool { return d.Kind == event.FileVanished })
		r.note(i, event.Drift{Kind: event.FileVanished, Count: n.Before - n.Left, Decision: "reclaim"})
	}
}
