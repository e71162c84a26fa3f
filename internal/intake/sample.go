package intake

import (
	"context"
	"errors"
	"math"

	"golang.org/x/sync/errgroup"

	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/format"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// sampled is the number of objects whose beginning is looked at for a first guess.
const sampled = 16

// Sample returns the evidence of the first slabs of some objects, spread over the
// list; of files that declare types, what all of them declare.
func (a *Intake) Sample(ctx context.Context) (evolution.Evidence, error) {
	open := a.Open()
	if a.src.Typed {
		return a.observe(ctx, open, a.declared)
	}
	some := make([]int, min(sampled, len(open)))
	for k := range some {
		some[k] = open[k*len(open)/len(some)]
	}
	return a.observe(ctx, some, a.first)
}

// Observe returns the evidence of all open objects, and writes nothing. Objects
// that cannot be read are left out.
func (a *Intake) Observe(ctx context.Context) (evolution.Evidence, error) {
	return a.observe(ctx, a.Open(), a.whole)
}

// Look replaces the evidence of objects by what looking at all their values says.
func (a *Intake) Look(ctx context.Context, objects []int) error {
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(a.workers())
	for _, i := range objects {
		g.Go(func() error {
			seen, err := a.observeOne(gctx, i, a.whole)
			if seen != nil {
				a.Seen[i] = seen
			}
			return FileFault(a.src.Files.URL(a.in.Objects[i].Path), err)
		})
	}
	return g.Wait()
}

// observe returns the evidence of objects, as one returns it of each. Objects that
// cannot be read are left out: why is told when they land.
func (a *Intake) observe(ctx context.Context, objects []int, one observation) (evolution.Evidence, error) {
	seen := make([]*contract.ObjectEvidence, len(objects))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(a.workers())
	for k, i := range objects {
		g.Go(func() (err error) {
			seen[k], err = a.observeOne(gctx, i, one)
			return FileFault(a.src.Files.URL(a.in.Objects[i].Path), err)
		})
	}
	if err := g.Wait(); err != nil {
		return evolution.Evidence{}, err
	}
	return evidenceOf(seen), nil
}

// evidenceOf is the evidence of the objects that have any.
func evidenceOf(seen []*contract.ObjectEvidence) evolution.Evidence {
	var ev evolution.Evidence
	for _, s := range seen {
		if s != nil {
			ev.Objects = append(ev.Objects, *s)
		}
	}
	return ev
}

// observation gathers the evidence of object i from its reader.
type observation func(ctx context.Context, i int, r format.Reader) (*contract.ObjectEvidence, error)

// observeOne returns the evidence of object i, nil if it does not count.
func (a *Intake) observeOne(ctx context.Context, i int, one observation) (*contract.ObjectEvidence, error) {
	path := a.in.Objects[i].Path
	obj, err := a.src.Files.Open(ctx, path)
	if errors.Is(err, store.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing to observe
	}
	if err != nil {
		return nil, err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	if obj.Info().Version != a.in.Objects[i].Version {
		return nil, nil //nolint:nilnil // it is another by now, and will not land
	}
	r, err := a.src.Decode(ctx, path, store.NewReading(obj))
	if err != nil {
		return nil, blameless(err)
	}
	if _, foreign := a.foreign(r); foreign {
		return nil, nil //nolint:nilnil // it will not land
	}
	return one(ctx, i, r)
}

// whole observes all of an object.
func (a *Intake) whole(ctx context.Context, i int, r format.Reader) (*contract.ObjectEvidence, error) {
	return a.slabs(ctx, i, r, math.MaxInt)
}

// first observes the first slab of an object.
func (a *Intake) first(ctx context.Context, i int, r format.Reader) (*contract.ObjectEvidence, error) {
	return a.slabs(ctx, i, r, 1)
}

// slabs observes so many slabs.
func (a *Intake) slabs(ctx context.Context, i int, r format.Reader, most int) (*contract.ObjectEvidence, error) {
	o, rows, n := a.observer(i, r, nil), 0, 0
	for slab, err := range r.Slabs(ctx) {
		if diag.CodeOf(err) == diag.FileCorrupt || err != nil && rows == 0 {
			return nil, blameless(err)
		}
		if err != nil { // what came before it holds
			return o.evidence(), blameless(err)
		}
		o.Add(slab)
		rows += slab.Rows()
		if n++; n == most {
			break
		}
	}
	return o.evidence(), nil
}

// declared observes what the footer of a file says, and its first slab if that says
// nothing of some column.
func (a *Intake) declared(ctx context.Context, i int, r format.Reader) (*contract.ObjectEvidence, error) {
	file, ok := r.(movable)
	if !ok {
		return a.first(ctx, i, r)
	}
	src, err := file.Source()
	if err = blameless(err); err != nil {
		return nil, err
	}
	if src == nil { // the decoder may read what we do not
		return a.first(ctx, i, r)
	}
	o := a.observer(i, r, nil)
	o.moved = map[int]column.Evidence{}
	for k := range o.object.Header {
		proven, ok := src.Evidence(k)
		if !ok {
			return a.first(ctx, i, r)
		}
		o.moved[k] = proven
	}
	return o.evidence(), nil
}

// blameless returns an error that is not the file's.
func blameless(err error) error {
	var d *diag.Diagnostic
	if errors.As(err, &d) && d.Code != diag.NoPermission && d.Code != diag.StoreUnreachable {
		return nil
	}
	return err
}

// foreign tells whether a file begins like one of another kind, and which.
func (a *Intake) foreign(r format.Reader) (reason string, foreign bool) {
	if action, _ := a.src.Policy.Action(event.FileForeign); action == "land" {
		return "", false
	}
	if f, ok := r.(interface{ Foreign() (string, bool) }); ok {
		return f.Foreign()
	}
	return "", false
}

// observer gathers the evidence of one object.
type observer struct {
	*column.Observer
	object contract.ObjectEvidence
	// moved is the evidence on fields that are not among the slabs.
	moved map[int]column.Evidence
}

// typed is a reader of files that declare the types of their columns, which are
// those of the header in order.
type typed interface{ Types() []schema.Type }

// observer returns one of object i. used is one of an object before, nil for none.
func (a *Intake) observer(i int, r format.Reader, used *column.Observer) *observer {
	path := a.in.Objects[i].Path
	keys, _ := contract.Folders(path)
	o := &observer{object: contract.ObjectEvidence{Path: path, Tree: a.src.Tree, Partitions: keys}}
	if !a.src.Tree {
		o.object.Header = append([]string{}, r.Header()...)
	}
	switch r, typed := r.(typed); {
	case typed:
		o.Observer = column.NewTypedObserver(r.Types())
	case used != nil && a.src.Tree && used.Turn():
		o.Observer = used
	default:
		o.Observer = column.NewObserver(a.src.Forms, len(o.object.Header))
	}
	return o
}

// evidence is what the object says so far.
func (o *observer) evidence() *contract.ObjectEvidence {
	e := o.object
	e.Evidence = o.Evidence(e.Header)
	for i, moved := range o.moved {
		e.Evidence.Fields[i].Evidence = moved
	}
	if e.Tree {
		for _, f := range e.Evidence.Fields {
			e.Header = append(e.Header, f.Name)
		}
	}
	return &e
}
