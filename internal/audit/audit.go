// Package audit proves a table against its sources again.
//
// Every object that landed and is still there is read once more: its bytes are those
// that landed, its records are all accounted for, those that it holds back are in
// quarantine, and the rows that the table has of it are, cell by cell, what its
// records say. The statistics that the table's log has of our data files hold of the
// values in them. What nobody can prove any more, since a file is gone or others
// changed the rows, is listed as such.
//
// Rows are compared as sums of hashes, so that neither their order nor the tool that
// wrote them last matters, and no more than one object is held in memory. Only where
// sums differ the rows are laid side by side.
package audit

import (
	"cmp"
	"context"
	"slices"

	"landfall/internal/contract"
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
	if err := a.lookForUnknown(ctx, ids[len(ids)-1], last); err != nil {
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
