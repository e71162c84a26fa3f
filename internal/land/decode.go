package land

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/format"
)

// decoding reads the records of one object into a writer of data files.
type decoding struct {
	*attempt
	i   int
	w   *datafile.Writer
	fit *conform.Fitter
	// rows and bad are the records that came out good and those set aside.
	rows, bad int64
	// rest is 1 if the file broke off: what follows counts as one record.
	rest        int64
	cells       conform.Counts
	short, long firstOf
	account     format.Account
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
// holds.
func (a *attempt) decode(ctx context.Context, w *datafile.Writer, i int, in *input) (*decoding, error) {
	d := &decoding{attempt: a, i: i, w: w}
	r, err := a.l.src.Decode(ctx, a.in.Objects[i].Path, in)
	if err != nil {
		return d, a.unreadable(i, err)
	}
	if d.fit, err = a.fitter(i, r.Header()); err != nil {
		return d, err
	}
	for slab, err := range r.Slabs(ctx) {
		switch {
		case diag.CodeOf(err) == diag.FileCorrupt:
			return d, a.unreadable(i, err)
		case err != nil:
			err = d.brokenOff(ctx, err)
		default:
			err = d.slab(ctx, slab)
		}
		if err != nil {
			return d, err
		}
	}
	if a.outcomes[i].Fate != "" {
		return d, nil // quarantined whole
	}
	return d, d.end(r)
}

// fitter fits the records of object i to the contract.
func (a *attempt) fitter(i int, header []string) (*conform.Fitter, error) {
	o := a.in.Objects[i]
	_, folders := contract.Folders(o.Path)
	return conform.New(a.version, a.l.src.Policy, a.table, conform.Object{
		Path: o.Path, URL: a.l.src.Files.URL(o.Path), Header: header,
		Partitions: folders, IngestedAt: a.in.At,
	})
}

// slab writes the good records of a slab and quarantines the bad ones.
func (d *decoding) slab(ctx context.Context, s *column.Slab) error {
	batch, cells, err := d.fit.Fit(s)
	if err != nil {
		return err
	}
	if err := d.w.Write(ctx, d.hold(batch)); err != nil {
		return tableFault(d.l.report.Table, err)
	}
	d.rows += int64(s.Rows())
	d.cells.Add(cells)
	for _, r := range s.Ragged {
		if r.Extra == nil {
			d.short.add(s.Records[r.Row])
		} else {
			d.long.add(s.Records[r.Row])
		}
	}
	for _, b := range s.Bad {
		if err := d.quarantineRecord(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// hold returns the columns of a batch that data files have.
func (a *attempt) hold(b column.Batch) column.Batch {
	held := column.Batch{Rows: b.Rows, Columns: make([]column.Column, len(a.held))}
	for i, at := range a.held {
		held.Columns[i] = b.Columns[at]
	}
	return held
}

func (d *decoding) quarantineRecord(ctx context.Context, b column.Bad) error {
	if d.bad == 0 {
		d.note(d.i, event.Drift{Kind: event.RecordMalformed, Record: b.Record, Line: b.Line, To: b.Reason, Decision: "quarantine"})
	}
	d.bad++
	return d.put(ctx, event.Quarantined{
		Path: d.in.Objects[d.i].Path, Record: b.Record, Line: b.Line, Offset: b.Offset,
		Length: b.Length, Code: b.Code, Reason: b.Reason, Bytes: b.Bytes,
	})
}

func (a *attempt) put(ctx context.Context, q event.Quarantined) error {
	a.qmu.Lock()
	defer a.qmu.Unlock()
	return a.quarantine.Put(ctx, q)
}

// brokenOff handles a file that cannot be read to its end.
func (d *decoding) brokenOff(ctx context.Context, err error) error {
	var why *diag.Diagnostic
	if !errors.As(err, &why) {
		return err
	}
	o := d.in.Objects[d.i]
	// Of a rewritten file, half a version is no better than the old one.
	if d.rows == 0 || o.Landed > 0 {
		return d.unreadable(d.i, why)
	}
	d.note(d.i, event.Drift{Kind: event.FileUnreadable, Record: why.At.Record, Line: why.At.Line, To: why.Message, Decision: "land whole records, quarantine the rest"})
	d.outcomes[d.i].Reason = why.Message
	d.rest = 1
	return d.put(ctx, event.Quarantined{
		Path: o.Path, Record: why.At.Record, Line: why.At.Line, Offset: why.At.Offset,
		Code: string(why.Code), Reason: why.Message,
	})
}

// end checks that nothing went uncounted and notes what was met.
func (d *decoding) end(r format.Reader) error {
	path := d.in.Objects[d.i].Path
	d.account = r.Account()
	if t := d.account; t.In != t.Records+t.Framing+t.Bad {
		return fmt.Errorf("%s: %d bytes read, but records %d + framing %d + bad %d", path, t.In, t.Records, t.Framing, t.Bad)
	}
	if n := r.Records(); n != d.rows+d.bad {
		return fmt.Errorf("%s: %d records read, but good %d + bad %d", path, n, d.rows, d.bad)
	}
	d.outcomes[d.i].Dialect = r.Dialect()
	if n, ok := r.(interface{ Notes() []format.Note }); ok {
		for _, note := range n.Notes() {
			d.note(d.i, event.Drift{
				Kind: event.Kind(note.Kind), Record: note.Record, Line: note.Line, Count: note.Count,
				To: note.Message, Decision: "land", Policy: "note", Hint: note.Hint,
			})
		}
	}
	d.ragged()
	d.misfits()
	return nil
}

// spilled is what happens to values that no column takes.
func (d *decoding) spilled() string {
	if d.l.src.Policy.RescueColumn() == "" {
		return "ignore"
	}
	return "rescue"
}

// ragged notes records that were shorter or longer than their header.
func (d *decoding) ragged() {
	if d.short.count > 0 {
		d.note(d.i, event.Drift{Kind: event.RecordRagged, Record: d.short.record, Count: d.short.count, To: "fewer fields than the header", Decision: "null"})
	}
	if d.long.count > 0 {
		d.note(d.i, event.Drift{Kind: event.RecordRagged, Record: d.long.record, Count: d.long.count, To: "more fields than the header", Decision: d.spilled()})
	}
}

// misfits notes what the columns did not take, as far as names did not tell.
func (d *decoding) misfits() {
	for _, m := range d.fit.Misfits() {
		e := event.Drift{Column: m.Column, Record: m.Record, Count: m.Count}
		if typ, ok := strings.CutPrefix(m.Why, contract.WhyType+":"); ok {
			e.Kind, e.To, e.Decision = event.ValueMisfit, typ, d.spilled()
			d.note(d.i, e)
		} else if m.Why == contract.WhyPartition {
			e.Kind = event.PartitionClash
			e.Decision, _ = d.l.src.Policy.Action(e.Kind)
			d.note(d.i, e)
		}
	}
}
