package reconcile

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"landfall/internal/reconcile/datum"
	"landfall/internal/schema"
)

// run is a proof under way.
type run struct {
	*Proof
	accounts []account
	workers  []worker
	// broken are the data files that cannot be read, by their number.
	broken []*Difference

	mu    sync.Mutex
	plans map[string]*plan
	order []*plan
	read  int
}

// account is what is known of an object.
type account struct {
	plan      *plan
	constants []constant
	folders   map[*node]datum.Value
	// problem is set if the object cannot be compared.
	problem *Difference
	// breaks is Object.Breaks.
	breaks int64
	rows   Count
	before []sum
	// wants are the values that are shown, by row.
	wants []want

	mu    sync.Mutex
	after []sum
	runs  []Run
}

// worker has the tellers of one goroutine.
type worker struct{ before, after map[*plan]*teller }

// Run reads the files and the copy and compares them. Files that are gone, changed
// or cannot be read are differences; an error is one of a store.
func (p *Proof) Run(ctx context.Context) (Report, error) {
	if err := p.check(); err != nil {
		return Report{}, err
	}
	r := &run{Proof: p, accounts: make([]account, len(p.Objects)), broken: make([]*Difference, len(p.Files)), plans: map[string]*plan{}}
	r.workers = make([]worker, max(p.Workers, 1))
	for i := range r.workers {
		r.workers[i] = worker{map[*plan]*teller{}, map[*plan]*teller{}}
	}
	if err := r.each(ctx, len(p.Objects), func(ctx context.Context, i, _ int) error { return r.schemaOf(ctx, i) }); err != nil {
		return Report{}, err
	}
	r.arrange()
	if err := r.each(ctx, len(p.Files), r.told(r.readFile)); err != nil {
		return Report{}, err
	}
	shown := r.examples()
	if err := r.each(ctx, len(p.Objects), r.told(r.readObject)); err != nil {
		return Report{}, err
	}
	out := r.report(shown)
	return out, r.locate(ctx, &out)
}

// check refuses runs of objects that are none.
func (p *Proof) check() error {
	for i := range p.Files {
		for _, s := range p.Files[i].Runs {
			if s.Object < 0 || s.Object >= len(p.Objects) || s.First < 0 || s.Rows < 0 {
				return fmt.Errorf("data file %s: rows %d to %d of object %d of %d", p.Files[i].Path, s.First, s.First+s.Rows, s.Object, len(p.Objects))
			}
		}
	}
	return nil
}

// each calls a function for 0 to n−1, by the workers.
func (r *run) each(ctx context.Context, n int, use func(ctx context.Context, i, worker int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for w := range r.workers {
		g.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := use(ctx, i, w); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}

// told has Progress told of each file that a function read.
func (r *run) told(read func(ctx context.Context, i, worker int) error) func(ctx context.Context, i, worker int) error {
	return func(ctx context.Context, i, worker int) error {
		err := read(ctx, i, worker)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.read++
		if err == nil && r.Progress != nil {
			r.Progress(r.read, len(r.Files)+len(r.Objects))
		}
		return err
	}
}

// planFor returns the plan of files with those fields and folders.
func (r *run) planFor(fields []schema.Field, folders []Folder) *plan {
	var b strings.Builder
	for _, f := range fields {
		b.WriteString(f.Name + "\x00" + f.Type.String() + "\x00")
	}
	for _, f := range folders {
		b.WriteString("\x01" + f.Name)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.plans[b.String()]
	if p == nil {
		p = newPlan(fields, folders, r.Proof)
		r.plans[b.String()] = p
	}
	return p
}

// arrange puts the plans in the order of the objects.
func (r *run) arrange() {
	met := map[*plan]bool{}
	for i := range r.accounts {
		if p := r.accounts[i].plan; p != nil && !met[p] {
			met[p] = true
			r.order = append(r.order, p)
		}
	}
}

// teller is that of a plan.
func (w *worker) teller(of map[*plan]*teller, p *plan) *teller {
	t := of[p]
	if t == nil {
		t = newTeller(p)
		of[p] = t
	}
	return t
}
