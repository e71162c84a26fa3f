// Package position knows where a source stands: who it is, which batch landed last,
// and whether its state and its table agree on that.
//
// The table's log is the truth about what landed, the state about who the source is.
// Where they tell different stories, because one of the two was lost, restored or made
// anew, a source stops with what leads on.
package position

import (
	"time"

	"landfall/internal/contract"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Position is what is to be known of a source, and what is found out.
type Position struct {
	// Name is what people call the source, Args what names it on a command line.
	Name, Args string
	// Files holds the source's objects, Data the table's files.
	Files, Data store.Store
	Table       table.Table
	State       *state.State
	// StateKey is the place of the state relative to Data, or its URL.
	StateKey string
	// Format is the format of the source's files.
	Format string
	// NewOnly says that a source which has no identity yet settles the files that
	// are there then, unread. Moved accepts another root than the one on record.
	NewOnly, Moved bool
	// Now and NewID are the clock and the source of fresh ids.
	Now   func() time.Time
	NewID func() string

	// IDs are all records of who the source is, ID the newest.
	IDs []state.Identity
	ID  state.Identity
	// Roots are all roots that the source had, as URLs; UUIDs all its names in the
	// table's log, those of lost states included.
	Roots []string
	UUIDs map[string]bool
	// Snap is the table as last read, nil when there is none.
	Snap *table.Snapshot
	// Last is the newest mark, if HasMark.
	Last    state.Mark
	HasMark bool
	// Contract is the one in force since Last.
	Contract contract.Version
	// Recovered are batches that had landed without a mark, which they have now.
	Recovered []Recovered

	// checked is the version up to which others' commits were looked at, -1 before
	// that.
	checked int64
}

// Recovered is a batch whose run ended before its mark.
type Recovered struct {
	Mark    state.Mark
	Attempt state.Attempt
}

// New returns the position of a source that nothing is known of yet.
func New(p Position) *Position {
	p.checked = -1
	return &p
}
