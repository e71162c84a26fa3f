package state

import (
	"context"
	"fmt"
	"time"

	"landfall/internal/diag"
)

// Identity says who a source is. A later record of the same source replaces an
// earlier one: its root moved, or it was reset.
type Identity struct {
	Format int `json:"format"`
	// Number counts the records from 1.
	Number int64 `json:"number"`
	// UUID names the source in the table's log (txn app id "landfall/<uuid>").
	UUID string `json:"uuid"`
	// Name is the source's name.
	Name string `json:"name"`
	// Root is the URL of the source's folder.
	Root string `json:"root"`
	// FileFormat is the format of the source's files ("csv").
	FileFormat string `json:"file_format"`
	// TableID is metaData.id of the table.
	TableID string `json:"table_id"`
	// TableVersion is the table's version when the record was made, -1 if
	// there was no table.
	TableVersion int64 `json:"table_version"`
	// After is the batch after which UUID's batches begin; 0 for a new source.
	After int64 `json:"after"`
	// Forgets are UUIDs in the table's log whose state a person declared lost.
	Forgets []string `json:"forgets,omitempty"`
	// Keep says that the first batch settles what is there then, unread: the
	// source was created to take only files that come later.
	Keep bool `json:"keep,omitempty"`
	// Cause says why the record was made: created, moved, reset, adopted.
	Cause string    `json:"cause"`
	At    time.Time `json:"at"`
}

// App is the application id of the source in the table's log.
func (i Identity) App() string { return "landfall/" + i.UUID }

// Identities returns all records of who the source is, oldest first; none if
// the state is empty.
func (st *State) Identities(ctx context.Context) ([]Identity, error) {
	last, err := st.newest(ctx, "identities", ".json", 0)
	if err != nil {
		return nil, err
	}
	all := make([]Identity, 0, last)
	for n := int64(1); n <= last; n++ {
		var id Identity
		key := numbered("identities", n, ".json")
		ok, err := st.read(ctx, key, &id)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, st.broken(key, fmt.Errorf("it is missing, but %d exists", last))
		}
		all = append(all, id)
	}
	return all, nil
}

// LastIdentity returns the newest record of who the source is; ok is false if
// the state is empty.
func (st *State) LastIdentity(ctx context.Context) (id Identity, ok bool, err error) {
	last, err := st.newest(ctx, "identities", ".json", 0)
	if err != nil || last == 0 {
		return id, false, err
	}
	ok, err = st.read(ctx, numbered("identities", last, ".json"), &id)
	return id, ok, err
}

// Identify makes id the newest record if its number is free. It returns the
// record that holds the number: id, or that of a run that was faster.
func (st *State) Identify(ctx context.Context, id Identity) (Identity, error) {
	id.Format = Format
	key := numbered("identities", id.Number, ".json")
	made, err := st.create(ctx, key, id)
	if err != nil || made {
		return id, err
	}
	var winner Identity
	ok, err := st.read(ctx, key, &winner)
	if err == nil && !ok {
		err = diag.New(diag.StateBroken, "state record %s appeared and vanished", st.s.URL(key)).
			Hinted("does another program delete files here?")
	}
	return winner, err
}
