package state

import (
	"context"
	"slices"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// outside remembers the drift that kept values out of their columns, until it is
// known whether they still are.
type outside struct {
	// files are by the path of the one file that an event is about, batches by the
	// batch whose files it is about together.
	files   map[string][]kept
	batches map[int64][]kept
}

// kept is what a batch kept out of a column.
type kept struct {
	met      int // its position
	batch    int64
	decision string
}

// add remembers an event. What evolution tells is of the first file, on behalf of
// Count files; what reading tells is of one file.
func (o *outside) add(met int, m Mark, d event.Drift) {
	switch d.Decision {
	case "rescue", "quarantine", "ignore", "null":
	case "hold":
		if d.Kind != event.ColumnAdded {
			return // the type tells
		}
	default:
		return
	}
	k := kept{met, m.Batch, d.Decision}
	if d.File == "" || d.Kind == event.ColumnAdded && d.Count > 1 {
		if o.batches == nil {
			o.batches = map[int64][]kept{}
		}
		o.batches[m.Batch] = append(o.batches[m.Batch], k)
		return
	}
	if o.files == nil {
		o.files = map[string][]kept{}
	}
	o.files[d.File] = append(o.files[d.File], k)
}

// still finds the drift whose values are outside their columns: rows that the same
// batch landed still stand, and what it rescued has not been reclaimed since.
func (o *outside) still(ctx context.Context, st *State, met []Met, last contract.Version) (map[int]bool, error) {
	open := map[int]bool{}
	if len(o.files)+len(o.batches) == 0 {
		return open, nil
	}
	for e, err := range st.Known(ctx) {
		if err != nil {
			return nil, err
		}
		for _, k := range slices.Concat(o.files[e.Path], o.batches[e.Landed]) {
			if k.batch == e.Landed && !open[k.met] && e.keeps(k.decision, met[k.met].Column, last) {
				open[k.met] = true
			}
		}
	}
	return open, nil
}

// keeps tells whether values of a column, that a decision kept out of the rows of
// the path, may be outside still.
func (e Entry) keeps(decision, column string, v contract.Version) bool {
	switch decision {
	case "quarantine":
		return e.Held > 0
	case "rescue", "hold":
		return e.Rescued > 0 && (len(e.Left) == 0 || slices.ContainsFunc(e.Left, func(name string) bool { return partly(column, name, v) }))
	default:
		return true // dropped, for as long as the rows stand
	}
}

// partly tells whether a column, or a part of one, may be that of a name in files.
func partly(column, name string, v contract.Version) bool {
	whole, _, _ := strings.Cut(column, "#") // the k-th of equal names
	for _, c := range []string{column, whole} {
		if schema.Fold(c) == schema.Fold(name) {
			return true
		}
	}
	if p, err := schema.ParsePath(column); err == nil && schema.Fold(p[0]) == schema.Fold(name) {
		return true
	}
	mine, ok := v.Named(name)
	return ok && (schema.Fold(mine.Title()) == schema.Fold(column) || strings.HasPrefix(schema.Fold(column), schema.Fold(mine.Title())+"."))
}

// held tells whether a type that was to be another is not that yet.
func (x *Met) held(v contract.Version) bool {
	t, ok := v.TypeOf(x.Column)
	return !ok || t.String() != x.To
}
