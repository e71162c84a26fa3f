package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile"
	"landfall/internal/reconcile/datum"
	"landfall/internal/rescue"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// with opens an object that must be as it was and lends its file; what is wrong with
// it becomes a difference.
func (r *run) with(ctx context.Context, i int, use func(*parquetfile.File) error) (*Difference, error) {
	o := &r.Objects[i]
	obj, err := r.Source.Open(ctx, o.Path)
	if err != nil {
		return excuse(o.Path, err)
	}
	defer obj.Close() //nolint:errcheck // nothing was written
	version := obj.Info().Version
	if o.Version != "" && version != o.Version {
		return &Difference{File: o.Path, What: Changed, Before: o.Version, After: version}, nil
	}
	f, err := open(obj, r.Zone)
	if err == nil {
		err = use(f)
	}
	if err != nil {
		return excuse(o.Path, err)
	}
	info, err := r.Source.Stat(ctx, o.Path)
	if err != nil {
		return excuse(o.Path, err)
	}
	if info.Version != version {
		return &Difference{File: o.Path, What: Changed, Before: version, After: info.Version}, nil
	}
	return nil, nil
}

// excuse makes a difference of an error that is the file's, and leaves others.
func excuse(file string, err error) (*Difference, error) {
	var why *diag.Diagnostic
	switch {
	case errors.Is(err, store.ErrNotExist):
		return &Difference{File: file, What: Gone}, nil
	case errors.As(err, &why):
		return &Difference{File: file, What: Unreadable, After: why.Message}, nil
	case errors.Is(err, store.ErrPermission):
		return &Difference{File: file, What: Unreadable, After: err.Error()}, nil
	}
	return nil, fmt.Errorf("read %s: %w", file, err)
}

// schemaOf finds the plan of an object.
func (r *run) schemaOf(ctx context.Context, i int) (err error) {
	a := &r.accounts[i]
	a.problem, err = r.with(ctx, i, func(f *parquetfile.File) error {
		a.plan = r.planFor(f.Fields(), r.Objects[i].Folders)
		a.before, a.after = make([]sum, len(a.plan.slots)), make([]sum, len(a.plan.slots))
		a.breaks = r.Objects[i].Breaks
		a.constants, a.folders = a.plan.constants(r.Objects[i].Folders)
		return nil
	})
	return err
}

// constant is a value that a folder gives to all rows of an object.
type constant struct {
	node  *node
	value datum.Value
}

// constants are the values of an object's folders. Of two folders of one name the
// inner counts, and the other too if it says something else.
func (b *plan) constants(folders []Folder) (all []constant, inner map[*node]datum.Value) {
	inner = map[*node]datum.Value{}
	last := map[*node]*string{}
	for _, f := range folders {
		last[b.folders[fold(f.Name)]] = f.Value
	}
	for _, f := range folders {
		n := b.folders[fold(f.Name)]
		counts := last[n]
		if f.Value == nil || f.Value != counts && counts != nil && *counts == *f.Value {
			continue
		}
		c := constant{n, datum.Value{Kind: datum.Text, Text: []byte(*f.Value)}}
		all = append(all, c)
		if f.Value == counts {
			inner[n] = c.value
		}
	}
	return all, inner
}

// readObject adds the values of an object.
func (r *run) readObject(ctx context.Context, i, worker int) error {
	a := &r.accounts[i]
	if a.problem != nil {
		return nil
	}
	t := r.workers[worker].teller(r.workers[worker].before, a.plan)
	t.begin(i, a.folders)
	var err error
	a.problem, err = r.with(ctx, i, func(f *parquetfile.File) (err error) {
		a.rows.Before, err = tellObject(ctx, t, f, a)
		return err
	})
	t.end(a.before)
	return err
}

// tellObject adds the rows of an object, and counts them.
func tellObject(ctx context.Context, t *teller, f *parquetfile.File, a *account) (rows int64, err error) {
	if !slices.EqualFunc(f.Fields(), a.plan.fields, sameField) {
		return 0, diag.New(diag.FileCorrupt, "found other columns than a moment ago, want a file that stays as it is")
	}
	var fields []*field
	var links []*link
	for i, c := range f.Fields() {
		fields = append(fields, newField(c.Type))
		links = append(links, a.plan.roots[i].own())
	}
	for b, err := range f.Batches(ctx) {
		if a.breaks > 0 && rows == a.breaks && errors.As(err, new(*diag.Diagnostic)) {
			return rows, nil // as it did before
		}
		if err != nil {
			return rows, err
		}
		s := stretch{first: rows, places: t.placesOf(rows, b.Rows)}
		for i := range fields {
			t.truncations(fields[i].part, links[i], b.Columns[i])
			fields[i].reset(b.Columns[i])
			fields[i].tell(t, b.Columns[i], links[i], s)
		}
		for _, c := range a.constants {
			t.repeat(c.node, c.value, s, plain)
		}
		a.show(b, fields, links, s.first)
		rows += int64(b.Rows)
	}
	return rows, nil
}

func sameField(a, b schema.Field) bool { return a.Name == b.Name && a.Type.String() == b.Type.String() }

// repeat adds a value to each row of a stretch.
func (t *teller) repeat(n *node, d datum.Value, s stretch, how manner) {
	d = n.pair.Bring(d)
	for i, place := range s.places {
		t.row = s.first + int64(i)
		t.add(n, d, place, how)
	}
}

// truncations counts the instants of a column that lost digits.
func (t *teller) truncations(p *rescue.Part, k *link, c column.Column) {
	for i := range p.Fields {
		t.truncations(&p.Fields[i], k.fields[i], c)
	}
	if p.Key != nil {
		t.truncations(p.Key, k.key, c)
	}
	if p.Element != nil {
		t.truncations(p.Element, k.element, c)
	}
	if len(p.Fields) > 0 || p.Element != nil {
		return
	}
	for _, f := range c.Leaves[p.First].Flaws {
		if f.Kind == column.Cut {
			t.tallies[k.node.slot].truncated++
		}
	}
}
