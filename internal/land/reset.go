package land

import (
	"context"
	"fmt"

	"landfall/internal/diag"
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

// Begin gives the source a new identity and runs it.
func Begin(ctx context.Context, src Source, env Env, how Reset) (Report, error) {
	l := newLanding(src, env)
	if err := l.reset(ctx, how); err != nil {
		return l.report, err
	}
	return Run(ctx, src, env)
}

func (l *landing) reset(ctx context.Context, how Reset) error {
	if err := l.checkFolder(ctx); err != nil {
		return err
	}
	if err := l.refresh(ctx); err != nil {
		return err
	}
	ids, err := l.src.State.Identities(ctx)
	if err != nil {
		return err
	}
	after, err := l.voidIntents(ctx)
	if err != nil {
		return err
	}
	id := state.Identity{
		Number: int64(len(ids)) + 1, UUID: l.env.NewID(), Name: l.src.Name, Root: l.src.Files.URL(""),
		FileFormat: l.src.Format, TableID: l.env.NewID(), TableVersion: -1, After: after,
		Keep: how == ResetKeep, Cause: "reset", At: l.env.Now().UTC(),
	}
	if l.snap != nil {
		id.TableID, id.TableVersion = l.snap.ID, l.snap.Version
		if id.Forgets, err = l.orphans(ctx); err != nil {
			return err
		}
	}
	won, err := l.src.State.Identify(ctx, id)
	if err != nil {
		return err
	}
	if won.UUID != id.UUID {
		return diag.New(diag.ConflictLost, "another run reset the source at the same time").
			Hinted("look at what it did: landfall files; then decide again")
	}
	if how == ResetKeep {
		return nil
	}
	_, err = l.src.State.Intend(ctx, state.Intent{Batch: after + 1, Kind: state.KindReprocess, At: id.At, Objects: []state.Object{}})
	return err
}

// voidIntents gives up the intents that have no mark and returns the number
// after which the new identity's batches begin.
func (l *landing) voidIntents(ctx context.Context) (int64, error) {
	m, ok, err := l.src.State.LastMark(ctx)
	if err != nil {
		return 0, err
	}
	var last int64
	if ok {
		last = m.Batch
	}
	intents, err := l.src.State.LastIntent(ctx)
	if err != nil {
		return 0, err
	}
	for n := last + 1; n <= intents; n++ {
		void := state.Mark{
			Format: state.Format, Batch: n, Kind: state.KindVoid, Attempt: m.Attempt,
			TableVersion: m.TableVersion, At: m.At, Contract: m.Contract, Objects: []state.Outcome{},
		}
		if err := l.src.State.SetMark(ctx, void); err != nil {
			return 0, fmt.Errorf("give up batch %d: %w", n, err)
		}
	}
	return max(last, intents), nil
}
