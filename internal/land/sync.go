package land

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

// batch is the number of the last batch that the state knows to be landed.
func (l *landing) batch() int64 {
	if l.hasMark && l.last.Batch > l.id.After {
		return l.last.Batch
	}
	return l.id.After
}

// base is the table version that the last batch, or the identity, is sure of.
func (l *landing) base() int64 {
	if l.hasMark && l.last.Batch > l.id.After {
		return l.last.TableVersion
	}
	return l.id.TableVersion
}

// sync brings marks and table to agreement (design §8, step 1): it writes the
// mark of a batch that the table holds, and stops with a diagnosis when the
// table or the state is not what the other remembers.
func (l *landing) sync(ctx context.Context) error {
	for range 100 {
		if err := l.readMark(ctx); err != nil {
			return err
		}
		held, err := l.look(ctx)
		if err != nil {
			return err
		}
		switch before := l.batch(); {
		case held == before:
			if l.snap == nil {
				return nil
			}
			return l.checkHistory(ctx, l.snap.Version)
		case held < before:
			return l.restored("the table holds batch %d of this source, the state knows of batch %d", held, before)
		case held == before+1:
			if err := l.recoverMark(ctx, held); err != nil {
				return err
			}
		default:
			// Another run may have landed batches since the mark was read.
			if err := l.readMark(ctx); err != nil {
				return err
			}
			if l.batch() == before {
				return diag.New(diag.StateLost, "the table holds batch %d of this source, the state ends at batch %d", held, before).
					In(diag.Place{File: l.src.State.URL()}).
					Hinted("restore the state folder from a backup, or take a new identity: landfall reset %s --keep", l.src.Args)
			}
		}
	}
	return busy()
}

func (l *landing) readMark(ctx context.Context) error {
	m, ok, err := l.src.State.LastMark(ctx)
	if err == nil && ok && (!l.hasMark || m.Batch != l.last.Batch) {
		l.contract, err = l.src.State.Contract(ctx, m)
	}
	if state.IsBroken(err) && m.Batch <= l.id.After {
		// A reset gave up what is on record. The contract evolves anew, and
		// takes up the columns that the table has.
		l.contract, ok, err = contract.Version{}, true, nil
	}
	if err != nil {
		return err
	}
	l.last, l.hasMark = m, ok
	return nil
}

// held returns the last batch of ours that the table holds.
func (l *landing) held() (int64, error) {
	landed := l.batch() > l.id.After
	if l.snap == nil {
		if landed || l.id.TableVersion >= 0 {
			return 0, l.recreated("the table is gone; the state knows it up to version %d", l.base())
		}
		return l.id.After, nil
	}
	n, ok := l.snap.Txns[l.id.App()]
	ok = ok && n > l.id.After
	switch {
	case l.snap.ID != l.id.TableID && (landed || ok):
		return 0, l.recreated("this is another table: found id %s, want %s", l.snap.ID, l.id.TableID)
	case l.snap.Version < l.base():
		return 0, l.restored("found version %d, want at least %d", l.snap.Version, l.base())
	case ok:
		return n, nil
	}
	return l.id.After, nil
}

func (l *landing) recreated(found string, args ...any) error {
	return diag.New(diag.TableRecreated, found, args...).
		In(diag.Place{File: l.report.Table}).
		Hinted("restore the table, or land everything into the one that is there: landfall reset %s --reprocess", l.src.Args)
}

func (l *landing) restored(found string, args ...any) error {
	return diag.New(diag.TableRestored, "the table went back: "+found, args...).
		In(diag.Place{File: l.report.Table}).
		Hinted("keep the table as it is and land only new files: landfall reset %s --keep; or land everything again: landfall reset %s --reprocess", l.src.Args, l.src.Args)
}

// recoverMark writes the mark of a batch whose run did not come to it.
func (l *landing) recoverMark(ctx context.Context, batch int64) error {
	c, found, err := l.find(ctx, l.id.App(), batch, l.base()+1)
	switch {
	case errors.Is(err, table.ErrCleaned):
		return diag.New(diag.StateLost, "the table holds batch %d, but the log that says by which attempt was cleaned up", batch).
			In(diag.Place{File: l.src.State.URL()}).
			Hinted("take a new identity: landfall reset %s --keep", l.src.Args).Because(err)
	case err != nil:
		return fmt.Errorf("look for the commit of batch %d: %w", batch, err)
	case !found:
		return l.restored("it says that it holds batch %d, but no commit up to version %d has it", batch, l.snap.Version)
	}
	if err := l.checkHistory(ctx, c.Version); err != nil {
		return err
	}
	in, ok, err := l.src.State.Intent(ctx, batch)
	if err != nil {
		return err
	}
	if !ok {
		return diag.New(diag.StateLost, "the table holds batch %d, but its intent is gone", batch).
			In(diag.Place{File: l.src.State.URL()}).
			Hinted("restore the state folder from a backup, or take a new identity: landfall reset %s --keep", l.src.Args)
	}
	a, err := l.src.State.Attempt(ctx, batch, c.Attempt)
	if err != nil {
		return err
	}
	m := state.NewMark(in.Kind, a, c.Version)
	if err := l.src.State.SetMark(ctx, m); err != nil {
		return err
	}
	l.report.Notes = append(l.report.Notes, fmt.Sprintf("batch %d had landed already, in a run that ended before it wrote that down", batch))
	return l.add(ctx, m, a)
}

// find looks for the commit of a batch from a version on.
func (l *landing) find(ctx context.Context, app string, batch, from int64) (c table.Commit, found bool, err error) {
	for c, err := range l.src.Table.Commits(ctx, from, l.snap.Version) {
		if err != nil || c.App == app && c.Batch == batch {
			return c, err == nil, err
		}
	}
	return c, false, nil
}

// checkHistory reads what others did since our last batch, up to a version: a
// RESTORE stops the source, since rows may be gone or back that the state counts
// otherwise.
func (l *landing) checkHistory(ctx context.Context, to int64) error {
	from := l.base() + 1
	if l.checked >= 0 {
		from = l.checked + 1
	}
	for c, err := range l.src.Table.Commits(ctx, from, to) {
		if errors.Is(err, table.ErrCleaned) {
			return l.checkLive(ctx, from)
		}
		if err != nil {
			return fmt.Errorf("read the table's history from version %d: %w", from, err)
		}
		if strings.EqualFold(c.Operation, "RESTORE") {
			return l.restored("version %d is a RESTORE", c.Version)
		}
	}
	l.checked = max(l.checked, to)
	return nil
}

// checkLive stands in for the history where the log was cleaned up: the files
// of our last batch must still be there, or a version that is still in the log
// must have taken them out.
func (l *landing) checkLive(ctx context.Context, from int64) error {
	gone, err := l.goneFiles(ctx)
	if err != nil {
		return err
	}
	if len(gone) > 0 {
		first, err := l.firstKept(ctx, from)
		if err != nil {
			return err
		}
		for c, err := range l.src.Table.Commits(ctx, first, l.snap.Version) {
			if err != nil {
				return fmt.Errorf("read what the table's log still holds: %w", err)
			}
			if strings.EqualFold(c.Operation, "RESTORE") {
				return l.restored("version %d is a RESTORE", c.Version)
			}
			for _, k := range c.Removed {
				delete(gone, k.Path)
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(gone)) {
		return l.restored("file %s of batch %d is gone, and the log that would say why was cleaned up", file, l.last.Batch)
	}
	l.checked = max(l.checked, l.snap.Version)
	return nil
}

// goneFiles returns the data files of our last batch that are not live.
func (l *landing) goneFiles(ctx context.Context) (map[string]bool, error) {
	gone := map[string]bool{}
	if l.snap == nil || l.batch() == l.id.After {
		return gone, nil
	}
	a, err := l.src.State.Attempt(ctx, l.last.Batch, l.last.Attempt)
	if err != nil {
		return nil, err
	}
	for _, f := range a.Files {
		gone[f.Path] = true
	}
	for k := range l.snap.Files {
		delete(gone, k.Path)
	}
	return gone, nil
}

// firstKept returns the first version from `from` on that the log still holds.
func (l *landing) firstKept(ctx context.Context, from int64) (int64, error) {
	var failed error
	n := sort.Search(int(l.snap.Version-from), func(i int) bool {
		v := from + int64(i)
		for _, err := range l.src.Table.Commits(ctx, v, v) {
			if err != nil && !errors.Is(err, table.ErrCleaned) {
				failed = fmt.Errorf("read version %d of the table: %w", v, err)
			}
			return err == nil
		}
		return true
	})
	return from + int64(n), failed
}
