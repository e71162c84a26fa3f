package position

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/state"
	"landfall/internal/table"
)

// Batch is the number of the last batch that the state knows to be landed.
func (p *Position) Batch() int64 {
	if p.HasMark && p.Last.Batch > p.ID.After {
		return p.Last.Batch
	}
	return p.ID.After
}

// base is the table version that the last batch, or the identity, is sure of.
func (p *Position) base() int64 {
	if p.HasMark && p.Last.Batch > p.ID.After {
		return p.Last.TableVersion
	}
	return p.ID.TableVersion
}

// Sync brings marks and table to agreement (design §8, step 1): it writes the
// mark of a batch that the table holds, and stops with a diagnosis when the
// table or the state is not what the other remembers.
func (p *Position) Sync(ctx context.Context) error {
	for range 100 {
		if err := p.readMark(ctx); err != nil {
			return err
		}
		held, err := p.Look(ctx)
		if err != nil {
			return err
		}
		switch before := p.Batch(); {
		case held == before:
			if p.Snap == nil {
				return nil
			}
			return p.CheckHistory(ctx, p.Snap.Version)
		case held < before:
			return p.restored("the table holds batch %d of this source, the state knows of batch %d", held, before)
		case held == before+1:
			if err := p.recoverMark(ctx, held); err != nil {
				return err
			}
		default:
			// Another run may have landed batches since the mark was read.
			if err := p.readMark(ctx); err != nil {
				return err
			}
			if p.Batch() == before {
				return diag.New(diag.StateLost, "the table holds batch %d of this source, the state ends at batch %d", held, before).
					In(diag.Place{File: p.State.URL()}).
					Hinted("restore the state folder from a backup, or take a new identity: landfall reset %s --keep", p.Args)
			}
		}
	}
	return Busy()
}

func (p *Position) readMark(ctx context.Context) error {
	m, ok, err := p.State.LastMark(ctx)
	if err == nil && ok && (!p.HasMark || m.Batch != p.Last.Batch) {
		p.Contract, err = p.State.Contract(ctx, m)
	}
	if state.IsBroken(err) && m.Batch <= p.ID.After {
		// A reset gave up what is on record. The contract evolves anew, and
		// takes up the columns that the table has.
		p.Contract, ok, err = contract.Version{}, true, nil
	}
	if err != nil {
		return err
	}
	p.Last, p.HasMark = m, ok
	return nil
}

// held returns the last batch of ours that the table holds.
func (p *Position) held() (int64, error) {
	landed := p.Batch() > p.ID.After
	if p.Snap == nil {
		if landed || p.ID.TableVersion >= 0 {
			return 0, p.recreated("the table is gone; the state knows it up to version %d", p.base())
		}
		return p.ID.After, nil
	}
	n, ok := p.Snap.Txns[p.ID.App()]
	ok = ok && n > p.ID.After
	switch {
	case p.Snap.ID != p.ID.TableID && (landed || ok):
		return 0, p.recreated("this is another table: found id %s, want %s", p.Snap.ID, p.ID.TableID)
	case p.Snap.Version < p.base():
		return 0, p.restored("found version %d, want at least %d", p.Snap.Version, p.base())
	case ok:
		return n, nil
	}
	return p.ID.After, nil
}

func (p *Position) recreated(found string, args ...any) error {
	return diag.New(diag.TableRecreated, found, args...).
		In(diag.Place{File: p.Data.URL("")}).
		Hinted("restore the table, or land everything into the one that is there: landfall reset %s --reprocess", p.Args)
}

func (p *Position) restored(found string, args ...any) error {
	return diag.New(diag.TableRestored, "the table went back: "+found, args...).
		In(diag.Place{File: p.Data.URL("")}).
		Hinted("keep the table as it is and land only new files: landfall reset %s --keep; or land everything again: landfall reset %s --reprocess", p.Args, p.Args)
}

// recoverMark writes the mark of a batch whose run did not come to it.
func (p *Position) recoverMark(ctx context.Context, batch int64) error {
	c, found, err := p.find(ctx, p.ID.App(), batch, p.base()+1)
	switch {
	case errors.Is(err, table.ErrCleaned):
		return diag.New(diag.StateLost, "the table holds batch %d, but the log that says by which attempt was cleaned up", batch).
			In(diag.Place{File: p.State.URL()}).
			Hinted("take a new identity: landfall reset %s --keep", p.Args).Because(err)
	case err != nil:
		return fmt.Errorf("look for the commit of batch %d: %w", batch, err)
	case !found:
		return p.restored("it says that it holds batch %d, but no commit up to version %d has it", batch, p.Snap.Version)
	}
	if err := p.CheckHistory(ctx, c.Version); err != nil {
		return err
	}
	in, ok, err := p.State.Intent(ctx, batch)
	if err != nil {
		return err
	}
	if !ok {
		return diag.New(diag.StateLost, "the table holds batch %d, but its intent is gone", batch).
			In(diag.Place{File: p.State.URL()}).
			Hinted("restore the state folder from a backup, or take a new identity: landfall reset %s --keep", p.Args)
	}
	a, err := p.State.Attempt(ctx, batch, c.Attempt)
	if err != nil {
		return err
	}
	m := state.NewMark(in.Kind, a, c.Version)
	if err := p.State.SetMark(ctx, m); err != nil {
		return err
	}
	p.Recovered = append(p.Recovered, Recovered{m, a})
	return nil
}

// find looks for the commit of a batch from a version on.
func (p *Position) find(ctx context.Context, app string, batch, from int64) (c table.Commit, found bool, err error) {
	for c, err := range p.Table.Commits(ctx, from, p.Snap.Version) {
		if err != nil || c.App == app && c.Batch == batch {
			return c, err == nil, err
		}
	}
	return c, false, nil
}

// CheckHistory reads what others did since our last batch, up to a version: a
// RESTORE stops the source, since rows may be gone or back that the state counts
// otherwise.
func (p *Position) CheckHistory(ctx context.Context, to int64) error {
	from := p.base() + 1
	if p.checked >= 0 {
		from = p.checked + 1
	}
	for c, err := range p.Table.Commits(ctx, from, to) {
		if errors.Is(err, table.ErrCleaned) {
			return p.checkLive(ctx, from)
		}
		if err != nil {
			return fmt.Errorf("read the table's history from version %d: %w", from, err)
		}
		if strings.EqualFold(c.Operation, "RESTORE") {
			return p.restored("version %d is a RESTORE", c.Version)
		}
	}
	p.checked = max(p.checked, to)
	return nil
}

// checkLive stands in for the history where the log was cleaned up: the files
// of our last batch must still be there, or a version that is still in the log
// must have taken them out.
func (p *Position) checkLive(ctx context.Context, from int64) error {
	gone, err := p.goneFiles(ctx)
	if err != nil {
		return err
	}
	if len(gone) > 0 {
		first, err := p.firstKept(ctx, from)
		if err != nil {
			return err
		}
		for c, err := range p.Table.Commits(ctx, first, p.Snap.Version) {
			if err != nil {
				return fmt.Errorf("read what the table's log still holds: %w", err)
			}
			if strings.EqualFold(c.Operation, "RESTORE") {
				return p.restored("version %d is a RESTORE", c.Version)
			}
			for _, k := range c.Removed {
				delete(gone, k.Path)
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(gone)) {
		return p.restored("file %s of batch %d is gone, and the log that would say why was cleaned up", file, p.Last.Batch)
	}
	p.checked = max(p.checked, p.Snap.Version)
	return nil
}

// goneFiles returns the data files of our last batch that are not live.
func (p *Position) goneFiles(ctx context.Context) (map[string]bool, error) {
	gone := map[string]bool{}
	if p.Snap == nil || p.Batch() == p.ID.After {
		return gone, nil
	}
	a, err := p.State.Attempt(ctx, p.Last.Batch, p.Last.Attempt)
	if err != nil {
		return nil, err
	}
	for _, f := range a.Files {
		gone[f.Path] = true
	}
	for k := range p.Snap.Files() {
		delete(gone, k.Path)
	}
	return gone, nil
}

// firstKept returns the first version from `from` on that the log still holds.
func (p *Position) firstKept(ctx context.Context, from int64) (int64, error) {
	var failed error
	n := sort.Search(int(p.Snap.Version-from), func(i int) bool {
		v := from + int64(i)
		for _, err := range p.Table.Commits(ctx, v, v) {
			if err != nil && !errors.Is(err, table.ErrCleaned) {
				failed = fmt.Errorf("read version %d of the table: %w", v, err)
			}
			return err == nil
		}
		return true
	})
	return from + int64(n), failed
}
