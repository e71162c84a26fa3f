// Package repair makes a clean copy of a folder of Parquet files that do not agree,
// and proves it.
//
// A copy is a landing: its files go through the same contract, and what does not fit
// a column is kept beside the row. It is made in a hidden folder, proven there value
// by value, and becomes visible in one step, whole or not at all. The source is only
// ever read. A process may die between any two calls: whoever asks for the same copy
// again goes on from what is there.
package repair

import (
	"context"
	"slices"
	"time"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/hint"
	"landfall/internal/intake"
	"landfall/internal/reconcile"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Form is what a copy is.
type Form string

// The forms.
const (
	// Folder is a folder of Parquet files, below partition folders if there are any.
	Folder Form = "parquet"
	// Delta is a Delta table.
	Delta Form = "delta"
)

// Want is what a person wants of a copy.
type Want struct {
	// Schema pins the types of columns, "" for none: those that hold the values of
	// all files.
	Schema string
	Hints  hint.Set
	// PartitionBy names folders (k=v) of the source that the copy has as well, or columns
	// by whose values it is divided; nil means all folders that every file lies in, an
	// empty list none.
	PartitionBy []string
	Form        Form
}

// Place is where a copy is made and becomes visible. No file of a copy is another than
// its own, since some readers take every file of a folder: what is written down of it
// stands elsewhere.
type Place interface {
	// Records holds what is written down, also afterwards. A folder of it is the stage
	// of a copy while it is made. Readers take none of that for data.
	Records() store.Store
	// Out is the finished copy, or whatever is in its place.
	Out() store.Store
	// Alone does something while no other process does so for this place.
	Alone(ctx context.Context, do func() error) error
	// Publish makes a folder of Records the finished copy, in one step; its error is
	// store.ErrExist if there is something in its place. An empty folder is nothing.
	Publish(ctx context.Context, stage string) error
}

// Job is a copy to be made.
type Job struct {
	// Args is what asks for the copy on a command line.
	Args  string
	Files store.Store
	Place Place
	Want  Want
	// Table opens the table in a store, Decode a Parquet file.
	Table  func(store.Store) table.Table
	Decode intake.Decoder
	Now    func() time.Time
	NewID  func() string
	// Workers is how many files are read at once; 0 means 2.
	Workers int
	// Progress, if set, hears how far the copy is, Proving how far its proof is. Calls
	// do not overlap.
	Progress func(intake.Progress)
	Proving  func(files, done int)
}

// Make makes the copy, or goes on with it, and returns what it came to. One that is
// there already is not made again. A copy that does not hold all that its files do
// stays hidden, and the report says what differs.
func Make(ctx context.Context, j Job) (*Report, error) {
	p, err := j.plan(ctx)
	if err != nil {
		return nil, err
	}
	r, err := j.published(ctx, p)
	if r != nil || err != nil {
		return r, err
	}
	err = j.Place.Alone(ctx, func() error {
		r, err = j.once(ctx, p)
		return err
	})
	return r, err
}

// once makes the copy, which another process may have made meanwhile.
func (j *Job) once(ctx context.Context, p *plan) (*Report, error) {
	r, err := j.published(ctx, p)
	if r != nil || err != nil {
		return r, err
	}
	if r, err = j.make(ctx, p); err == nil {
		return r, j.show(ctx, r)
	}
	// Where places cannot be locked another process may have been faster: then the stage
	// went from under this one.
	if other, nerr := j.published(ctx, p); nerr == nil && other != nil {
		return other, nil
	}
	return nil, err
}

func (j *Job) make(ctx context.Context, p *plan) (*Report, error) {
	if err := j.begin(ctx, p); err != nil {
		return nil, err
	}
	found, err := j.proven(ctx, p)
	if err != nil {
		return nil, err
	}
	for try := 0; found == nil || try < rounds && found.report.overtaken(); try++ {
		if found, err = j.copyAndProve(ctx, p); err != nil {
			return nil, err
		}
	}
	if found.report.overtaken() {
		return nil, j.busy(p)
	}
	if !found.report.Reconciled {
		return found.report, nil
	}
	return found.report, j.publish(ctx, p, found.manifest)
}

// proven returns the proof that the stage is whole and of the source as it is now; nil if
// there is none. A stage of what the source was is given up.
func (j *Job) proven(ctx context.Context, p *plan) (*proof, error) {
	found, err := proofIn(ctx, j.Place.Records(), j.stage(p))
	if err != nil || found == nil {
		return nil, err
	}
	since, err := found.since(ctx, j.Files)
	if err != nil {
		return nil, err
	}
	gone, err := (&manifest{Files: found.sources()}).gone(ctx, j.Files)
	if err != nil || len(since)+len(gone) == 0 {
		return found, err
	}
	return nil, removeAll(ctx, j.stage(p))
}

// sources are the files of the source, as a list of files.
func (m *manifest) sources() (files []dataFile) {
	for _, o := range m.Objects {
		files = append(files, dataFile{Path: o.Path})
	}
	return files
}

// overtaken tells whether all that differs is that files of the source changed, or went,
// while they were copied.
func (r *Report) overtaken() bool {
	return !r.Reconciled && r.Total == int64(len(r.Differences)) && !slices.ContainsFunc(r.Differences, func(d reconcile.Difference) bool {
		return d.What != reconcile.Changed && d.What != reconcile.Gone
	})
}

// busy says that the source does not stand still.
func (j *Job) busy(p *plan) error {
	return diag.New(diag.FileUnreadable, "files of the folder come or change as fast as they are copied").
		In(diag.Place{File: p.Source}).Hinted("ask for the copy again when its producer is quiet")
}

// copyAndProve copies what is in the source now, proves it, and writes both down.
func (j *Job) copyAndProve(ctx context.Context, p *plan) (*proof, error) {
	m, err := j.land(ctx, p)
	if err != nil {
		return nil, err
	}
	r, err := m.prove(ctx, j.Files, j.landed(p), j.Workers, j.Proving)
	if err == nil && p.Divided && r.Reconciled {
		err = j.divide(ctx, p, m, r)
	}
	if err != nil {
		return nil, err
	}
	if err := m.seal(ctx, j.stage(p)); err != nil {
		return nil, j.fault(err)
	}
	found := &proof{m, r}
	return found, found.keep(ctx, j.Place.Records())
}

// stage is where the copy is made, landed where the files of the source land for it.
func (j *Job) stage(p *plan) store.Store { return store.Below(j.Place.Records(), p.stage()) }

func (j *Job) landed(p *plan) store.Store {
	if p.Divided {
		return store.Below(j.stage(p), landedFolder)
	}
	return j.stage(p)
}

// policy is ours, for a table of the files' own columns.
func (w Want) policy(keys []string) contract.Policy {
	return contract.Policy{Hints: w.Hints, Bare: true, Folders: append([]string{}, keys...)}
}
