// Package land moves the new objects of a source into its table, exactly once.
//
// A run lists the source, cuts what is new into batches, and lands them one by
// one: the intent fixes the objects, an attempt writes data files under fresh
// names, one commit of the table makes them visible together with the batch
// number, and the mark remembers it. A process may die between any two calls,
// and others may run at the same time: whoever comes next reads what is there
// and goes on from it. The table's log alone decides what has landed.
package land

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/discovery"
	"landfall/internal/event"
	"landfall/internal/intake"
	"landfall/internal/parquetfile"
	"landfall/internal/position"
	"landfall/internal/standing"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/value"
)

// Source is a folder of files of one feed and the table they land in.
type Source struct {
	// Name is what people call the source, Args what names it on a command line.
	Name, Args string
	// Files holds the source's objects, Data the table's files.
	Files, Data store.Store
	Table       table.Table
	State       *state.State
	// StateKey is the place of the state relative to Data, or its URL.
	StateKey string
	// Format is the format of the files ("csv"); "" when there are none yet
	// that tell.
	Format string
	// Decode begins to decode an object. Tree says that records are trees (JSON),
	// Typed that files declare the types of their columns (Parquet), Forms in which
	// forms values are written.
	Decode      intake.Decoder
	Tree, Typed bool
	Forms       *value.Forms
	Policy      contract.Policy
	// Parquet says how data files are encoded, Target how large they are in bytes; 0
	// means 128 MiB.
	Parquet parquetfile.Options
	Target  int64
	// Decodes says that no column of files that declare types is moved as it is; Trusts
	// that such columns are not looked at before.
	Decodes, Trusts bool
	Select          discovery.Selection
	Limits          Limits
	// PartitionBy names folders (k=v), one or more of which each object lies in, whose
	// columns partition the table: their values are those of the folders' names, and
	// data files lie in folders of the same names and do not have the columns. The
	// types of the columns must have the values as these are written.
	PartitionBy []string
	// Digest identifies the options; it is kept with each intent.
	Digest string
	// Alone, if set, is asked before the first batch: it stops if another source
	// has landed the same folder. A first commit changes the table's properties,
	// so that of a rival which comes after the question meets a conflict.
	Alone func(context.Context) error
	// Notes are things to tell a person with every report.
	Notes []string
	// DropMissing says that a reset may take out rows of files that are gone.
	DropMissing bool
	// Moved says that a person accepts another root than the one on record.
	Moved bool
}

// Limits bound a batch. Zero means no bound, but where it says another.
type Limits struct {
	// Files is the number of its objects, at most; 0 means 1,000.
	Files int
	// Bytes is the size of its objects at which no more are taken.
	Bytes int64
	// Rewrite bounds the bytes of standing data files that a batch writes again for
	// types that widen; 0 means 4 GiB.
	Rewrite int64
}

// Env is what a run needs from its process.
type Env struct {
	Now   func() time.Time
	NewID func() string
	// Workers is the number of objects read at a time; 0 means 2.
	Workers int
	// Unit is the size of the files that share row groups; 0 means 32 MiB.
	Unit int64
	// Moved is the size of files from which on columns are moved as they are where they
	// can be, unless the source wants every value read; 0 means 1 MiB.
	Moved int64
	// Progress, if set, hears how far a batch is. Calls do not overlap.
	Progress func(intake.Progress)
	// Elapsed, if set, is a clock that never goes back, for the seconds of the report.
	Elapsed func() time.Duration
	// CompactEvery is passed to State.Compact.
	CompactEvery int64
	// Tries bounds how often a batch is computed anew; 0 means 10.
	Tries int
	// guess, if set, changes the contract under which objects are read first.
	guess func(contract.Version) contract.Version
}

// landing is one run over one source.
type landing struct {
	*position.Position
	src     Source
	env     Env
	pending *pending
	missing discovery.Missing
	// absorbed is the last mark that pending takes account of.
	absorbed int64
	// asked is when this run asked for a replay.
	asked time.Time
	// stuck says of columns, by folded stored name, why their standing rows cannot be
	// written again.
	stuck map[string]string
	// gaveUp is why the last replay, or decision, came to nothing; nil if it did not.
	gaveUp *diag.Diagnostic
	report Report
}

// Run lands everything that is new in the source when it starts.
func Run(ctx context.Context, src Source, env Env) (Report, error) {
	l := newLanding(src, env)
	err := l.run(ctx)
	return l.done(), err
}

// done is the report of the run.
func (l *landing) done() Report {
	l.report.ContractVersion = l.Contract.Number
	l.report.Contract = &l.Contract
	if l.Snap != nil {
		l.report.Schema = &l.Snap.Schema
	}
	return l.report
}

func newLanding(src Source, env Env) *landing {
	if src.Forms == nil {
		src.Forms = &value.Forms{}
	}
	l := &landing{src: src, env: env, Position: position.New(position.Position{
		Name: src.Name, Args: src.Args, Files: src.Files, Data: src.Data, Table: src.Table, State: src.State,
		StateKey: src.StateKey, Format: src.Format, NewOnly: src.Select.NewOnly, Moved: src.Moved,
		Now: env.Now, NewID: env.NewID,
	})}
	l.report = Report{
		Source: src.Name, Table: src.Data.URL(""),
		Batches: []event.Batch{}, Drift: []event.Drift{}, Skipped: []discovery.Skip{},
		Quarantined: []event.Quarantined{}, Deferred: []string{}, Notes: append([]string{}, src.Notes...),
	}
	return l
}

func (l *landing) run(ctx context.Context) error {
	if l.src.Format == "" && l.src.Select.NewOnly {
		return diag.New(diag.NoFormat, "there is no file yet that tells the format, and what is there must be told from what comes").
			In(diag.Place{File: l.src.Files.URL("")}).Hinted("name the format: --format csv")
	}
	if l.src.Format == "" {
		l.report.Notes = append(l.report.Notes, "no files to land in "+l.src.Files.URL(""))
		return discovery.CheckFolder(ctx, l.src.Files)
	}
	if err := l.begin(ctx); err != nil {
		return err
	}
	if err := l.obey(ctx); err != nil {
		return err
	}
	if err := l.landAll(ctx); err != nil {
		return err
	}
	return l.src.State.Compact(ctx, l.env.CompactEvery)
}

// landAll lands batch after batch until nothing is new.
func (l *landing) landAll(ctx context.Context) error {
	for {
		more, err := l.step(ctx)
		if err != nil || !more {
			return err
		}
		if err := l.sync(ctx); err != nil {
			return err
		}
		if err := l.absorb(ctx); err != nil {
			return err
		}
	}
}

// begin finds out who the source is and what the table holds of it.
func (l *landing) begin(ctx context.Context) error {
	// A folder that is not there now would make its files look deleted.
	if err := discovery.CheckFolder(ctx, l.src.Files); err != nil {
		return err
	}
	if err := l.Identify(ctx); err != nil {
		return err
	}
	if err := l.sync(ctx); err != nil {
		return err
	}
	before := l.Contract
	l.report.Before = &before
	return nil
}

// sync brings marks and table to agreement, and reports the batches that had landed
// without a mark.
func (l *landing) sync(ctx context.Context) error {
	if err := l.Sync(ctx); err != nil {
		return err
	}
	recovered := l.Recovered
	l.Recovered = nil
	for _, r := range recovered {
		l.report.Notes = append(l.report.Notes, fmt.Sprintf("batch %d had landed already, in a run that ended before it wrote that down", r.Mark.Batch))
		if err := l.add(ctx, r.Mark, r.Attempt); err != nil {
			return err
		}
	}
	return nil
}

// step lands the next batch; more is false when there is none.
func (l *landing) step(ctx context.Context) (more bool, err error) {
	n := l.Batch() + 1
	in, ok, err := l.src.State.Intent(ctx, n)
	if err != nil {
		return false, err
	}
	if !ok {
		// Only now: a batch that waits may be the one that mends what is known.
		if l.pending == nil {
			if err := l.discover(ctx); err != nil {
				return false, err
			}
		}
		kind, objects := state.KindLand, l.pending.cut(l.src.Limits)
		// A source that takes only what comes later settles what is there now,
		// even if that is nothing: else the first files would count as there.
		if l.ID.Keep && n == l.ID.After+1 {
			kind, objects = state.KindKeep, l.pending.objects
		} else if len(objects) == 0 {
			return false, nil
		}
		in, err = l.src.State.Intend(ctx, state.Intent{
			Batch: n, Kind: kind, At: l.env.Now().UTC(), Options: l.src.Digest, Objects: slices.Clone(objects),
		})
		if err != nil {
			return false, err
		}
	}
	return true, l.finish(ctx, in)
}

// finish lands the batch of an intent and marks it.
func (l *landing) finish(ctx context.Context, in state.Intent) error {
	if in.Identity != nil && in.Identity.UUID != l.ID.UUID {
		return position.WasReset()
	}
	in.Merges = moving(in.Merges)
	m, err := l.land(ctx, in)
	if err != nil {
		return fmt.Errorf("batch %d: %w", in.Batch, err)
	}
	// A RESTORE that came between stops before the mark, so that every later
	// run finds it too.
	if err := l.CheckHistory(ctx, m.TableVersion); err != nil {
		return err
	}
	return l.settle(ctx, m)
}

// land tries the batch until the table holds it, by this run or another.
func (l *landing) land(ctx context.Context, in state.Intent) (state.Mark, error) {
	tries := l.env.Tries
	if tries <= 0 {
		tries = 10
	}
	var conflict *table.Conflict
	barred := map[int]string{}
	for try := 0; try < tries; {
		if l.src.Alone != nil && l.Batch() == 0 {
			if err := l.src.Alone(ctx); err != nil {
				return state.Mark{}, err
			}
		}
		m, err := l.attempt(ctx, in, barred)
		var refused *refusal
		var given *givenUp
		var misfit *standing.Misfit
		switch {
		case errors.As(err, &misfit):
			switch {
			case len(in.Merges) > 0:
				l.gaveUp = undecided(misfit.Why)
				in.Contract, in.Merges, in.Drift = &l.Contract, nil, nil
			case !l.hold(misfit.Why) && (in.Contract == nil || l.gaveUp != nil):
				return state.Mark{}, misfit.Why
			case in.Contract != nil: // the batch of a revision lands nothing then
				l.gaveUp = misfit.Why
				in.Contract, in.Drift = &l.Contract, nil
			}
			continue
		case errors.As(err, &given):
			l.gaveUp, in.Anew, in.Contract, in.Drift = given.why, false, &l.Contract, given.told()
			l.report.Notes = append(l.report.Notes, "the replay was given up: "+given.why.Error())
			continue
		case errors.As(err, &refused):
			barred[refused.object] = refused.reason
			continue
		case !errors.As(err, &conflict):
			return m, err
		}
		// What the attempt built on is gone. Its data files stay behind,
		// unreferenced, and the batch is computed anew.
		try++
		if _, err := l.Look(ctx); err != nil {
			return state.Mark{}, err
		}
	}
	return state.Mark{}, diag.New(diag.ConflictLost, "batch %d met other writers %d times, last: %v", in.Batch, tries, conflict).
		Hinted("run again when the other writers are quiet").Because(conflict)
}

// settle marks a batch that the table holds and reports it.
func (l *landing) settle(ctx context.Context, m state.Mark) error {
	defer l.lap(&l.report.Seconds.Mark)()
	if err := l.src.State.SetMark(ctx, m); err != nil {
		return err
	}
	a, err := l.src.State.Attempt(ctx, m.Batch, m.Attempt)
	if err != nil {
		return err
	}
	for _, f := range a.Files {
		if len(f.Parts) > 0 {
			l.report.Files = append(l.report.Files, f.Path)
		}
	}
	return l.add(ctx, m, a)
}
