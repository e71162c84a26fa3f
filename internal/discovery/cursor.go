package discovery

import (
	"iter"

	"landfall/internal/state"
)

// cursor walks the known entries beside a listing in the same order.
type cursor struct {
	next   func() (state.Entry, error, bool)
	stop   func()
	missed func(state.Entry)
	entry  state.Entry
	err    error
	more   bool
}

func newCursor(known iter.Seq2[state.Entry, error], missed func(state.Entry)) *cursor {
	c := &cursor{missed: missed}
	c.next, c.stop = iter.Pull2(known)
	c.entry, c.err, c.more = c.next()
	return c
}

// find returns the entry of a path that comes after all paths asked for before.
func (c *cursor) find(path string) (state.Entry, bool, error) {
	for c.err == nil && c.more && c.entry.Path < path {
		c.missed(c.entry)
		c.entry, c.err, c.more = c.next()
	}
	if c.err != nil || !c.more || c.entry.Path != path {
		return state.Entry{}, false, c.err
	}
	found := c.entry
	c.entry, c.err, c.more = c.next()
	return found, true, nil
}

// drain passes the rest to missed.
func (c *cursor) drain() error {
	for c.err == nil && c.more {
		c.missed(c.entry)
		c.entry, c.err, c.more = c.next()
	}
	return c.err
}
