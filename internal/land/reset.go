package land

import (
	"context"
	"errors"
	"fmt"

	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/table"
)

// Reset is a way to begin anew with a source.
type Reset string

// The ways. Each takes a new identity, so that batches of the old one are
// settled for good, whatever the table or the state remember of them.
const (
	// ResetKeep keeps the table's rows and settles all files that are there
	// now: only files that come later land.
	ResetKeep Reset = "keep"
	// ResetReprocess takes the source's rows out of the table in one commit and
	// lands all its files again.
	ResetReprocess Reset = "reprocess"
)

// reprocessed is the reason of a contract that begins anew.
const reprocessed = "reprocess"

// Begin gives the source a new identity and runs it.
func Begin(ctx context.Context, src Source, env Env, how Reset) (Report, error) {
	l := newLanding(src, env)
	if err := l.reset(ctx, how); err != nil {
		return l.report, err
	}
	return Run(ctx, src, env)
}

// reset decides on a new identity, in one step: the intent of its first batch.
// Whoever finds that intent completes what follows from it.
func (l *landing) reset(ctx context.Context, how Reset) error {
	if err := discovery.CheckFolder(ctx, l.src.Files); err != nil {
		return err
	}
	ids, err := l.complete(ctx)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		l.know(ids)
	}
	for range identityTries {
		in, err := l.resetIntent(ctx, how)
		if err != nil {
			return err
		}
		won, err := l.src.State.Intend(ctx, in)
		switch {
		case err != nil:
			return err
		case won.Identity == nil:
			// A run that knew nothing of the reset took the number first.
		case won.Identity.UUID == in.Identity.UUID:
			return nil
		default:
			return diag.New(diag.ConflictLost, "another run reset the source at the same time").
				Hinted("look at what it did: landfall files; then decide again")
		}
	}
	return busy()
}

// resetIntent is the intent of a reset under the first free number. Batches
// before it that have no mark are given up.
func (l *landing) resetIntent(ctx context.Context, how Reset) (state.Intent, error) {
	in := state.Intent{Kind: state.KindReprocess, At: l.env.Now().UTC(), Options: l.src.Digest, Objects: []state.Object{}}
	m, _, err := l.src.State.LastMark(ctx)
	if err != nil && !state.IsBroken(err) {
		return in, err
	}
	intents, err := l.src.State.LastIntent(ctx)
	if err != nil {
		return in, err
	}
	after := max(m.Batch, intents)
	in.Batch = after + 1
	if err := l.readTable(ctx); err != nil {
		return in, err
	}
	in.Identity = &state.Identity{
		Format: state.Format, Number: int64(len(l.ids)) + 1, UUID: l.env.NewID(), Name: l.src.Name,
		Root: l.src.Files.URL(""), FileFormat: l.src.Format, TableID: l.env.NewID(), TableVersion: -1,
		After: after, Cause: "reset", At: in.At,
	}
	if l.snap != nil {
		in.Identity.TableID, in.Identity.TableVersion = l.snap.ID, l.snap.Version
		if in.Identity.Forgets, err = l.orphans(ctx); err != nil {
			return in, err
		}
	}
	err = l.discover(ctx)
	if how == ResetReprocess && state.IsBroken(err) {
		err = nil // what the state says of files is given up anyway
	}
	if err != nil {
		return in, err
	}
	if how == ResetReprocess {
		return in, errors.Join(l.mayRemove(), l.mayForget())
	}
	in.Kind, in.Objects = state.KindKeep, append(in.Objects, l.pending.objects...)
	return in, nil
}

// mayForget refuses to take out rows whose files are not there to land again.
func (l *landing) mayForget() error {
	m := l.missing
	if m.Files == 0 || l.src.DropMissing {
		return nil
	}
	return diag.New(diag.ReplaceRefused, "%d rows in the table and %d records in quarantine come from %d files that are not there any more, such as %s, and could not land again", m.Rows, m.Held, m.Files, m.First).
		In(diag.Place{File: l.src.Files.URL("")}).
		Hinted("bring the files back; or give their rows up: landfall reset %s --reprocess --drop-missing", l.src.Args)
}

// giveUp settles the batches of earlier identities that have no mark. A run
// that knows nothing of the reset may still be at work on one. A change of the
// table's properties fences it off: then the table holds its batch, or never
// will.
func (l *landing) giveUp(ctx context.Context) error {
	if err := l.readMark(ctx); err != nil {
		return err
	}
	if l.last.Batch >= l.id.After {
		return nil
	}
	if err := l.fence(ctx); err != nil {
		return err
	}
	for n := l.last.Batch + 1; n <= l.id.After; n++ {
		if err := l.closeOld(ctx, n); err != nil {
			return fmt.Errorf("give up batch %d: %w", n, err)
		}
	}
	return nil
}

// closeOld writes the mark of one batch of an earlier identity: its own if the
// table holds it, else one that says that it was given up.
func (l *landing) closeOld(ctx context.Context, batch int64) error {
	m, landed, err := l.landedBefore(ctx, batch)
	switch {
	case err != nil:
		return err
	case landed:
		return l.src.State.SetMark(ctx, m)
	}
	return l.src.State.Void(ctx, batch, l.last)
}

// landedBefore returns the mark of a batch of an earlier identity if the table
// holds that batch and its record can be read.
func (l *landing) landedBefore(ctx context.Context, batch int64) (state.Mark, bool, error) {
	var m state.Mark
	for _, id := range l.ids {
		if l.snap == nil || id.UUID == l.id.UUID || id.TableID != l.snap.ID || l.snap.Txns[id.App()] < batch {
			continue
		}
		from := id.TableVersion
		if l.last.Batch > id.After {
			from = l.last.TableVersion
		}
		c, found, err := l.find(ctx, id.App(), batch, from+1)
		if errors.Is(err, table.ErrCleaned) || err == nil && !found {
			continue
		}
		if err != nil {
			return m, false, err
		}
		in, ok, err := l.src.State.Intent(ctx, batch)
		if !ok && err == nil || state.IsBroken(err) {
			in.Kind, err = state.KindLand, nil
		}
		if err != nil {
			return m, false, err
		}
		a, err := l.src.State.Attempt(ctx, batch, c.Attempt)
		if state.IsBroken(err) {
			continue
		}
		return state.NewMark(in.Kind, a, c.Version), err == nil, err
	}
	return m, false, nil
}

// fence changes the properties of the table, if it is not done yet: it says
// where the state of the new identity is. Changes that were computed before
// meet a conflict with it.
func (l *landing) fence(ctx context.Context) error {
	for range identityTries {
		if err := l.readTable(ctx); err != nil {
			return err
		}
		key := source.ConfigPrefix + l.id.UUID
		if l.snap == nil || l.snap.Config[key] == l.src.StateKey {
			return nil
		}
		_, err := l.src.Table.Commit(ctx, l.snap, table.Change{
			Attempt: l.env.NewID(), Operation: "SET TBLPROPERTIES",
			Parameters: map[string]string{"source": l.src.Name},
			Config:     map[string]string{key: l.src.StateKey},
		})
		var conflict *table.Conflict
		if err != nil && !errors.As(err, &conflict) {
			return table.Fault(l.report.Table, err)
		}
	}
	return busy()
}
