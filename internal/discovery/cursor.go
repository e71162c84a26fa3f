package discovery

import (
	"context"

	"landfall/internal/state"
)

// cursor walks the known paths beside a listing in the same order.
type cursor struct {
	known  *state.Ledger
	missed func(state.Entry)
	more   bool
}

// find goes to a path that comes after all paths asked for before, and tells whether
// it is known: then the ledger is at it.
func (c *cursor) find(ctx context.Context, path string) (settled bool, err error) {
	for c.more && string(c.known.Path()) < path {
		if err := c.miss(ctx); err != nil {
			return false, err
		}
	}
	return c.more && string(c.known.Path()) == path, nil
}

// next leaves the path at hand.
func (c *cursor) next(ctx context.Context) (err error) {
	c.more, err = c.known.Next(ctx)
	return err
}

// miss passes the path at hand to missed.
func (c *cursor) miss(ctx context.Context) error {
	e, err := c.known.Entry()
	if err != nil {
		return err
	}
	c.missed(e)
	return c.next(ctx)
}

// drain passes the rest to missed.
func (c *cursor) drain(ctx context.Context) error {
	for c.more {
		if err := c.miss(ctx); err != nil {
			return err
		}
	}
	return nil
}
