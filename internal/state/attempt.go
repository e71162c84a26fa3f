package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/store"
)

// Fate is what became of an object in a batch.
type Fate string

// The fates. All but Superseded and Deferred settle the object: that version
// is known and never taken again.
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
}

// DataFile is a data file that an attempt wrote, with where its rows come from.
type DataFile struct {
	Path string `json:"path"`
	Rows int64  `json:"rows"`
	// Parts are runs of rows by the index of their object in Outcomes; files
	// rewritten to replace rows have none.
	Parts []Part `json:"parts,omitempty"`
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

// Quarantine keeps records of an attempt, NDJSON, in the order of the calls to
// Put. Nothing is written when nothing is put.
type Quarantine struct {
	st     *State
	key    string
	upload store.Upload
	enc    *json.Encoder
}

// Quarantine begins the quarantine of an attempt.
func (st *State) Quarantine(batch int64, id string) *Quarantine {
	return &Quarantine{st: st, key: attemptFolder(batch, id) + "/quarantine.ndjson"}
}

// Put keeps one record.
func (q *Quarantine) Put(ctx context.Context, r event.Quarantined) error {
	if q.upload == nil {
		u, err := q.st.s.Upload(ctx, q.key)
		if err != nil {
			return q.st.fault("create", q.key, err)
		}
		q.upload, q.enc = u, json.NewEncoder(u)
		if err := q.enc.Encode(map[string]int{"format": Format}); err != nil {
			return q.st.fault("write", q.key, err)
		}
	}
	if err := q.enc.Encode(r); err != nil {
		return q.st.fault("write", q.key, err)
	}
	return nil
}

// Close makes what was put durable.
func (q *Quarantine) Close(ctx context.Context) error {
	if q.upload == nil {
		return nil
	}
	_, err := q.upload.Commit(ctx)
	return q.st.fault("create", q.key, err)
}

// Abort drops what was put and not closed.
func (q *Quarantine) Abort(ctx context.Context) error {
	if q.upload == nil {
		return nil
	}
	return q.upload.Abort(ctx)
}

// Quarantined yields the records that an attempt kept, in the order they were
// put; none if it kept none.
func (st *State) Quarantined(ctx context.Context, batch int64, id string) iter.Seq2[event.Quarantined, error] {
	key := attemptFolder(batch, id) + "/quarantine.ndjson"
	return func(yield func(event.Quarantined, error) bool) {
		o, err := st.s.Open(ctx, key)
		if errors.Is(err, store.ErrNotExist) {
			return
		}
		if err != nil {
			yield(event.Quarantined{}, st.fault("open", key, err))
			return
		}
		defer o.Close() //nolint:errcheck // nothing was written
		dec := json.NewDecoder(io.NewSectionReader(o, 0, o.Info().Size))
		var head struct {
			Format int `json:"format"`
		}
		if err := dec.Decode(&head); err != nil || head.Format != Format {
			yield(event.Quarantined{}, st.broken(key, errors.Join(err, fmt.Errorf("found format %d, want %d", head.Format, Format))))
			return
		}
		for {
			var r event.Quarantined
			err := dec.Decode(&r)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(r, st.broken(key, err))
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}
