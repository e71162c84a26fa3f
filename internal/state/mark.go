package state

import (
	"context"
	"fmt"
	"time"

	"landfall/internal/event"
)

// Mark records that the table holds a batch. It follows from the attempt and
// the table's version alone, so any run can write it, and two write the same.
type Mark struct {
	Format       int         `json:"format"`
	Batch        int64       `json:"batch"`
	Kind         string      `json:"kind"`
	Attempt      string      `json:"attempt"`
	Options      string      `json:"options,omitempty"`
	TableVersion int64       `json:"table_version"`
	At           time.Time   `json:"at"`
	Contract     int         `json:"contract"`
	Counts       event.Batch `json:"counts"`
	Objects      []Outcome   `json:"objects"`
}

// NewMark returns the mark of an attempt that the table holds since version.
func NewMark(kind string, a Attempt, version int64) Mark {
	counts := a.Counts
	counts.TableVersion = version
	return Mark{
		Format: Format, Batch: a.Batch, Kind: kind, Attempt: a.ID, Options: a.Options, TableVersion: version,
		At: a.At, Contract: a.Contract.Number, Counts: counts, Objects: a.Outcomes,
	}
}

// Mark returns the mark of a batch; ok is false if it has none.
func (st *State) Mark(ctx context.Context, batch int64) (m Mark, ok bool, err error) {
	ok, err = st.read(ctx, numbered("marks", batch, ".json"), &m)
	return m, ok, err
}

// SetMark writes a mark. A mark that is there already must say the same: two
// attempts of one batch cannot both be in the table.
func (st *State) SetMark(ctx context.Context, m Mark) error {
	made, err := st.create(ctx, numbered("marks", m.Batch, ".json"), m)
	if err != nil || made {
		return err
	}
	there, ok, err := st.Mark(ctx, m.Batch)
	if err != nil {
		return err
	}
	if !ok || there.Attempt != m.Attempt || there.TableVersion != m.TableVersion {
		return st.broken(numbered("marks", m.Batch, ".json"),
			fmt.Errorf("found attempt %q at table version %d, want %q at %d",
				there.Attempt, there.TableVersion, m.Attempt, m.TableVersion))
	}
	return nil
}

// Void marks a batch as given up: it landed nothing. A mark that is there
// already stays. Like every mark it follows from what is on record, here the
// last mark before it, so two runs write the same.
func (st *State) Void(ctx context.Context, batch int64, before Mark) error {
	_, err := st.create(ctx, numbered("marks", batch, ".json"), Mark{
		Format: Format, Batch: batch, Kind: KindVoid, Attempt: before.Attempt,
		TableVersion: before.TableVersion, At: before.At, Contract: before.Contract, Objects: []Outcome{},
	})
	return err
}

// LastMark returns the newest mark; ok is false if there is none. Its number is
// set even if it cannot be read.
func (st *State) LastMark(ctx context.Context) (m Mark, ok bool, err error) {
	last, err := st.newestBatch(ctx, "marks")
	if err != nil || last == 0 {
		return m, false, err
	}
	m, ok, err = st.Mark(ctx, last)
	m.Batch = last
	return m, ok, err
}
