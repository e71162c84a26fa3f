// Package intake reads the objects of a batch, each once, and writes their rows
// to data files under one shape.
//
// What becomes of an object, what it met and what its values were like stays with
// it. Nothing here knows of commits: an intake may be thrown away at any point and
// leaves data files that nothing refers to.
package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/format"
	"landfall/internal/parquetfile"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/value"
)

// Source is the feed that objects are of, and how they are read.
type Source struct {
	// Files holds the objects, Data the table's files.
	Files, Data store.Store
	State       *state.State
	// Decode begins to decode an object. Tree says that records are trees (JSON),
	// Typed that files declare the types of their columns (Parquet), Forms in which
	// forms values are written.
	Decode      Decoder
	Tree, Typed bool
	Forms       *value.Forms
	Policy      contract.Policy
	// Keeps tells whether rows cannot be taken out of the table, and why.
	Keeps func() (code diag.Code, why string, keeps bool)
	// Parquet says how data files are encoded, Target how large they are in bytes; 0
	// means 128 MiB.
	Parquet parquetfile.Options
	Target  int64
	// Workers is the number of objects read at a time; 0 means 2.
	Workers int
	// Unit is the size of objects that one worker reads in one go, so that their
	// rows share row groups; 0 means 32 MiB.
	Unit int64
	// Waiting is how many bytes of row groups wait in memory for the end of a pass, so
	// that only what stays is written; 0 means 64 MiB.
	Waiting int64
	// Moved is the size of files from which on columns are moved as they are, 0 means
	// 1 MiB; Decodes says that none is, Trusts that it is not seen before whether their
	// values can be read.
	Moved           int64
	Decodes, Trusts bool
	// Name makes the name of a data file.
	Name func(suffix string) string
	// Place, if set, is the folder of the data files with the rows of an object, with a
	// slash at its end: no file has rows of objects of two.
	Place func(path string) string
	// Progress, if set, hears how far the batch is. Calls do not overlap.
	Progress func(Progress)
	// Elapsed, if set, is a clock that never goes back, for Spent.
	Elapsed func() time.Duration
	// Title is what people call the source.
	Title string
}

// Decoder begins to decode an object. A file at fault is a *diag.Diagnostic.
type Decoder func(ctx context.Context, path string, r Input) (format.Reader, error)

// Input is an object's bytes, to be read once from start to end; ReadAt gives a
// second look at a part.
type Input interface {
	io.Reader
	io.ReaderAt
	// Size is the number of bytes.
	Size() int64
}

// Intake is what is known of the objects of one try at a batch. Each has its own
// slot, so that workers need no lock and the order does not depend on them.
type Intake struct {
	src Source
	in  state.Intent
	id  string
	// barred are objects that an earlier try found it must not land, and why.
	barred map[int]string
	// Outcomes that are closed are not read. Drift is what an object met. Seen is
	// its evidence, nil if that does not count.
	Outcomes []state.Outcome
	Drift    [][]event.Drift
	Seen     []*contract.ObjectEvidence
	// settled is how much of Drift an object met before it was read, read what
	// reading it came to.
	settled  []int
	read     []reading
	progress *progress
	// First and Second are how long the passes took, by the clock.
	First, Second time.Duration
	spent         Spent
	mu            sync.Mutex
}

// reading is what reading an object came to.
type reading struct {
	cells conform.Counts
	bytes event.Bytes
	// refused is set if the shape did not take the object, for whatever reason:
	// another may.
	refused bool
}

// New returns the intake of an intent's objects, none of which has been looked at.
// What is written in it carries the id. barred are objects, by position, that must
// not land, and why.
func New(src Source, in state.Intent, id string, barred map[int]string) *Intake {
	n := len(in.Objects)
	a := &Intake{
		src: src, in: in, id: id, barred: barred,
		Outcomes: make([]state.Outcome, n), Drift: make([][]event.Drift, n), settled: make([]int, n),
		Seen: make([]*contract.ObjectEvidence, n), read: make([]reading, n),
	}
	for i, o := range in.Objects {
		a.Outcomes[i] = state.Outcome{Object: o}
	}
	a.progress = a.newProgress()
	return a
}

const (
	defaultWorkers = 2
	defaultUnit    = 32 << 20
)

func (a *Intake) workers() int { return cmp.Or(a.src.Workers, defaultWorkers) }

// Open returns the objects that are to be read, in order.
func (a *Intake) Open() []int {
	var open []int
	for i, o := range a.Outcomes {
		if o.Fate == "" {
			open = append(open, i)
		}
	}
	return open
}

// Reopen forgets what reading object i came to, but for its evidence.
func (a *Intake) Reopen(i int) {
	a.Outcomes[i] = state.Outcome{Object: a.in.Objects[i]}
	a.Drift[i] = a.Drift[i][:a.settled[i]]
	a.read[i] = reading{}
}

// Bar keeps object i, which was read, out of the table for a reason that shows
// beside the others alone. Its evidence does not count.
func (a *Intake) Bar(i int, code diag.Code, why string) {
	bytes := a.Outcomes[i].Bytes
	a.Reopen(i)
	a.Outcomes[i].Bytes, a.Seen[i] = bytes, nil
	a.Close(i, state.Quarantined, code, why)
}

// Close settles the outcome of object i without reading it.
func (a *Intake) Close(i int, fate state.Fate, code diag.Code, reason string) {
	o := &a.Outcomes[i]
	o.Fate, o.Code, o.Reason = fate, string(code), reason
}

// Note keeps a drift event of object i.
func (a *Intake) Note(i int, d event.Drift) {
	d.File = a.in.Objects[i].Path
	if d.Policy == "" {
		_, d.Policy = a.src.Policy.Action(d.Kind)
	}
	a.Drift[i] = append(a.Drift[i], d)
}

// Landed is the evidence of the objects that land.
func (a *Intake) Landed() []contract.ObjectEvidence {
	var seen []contract.ObjectEvidence
	for i, o := range a.Outcomes {
		if o.Fate == state.Landed && a.Seen[i] != nil {
			seen = append(seen, *a.Seen[i])
		}
	}
	return seen
}

// Evidence is what the objects said that could be read.
func (a *Intake) Evidence() evolution.Evidence { return evidenceOf(a.Seen) }

// Count adds what the objects came to up in c.
func (a *Intake) Count(c *event.Batch) {
	c.Batch, c.Files = a.in.Batch, int64(len(a.in.Objects))
	for i, o := range a.Outcomes {
		c.RowsIn += o.RowsIn
		c.RowsLanded += o.Rows
		c.RowsQuarantined += o.Quarantined
		c.RowsDropped += o.Dropped
		if o.Fate == state.Landed {
			c.ValuesRescued += a.read[i].cells.Rescued
			c.ValuesIgnored += a.read[i].cells.Ignored
			c.Bytes.Add(a.read[i].bytes)
		}
	}
}

// elapsed reads the clock, if there is one.
func (a *Intake) elapsed() time.Duration {
	if a.src.Elapsed == nil {
		return 0
	}
	return a.src.Elapsed()
}

// stopped is the error of an event whose policy is to fail.
func (a *Intake) stopped(e event.Drift, found string) error {
	d := diag.New(diag.PolicyFail, "%s (policy %s: fail)", found, e.Kind).
		In(diag.Place{File: a.src.Files.URL(e.File), Record: e.Record})
	d.Path = e.Column
	choices := contract.Choices(e.Kind)
	return d.Hinted("set policy %s to %s, or mend the file", e.Kind, choices[0])
}

// FileFault sorts the error of reading an object: what the file is to blame
// for is a diagnostic already and quarantines it; what the store did is an
// error of the run, which lost nothing.
func FileFault(url string, err error) error {
	var d *diag.Diagnostic
	at := diag.Place{File: url}
	switch {
	case err == nil || errors.As(err, &d):
		return err
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, store.ErrPermission):
		return diag.New(diag.NoPermission, "file may not be read").In(at).
			Hinted("give this user the right to read it and run again; nothing of its batch has landed").Because(err)
	case errors.Is(err, store.ErrTransient):
		return diag.New(diag.StoreUnreachable, "the store did not answer while the file was read").In(at).
			Hinted("nothing was lost; run again").Because(err)
	}
	return fmt.Errorf("read %s: %w", url, err)
}
