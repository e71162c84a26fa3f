package state

import (
	"context"
	"fmt"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/store"
)

// Fate is what became of an object in a batch.
type Fate string

// The fates. All but Superseded and Deferred settle the object: that version
// is known and never taken again. Reclaimed says nothing of the version: what is
// known of the path stays, but for the number of its rescued values.
const (
	// Landed: its good records are rows of the table.
	Landed Fate = "landed"
	// Quarantined: the whole object is kept out, with the reason.
	Quarantined Fate = "quarantined"
	// Unchanged: a new version with the bytes that had landed; nothing to do.
	Unchanged Fate = "unchanged"
	// Skipped: a rule keeps it out (overwritten file under allowOverwrites
	// false, a file present before includeExistingFiles false).
	Skipped Fate = "skipped"
	// Superseded: it vanished or was replaced before it was read. Should that
	// version come back, it lands.
	Superseded Fate = "superseded"
	// Deferred: it changed while it was read; it returns in a later batch.
	Deferred Fate = "deferred"
	// Reclaimed: it is not there any more, and its rows stand. Values of these that
	// were rescued went into columns; Rescued counts those that are rescued still.
	Reclaimed Fate = "reclaimed"
)

// Outcome is what an attempt did with one object of its intent.
type Outcome struct {
	Object
	Fate   Fate   `json:"fate"`
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Bytes is the xxh3 of the object's bytes, empty when it was not read whole.
	Bytes string `json:"bytes,omitempty"`
	// Dialect is how a text file is written, as its reader describes it.
	Dialect string `json:"dialect,omitempty"`
	// RowsIn = Rows + Quarantined + Dropped.
	RowsIn      int64 `json:"rows_in"`
	Rows        int64 `json:"rows"`
	Quarantined int64 `json:"quarantined,omitempty"`
	Dropped     int64 `json:"dropped,omitempty"`
	// Rescued is the number of values of its rows that no column took.
	Rescued int64 `json:"rescued,omitempty"`
	// Left are the names under which an object that was reclaimed has rescued values
	// still, as it spells them; none if that is not known.
	Left []string `json:"left,omitempty"`
	// Part is the part of the attempt's quarantine that holds its records, where
	// it has any. What other parts say of the object is void: it was read again.
	Part int `json:"part,omitempty"`
}

// DataFile is a data file that an attempt wrote, with where its rows come from.
type DataFile struct {
	Path string `json:"path"`
	Rows int64  `json:"rows"`
	// Parts are runs of rows by the index of their object in Outcomes; files that
	// were written again have none.
	Parts []Part `json:"parts,omitempty"`
	// Of is the data file whose place it takes: it holds the same rows in the same
	// order, but for those that were deleted, under another schema, or with values
	// that were rescued in their columns.
	Of string `json:"of,omitempty"`
}

// Part is a run of rows of one object.
type Part struct {
	Object int   `json:"object"`
	Rows   int64 `json:"rows"`
}

// Attempt is the record of one try at a batch, written before its commit.
type Attempt struct {
	Format   int              `json:"format"`
	Batch    int64            `json:"batch"`
	ID       string           `json:"id"`
	At       time.Time        `json:"at"`
	Options  string           `json:"options,omitempty"`
	Contract contract.Version `json:"contract"`
	Counts   event.Batch      `json:"counts"`
	Outcomes []Outcome        `json:"outcomes"`
	Files    []DataFile       `json:"files"`
	Drift    []event.Drift    `json:"drift,omitempty"`
	// Removed are the data files that the commit takes out.
	Removed []string `json:"removed,omitempty"`
}

func attemptFolder(batch int64, id string) string {
	return numbered("attempts", batch, "-"+id)
}

// Attempt reads the record of an attempt.
func (st *State) Attempt(ctx context.Context, batch int64, id string) (Attempt, error) {
	var a Attempt
	key := attemptFolder(batch, id) + "/attempt.json"
	ok, err := st.read(ctx, key, &a)
	if err == nil && !ok {
		err = st.broken(key, store.ErrNotExist)
	}
	return a, err
}

// Record writes the record of an attempt, once.
func (st *State) Record(ctx context.Context, a Attempt) error {
	a.Format = Format
	key := attemptFolder(a.Batch, a.ID) + "/attempt.json"
	made, err := st.create(ctx, key, a)
	if err == nil && !made {
		err = fmt.Errorf("attempt %s of batch %d is recorded twice", a.ID, a.Batch)
	}
	return err
}
