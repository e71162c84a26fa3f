package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"landfall/internal/column"
	"landfall/internal/conform"
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
	if err := first.pack(ctx); err != nil || len(again) == 0 {
		return first.files, err
	}
	for _, i := range again {
		a.Reopen(i)
	}
	a.progress.more(again)
	second := &pass{Intake: a, number: 2, shape: now}
	began = a.elapsed()
	if err = second.run(ctx, again); err == nil {
		err = second.pack(ctx)
	}
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
	// files are written, loads wait to be packed: waits bytes. packed counts how often
	// that was done.
	files  []datafile.File
	loads  []placed
	waits  int64
	packed int
	// idle is that of the queue.
	idle chan struct{}
}

// placed is a load, and the folder of the files that its row groups go to.
type placed struct {
	datafile.Load
	place string
}

// place is the folder of the data files with the rows of object i.
func (a *Intake) place(i int) string {
	if a.src.Place == nil {
		return ""
	}
	return a.src.Place(a.in.Objects[i].Path)
}

// units cuts objects into runs of about one size and one place; a larger object is a
// run of its own. They do not depend on the number of workers, and nor does what is
// written.
func (p *pass) units(objects []int) [][]int {
	most := cmp.Or(p.src.Unit, defaultUnit)
	if p.src.Place != nil {
		objects = slices.Clone(objects)
		slices.SortStableFunc(objects, func(i, j int) int { return strings.Compare(p.place(i), p.place(j)) })
	}
	var units [][]int
	var size int64
	for k, i := range objects {
		if k == 0 || size+p.Outcomes[i].Size > most || p.place(i) != p.place(objects[k-1]) {
			units, size = append(units, nil), 0
		}
		last := len(units) - 1
		units[last] = append(units[last], i)
		size += p.Outcomes[i].Size
	}
	return units
}

// run reads the objects. What came of small ones waits in memory, as far as that is
// not too much: only when it is known what stays is it packed.
func (p *pass) run(ctx context.Context, objects []int) error {
	p.aside = p.src.State.Quarantine(p.in.Batch, p.id, p.number)
	defer p.aside.Abort(ctx) //nolint:errcheck // after Close it does nothing; before, the first error counts
	if err := p.readUnits(ctx, p.units(objects)); err != nil {
		return err
	}
	return p.aside.Close(ctx)
}

// waitingBytes bounds the row groups that wait for the end of a pass.
const waitingBytes = 64 << 20

// keep takes what came of the next unit, whose files have one place.
func (p *pass) keep(ctx context.Context, place string, l datafile.Load) error {
	p.files = append(p.files, l.Files...)
	l.Files = nil
	p.loads = append(p.loads, placed{l, place})
	if p.waits += l.Bytes(); p.waits <= cmp.Or(p.src.Waiting, waitingBytes) {
		return nil
	}
	return p.pack(ctx)
}

// pack puts the row groups that wait into files, one place after the other.
func (p *pass) pack(ctx context.Context) error {
	defer p.writing(p.elapsed())
	for len(p.loads) > 0 {
		place := p.loads[0].place
		if err := p.packPlace(ctx, place); err != nil {
			return err
		}
		p.loads = slices.DeleteFunc(p.loads, func(l placed) bool { return l.place == place })
	}
	p.waits = 0
	return nil
}

// packPlace puts the row groups that wait for files of one place into these.
func (p *pass) packPlace(ctx context.Context, place string) error {
	p.packed++
	packer := datafile.NewPacker(p.src.Data, p.shape.File, p.options(func() (string, string) { return place, fmt.Sprintf("packed%d", p.packed) }))
	for _, l := range p.loads {
		if l.place != place {
			continue
		}
		if err := packer.Add(ctx, l.Load); err != nil {
			return errors.Join(err, packer.Abort(context.WithoutCancel(ctx)))
		}
	}
	files, err := packer.Close(ctx)
	if err != nil {
		return errors.Join(err, packer.Abort(context.WithoutCancel(ctx)))
	}
	p.files = append(p.files, files...)
	return nil
}

// options of data files, whose names tell the pass, what is in them and a number.
func (p *pass) options(of func() (place, what string)) datafile.Options {
	n := map[string]int{}
	return datafile.Options{Options: p.src.Parquet, Target: p.src.Target, Name: func() string {
		place, what := of()
		n[what]++
		return place + p.src.Name(fmt.Sprintf("%d-%s-%d", p.number, what, n[what]))
	}}
}

// readUnits reads units, some at a time, and packs what comes of them in their order.
func (p *pass) readUnits(ctx context.Context, units [][]int) error {
	const out = 2 // for each worker: what waits for a unit before it is in memory
	workers := min(p.workers(), len(units))
	q := newQueue(len(units), p.workers(), out*workers, func(ctx context.Context, unit int, l datafile.Load) error {
		return p.keep(ctx, p.place(units[unit][0]), l)
	})
	p.idle = q.idle
	g, gctx := errgroup.WithContext(ctx)
	for range workers {
		g.Go(func() error { return p.work(gctx, q, units) })
	}
	return g.Wait()
}

// worker reads one unit after the other.
type worker struct {
	*pass
	w *datafile.Writer
	// object is the one at hand.
	object int
	// fit is a fitter that was used to its end, see an observer; nil for none.
	fit *conform.Fitter
	see *column.Observer
}

func (p *pass) work(ctx context.Context, q *queue, units [][]int) (err error) {
	k := &worker{pass: p}
	k.w = datafile.NewWriter(p.src.Data, p.shape.File, p.options(func() (string, string) { return k.place(k.object), strconv.Itoa(k.object) }))
	defer func() { err = errors.Join(err, k.w.Abort(context.WithoutCancel(ctx))) }()
	for {
		unit, more, err := q.next(ctx)
		if err != nil || !more {
			return err
		}
		for _, k.object = range units[unit] {
			if err := k.land(ctx, k.object); err != nil {
				return err
			}
			p.progress.done(k.object)
		}
		load, err := p.load(k.w)
		if err != nil {
			return err
		}
		if err := q.done(ctx, unit, load); err != nil {
			return err
		}
	}
}

// load takes what the worker wrote of a unit.
func (p *pass) load(w *datafile.Writer) (datafile.Load, error) {
	defer p.writing(p.elapsed())
	return w.Load()
}

// writing counts the time since began as spent on writing.
func (a *Intake) writing(began time.Duration) {
	a.add(Spent{Write: (a.elapsed() - began).Seconds()})
}

// land lands one object, or discards what it began.
func (k *worker) land(ctx context.Context, i int) error {
	o := k.in.Objects[i]
	obj, err := k.find(ctx, i)
	if err != nil || obj == nil {
		return err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	d, err := k.readAll(ctx, i, obj)
	if err != nil {
		return errors.Join(FileFault(k.src.Files.URL(o.Path), err), k.w.Discard(ctx))
	}
	read := len(k.Drift[i])
	if changed, err := k.changed(ctx, i); err != nil || changed {
		k.Drift[i], k.Seen[i] = k.Drift[i][:k.settled[i]], nil // it will be met again
		return errors.Join(err, k.w.Discard(ctx))
	}
	if k.Outcomes[i].Fate != "" { // nothing of it holds but what says why
		k.Drift[i] = append(k.Drift[i][:k.settled[i]], k.Drift[i][read-1])
		return k.w.Discard(ctx)
	}
	k.landed(i, d)
	if d.refused {
		return k.w.Discard(ctx)
	}
	defer k.writing(k.elapsed())
	return k.w.End(ctx)
}

// readAll reads object i to its end and sums up its bytes. It is read once more if
// columns of it were moved and something came up that wants all of its values.
func (k *worker) readAll(ctx context.Context, i int, obj store.Object) (*decoding, error) {
	size := obj.Info().Size
	in := store.NewReading(obj)
	k.w.Begin(i, size)
	d, err := k.decode(ctx, i, in, true)
	if d.move != nil && needsAll(err) {
		if err := k.w.Discard(ctx); err != nil {
			return d, err
		}
		k.Drift[i] = k.Drift[i][:k.settled[i]]
		in = store.NewReading(obj)
		k.w.Begin(i, size)
		d, err = k.decode(ctx, i, in, false)
	}
	if err == nil {
		k.Outcomes[i].Bytes, err = in.Sum()
	}
	return d, err
}

// landed settles object i as landed, and keeps what reading it came to.
func (p *pass) landed(i int, d *decoding) {
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
// order. Data files and row groups that hold none of them stay; the others are given
// up: nothing refers to them.
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
		given = false
		up := func(parts []datafile.Part) bool {
			up := !fits || slices.ContainsFunc(parts, func(part datafile.Part) bool {
				return again[part.Object] || p.Outcomes[part.Object].Fate != state.Landed
			})
			for _, part := range parts {
				again[part.Object] = again[part.Object] || up && p.Outcomes[part.Object].Fate == state.Landed
			}
			given = given || up
			return up
		}
		p.files = slices.DeleteFunc(p.files, func(f datafile.File) bool { return up(f.Parts) })
		for i := range p.loads {
			p.loads[i].GiveUp(up)
		}
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
