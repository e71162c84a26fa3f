package land

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
		if err := l.refresh(ctx); err != nil {
			return err
		}
		held, err := l.held()
		if err != nil {
			return err
		}
		switch before := l.batch(); {
		case held == before:
			return l.checkHistory(ctx)
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
					Hinted("restore the state folder from a backup, or take a new identity: landfall reset --keep")
			}
		}
	}
	return diag.New(diag.ConflictLost, "other runs of this source kept landing while this one looked").
		Hinted("run again when they are done")
}

// refresh reads the table anew.
func (l *landing) refresh(ctx context.Context) error {
	snap, err := l.src.Table.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		snap, err = nil, nil
	}
	l.snap = snap
	return err
}

func (l *landing) readMark(ctx context.Context) error {
	m, ok, err := l.src.State.LastMark(ctx)
	if err != nil {
		return err
	}
	if ok && (!l.hasMark || m.Batch != l.last.Batch) {
		if l.contract, err = l.src.State.Contract(ctx, m); err != nil {
			return err
		}
	}
	l.last, l.hasMark = m, ok
	return nil
}

// held returns the last batch of ours that the table holds.
func (l *landing) held() (int64, error) {
	landed := l.batch() > l.id.After
	switch {
	case l.snap == nil && (landed || l.id.TableVersion >= 0):
		return 0, diag.New(diag.TableRecreated, "the table is gone; the state knows it up to version %d", l.base()).
			In(diag.Place{File: l.report.Table}).
			Hinted("restore the table, or land everything again: landfall reset --reprocess")
	case l.snap == nil:
		return l.id.After, nil
	case l.snap.ID != l.id.TableID && landed:
		return 0, diag.New(diag.TableRecreated, "this is another table: found id %s, want %s", l.snap.ID, l.id.TableID).
			In(diag.Place{File: l.report.Table}).
			Hinted("restore the table, or land everything into this one: landfall reset --reprocess")
	case l.snap.Version < l.base():
		return 0, l.restored("found version %d, want at least %d", l.snap.Version, l.base())
	}
	if n, ok := l.snap.Txns[l.id.App()]; ok && n > l.id.After {
		return n, nil
	}
	return l.id.After, nil
}

func (l *landing) restored(found string, args ...any) error {
	return diag.New(diag.TableRestored, "the table went back: "+found, args...).
		In(diag.Place{File: l.report.Table}).
		Hinted("keep the table as it is and land only new files: landfall reset --keep; or land everything again: landfall reset --reprocess")
}

// recoverMark writes the mark of a batch whose run did not come to it.
func (l *landing) recoverMark(ctx context.Context, batch int64) error {
	for c, err := range l.src.Table.Commits(ctx, l.base()+1, l.snap.Version) {
		if err != nil {
			return fmt.Errorf("look for the commit of batch %d: %w", batch, err)
		}
		if c.App != l.id.App() || c.Batch != batch {
			continue
		}
		in, ok, err := l.src.State.Intent(ctx, batch)
		if err != nil {
			return err
		}
		if !ok {
			return diag.New(diag.StateLost, "the table holds batch %d, but its intent is gone", batch).
				In(diag.Place{File: l.src.State.URL()}).
				Hinted("restore the state folder from a backup, or take a new identity: landfall reset --keep")
		}
		a, err := l.src.State.Attempt(ctx, batch, c.Attempt)
		if err != nil {
			return err
		}
		m := state.NewMark(in.Kind, a, c.Version)
		if err := l.src.State.SetMark(ctx, m); err != nil {
			return err
		}
		l.report.Notes = append(l.report.Notes, fmt.Sprintf("batch %d had landed in another run, which did not come to mark it", batch))
		return l.add(ctx, m, a)
	}
	return l.restored("it says that it holds batch %d, but no commit up to version %d has it", batch, l.snap.Version)
}

// checkHistory reads what others did since our last batch: a RESTORE stops the
// source, since rows may be gone or back that the state counts otherwise.
func (l *landing) checkHistory(ctx context.Context) error {
	if l.snap == nil {
		return nil
	}
	from := max(l.base(), l.checked) + 1
	removed := map[table.Key]bool{}
	for c, err := range l.src.Table.Commits(ctx, from, l.snap.Version) {
		if errors.Is(err, table.ErrCleaned) {
			return l.checkLive(ctx, removed)
		}
		if err != nil {
			return fmt.Errorf("read the table's history from version %d: %w", from, err)
		}
		if strings.EqualFold(c.Operation, "RESTORE") {
			return l.restored("version %d is a RESTORE", c.Version)
		}
	}
	l.checked = l.snap.Version
	return nil
}

// checkLive stands in for the history where the log was cleaned up: the files
// of our last batch must still be there.
func (l *landing) checkLive(ctx context.Context, removed map[table.Key]bool) error {
	if l.batch() == l.id.After {
		return nil
	}
	a, err := l.src.State.Attempt(ctx, l.last.Batch, l.last.Attempt)
	if err != nil {
		return err
	}
	live := map[string]bool{}
	for k := range l.snap.Files {
		live[k.Path] = true
	}
	for k := range removed {
		live[k.Path] = true
	}
	for _, f := range a.Files {
		if !live[f.Path] {
			return l.restored("file %s of batch %d is gone, and the log that would say why was cleaned up", f.Path, a.Batch)
		}
	}
	l.checked = l.snap.Version
	return nil
}
