package audit

import (
	"context"
	"errors"
	"fmt"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/part"
	"landfall/internal/reread"
	"landfall/internal/state"
	"landfall/internal/store"
)

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

// otherOptions tells whether an object landed under options that are not those of
// today.
func (a *Auditor) otherOptions(e state.Entry) bool { return e.Options != "" && e.Options != a.Options }

// readAsLanded tells whether an object is read again as it was when it landed.
func (a *Auditor) readAsLanded(e state.Entry) bool {
	return !a.otherOptions(e) && (!part.TellsApart(a.Objects.Policy) || a.batch.evidence[e.Path] != nil)
}

// read fits object i to a version again and yields the cells of its rows.
func (a *Auditor) read(ctx context.Context, i int, v contract.Version, use func(record int64, cells [][]byte) error) (reread.Sum, error) {
	return a.readHeld(ctx, i, v, use, nil)
}

// readHeld is read that also yields what would be held, if held is not nil.
func (a *Auditor) readHeld(ctx context.Context, i int, v contract.Version, use func(record int64, cells [][]byte) error, held func(*column.Bad)) (reread.Sum, error) {
	e := a.entries[i]
	from, err := a.Objects.Schema(v)
	if err != nil {
		return reread.Sum{}, err
	}
	cells, err := reread.NewCells(a.fields, from.Fields, a.Objects.Forms, reread.Merged(v, a.now))
	if err != nil {
		return reread.Sum{}, err
	}
	o := reread.Object{Path: e.Path, URL: a.url(i), Version: v, Evidence: a.batch.evidence[e.Path]}
	sum, err := a.Objects.Read(ctx, o, func(p reread.Piece) error {
		for n := range p.Out {
			if held != nil {
				held(&p.Out[n])
			}
		}
		return cells.Rows(p.Batch, func(row int, cells [][]byte) error { return use(p.Records[row], cells) })
	})
	if held != nil && sum.Rest != nil {
		held(sum.Rest)
	}
	return sum, err
}

// url is the name of an object in its rows: a source whose root moved has several.
func (a *Auditor) url(i int) string {
	if a.tallies[i].url != "" {
		return a.tallies[i].url
	}
	return a.Objects.Files.URL(a.entries[i].Path)
}
