package position

import (
	"context"
	"errors"
	"fmt"

	"landfall/internal/source"
	"landfall/internal/state"
	"landfall/internal/table"
)

// giveUp settles the batches of earlier identities that have no mark. A run
// that knows nothing of the reset may still be at work on one. A change of the
// table's properties fences it off: then the table holds its batch, or never
// will.
func (p *Position) giveUp(ctx context.Context) error {
	if err := p.readMark(ctx); err != nil {
		return err
	}
	if p.Last.Batch >= p.ID.After {
		return nil
	}
	if err := p.fence(ctx); err != nil {
		return err
	}
	for n := p.Last.Batch + 1; n <= p.ID.After; n++ {
		if err := p.closeOld(ctx, n); err != nil {
			return fmt.Errorf("give up batch %d: %w", n, err)
		}
	}
	return nil
}

// closeOld writes the mark of one batch of an earlier identity: its own if the
// table holds it, else one that says that it was given up.
func (p *Position) closeOld(ctx context.Context, batch int64) error {
	m, landed, err := p.landedBefore(ctx, batch)
	switch {
	case err != nil:
		return err
	case landed:
		return p.State.SetMark(ctx, m)
	}
	return p.State.Void(ctx, batch, p.Last)
}

// landedBefore returns the mark of a batch of an earlier identity if the table
// holds that batch and its record can be read.
func (p *Position) landedBefore(ctx context.Context, batch int64) (state.Mark, bool, error) {
	var m state.Mark
	for _, id := range p.IDs {
		if p.Snap == nil || id.UUID == p.ID.UUID || id.TableID != p.Snap.ID || p.Snap.Txns[id.App()] < batch {
			continue
		}
		from := id.TableVersion
		if p.Last.Batch > id.After {
			from = p.Last.TableVersion
		}
		c, found, err := p.find(ctx, id.App(), batch, from+1)
		if errors.Is(err, table.ErrCleaned) || err == nil && !found {
			continue
		}
		if err != nil {
			return m, false, err
		}
		in, ok, err := p.State.Intent(ctx, batch)
		if !ok && err == nil || state.IsBroken(err) {
			in.Kind, err = state.KindLand, nil
		}
		if err != nil {
			return m, false, err
		}
		a, err := p.State.Attempt(ctx, batch, c.Attempt)
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
func (p *Position) fence(ctx context.Context) error {
	for range Tries {
		if err := p.ReadTable(ctx); err != nil {
			return err
		}
		key := source.ConfigPrefix + p.ID.UUID
		if p.Snap == nil || p.Snap.Config[key] == p.StateKey {
			return nil
		}
		_, err := p.Table.Commit(ctx, p.Snap, table.Change{
			Attempt: p.NewID(), Operation: "SET TBLPROPERTIES",
			Parameters: map[string]string{"source": p.Name},
			Config:     map[string]string{key: p.StateKey},
		})
		var conflict *table.Conflict
		if err != nil && !errors.As(err, &conflict) {
			return table.Fault(p.Data.URL(""), err)
		}
	}
	return Busy()
}
