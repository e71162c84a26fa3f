package intake

import (
	"context"
	"errors"

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

// Sample returns the evidence of the first slabs of some objects, spread over
// the list.
func (a *Intake) Sample(ctx context.Context) (evolution.Evidence, error) {
	open := a.Open()
	some := make([]int, min(sampled, len(open)))
	for k := range some {
		some[k] = open[k*len(open)/len(some)]
	}
	return a.observe(ctx, some, false)
}

// Observe returns the evidence of all open objects, and writes nothing. Objects
// that cannot be read are left out.
func (a *Intake) Observe(ctx context.Context) (evolution.Evidence, error) {
	return a.observe(ctx, a.Open(), true)
}

// observe returns the evidence of objects, of their first slabs or whole. Objects that cannot be read are left out: why is told when they
// land.
func (a *Intake) observe(ctx context.Context, objects []int, whole bool) (evolution.Evidence, error) {
	seen := make([]*contract.ObjectEvidence, len(objects))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(a.workers())
	for k, i := range objects {
		g.Go(func() (err error) {
			seen[k], err = a.observeOne(gctx, i, whole)
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

// observeOne returns the evidence of object i, nil if it does not count.
func (a *Intake) observeOne(ctx context.Context, i int, whole bool) (*contract.ObjectEvidence, error) {
	path := a.in.Objects[i].Path
	obj, err := a.src.Files.Open(ctx, path)
	if errors.Is(err, store.ErrNotExist) {
		return nil, nil //nolint:nilnil // nothing to observe
	}
	if err != nil {
		return nil, err
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	r, err := a.src.Decode(ctx, path, store.NewReading(obj))
	if err != nil {
		return nil, blameless(err)
	}
	if _, foreign := a.foreign(r); foreign {
		return nil, nil //nolint:nilnil // it will not land
	}
	o, rows := a.observer(i, r), 0
	for slab, err := range r.Slabs(ctx) {
		if diag.CodeOf(err) == diag.FileCorrupt || err != nil && rows == 0 {
			return nil, blameless(err)
		}
		if err != nil { // what came before it holds
			return o.evidence(), blameless(err)
		}
		o.Add(slab)
		if rows += slab.Rows(); !whole {
			break
		}
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
}

// typed is a reader of files that declare the types of their columns, which are
// those of the header in order.
type typed interface{ Types() []schema.Type }

func (a *Intake) observer(i int, r format.Reader) *observer {
	path := a.in.Objects[i].Path
	keys, _ := contract.Folders(path)
	o := &observer{object: contract.ObjectEvidence{Path: path, Tree: a.src.Tree, Partitions: keys}}
	if !a.src.Tree {
		o.object.Header = append([]string{}, r.Header()...)
	}
	if r, typed := r.(typed); typed {
		o.Observer = column.NewTypedObserver(r.Types())
	} else {
		o.Observer = column.NewObserver(a.src.Forms, len(o.object.Header))
	}
	return o
}

// evidence is what the object says so far.
func (o *observer) evidence() *contract.ObjectEvidence {
	e := o.object
	e.Evidence = o.Evidence(e.Header)
	if e.Tree {
		for _, f := range e.Evidence.Fields {
			e.Header = append(e.Header, f.Name)
		}
	}
	return &e
}
