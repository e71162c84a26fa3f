package land

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"

	"landfall/internal/datafile"
	"landfall/internal/event"
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
		a.counts.ValuesIgnored += counts[w].ValuesIgnored
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
	o, noted := a.in.Objects[i], len(a.drift[i])
	obj, err := a.open(ctx, i)
	if err != nil || obj == nil {
		return err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	in := newInput(obj)
	w.Begin(i)
	d, err := a.decode(ctx, w, i, in)
	if err == nil {
		a.outcomes[i].Bytes, err = in.sum()
	}
	if err != nil {
		return errors.Join(fileFault(a.l.src.Files.URL(o.Path), err), w.Discard(ctx))
	}
	if changed, err := a.changed(ctx, i); err != nil || changed {
		a.drift[i] = a.drift[i][:noted] // it will be met again
		return errors.Join(err, w.Discard(ctx))
	}
	if a.outcomes[i].Fate != "" { // nothing of it holds but the last event, which says why
		a.drift[i] = append(a.drift[i][:noted], a.drift[i][len(a.drift[i])-1])
		return w.Discard(ctx)
	}
	a.close(i, state.Landed, "", a.outcomes[i].Reason)
	out := &a.outcomes[i]
	out.Rows, out.Quarantined = d.rows, d.bad+d.rest
	out.RowsIn = out.Rows + out.Quarantined
	if out.Quarantined > 0 {
		out.Part = 1
	}
	counts.ValuesRescued += d.cells.Rescued
	counts.ValuesIgnored += d.cells.Ignored
	counts.Bytes.Add(event.Bytes(d.account))
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
