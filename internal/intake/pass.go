package intake

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"landfall/internal/datafile"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/state"
	"landfall/internal/store"
)

// Write reads the open objects and writes their rows to data files. A first pass
// does so under a guess, and gathers the evidence of every value. If evolve makes
// another shape of that, a second pass takes the objects again that it makes
// others of. What comes of it is what two passes over all objects would give, one
// for the evidence and one for the rows.
func (a *Intake) Write(ctx context.Context, guess *Shape, evolve func(context.Context) (*Shape, error)) ([]datafile.File, error) {
	began := a.elapsed()
	first := &pass{Intake: a, number: 1, shape: guess}
	if err := first.run(ctx, a.Open()); err != nil {
		return nil, err
	}
	a.First = a.elapsed() - began
	now, err := evolve(ctx)
	if err != nil {
		return nil, err
	}
	again := first.stale(now)
	if len(again) == 0 {
		return first.files, nil
	}
	for _, i := range again {
		a.Reopen(i)
	}
	a.progress.more(again)
	second := &pass{Intake: a, number: 2, shape: now}
	began = a.elapsed()
	err = second.run(ctx, again)
	a.Second = a.elapsed() - began
	return append(first.files, second.files...), err
}

// pass reads objects once and writes their rows under one version of the
// contract.
type pass struct {
	*Intake
	number int
	shape  *Shape
	mu     sync.Mutex
	aside  *state.Quarantine
	files  []datafile.File
}

// run reads the objects.
func (p *pass) run(ctx context.Context, objects []int) error {
	p.aside = p.src.State.Quarantine(p.in.Batch, p.id, p.number)
	defer p.aside.Abort(ctx) //nolint:errcheck // after Close it does nothing; before, the first error counts
	shares := p.shares(objects, p.workers())
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
		total += p.Outcomes[i].Size + 1
	}
	var shares [][]int
	for _, i := range objects {
		if w := int(sum * int64(workers) / total); w >= len(shares) {
			shares = append(shares, nil)
		}
		last := len(shares) - 1
		shares[last] = append(shares[last], i)
		sum += p.Outcomes[i].Size + 1
	}
	return shares
}

func (p *pass) share(ctx context.Context, share []int) (_ []datafile.File, err error) {
	n := 0
	w := datafile.NewWriter(p.src.Data, p.shape.File, datafile.Options{
		Target: p.src.Target,
		Name: func() string {
			n++
			return p.src.Name(fmt.Sprintf("%d-%d-%d", p.number, share[0], n))
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
	defer p.writing(p.elapsed())
	return w.Close(ctx)
}

// writing counts the time since began as spent on writing.
func (a *Intake) writing(began time.Duration) {
	a.add(Spent{Write: (a.elapsed() - began).Seconds()})
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
		p.Outcomes[i].Bytes, err = in.Sum()
	}
	if err != nil {
		return errors.Join(FileFault(p.src.Files.URL(o.Path), err), w.Discard(ctx))
	}
	read := len(p.Drift[i])
	if changed, err := p.changed(ctx, i); err != nil || changed {
		p.Drift[i], p.Seen[i] = p.Drift[i][:p.settled[i]], nil // it will be met again
		return errors.Join(err, w.Discard(ctx))
	}
	if p.Outcomes[i].Fate != "" { // nothing of it holds but what says why
		p.Drift[i] = append(p.Drift[i][:p.settled[i]], p.Drift[i][read-1])
		return w.Discard(ctx)
	}
	p.land(i, d)
	if p.read[i].refused {
		return w.Discard(ctx)
	}
	defer p.writing(p.elapsed())
	return w.End(ctx)
}

// land settles object i as landed, and keeps what reading it came to.
func (p *pass) land(i int, d *decoding) {
	p.Close(i, state.Landed, "", p.Outcomes[i].Reason)
	out := &p.Outcomes[i]
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
func (p *pass) stale(shape *Shape) []int {
	again := make([]bool, len(p.Outcomes))
	now := shape.Version
	for i, o := range p.Outcomes {
		if o.Fate == state.Landed {
			_, other := p.judged(now, i)
			again[i] = other || p.read[i].refused || evolution.Stale(p.shape.Version, now, *p.Seen[i], p.src.Policy)
		}
	}
	fits := shape.Takes(p.shape.File)
	for given := true; given; { // an object may lie in several files
		n := len(p.files)
		p.files = slices.DeleteFunc(p.files, func(f datafile.File) bool {
			up := !fits || slices.ContainsFunc(f.Parts, func(part datafile.Part) bool {
				return again[part.Object] || p.Outcomes[part.Object].Fate != state.Landed
			})
			for _, part := range f.Parts {
				again[part.Object] = again[part.Object] || up && p.Outcomes[part.Object].Fate == state.Landed
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
func (a *Intake) changed(ctx context.Context, i int) (bool, error) {
	o := a.in.Objects[i]
	info, err := a.src.Files.Stat(ctx, o.Path)
	if errors.Is(err, store.ErrNotExist) {
		// It was read whole from the open file before it went.
		a.Note(i, event.Drift{Kind: event.FileVanished, Decision: "land"})
		return false, nil
	}
	if err != nil {
		return false, FileFault(a.src.Files.URL(o.Path), err)
	}
	if info.Version == o.Version {
		return false, nil
	}
	a.Close(i, state.Deferred, "", "the file changed while it was read")
	return true, nil
}
