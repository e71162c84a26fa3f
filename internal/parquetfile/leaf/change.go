package leaf

import "landfall/internal/parquetfile/logical"

// Change is how values come out other than they were written.
type Change int

// The changes: nanoseconds that were cut, wall clocks that are read as instants, and
// what was moved from the Julian calendar.
const (
	Cut Change = iota
	Wall
	Rebased
	// Kinds is their number.
	Kinds = iota
)

// Changes counts them since Scan.Changes was asked last.
type Changes [Kinds]struct {
	Count int64
	// First is the index among the values held of the first one.
	First int
}

// Changes returns what changed and begins anew.
func (s *Scan) Changes() Changes {
	c := s.changes
	s.changes = Changes{}
	return c
}

// count adds what happened to the values from the one at before.
func (s *Scan) count(t logical.Tally, before int) {
	s.changes.add(Cut, t.Cut, before+t.FirstCut)
	s.changes.add(Rebased, t.Rebased, before+t.FirstRebased)
	if s.Wall {
		s.changes.add(Wall, int64(s.values-before), before)
	}
}

func (c *Changes) add(kind Change, n int64, at int) {
	if n > 0 && c[kind].Count == 0 {
		c[kind].First = at
	}
	c[kind].Count += n
}
