package land

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/table"
)

// attempt is one try at a batch. All that it writes carries its id.
type attempt struct {
	l  *landing
	in state.Intent
	id string
	// barred are objects that an earlier try found it must not land, and why.
	barred map[int]string
	// outcomes, one for each object of the intent; closed ones are not read.
	outcomes []state.Outcome
	// drift holds what each object met, in its own slot so that workers need
	// no lock and the order does not depend on them.
	drift   [][]event.Drift
	version contract.Version
	// table is the table's schema once the batch has landed, grown the same if
	// the batch changes it. Data files hold the fields `held` of it: what the
	// contract has, and no column that others added or typed.
	table      schema.Struct
	grown      *schema.Struct
	file       schema.Struct
	held       []int
	quarantine *state.Quarantine
	qmu        sync.Mutex
	counts     event.Batch
	files      []datafile.File
	// carried are data files that carry over rows beside replaced ones.
	carried []table.File
	removed []table.File
}

// keepsRows tells whether rows cannot be taken out of the table, and why.
func (l *landing) keepsRows() (code diag.Code, why string, keeps bool) {
	switch {
	case l.snap == nil:
		return "", "", false
	case l.snap.Config["delta.appendOnly"] == "true":
		return diag.AppendOnly, "the table allows appends only (delta.appendOnly)", true
	case l.snap.Config["delta.enableChangeDataFeed"] == "true":
		return diag.UnknownFeature, "the table records changes of rows (delta.enableChangeDataFeed), which only appends can be written to without", true
	}
	return "", "", false
}

// attempt tries the batch once. The error may be a *table.Conflict.
func (l *landing) attempt(ctx context.Context, in state.Intent, barred map[int]string) (state.Mark, error) {
	a := &attempt{
		l: l, in: in, id: l.env.NewID(), barred: barred,
		outcomes: make([]state.Outcome, len(in.Objects)),
		drift:    make([][]event.Drift, len(in.Objects)),
	}
	for i, o := range in.Objects {
		a.outcomes[i] = state.Outcome{Object: o}
	}
	a.quarantine = l.src.State.Quarantine(in.Batch, a.id, 1)
	defer a.quarantine.Abort(ctx) //nolint:errcheck // after Close it does nothing; before, the first error counts
	evolved, err := a.evolve(ctx)
	if err != nil {
		return state.Mark{}, err
	}
	if err := a.write(ctx); err != nil {
		return state.Mark{}, tableFault(l.report.Table, err)
	}
	if err := a.replace(ctx); err != nil {
		return state.Mark{}, tableFault(l.report.Table, err)
	}
	if err := a.quarantine.Close(ctx); err != nil {
		return state.Mark{}, err
	}
	record := a.record(evolved)
	if err := l.src.State.Record(ctx, record); err != nil {
		return state.Mark{}, err
	}
	return a.commit(ctx, record)
}

// evolve gathers the evidence of the batch and takes the contract on.
func (a *attempt) evolve(ctx context.Context) ([]event.Drift, error) {
	ev, err := a.observe(ctx)
	if err != nil {
		return nil, err
	}
	var current *schema.Struct
	if a.l.snap != nil {
		current = &a.l.snap.Schema
		if parts := a.l.snap.Partitions; len(parts) > 0 {
			return nil, diag.New(diag.UnknownFeature, "the table is partitioned by %s, and only tables without partitions can be landed in yet", strings.Join(parts, ", ")).
				In(diag.Place{File: a.l.report.Table}).Hinted("land into another table")
		}
	}
	res, err := contract.Evolve(a.l.contract, ev, a.l.src.Policy, current)
	if err != nil {
		return nil, err
	}
	a.version = res.Version
	if a.in.Kind == state.KindReprocess && len(a.version.Columns) > 0 {
		// What lands again may look otherwise: the contract begins anew.
		a.version = contract.Version{Number: a.version.Number + 1}
	}
	if a.version.Number != a.l.contract.Number {
		a.version.At = a.in.At
	}
	for i, o := range a.in.Objects {
		if why, foreign := res.Foreign[o.Path]; foreign {
			a.close(i, state.Quarantined, diag.FileForeign, why)
		}
	}
	return res.Drift, a.shape(current)
}

// shape derives the schemas of the table and of data files.
func (a *attempt) shape(current *schema.Struct) error {
	policy := a.l.src.Policy
	ours, err := contract.TableSchema(a.version, policy)
	if err != nil {
		return err
	}
	a.table = ours
	changed := true
	if current != nil {
		if a.table, changed, err = contract.Extend(*current, a.version, policy); err != nil {
			return err
		}
	}
	if changed {
		a.grown = &a.table
	}
	types := map[string]string{}
	for _, f := range ours.Fields {
		types[schema.Fold(f.Name)] = f.Type.String()
	}
	for i, f := range a.table.Fields {
		// Text does not go into columns of other types, so they are left out;
		// readers take what is absent for null.
		fits := f.Type == schema.String || schema.Fold(f.Name) == contract.IngestedAt
		if fits && types[schema.Fold(f.Name)] == f.Type.String() {
			a.held = append(a.held, i)
			a.file.Fields = append(a.file.Fields, f)
		}
	}
	return nil
}

// close settles the outcome of object i without reading it.
func (a *attempt) close(i int, fate state.Fate, code diag.Code, reason string) {
	o := &a.outcomes[i]
	o.Fate, o.Code, o.Reason = fate, string(code), reason
}

// note keeps a drift event of object i.
func (a *attempt) note(i int, d event.Drift) {
	d.File = a.in.Objects[i].Path
	if d.Policy == "" {
		_, d.Policy = a.l.src.Policy.Action(d.Kind)
	}
	a.drift[i] = append(a.drift[i], d)
}

// record sums the attempt up.
func (a *attempt) record(evolved []event.Drift) state.Attempt {
	r := state.Attempt{
		Batch: a.in.Batch, ID: a.id, At: a.l.env.Now().UTC(), Options: a.in.Options, Contract: a.version,
		Outcomes: a.outcomes, Drift: evolved, Files: []state.DataFile{},
	}
	a.dialects()
	a.keptOld()
	for _, d := range a.drift {
		r.Drift = append(r.Drift, d...)
	}
	c := &a.counts
	c.Batch, c.Files = a.in.Batch, int64(len(a.in.Objects))
	for _, o := range a.outcomes {
		c.RowsIn += o.RowsIn
		c.RowsLanded += o.Rows
		c.RowsQuarantined += o.Quarantined
		c.RowsDropped += o.Dropped
	}
	r.Counts = *c
	for _, f := range a.files {
		d := state.DataFile{Path: f.Path, Rows: f.Rows}
		for _, p := range f.Parts {
			d.Parts = append(d.Parts, state.Part{Object: p.Object, Rows: p.Rows})
		}
		r.Files = append(r.Files, d)
	}
	for _, f := range a.carried {
		r.Files = append(r.Files, state.DataFile{Path: f.Path, Rows: f.Rows})
	}
	for _, f := range a.removed {
		r.Removed = append(r.Removed, f.Path)
	}
	return r
}

// keptOld corrects the events of rewritten files that were quarantined after
// all: their old rows stay.
func (a *attempt) keptOld() {
	for i, o := range a.outcomes {
		for k, d := range a.drift[i] {
			if d.Kind == event.FileRewritten && o.Fate == state.Quarantined {
				a.drift[i][k].Decision = "quarantine; the old rows stay"
			}
		}
	}
}

// dialects notes each file that is written another way than the one before it.
func (a *attempt) dialects() {
	before := ""
	if a.l.hasMark {
		for _, o := range a.l.last.Objects {
			before = cmp.Or(o.Dialect, before)
		}
	}
	for i, o := range a.outcomes {
		if before != "" && o.Dialect != "" && o.Dialect != before {
			a.note(i, event.Drift{Kind: event.DialectChanged, From: before, To: o.Dialect, Count: 1, Decision: "read as found"})
		}
		before = cmp.Or(o.Dialect, before)
	}
}

// commit makes the batch visible in one version of the table.
func (a *attempt) commit(ctx context.Context, record state.Attempt) (state.Mark, error) {
	l := a.l
	change := table.Change{
		App: l.id.App(), Batch: a.in.Batch, Attempt: a.id,
		Operation: "WRITE", Parameters: map[string]string{"mode": "Append", "source": l.src.Name},
		TableID: l.id.TableID, Adds: a.carried, Removes: a.removed,
	}
	for _, f := range a.files {
		change.Adds = append(change.Adds, table.File{
			Path: f.Path, Size: f.Size, Rows: f.Rows, Stats: f.Stats, ModTime: record.At,
			Partition: map[string]*string{}, Tags: a.tags(),
		})
	}
	a.describe(&change)
	res, err := l.src.Table.Commit(ctx, l.snap, change)
	if err != nil {
		return state.Mark{}, tableFault(l.report.Table, err)
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
	key := configPrefix + l.id.UUID
	change.Schema = a.grown
	if l.snap == nil || l.snap.Config[key] != l.src.StateKey {
		change.Config = map[string]string{key: l.src.StateKey}
	}
}

// fileName names a data file such that vacuum can tell whose it is.
func (a *attempt) fileName(suffix string) string {
	return fmt.Sprintf("%s%08d-%s-%s.parquet", filePrefix(a.l.id.UUID), a.in.Batch, a.id, suffix)
}

// filePrefix begins the names of all data files of a source.
func filePrefix(uuid string) string { return "part-" + uuid + "-" }

// The tags of a data file tell whose rows it holds, for as long as no other
// tool rewrites it.
const (
	tagSource  = "landfall.source"
	tagBatch   = "landfall.batch"
	tagAttempt = "landfall.attempt"
)

func (a *attempt) tags() map[string]string {
	return map[string]string{
		tagSource: a.l.id.UUID, tagBatch: strconv.FormatInt(a.in.Batch, 10), tagAttempt: a.id,
	}
}
