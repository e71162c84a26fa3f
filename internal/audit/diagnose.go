package audit

import (
	"context"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"landfall/internal/source"
	"landfall/internal/state"
)

// diagnose finds the rows of object i that are not as its records.
func (a *Auditor) diagnose(ctx context.Context, i int) error {
	if broken := a.brokenOf(i); len(broken) > 0 {
		a.differs(a.entries[i], broken, int64(len(broken)))
		return nil
	}
	o, err := a.odds(ctx, i)
	if err != nil {
		return err
	}
	if o.nRows > 0 && a.now.Number != a.batch.attempt.Contract.Number {
		if err := a.kept(ctx, i, o); err != nil {
			return err
		}
	}
	e := a.entries[i]
	switch {
	case o.nRecords == 0 && o.nRows == 0:
		return a.again(ctx, i)
	case o.nRecords == 0 && !slices.ContainsFunc(o.rows, func(r odd) bool { return r.file.Tags[source.Tag] != "" }) && o.nRows == int64(len(o.rows)):
		a.unprovable(e, fmt.Sprintf("all its rows are there, and %d more that another tool wrote", o.nRows))
		return nil
	}
	some, total := o.differences(a.fieldNames())
	return a.doubt(ctx, i, some, total)
}

// again counts an object whose rows are all there, be some of them typed by a
// contract that came later.
func (a *Auditor) again(ctx context.Context, i int) error {
	sum, err := a.read(ctx, i, a.batch.attempt.Contract, func(int64, [][]byte) error { return nil })
	if err != nil {
		return err
	}
	a.prove(a.entries[i], Rows{sum.Rows + sum.Held + sum.Dropped, sum.Rows, sum.Held, sum.Dropped}, sum.Cells)
	return nil
}

// brokenOf lists the data files with rows of object i that cannot be read.
func (a *Auditor) brokenOf(i int) []Difference {
	var out []Difference
	for _, k := range a.tallies[i].files {
		if reason, ok := a.broken[k.Path]; ok {
			out = append(out, Difference{Kind: FileBroken, DataFile: k.Path, Found: reason, Want: "rows of the object"})
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, f := range a.batch.attempt.Files {
		reason, ok := a.broken[f.Path]
		if ok && slices.ContainsFunc(f.Parts, func(p state.Part) bool {
			return a.batch.attempt.Outcomes[p.Object].Path == a.entries[i].Path
		}) {
			out = append(out, Difference{Kind: FileBroken, DataFile: f.Path, Found: reason, Want: "rows of the object"})
		}
	}
	return out
}

func (a *Auditor) fieldNames() []string {
	names := make([]string, len(a.fields))
	for i, f := range a.fields {
		names[i] = f.Name
	}
	return names
}

// kept takes out the rows whose values were rescued when they landed and are typed
// by now, or the other way round: none of them is lost.
func (a *Auditor) kept(ctx context.Context, i int, o *odds) error {
	records := map[int64]int{}
	for n, r := range o.records {
		records[r.record] = n
	}
	alike := make([]bool, len(o.records))
	var scratch []byte
	_, err := a.read(ctx, i, a.now, func(record int64, cells [][]byte) error {
		n, ok := records[record]
		if !ok || alike[n] {
			return nil
		}
		var d xxh3.Uint128
		d, scratch = digest(scratch[:0], cells)
		at := slices.IndexFunc(o.rows, func(r odd) bool { return r.digest == d })
		if at >= 0 {
			o.rows = slices.Delete(o.rows, at, at+1)
			alike[n] = true
			o.nRows--
			o.nRecords--
		}
		return nil
	})
	var left []odd
	for n, r := range o.records {
		if !alike[n] {
			left = append(left, r)
		}
	}
	o.records = left
	return err
}
