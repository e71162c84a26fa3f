package intake

import (
	"context"
	"errors"
	"fmt"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/format"
	"landfall/internal/store"
	"landfall/internal/table"
)

// decoding reads the records of one object: it observes them, fits them and
// writes them to data files.
type decoding struct {
	*pass
	i int
	// w is where rows go.
	w *datafile.Writer
	// judged is set if the policy is not the one for all objects.
	judged bool
	// fit is nil if the guess does not take the object.
	fit *conform.Fitter
	// see is nil if the evidence is known.
	see *observer
	// move says which columns are moved as they are, nil if none is.
	move *moving
	// refused tells that the guess does not take the object.
	refused bool
	// good are the records that were cut well, rows those that landed, aside
	// those that went to quarantine.
	good, rows, aside int64
	// rest is 1 if the file broke off: what follows counts as one record.
	rest        int64
	cells       conform.Counts
	bad         event.Drift
	short, long firstOf
	account     format.Account
	spent       Spent
	// slabs counts those that were read. fitting and writing are the steps that idle
	// workers do, nil for those that are done here.
	slabs            int
	fitting, writing *stage
}

// firstOf counts cases and remembers the first.
type firstOf struct{ count, record int64 }

func (f *firstOf) add(record int64) {
	if f.count == 0 {
		f.record = record
	}
	f.count++
}

// decode reads all records of object i. A file that breaks off keeps its whole
// records; the rest is quarantined with its place. Of a damaged one nothing
// holds. move allows that columns are moved as they are; the error may be errWhole.
func (k *worker) decode(ctx context.Context, i int, in *store.Reading, move bool) (*decoding, error) {
	p := k.pass
	d := &decoding{pass: p, i: i, w: k.w}
	r, err := p.src.Decode(ctx, p.in.Objects[i].Path, in)
	if err != nil {
		return d, p.unreadable(i, err)
	}
	if reason, foreign := p.foreign(r); foreign {
		return d, p.unreadable(i, diag.New(diag.FileForeign, "it begins like %s", reason))
	}
	if p.number == 1 {
		d.see = p.observer(i, r, k.see)
		k.see = nil
	}
	if err := k.fitTo(d, r); err != nil {
		return d, err
	}
	if move && d.fit != nil {
		if err := d.beginMove(r); err != nil {
			return d, err
		}
	}
	defer func() { p.add(d.spent) }()
	defer d.join() //nolint:errcheck // an error before it counts; else it was joined
	began := p.elapsed()
	for slab, err := range r.Slabs(ctx) {
		began = d.lap(&d.spent.Decode, began)
		if err != nil { // what came before it comes first
			if err := d.join(); err != nil {
				return d, err
			}
		}
		switch {
		case err != nil && d.move != nil:
			return d, errWhole
		case diag.CodeOf(err) == diag.FileCorrupt:
			return d, p.unreadable(i, err)
		case err != nil:
			err = d.brokenOff(ctx, err)
		default:
			err = d.next(ctx, slab)
			began = p.elapsed()
		}
		if err != nil {
			return d, err
		}
	}
	d.lap(&d.spent.Decode, began)
	if err := d.join(); err != nil {
		return d, err
	}
	if p.Outcomes[i].Fate != "" {
		return d, nil // quarantined whole
	}
	if err := d.end(r); err != nil {
		return d, d.refuse(err)
	}
	if !d.judged {
		k.fit = d.fit
	}
	if d.see != nil {
		k.see = d.see.Observer
	}
	return d, nil
}

// fitTo makes the fitter of the records of an object to the contract, of that of the
// object before if that is like it.
func (k *worker) fitTo(d *decoding, r format.Reader) (err error) {
	object := k.describe(d.i, r)
	var policy contract.Policy
	policy, d.judged = k.judged(k.shape.Version, d.i)
	if d.fit, k.fit = k.fit, nil; d.fit != nil && !d.judged && d.fit.Turn(object) {
		return nil
	}
	if d.fit, err = conform.New(k.shape.Version, policy, k.shape.Fits, object); err != nil {
		return d.refuse(err)
	}
	return nil
}

// describe is object i for a fitter.
func (p *pass) describe(i int, r format.Reader) conform.Object {
	o := p.in.Objects[i]
	_, folders := contract.Folders(o.Path)
	object := conform.Object{
		Path: o.Path, URL: p.src.Files.URL(o.Path), Header: r.Header(), Tree: p.src.Tree,
		Partitions: folders, IngestedAt: p.in.At, Forms: p.src.Forms,
	}
	if r, typed := r.(typed); typed {
		object.Types = r.Types()
	}
	return object
}

// refuse takes note that a guess does not take the object, since the contract
// may. In a second pass that is an error.
func (d *decoding) refuse(err error) error {
	var why *diag.Diagnostic
	if d.number > 1 || !errors.As(err, &why) {
		return err
	}
	d.fit, d.refused = nil, true
	return nil
}

// slab writes the good records of a slab and quarantines the others.
func (d *decoding) slab(ctx context.Context, s *column.Slab) error {
	began := d.elapsed()
	d.good += int64(s.Rows())
	if d.see != nil {
		d.see.Add(s)
	}
	began = d.lap(&d.spent.Observe, began)
	if d.fit == nil {
		return nil
	}
	fitted, err := d.fit.Fit(s)
	if err != nil {
		return d.refuse(err)
	}
	d.lap(&d.spent.Fit, began)
	if err := d.write(ctx, d.shape.Hold(fitted.Batch)); err != nil {
		return err
	}
	d.rows += int64(fitted.Batch.Rows)
	d.cells.Add(fitted.Counts)
	for _, r := range s.Ragged {
		if r.Extra == nil {
			d.short.add(s.Records[r.Row])
		} else {
			d.long.add(s.Records[r.Row])
		}
	}
	for i := range s.Bad {
		d.malformed(&s.Bad[i])
	}
	for i := range fitted.Out {
		if err := d.quarantine(ctx, &fitted.Out[i]); err != nil {
			return err
		}
	}
	return nil
}

// encode writes rows to data files.
func (d *decoding) encode(ctx context.Context, b column.Batch) error {
	began := d.elapsed()
	if err := d.w.Write(ctx, b); err != nil {
		return table.Fault(d.src.Data.URL(""), err)
	}
	d.lap(&d.spent.Write, began)
	return nil
}

// malformed counts a record that could not be cut, and remembers the first.
func (d *decoding) malformed(b *column.Bad) {
	if d.bad.Count == 0 {
		d.bad = event.Drift{Kind: event.RecordMalformed, Record: b.Record, Line: b.Line, To: b.Reason}
		d.bad.Decision, _ = d.src.Policy.Action(event.RecordMalformed)
	}
	d.bad.Count++
}

func (d *decoding) quarantine(ctx context.Context, b *column.Bad) error {
	d.aside++
	return d.put(ctx, event.Quarantined{
		Path: d.in.Objects[d.i].Path, Record: b.Record, Line: b.Line, Offset: b.Offset,
		Length: b.Length, Code: b.Code, Reason: b.Reason, Bytes: b.Bytes,
	})
}

func (p *pass) put(ctx context.Context, q event.Quarantined) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.aside.Put(ctx, q)
}

// brokenOff handles a file that cannot be read to its end.
func (d *decoding) brokenOff(ctx context.Context, err error) error {
	var why *diag.Diagnostic
	if !errors.As(err, &why) {
		return err
	}
	o := d.in.Objects[d.i]
	// Of a rewritten file, half a version is no better than the old one.
	if d.good == 0 || o.Landed > 0 {
		return d.unreadable(d.i, why)
	}
	d.Note(d.i, event.Drift{
		Kind: event.FileUnreadable, Column: Title(why.Path), Record: why.At.Record, Line: why.At.Line, To: why.Message,
		Decision: "land whole records, quarantine the rest", Hint: why.Hint,
	})
	d.Outcomes[d.i].Reason = reasonOf(why)
	d.rest = 1
	return d.put(ctx, event.Quarantined{
		Path: o.Path, Record: why.At.Record, Line: why.At.Line, Offset: why.At.Offset,
		Code: string(why.Code), Reason: reasonOf(why),
	})
}

// end checks that nothing went uncounted and notes what was met.
func (d *decoding) end(r format.Reader) error {
	path := d.in.Objects[d.i].Path
	d.account = r.Account()
	if t := d.account; t.In != t.Records+t.Framing+t.Bad {
		return fmt.Errorf("%s: %d bytes read, but records %d + framing %d + bad %d", path, t.In, t.Records, t.Framing, t.Bad)
	}
	if d.see != nil {
		d.Seen[d.i] = d.see.evidence()
	}
	if d.fit == nil {
		return nil
	}
	if n := r.Records(); n != d.rows+d.aside+d.cells.Dropped {
		return fmt.Errorf("%s: %d records read, but landed %d + quarantined %d + dropped %d", path, n, d.rows, d.aside, d.cells.Dropped)
	}
	d.Outcomes[d.i].Dialect = r.Dialect()
	return d.tell(r)
}
