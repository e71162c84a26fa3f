package land

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/datafile"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/state"
	"landfall/internal/store"
)

func (l *landing) workers() int {
	if l.env.Workers > 0 {
		return l.env.Workers
	}
	return 2
}

// write reads the open objects and writes their rows to data files. A first pass
// does so under the contract that stands, or is guessed, and gathers the evidence
// of every value. If that makes another contract, a second pass takes the objects
// again that it makes others of. What comes of it is what two passes over all
// objects would give, one for the evidence and one for the rows.
func (a *attempt) write(ctx context.Context) ([]event.Drift, error) {
	open := a.open()
	guess, err := a.guess(ctx, open)
	if err != nil {
		return nil, err
	}
	progress := a.progress()
	first := &pass{attempt: a, number: 1, shape: guess, progress: progress}
	if err := first.run(ctx, open); err != nil {
		return nil, err
	}
	evolved, err := a.evolve(ctx)
	if err != nil {
		return nil, err
	}
	again := first.stale()
	a.files = first.files
	if len(again) == 0 {
		return evolved, nil
	}
	for _, i := range again {
		a.reopen(i)
	}
	progress.more(again)
	second := &pass{attempt: a, number: 2, shape: a.shape, progress: progress}
	err = second.run(ctx, again)
	a.files = append(a.files, second.files...)
	return evolved, err
}

// open returns the objects that are to be read.
func (a *attempt) open() []int {
	var open []int
	for i, o := range a.outcomes {
		if o.Fate == "" {
			open = append(open, i)
		}
	}
	return open
}

// reopen forgets what reading object i came to, but for its evidence.
func (a *attempt) reopen(i int) {
	a.outcomes[i] = state.Outcome{Object: a.in.Objects[i]}
	a.drift[i] = a.drift[i][:a.settled[i]]
	a.read[i] = reading{}
}

// evolve decides which contract the batch lands under, and what drift led there.
func (a *attempt) evolve(ctx context.Context) (drift []event.Drift, err error) {
	v := a.l.Contract
	switch {
	case a.in.Contract != nil:
		v = *a.in.Contract
	case a.in.Kind == state.KindReprocess:
		// What lands again may look otherwise: the contract begins anew.
		v = contract.Version{Number: v.Number + 1, At: a.in.At, Options: a.l.src.Digest, Reason: reprocessed, Decisions: v.Decisions}
	case a.in.Anew:
		if v, drift, err = a.anew(ctx); err != nil {
			return nil, err
		}
	case a.in.Kind == state.KindLand:
		if v, drift, err = a.grow(ctx, v); err != nil {
			return nil, err
		}
	}
	a.shape, err = a.shapeOf(v)
	return drift, err
}

// grow takes a contract on by the evidence of the batch, and puts out what is of
// another feed.
func (a *attempt) grow(ctx context.Context, from contract.Version) (contract.Version, []event.Drift, error) {
	res, err := a.evolved(ctx, from)
	if err != nil {
		return res.Version, nil, a.l.addressed(err)
	}
	if v := &res.Version; v.Number != from.Number {
		v.At, v.Options = a.in.At, a.l.src.Digest
	}
	for i, o := range a.in.Objects {
		if why, foreign := res.Foreign[o.Path]; foreign {
			bytes := a.outcomes[i].Bytes
			a.reopen(i)
			a.outcomes[i].Bytes, a.seen[i] = bytes, nil
			a.close(i, state.Quarantined, diag.FileForeign, why)
		}
	}
	for k := range res.Drift {
		if d := &res.Drift[k]; d.Kind == event.HintHeld {
			d.Hint = "landfall replay " + a.l.src.Args + " --all"
		}
	}
	return res.Version, res.Drift, nil
}

// addressed completes the commands in the hints of an error that knows no source.
func (l *landing) addressed(err error) error {
	const command = "landfall schema approve"
	var one *diag.Diagnostic
	var all diag.List
	if !errors.As(err, &all) && errors.As(err, &one) {
		all.Add(one)
	}
	for _, d := range all {
		d.Hint = strings.ReplaceAll(d.Hint, command, command+" "+l.src.Args)
	}
	return err
}

// reading is what reading an object came to.
type reading struct {
	cells conform.Counts
	bytes event.Bytes
	// refused is set if the guess did not take the object, for whatever reason:
	// the contract may.
	refused bool
}

// pass reads objects once and writes their rows under one version of the
// contract.
type pass struct {
	*attempt
	number   int
	shape    *shape
	progress *progress
	mu       sync.Mutex
	aside    *state.Quarantine
	files    []datafile.File
}

// run reads the objects.
func (p *pass) run(ctx context.Context, objects []int) error {
	p.aside = p.l.src.State.Quarantine(p.in.Batch, p.id, p.number)
	defer p.aside.Abort(ctx) //nolint:errcheck // after Close it does nothing; before, the first error counts
	shares := p.shares(objects, p.l.workers())
	files := make([][]datafile.File, len(shares))
	g, gctx := errgroup.WithContext(ctx)
	for w, share := range shares {
		g.Go(func() (err error) {
			files[w], err = p.share(gctx, share)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	p.files = slices.Concat(files...)
	return p.aside.Close(ctx)
}

// shares deals objects to workers: runs of about equal size, so that the files
// do not depend on who was faster.
func (p *pass) shares(objects []int, workers int) [][]int {
	var total, sum int64
	for _, i := range objects {
		total += p.outcomes[i].Size + 1
	}
	var shares [][]int
	for _, i := range objects {
		if w := int(sum * int64(workers) / total); w >= len(shares) {
			shares = append(shares, nil)
		}
		last := len(shares) - 1
		shares[last] = append(shares[last], i)
		sum += p.outcomes[i].Size + 1
	}
	return shares
}

func (p *pass) share(ctx context.Context, share []int) (_ []datafile.File, err error) {
	n := 0
	w := datafile.NewWriter(p.l.src.Data, p.shape.file, datafile.Options{
		Target: p.l.env.Target,
		Name: func() string {
			n++
			return p.fileName(fmt.Sprintf("%d-%d-%d", p.number, share[0], n))
		},
	})
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Abort(context.WithoutCancel(ctx)))
		}
	}()
	for _, i := range share {
		if err := p.object(ctx, w, i); err != nil {
			return nil, err
		}
		p.progress.done(i)
	}
	return w.Close(ctx)
}

// object lands one object, or discards what it began.
func (p *pass) object(ctx context.Context, w *datafile.Writer, i int) error {
	o := p.in.Objects[i]
	obj, err := p.find(ctx, i)
	if err != nil || obj == nil {
		return err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	in := store.NewReading(obj)
	w.Begin(i)
	d, err := p.decode(ctx, w, i, in)
	if err == nil {
		p.outcomes[i].Bytes, err = in.Sum()
	}
	if err != nil {
		return errors.Join(fileFault(p.l.src.Files.URL(o.Path), err), w.Discard(ctx))
	}
	read := len(p.drift[i])
	if changed, err := p.changed(ctx, i); err != nil || changed {
		p.drift[i], p.seen[i] = p.drift[i][:p.settled[i]], nil // it will be met again
		return errors.Join(err, w.Discard(ctx))
	}
	if p.outcomes[i].Fate != "" { // nothing of it holds but what says why
		p.drift[i] = append(p.drift[i][:p.settled[i]], p.drift[i][read-1])
		return w.Discard(ctx)
	}
	p.land(i, d)
	if p.read[i].refused {
		return w.Discard(ctx)
	}
	return w.End(ctx)
}

// land settles object i as landed, and keeps what reading it came to.
func (p *pass) land(i int, d *decoding) {
	p.close(i, state.Landed, "", p.outcomes[i].Reason)
	out := &p.outcomes[i]
	out.Rows, out.Quarantined, out.Dropped = d.rows, d.aside+d.rest, d.cells.Dropped
	out.Rescued = d.cells.Rescued
	out.RowsIn = out.Rows + out.Quarantined + out.Dropped
	if out.Quarantined > 0 {
		out.Part = p.number
	}
	p.read[i] = reading{d.cells, event.Bytes(d.account), d.refused}
}

// stale returns the objects of a first pass that have to be read again, in
// order. Of the data files that hold none of them the pass keeps its list; the
// others are given up: nothing refers to them.
func (p *pass) stale() []int {
	again := make([]bool, len(p.outcomes))
	now := p.attempt.shape.version
	for i, o := range p.outcomes {
		if o.Fate == state.Landed {
			_, other := p.judged(now, i)
			again[i] = other || p.read[i].refused || evolution.Stale(p.shape.version, now, *p.seen[i], p.l.src.Policy)
		}
	}
	fits := p.attempt.shape.takes(p.shape.file)
	for given := true; given; { // an object may lie in several files
		n := len(p.files)
		p.files = slices.DeleteFunc(p.files, func(f datafile.File) bool {
			up := !fits || slices.ContainsFunc(f.Parts, func(part datafile.Part) bool {
				return again[part.Object] || p.outcomes[part.Object].Fate != state.Landed
			})
			for _, part := range f.Parts {
				again[part.Object] = again[part.Object] || up && p.outcomes[part.Object].Fate == state.Landed
			}
			return up
		})
		given = len(p.files) < n
	}
	var list []int
	for i := range again {
		if again[i] {
			list = append(list, i)
		}
	}
	return list
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
