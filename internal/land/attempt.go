package land

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/intake"
	"landfall/internal/schema"
	"landfall/internal/source"
	"landfall/internal/standing"
	"landfall/internal/state"
	"landfall/internal/table"
)

// attempt is one try at a batch. All that it writes carries its id.
type attempt struct {
	*intake.Intake
	l  *landing
	in state.Intent
	id string
	// shape is the one under which the rows of the batch are written in the end.
	shape  *shape
	counts event.Batch
	files  []datafile.File
	// change is what becomes of the rows that stand.
	change *standing.Change
}

// keepsRows tells whether rows cannot be taken out of the table, and why.
func (l *landing) keepsRows() (code diag.Code, why string, keeps bool) {
	switch {
	case l.Snap == nil:
		return "", "", false
	case l.Snap.Config["delta.appendOnly"] == "true":
		return diag.AppendOnly, "the table allows appends only (delta.appendOnly)", true
	case l.Snap.Config["delta.enableChangeDataFeed"] == "true":
		return diag.UnknownFeature, "the table records changes of rows (delta.enableChangeDataFeed), which only appends can be written to without", true
	}
	return "", "", false
}

func (l *landing) newAttempt(in state.Intent, barred map[int]string) *attempt {
	a := &attempt{l: l, in: in, id: l.env.NewID()}
	a.Intake = intake.New(intake.Source{
		Title: l.src.Name, Files: l.src.Files, Data: l.src.Data, State: l.src.State, Decode: l.src.Decode,
		Tree: l.src.Tree, Typed: l.src.Typed, Forms: l.src.Forms, Policy: l.src.Policy, Keeps: l.keepsRows,
		Workers: l.env.Workers, Parquet: l.src.Parquet, Target: l.src.Target, Unit: l.env.Unit, Moved: l.env.Moved, Decodes: l.src.Decodes, Trusts: l.src.Trusts, Name: a.fileName, Place: l.src.place(), Progress: l.env.Progress, Elapsed: l.env.Elapsed,
	}, in, a.id, barred)
	a.change = &standing.Change{
		Table: l.src.Table, Snapshot: l.Snap, Data: l.src.Data, State: l.src.State, Files: l.src.Files,
		Roots: l.Roots, UUIDs: l.UUIDs, IDs: l.IDs, Args: l.src.Args,
		Name: a.fileName, Parquet: l.src.Parquet, At: l.env.Now().UTC(),
	}
	return a
}

// attempt tries the batch once. The error may be a *table.Conflict.
func (l *landing) attempt(ctx context.Context, in state.Intent, barred map[int]string) (state.Mark, error) {
	a := l.newAttempt(in, barred)
	if err := a.checkTable(); err != nil {
		return state.Mark{}, err
	}
	if err := a.settle(ctx); err != nil {
		return state.Mark{}, err
	}
	evolved, err := a.work(ctx)
	l.report.Seconds.spent(a.Intake)
	if err != nil {
		return state.Mark{}, table.Fault(l.report.Table, err)
	}
	record, err := a.keep(ctx, evolved)
	if err != nil {
		return state.Mark{}, err
	}
	return a.commit(ctx, record)
}

func (a *attempt) settle(ctx context.Context) error {
	defer a.l.lap(&a.l.report.Seconds.Settle)()
	return a.Settle(ctx)
}

// keep writes down what the attempt came to.
func (a *attempt) keep(ctx context.Context, evolved []event.Drift) (state.Attempt, error) {
	defer a.l.lap(&a.l.report.Seconds.Record)()
	record, err := a.record(evolved)
	if err != nil {
		return record, err
	}
	if err := a.l.src.State.Observe(ctx, a.in.Batch, a.id, a.Landed()); err != nil {
		return record, err
	}
	return record, a.l.src.State.Record(ctx, record)
}

// work writes the rows of the batch and takes out those that they replace. A
// contract that begins anew has to know first what else stays in the table.
func (a *attempt) work(ctx context.Context) ([]event.Drift, error) {
	if !a.in.Anew {
		evolved, err := a.write(ctx)
		if err != nil {
			return nil, err
		}
		return evolved, a.displace(ctx)
	}
	if err := a.missed(); err != nil {
		return nil, err
	}
	if err := a.replace(ctx); err != nil {
		return nil, err
	}
	evolved, err := a.write(ctx)
	if err != nil {
		return nil, err
	}
	return evolved, a.missed()
}

// displace does to the rows that stand what the batch asks for.
func (a *attempt) displace(ctx context.Context) error {
	defer a.l.lap(&a.l.report.Seconds.Standing)()
	if err := a.replace(ctx); err != nil {
		return err
	}
	if err := a.reshape(ctx); err != nil {
		return err
	}
	return a.reclaim(ctx)
}

// current is the schema that the batch keeps of the table, nil if there is none.
// A contract that began anew in a table that holds no rows makes its own, as
// Spark's overwriteSchema does.
func (a *attempt) current() *schema.Struct {
	snap := a.l.Snap
	if snap == nil {
		return nil
	}
	if a.in.Anew && a.change.Empty() {
		return nil
	}
	began := a.l.Contract.Reason == reprocessed && len(a.l.Contract.Columns) == 0
	if began && len(snap.Files()) == 0 && snap.Config["delta.columnMapping.mode"] == "" && a.in.Kind == state.KindLand {
		return nil
	}
	return &snap.Schema
}

// record sums the attempt up.
func (a *attempt) record(evolved []event.Drift) (state.Attempt, error) {
	r := state.Attempt{
		Batch: a.in.Batch, ID: a.id, At: a.l.env.Now().UTC(), Options: a.l.src.Digest, Contract: a.shape.Version,
		Outcomes: a.Outcomes, Drift: append(slices.Clone(a.in.Drift), evolved...), Files: []state.DataFile{},
	}
	a.dialects()
	a.keptOld()
	if err := a.Zones(&a.shape.Shape); err != nil {
		return r, err
	}
	a.Untold(r.Drift)
	for _, d := range a.Drift {
		r.Drift = append(r.Drift, d...)
	}
	a.Count(&a.counts)
	r.Counts = a.counts
	for _, f := range a.files {
		d := state.DataFile{Path: f.Path, Rows: f.Rows}
		for _, p := range f.Parts {
			d.Parts = append(d.Parts, state.Part{Object: p.Object, Rows: p.Rows})
		}
		r.Files = append(r.Files, d)
	}
	for _, f := range a.change.Added {
		r.Files = append(r.Files, state.DataFile{Path: f.Path, Rows: f.Rows, Of: a.change.Of[f.Path]})
	}
	for _, f := range a.change.Removed {
		r.Removed = append(r.Removed, f.Path)
	}
	return r, nil
}

// keptOld corrects the events of rewritten files that were quarantined after
// all: their old rows stay.
func (a *attempt) keptOld() {
	for i, o := range a.Outcomes {
		for k, d := range a.Drift[i] {
			if d.Kind == event.FileRewritten && o.Fate == state.Quarantined {
				a.Drift[i][k].Decision = "quarantine; the old rows stay"
			}
		}
	}
}

// dialects notes each file that is written another way than the one before it.
func (a *attempt) dialects() {
	before := ""
	if a.l.HasMark {
		for _, o := range a.l.Last.Objects {
			before = cmp.Or(o.Dialect, before)
		}
	}
	for i, o := range a.Outcomes {
		if before != "" && o.Dialect != "" && o.Dialect != before {
			a.Note(i, event.Drift{Kind: event.DialectChanged, From: before, To: o.Dialect, Count: 1, Decision: "read as found"})
		}
		before = cmp.Or(o.Dialect, before)
	}
}

// commit makes the batch visible in one version of the table.
func (a *attempt) commit(ctx context.Context, record state.Attempt) (state.Mark, error) {
	l := a.l
	defer l.lap(&l.report.Seconds.Commit)()
	change := table.Change{
		App: l.ID.App(), Batch: a.in.Batch, Attempt: a.id,
		Operation: "WRITE", Parameters: map[string]string{"mode": "Append", "source": l.src.Name},
		TableID: l.ID.TableID, Adds: a.change.Added, Removes: a.change.Removed,
	}
	if a.in.Contract != nil {
		change.Operation, change.Parameters = "UPDATE SCHEMA", map[string]string{"source": l.src.Name}
	}
	for _, f := range a.files {
		change.Adds = append(change.Adds, table.File{
			Path: f.Path, Size: f.Size, Rows: f.Rows, Stats: f.Stats, Strict: true, ModTime: record.At,
			Partition: a.partition(f), Tags: a.tags(),
		})
	}
	a.describe(&change)
	res, err := l.src.Table.Commit(ctx, l.Snap, change)
	if err != nil {
		return state.Mark{}, table.Fault(l.report.Table, err)
	}
	if res.Attempt != a.id {
		// Another run landed the batch; what this one wrote is garbage.
		if record, err = l.src.State.Attempt(ctx, a.in.Batch, res.Attempt); err != nil {
			return state.Mark{}, err
		}
	}
	return state.NewMark(a.in.Kind, record, res.Version), nil
}

// describe sets the schema and the properties that the commit changes.
func (a *attempt) describe(change *table.Change) {
	l := a.l
	key := source.ConfigPrefix + l.ID.UUID
	if a.shape.grown {
		change.Schema, change.Widening = &a.shape.table, a.shape.widening
	}
	if l.Snap == nil {
		change.Partitions = a.partitions()
	}
	if l.Snap == nil || l.Snap.Config[key] != l.src.StateKey {
		change.Config = map[string]string{key: l.src.StateKey}
	}
}

// fileName names a data file such that vacuum can tell whose it is.
func (a *attempt) fileName(suffix string) string {
	return fmt.Sprintf("%s%08d-%s-%s.parquet", source.FilePrefix(a.l.ID.UUID), a.in.Batch, a.id, suffix)
}

// The tags of a data file tell whose rows it holds, for as long as no other
// tool rewrites it.
const (
	tagBatch   = "landfall.batch"
	tagAttempt = "landfall.attempt"
)

func (a *attempt) tags() map[string]string {
	return map[string]string{
		source.Tag: a.l.ID.UUID, tagBatch: strconv.FormatInt(a.in.Batch, 10), tagAttempt: a.id,
	}
}
