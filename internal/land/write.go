package land

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"landfall/internal/column"
	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/format"
	"landfall/internal/state"
	"landfall/internal/store"
)

func (l *landing) workers() int {
	if l.env.Workers > 0 {
		return l.env.Workers
	}
	return 2
}

// write reads the open objects and writes their rows to data files.
func (a *attempt) write(ctx context.Context) error {
	shares := a.shares(a.l.workers())
	files := make([][]datafile.File, len(shares))
	counts := make([]event.Batch, len(shares))
	progress := a.progress()
	g, gctx := errgroup.WithContext(ctx)
	for w, share := range shares {
		g.Go(func() (err error) {
			files[w], counts[w], err = a.writeShare(gctx, share, progress)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for w := range shares {
		a.files = append(a.files, files[w]...)
		a.counts.ValuesRescued += counts[w].ValuesRescued
		a.counts.Bytes.Add(counts[w].Bytes)
	}
	return nil
}

// shares deals the objects that are to be read to workers: runs of about equal
// size, so that the files do not depend on who was faster.
func (a *attempt) shares(workers int) [][]int {
	var open []int
	var total int64
	for i, o := range a.outcomes {
		if o.Fate == "" {
			open = append(open, i)
			total += o.Size + 1
		}
	}
	var shares [][]int
	var sum int64
	for _, i := range open {
		if w := int(sum * int64(workers) / total); w >= len(shares) {
			shares = append(shares, nil)
		}
		last := len(shares) - 1
		shares[last] = append(shares[last], i)
		sum += a.outcomes[i].Size + 1
	}
	return shares
}

func (a *attempt) writeShare(ctx context.Context, share []int, done func(int)) (_ []datafile.File, counts event.Batch, err error) {
	n := 0
	w := datafile.NewWriter(a.l.src.Data, a.file, datafile.Options{
		Target: a.l.env.Target,
		Name: func() string {
			n++
			return a.fileName(fmt.Sprintf("%d-%d", share[0], n))
		},
		NoStats: a.noStats(),
	})
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
		}
	}()
	for _, i := range share {
		if err := a.writeObject(ctx, w, i, &counts); err != nil {
			return nil, counts, err
		}
		done(i)
	}
	files, err := w.Close(ctx)
	return files, counts, err
}

// writeObject lands one object, or discards what it began.
func (a *attempt) writeObject(ctx context.Context, w *datafile.Writer, i int, counts *event.Batch) error {
	o := a.in.Objects[i]
	obj, err := a.open(ctx, i)
	if err != nil || obj == nil {
		return err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	in := newInput(obj)
	w.Begin(i)
	res, err := a.decode(ctx, w, i, in)
	if err == nil {
		a.outcomes[i].Bytes, err = in.sum()
	}
	if err != nil {
		return errors.Join(fileFault(a.l.src.Files.URL(o.Path), err), w.Discard(ctx))
	}
	if changed, err := a.changed(ctx, i); err != nil || changed {
		return errors.Join(err, w.Discard(ctx))
	}
	if a.outcomes[i].Fate != "" { // nothing of it could be read
		return w.Discard(ctx)
	}
	a.close(i, state.Landed, "", a.outcomes[i].Reason)
	a.outcomes[i].RowsIn = res.rows + res.bad
	a.outcomes[i].Rows, a.outcomes[i].Quarantined = res.rows, res.bad
	counts.ValuesRescued += res.rescued
	counts.Bytes.Add(event.Bytes(res.account))
	return w.End(ctx)
}

// noStats names the columns whose values are too free to be worth statistics.
func (a *attempt) noStats() []string {
	if name := a.l.src.Policy.RescueColumn(); name != "" {
		return []string{name}
	}
	return nil
}

// changed tells whether the object is another than when it was opened; then
// what was read may be half of each.
func (a *attempt) changed(ctx context.Context, i int) (bool, error) {
	o := a.in.Objects[i]
	info, err := a.l.src.Files.Stat(ctx, o.Path)
	if errors.Is(err, store.ErrNotExist) {
		// It was read whole from the open file before it went.
		a.note(i, event.Drift{Kind: event.FileVanished, Decision: "land"})
		return false, nil
	}
	if err != nil {
		return false, fileFault(a.l.src.Files.URL(o.Path), err)
	}
	if info.Version == o.Version {
		return false, nil
	}
	a.close(i, state.Deferred, "", "the file changed while it was read")
	return true, nil
}

// decoded sums up what decoding an object gave.
type decoded struct {
	rows, bad, rescued int64
	short, long        firstOf
	account            format.Account
}

// firstOf counts cases and remembers the first.
type firstOf struct{ count, record int64 }

func (f *firstOf) add(record int64) {
	if f.count == 0 {
		f.record = record
	}
	f.count++
}

// decode reads all records of an object. A file that breaks off keeps its
// whole records; the rest is quarantined with its place. Of a damaged one
// nothing holds.
func (a *attempt) decode(ctx context.Context, w *datafile.Writer, i int, in *input) (decoded, error) {
	var res decoded
	o, noted := a.in.Objects[i], len(a.drift[i])
	r, err := a.l.src.Decode(ctx, o.Path, in)
	if err != nil {
		return res, a.unreadable(i, err)
	}
	_, folders := contract.Folders(o.Path)
	fit, err := conform.New(a.version, a.l.src.Policy, a.table, conform.Object{
		Path: o.Path, URL: a.l.src.Files.URL(o.Path), Header: r.Header(),
		Partitions: folders, IngestedAt: a.in.At,
	})
	if err != nil {
		return res, err
	}
	for slab, err := range r.Slabs(ctx) {
		if diag.CodeOf(err) == diag.FileCorrupt {
			a.drift[i] = a.drift[i][:noted]
			return decoded{}, a.unreadable(i, err)
		}
		if err != nil {
			if err := a.brokenOff(ctx, i, &res, err); err != nil {
				return res, err
			}
			break
		}
		batch, c, err := fit.Fit(slab)
		if err != nil {
			return res, err
		}
		if err := w.Write(ctx, a.hold(batch)); err != nil {
			return res, tableFault(a.l.report.Table, err)
		}
		res.rows += int64(slab.Rows())
		res.rescued += c.Rescued
		if err := a.keepBad(ctx, i, &res, slab); err != nil {
			return res, err
		}
	}
	res.account = r.Account()
	if t := res.account; t.In != t.Records+t.Framing+t.Bad {
		return res, fmt.Errorf("%s: %d bytes read, but records %d + framing %d + bad %d", o.Path, t.In, t.Records, t.Framing, t.Bad)
	}
	a.outcomes[i].Dialect = r.Dialect()
	a.ragged(i, res)
	if n, ok := r.(interface{ Notes() []format.Note }); ok {
		for _, note := range n.Notes() {
			a.note(i, event.Drift{Kind: event.Kind(note.Kind), Record: note.Record, Line: note.Line, Count: note.Count, To: note.Message, Decision: "land", Policy: "note"})
		}
	}
	a.misfits(i, fit.Misfits())
	return res, nil
}

// misfits notes what the columns of object i did not take, as far as its names
// did not tell.
func (a *attempt) misfits(i int, all []conform.Misfits) {
	for _, m := range all {
		d := event.Drift{Column: m.Column, Record: m.Record, Count: m.Count}
		if typ, ok := strings.CutPrefix(m.Why, contract.WhyType+":"); ok {
			d.Kind, d.To, d.Decision = event.ValueMisfit, typ, "rescue"
			a.note(i, d)
		} else if m.Why == contract.WhyPartition {
			d.Kind = event.PartitionClash
			d.Decision, _ = a.l.src.Policy.Action(d.Kind)
			a.note(i, d)
		}
	}
}

// hold returns the columns of a batch that data files have.
func (a *attempt) hold(b column.Batch) column.Batch {
	held := column.Batch{Rows: b.Rows, Columns: make([]column.Column, len(a.held))}
	for i, at := range a.held {
		held.Columns[i] = b.Columns[at]
	}
	return held
}

// keepBad quarantines the bad records of a slab.
func (a *attempt) keepBad(ctx context.Context, i int, res *decoded, slab *column.Slab) error {
	for _, r := range slab.Ragged {
		if r.Extra == nil {
			res.short.add(slab.Records[r.Row])
		} else {
			res.long.add(slab.Records[r.Row])
		}
	}
	for _, b := range slab.Bad {
		if res.bad == 0 {
			a.note(i, event.Drift{Kind: event.RecordMalformed, Record: b.Record, Line: b.Line, To: b.Reason, Decision: "quarantine"})
		}
		res.bad++
		if err := a.put(ctx, event.Quarantined{
			Path: a.in.Objects[i].Path, Record: b.Record, Line: b.Line, Offset: b.Offset,
			Length: b.Length, Code: b.Code, Reason: b.Reason, Bytes: b.Bytes,
		}); err != nil {
			return err
		}
	}
	return nil
}

func (a *attempt) put(ctx context.Context, q event.Quarantined) error {
	a.qmu.Lock()
	defer a.qmu.Unlock()
	return a.quarantine.Put(ctx, q)
}

// brokenOff handles a file that cannot be read to its end.
func (a *attempt) brokenOff(ctx context.Context, i int, res *decoded, err error) error {
	var d *diag.Diagnostic
	if !errors.As(err, &d) {
		return err
	}
	// Of a rewritten file, half a version is no better than the old one.
	if res.rows == 0 || a.in.Objects[i].Landed > 0 {
		return a.unreadable(i, d)
	}
	a.note(i, event.Drift{Kind: event.FileUnreadable, Record: d.At.Record, Line: d.At.Line, To: d.Message, Decision: "land whole records, quarantine the rest"})
	a.outcomes[i].Reason = d.Message
	res.bad++
	return a.put(ctx, event.Quarantined{
		Path: a.in.Objects[i].Path, Record: d.At.Record, Line: d.At.Line, Offset: d.At.Offset,
		Code: string(d.Code), Reason: d.Message,
	})
}

// ragged notes records that were shorter or longer than their header.
func (a *attempt) ragged(i int, res decoded) {
	if res.short.count > 0 {
		a.note(i, event.Drift{Kind: event.RecordRagged, Record: res.short.record, Count: res.short.count, To: "fewer fields than the header", Decision: "null"})
	}
	if res.long.count > 0 {
		a.note(i, event.Drift{Kind: event.RecordRagged, Record: res.long.record, Count: res.long.count, To: "more fields than the header", Decision: "rescue"})
	}
}

// progress returns a function that tells Env.Progress about finished objects.
func (a *attempt) progress() func(int) {
	if a.l.env.Progress == nil {
		return func(int) {}
	}
	p := Progress{Source: a.l.src.Name, Batch: a.in.Batch, Files: len(a.in.Objects)}
	for _, o := range a.in.Objects {
		p.Bytes += o.Size
	}
	var mu sync.Mutex
	return func(i int) {
		mu.Lock()
		defer mu.Unlock()
		p.FilesDone++
		p.BytesDone += a.in.Objects[i].Size
		a.l.env.Progress(p)
	}
}
