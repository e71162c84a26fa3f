package state

import (
	"context"
	"fmt"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
)

// The kinds of batch.
const (
	// KindLand lands new objects.
	KindLand = "land"
	// KindKeep settles objects unread: those that were there when the source
	// began (includeExistingFiles false), or when it was reset to keep its rows.
	KindKeep = "keep"
	// KindVoid stands for an intent that a reset gave up: it landed nothing.
	KindVoid = "void"
	// KindReprocess takes all rows of the source out of the table and forgets
	// what is known, so that later batches land every object again.
	KindReprocess = "reprocess"
	// KindRevise lands no objects: it puts the contract of its intent in force.
	KindRevise = "revise"
	// KindReplay lands objects again whose rows, or records, did not land as they
	// would today: their new rows take the place of the old ones.
	KindReplay = "replay"
)

// Intent is the list of objects that a batch will land, fixed before any of its
// data is written.
type Intent struct {
	Format  int       `json:"format"`
	Batch   int64     `json:"batch"`
	Kind    string    `json:"kind"`
	At      time.Time `json:"at"`
	Options string    `json:"options,omitempty"`
	Objects []Object  `json:"objects"`
	// Anew says of a replay of all objects that the contract begins anew.
	Anew bool `json:"anew,omitempty"`
	// Identity is who the source is from this batch on, if the batch resets it.
	// The intent decides: whoever finds it completes the reset.
	Identity *Identity `json:"identity,omitempty"`
	// Contract is what a revision puts in force, and Drift what it was made of.
	Contract *contract.Version `json:"contract,omitempty"`
	Drift    []event.Drift     `json:"drift,omitempty"`
	// Merges are the columns of the standing rows that a revision puts together.
	Merges []contract.Merge `json:"merges,omitempty"`
}

// Object is a file of the source at one version.
type Object struct {
	// Path is relative to the source's root.
	Path    string    `json:"path"`
	Size    int64     `json:"size"`
	ModTime time.Time `json:"mtime"`
	Version string    `json:"version"`
	// Landed is the batch whose rows of this path stand in the table, 0 if
	// none: this object then replaces them.
	Landed int64 `json:"landed,omitempty"`
	// Hash is that of the bytes which those rows came from.
	Hash string `json:"hash,omitempty"`
	// Again says that these bytes were read before, and land once more: under
	// other options, since not all of them landed, or by a replay.
	Again bool `json:"again,omitempty"`
}

// Intent returns the intent of a batch; ok is false if there is none.
func (st *State) Intent(ctx context.Context, batch int64) (in Intent, ok bool, err error) {
	ok, err = st.read(ctx, numbered("batches", batch, ".json"), &in)
	return in, ok, err
}

// LastIntent is the number of the newest intent, 0 if there is none.
func (st *State) LastIntent(ctx context.Context) (int64, error) {
	return st.newestBatch(ctx, "batches")
}

// Intend creates an intent, or returns the one that a faster run created.
func (st *State) Intend(ctx context.Context, in Intent) (Intent, error) {
	in.Format = Format
	made, err := st.create(ctx, numbered("batches", in.Batch, ".json"), in)
	if err != nil || made {
		return in, err
	}
	winner, ok, err := st.Intent(ctx, in.Batch)
	if err == nil && !ok {
		err = fmt.Errorf("intent %d appeared and vanished", in.Batch)
	}
	return winner, err
}
