package land

import (
	"context"
	"errors"

	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/position"
	"landfall/internal/state"
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
	ids, err := l.Complete(ctx)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		l.Know(ids)
	}
	for range position.Tries {
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
	return position.Busy()
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
	if err := l.ReadTable(ctx); err != nil {
		return in, err
	}
	in.Identity = &state.Identity{
		Format: state.Format, Number: int64(len(l.IDs)) + 1, UUID: l.env.NewID(), Name: l.src.Name,
		Root: l.src.Files.URL(""), FileFormat: l.src.Format, TableID: l.env.NewID(), TableVersion: -1,
		After: after, Cause: "reset", At: in.At,
	}
	if l.Snap != nil {
		in.Identity.TableID, in.Identity.TableVersion = l.Snap.ID, l.Snap.Version
		if in.Identity.Forgets, err = l.Orphans(ctx); err != nil {
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
