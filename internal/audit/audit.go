// Package audit proves a table against its sources again.
//
// Every object that landed and is still there is read once more: its bytes are those
// that landed, its records are all accounted for, those that it holds back are in
// quarantine, and the rows that the table has of it are, cell by cell, what its
// records say. What nobody can prove any more, since
// a file is gone or others changed the rows, is listed as such.
//
// Rows are compared as sums of hashes, so that neither their order nor the tool that
// wrote them last matters, and no more than one object is held in memory. Only where
// sums differ the rows are laid side by side.
package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/part"
	"landfall/internal/reread"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Auditor proves the rows of one source.
type Auditor struct {
	// Name is what people call the source.
	Name string
	// Objects says how its files are read, and Options is the digest of the options
	// that say so.
	Objects reread.Source
	Options string
	State   *state.State
	// Data holds the table's files.
	Data     store.Store
	Table    table.Table
	Snapshot *table.Snapshot

	// The rest is found when the audit begins.
	now    contract.Version
	fields []schema.Field
	roots  []string
	uuids  map[string]bool
	urls   map[string]int
	// tallies are parallel to entries.
	entries []state.Entry
	tallies []tally
	broken  map[string]string
	others  *others
	batch   batch
	// aside are the first differences of the object at hand in what is kept in
	// quarantine of it, nAside is their number.
	aside  []Difference
	nAside int64
	report *Report
}

// batch is the one at hand.
type batch struct {
	mark    state.Mark
	attempt state.Attempt
	known   bool
	// evidence is that of its objects by path, if policies ask for it.
	evidence map[string]*contract.ObjectEvidence
	// kept are the records in quarantine of its objects by path, and unread is why
	// they cannot be read to their end.
	kept   map[string]records
	unread string
}

// Report is what an audit found. Its JSON keys are an interface (docs/json.md).
type Report struct {
	Source       string `json:"source"`
	Table        string `json:"table"`
	TableVersion int64  `json:"table_version"`
	Objects      Counts `json:"objects"`
	// Bytes, Rows and Cells are those of the objects that are proven.
	Bytes int64 `json:"bytes"`
	Rows  Rows  `json:"rows"`
	Cells Cells `json:"cells"`
	// Unprovable are objects of which something cannot be told any more.
	Unprovable []Unprovable `json:"unprovable"`
	// Differences are the first of what is not as the files say.
	Differences []Difference `json:"differences"`
	// Total is the number of differences.
	Total int64 `json:"differences_total"`
	// Elsewhere counts rows of the table that are of no object of the source.
	Elsewhere int64    `json:"rows_elsewhere"`
	Notes     []string `json:"notes"`
}

// Counts are numbers of objects.
type Counts struct {
	Landed     int64 `json:"landed"`
	Proven     int64 `json:"proven"`
	Unprovable int64 `json:"unprovable"`
	Differing  int64 `json:"differing"`
}

// Rows are numbers of records: In = Landed + Quarantined + Dropped.
type Rows struct {
	In          int64 `json:"in"`
	Landed      int64 `json:"landed"`
	Quarantined int64 `json:"quarantined"`
	Dropped     int64 `json:"dropped"`
}

// Cells are numbers of cells, as conform counts them.
type Cells struct {
	Typed   int64 `json:"typed"`
	Null    int64 `json:"null"`
	Rescued int64 `json:"rescued"`
	Ignored int64 `json:"ignored"`
}

// Unprovable is an object of which something cannot be told.
type Unprovable struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// Changes are what others did to its rows.
	Changes []Op `json:"changes,omitempty"`
}

// Op is a version of the table that another tool made.
type Op struct {
	Version   int64  `json:"table_version"`
	Operation string `json:"operation"`
}

// Difference is something that is not as a file says.
type Difference struct {
	Path string `json:"path"`
	// Kind is "bytes", "records", "row_missing", "row_extra", "cell", "data_file",
	// "quarantine".
	Kind string `json:"kind"`
	// Record is the one of the file, DataFile and Row (from 0) are the place in the
	// table, where they are known.
	Record   int64  `json:"record,omitempty"`
	Column   string `json:"column,omitempty"`
	DataFile string `json:"data_file,omitempty"`
	Row      *int64 `json:"row,omitempty"`
	Found    string `json:"found,omitempty"`
	Want     string `json:"want,omitempty"`
}

// The kinds of differences.
const (
	BytesDiffer   = "bytes"
	RecordsDiffer = "records"
	RowMissing    = "row_missing"
	RowExtra      = "row_extra"
	CellDiffers   = "cell"
	FileBroken    = "data_file"
	// KeptDiffers is what is in quarantine.
	KeptDiffers = "quarantine"
)

// mostListed bounds what is listed of each kind of finding.
const mostListed = 1000

// Run audits the source. That something differs is no error.
func (a *Auditor) Run(ctx context.Context) (Report, error) {
	a.report = &Report{
		Source: a.Name, Table: a.Data.URL(""), TableVersion: a.Snapshot.Version,
		Unprovable: []Unprovable{}, Differences: []Difference{}, Notes: []string{},
	}
	if err := a.begin(ctx); err != nil {
		return *a.report, err
	}
	if err := a.survey(ctx); err != nil {
		return *a.report, err
	}
	for i := range a.entries {
		if err := a.object(ctx, i); err != nil {
			return *a.report, err
		}
	}
	return *a.report, nil
}

// begin gathers the objects whose rows the table holds.
func (a *Auditor) begin(ctx context.Context) error {
	ids, err := a.State.Identities(ctx)
	if err != nil {
		return err
	}
	a.uuids = map[string]bool{}
	for _, id := range ids {
		a.uuids[id.UUID] = true
		if !slices.Contains(a.roots, id.Root) {
			a.roots = append(a.roots, id.Root)
		}
	}
	last, _, err := a.State.LastMark(ctx)
	if err != nil {
		return err
	}
	if a.now, err = a.State.Contract(ctx, last); err != nil {
		return err
	}
	a.fields = a.Objects.Compared(a.Snapshot.Schema, a.now)
	for e, err := range a.State.Known(ctx) {
		if err != nil {
			return err
		}
		if e.Landed > 0 {
			a.entries = append(a.entries, e)
		}
	}
	// By batch, so that what an attempt recorded is read once.
	slices.SortStableFunc(a.entries, func(x, y state.Entry) int { return cmp.Compare(x.Landed, y.Landed) })
	a.tallies = make([]tally, len(a.entries))
	a.urls = make(map[string]int, len(a.entries))
	for i, e := range a.entries {
		for url := range a.Objects.URLs(a.roots, slices.Values([]string{e.Path})) {
			a.urls[url] = i
		}
	}
	a.report.Objects.Landed = int64(len(a.entries))
	return nil
}

// object proves one object.
func (a *Auditor) object(ctx context.Context, i int) error {
	e := a.entries[i]
	out, err := a.outcome(ctx, e)
	if err != nil {
		return err
	}
	if out == nil {
		a.unprovable(e, "the record of the batch that landed it is gone")
		return nil
	}
	hash, info, err := a.Objects.Hash(ctx, e.Path)
	a.countKept(*out)
	switch {
	case errors.Is(err, store.ErrNotExist):
		a.unprovable(e, "the file is gone")
		return nil
	case err != nil:
		return fmt.Errorf("read %s: %w", a.Objects.Files.URL(e.Path), err)
	case hash != e.Hash && info.Version == e.Version && e.Fate == state.Landed:
		a.differs(e, []Difference{{Kind: BytesDiffer, Found: "xxh3 " + hash, Want: "xxh3 " + e.Hash + ", the same size and time"}}, 1)
		return nil
	case hash != e.Hash:
		a.unprovable(e, "the file changed since it landed")
		return nil
	}
	return a.records(ctx, i, *out)
}

// outcome returns what the batch that landed an object came to; nil if that is not
// on record.
func (a *Auditor) outcome(ctx context.Context, e state.Entry) (*state.Outcome, error) {
	if !a.batch.known || a.batch.mark.Batch != e.Landed {
		a.batch = batch{}
		m, ok, err := a.State.Mark(ctx, e.Landed)
		if err != nil || !ok {
			return nil, err
		}
		rec, err := a.State.Attempt(ctx, e.Landed, m.Attempt)
		if err != nil {
			return nil, err
		}
		a.batch = batch{mark: m, attempt: rec, known: true}
		if err := a.evidence(ctx); err != nil {
			return nil, err
		}
		if err := a.readKept(ctx); err != nil {
			return nil, err
		}
	}
	for k := range a.batch.attempt.Outcomes {
		if o := &a.batch.attempt.Outcomes[k]; o.Path == e.Path && o.Fate == state.Landed {
			return o, nil
		}
	}
	return nil, nil //nolint:nilnil // not on record
}

// evidence reads what the objects of the batch looked like, if policies ask for it.
func (a *Auditor) evidence(ctx context.Context) error {
	if !part.TellsApart(a.Objects.Policy) {
		return nil
	}
	a.batch.evidence = map[string]*contract.ObjectEvidence{}
	for o, err := range a.State.Evidence(ctx, a.batch.mark.Batch, a.batch.mark.Attempt) {
		if err != nil {
			return err
		}
		a.batch.evidence[o.Path] = &o
	}
	return nil
}

// records reads an object again and compares what it says with its rows.
func (a *Auditor) records(ctx context.Context, i int, out state.Outcome) error {
	e, have := a.entries[i], &a.tallies[i]
	var want tally
	held := records{}
	sum, err := a.readHeld(ctx, i, a.batch.attempt.Contract, func(_ int64, cells [][]byte) error {
		want.add(cells)
		return nil
	}, held.hold)
	var why *diag.Diagnostic
	if errors.As(err, &why) {
		return a.doubt(ctx, i, []Difference{{Kind: RecordsDiffer, Found: why.Message, Want: "the records that landed"}}, 1)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", a.Objects.Files.URL(e.Path), err)
	}
	found := Rows{sum.Rows + sum.Held + sum.Dropped, sum.Rows, sum.Held, sum.Dropped}
	landed := Rows{out.RowsIn, out.Rows, out.Quarantined, out.Dropped}
	if found == landed && a.readAsLanded(e) {
		a.compareKept(e, held)
	}
	switch {
	case found != landed:
		return a.doubt(ctx, i, []Difference{{Kind: RecordsDiffer, Found: found.String(), Want: landed.String()}}, 1)
	case want.rows != have.rows || want.sum != have.sum:
		return a.diagnose(ctx, i)
	}
	a.prove(e, found, sum.Cells)
	return nil
}

func (r Rows) String() string {
	return fmt.Sprintf("%d records = landed %d + quarantined %d + dropped %d", r.In, r.Landed, r.Quarantined, r.Dropped)
}

// prove counts an object that is as its file says.
func (a *Auditor) prove(e state.Entry, rows Rows, cells conform.Counts) {
	if a.nAside > 0 {
		a.differs(e, nil, 0)
		return
	}
	r := a.report
	r.Objects.Proven++
	r.Bytes += e.Size
	r.Rows.In += rows.In
	r.Rows.Landed += rows.Landed
	r.Rows.Quarantined += rows.Quarantined
	r.Rows.Dropped += rows.Dropped
	r.Cells.Typed += cells.Typed
	r.Cells.Null += cells.Null
	r.Cells.Rescued += cells.Rescued
	r.Cells.Ignored += cells.Ignored
}

func (a *Auditor) unprovable(e state.Entry, reason string, ops ...Op) {
	if a.nAside > 0 {
		a.differs(e, nil, 0) // that can be told
		return
	}
	a.report.Objects.Unprovable++
	if len(a.report.Unprovable) < mostListed {
		a.report.Unprovable = append(a.report.Unprovable, Unprovable{e.Path, reason, ops})
	}
}

// differs counts an object that is not as its file says; total is the number of
// differences, of which some are given.
func (a *Auditor) differs(e state.Entry, some []Difference, total int64) {
	a.report.Objects.Differing++
	a.report.Total += total + a.nAside
	for _, d := range slices.Concat(some, a.aside) {
		if len(a.report.Differences) < mostListed {
			d.Path = e.Path
			a.report.Differences = append(a.report.Differences, d)
		}
	}
}

// doubt settles an object that differs: if others changed its rows, or its options
// are not those of today, that may be why, and nothing is proven either way.
func (a *Auditor) doubt(ctx context.Context, i int, some []Difference, total int64) error {
	e := a.entries[i]
	ops, cleaned, err := a.touched(ctx, i)
	if err != nil {
		return err
	}
	switch {
	case len(ops) > 0:
		a.unprovable(e, "other tools changed its rows: "+describe(some, total), ops...)
	case cleaned:
		a.unprovable(e, "its data files are not those that landed, and the table's log does not reach back to tell why: "+describe(some, total))
	case a.otherOptions(e):
		a.unprovable(e, "it landed under other options than those of today: "+describe(some, total))
	case !a.readAsLanded(e):
		a.unprovable(e, "its policies tell kinds of misfits apart, and nothing on record says which these were: "+describe(some, total))
	default:
		a.differs(e, some, total)
	}
	return nil
}

// describe says in a few words what is other than expected.
func describe(some []Difference, total int64) string {
	if len(some) == 0 {
		return fmt.Sprintf("%d differences", total)
	}
	d := some[0]
	text := d.Kind
	if d.Record > 0 {
		text += fmt.Sprintf(" of record %d", d.Record)
	}
	if d.Column != "" {
		text += ", column " + d.Column
	}
	if d.Found != "" {
		text += ": found " + d.Found
	}
	if total > 1 {
		text += fmt.Sprintf(" (and %d more)", total-1)
	}
	return text
}
