// Package lineage says which object a row of a data file came from.
//
// What attempts recorded holds for as long as their files are as they were
// written. Of files that others wrote nothing is known here.
package lineage

import (
	"context"

	"landfall/internal/state"
)

// File is a data file whose rows are on record.
type File struct {
	Mark    state.Mark
	Attempt state.Attempt
	// Runs are its rows in order; none if the record does not say whose they are.
	Runs []Run
}

// Run is a stretch of rows that come from one object.
type Run struct {
	// Object is the index in the attempt's outcomes.
	Object int
	// First is the number, from 0, of the first of the rows among all that landed
	// of the object; Rows is how many they are.
	First, Rows int64
}

// Find returns what is on record of data files, by path. Files that are not on
// record are left out.
func Find(ctx context.Context, st *state.State, paths []string) (map[string]File, error) {
	// wanted maps the path to look for to the one that was asked: a file may stand in
	// the place of an older one.
	wanted := map[string]string{}
	for _, p := range paths {
		wanted[p] = p
	}
	found := map[string]File{}
	last, _, err := st.LastMark(ctx)
	if err != nil {
		return nil, err
	}
	for batch := last.Batch; batch > 0 && len(wanted) > 0; batch-- {
		m, ok, err := st.Mark(ctx, batch)
		if err != nil {
			return nil, err
		}
		if !ok || m.Kind == state.KindVoid {
			continue
		}
		a, err := st.Attempt(ctx, batch, m.Attempt)
		if err != nil {
			return nil, err
		}
		look(m, a, wanted, found)
	}
	return found, nil
}

// look looks for the files in one attempt.
func look(m state.Mark, a state.Attempt, wanted map[string]string, found map[string]File) {
	done := map[int]int64{}
	for _, f := range a.Files {
		var runs []Run
		for _, p := range f.Parts {
			runs = append(runs, Run{p.Object, done[p.Object], p.Rows})
			done[p.Object] += p.Rows
		}
		asked, ok := wanted[f.Path]
		if !ok {
			continue
		}
		delete(wanted, f.Path)
		if f.Of != "" {
			wanted[f.Of] = asked
			continue
		}
		found[asked] = File{m, a, runs}
	}
}

// At returns the object of the row at a position, counted from 0, and the number
// of the row among all that landed of the object; ok is false if it is not known.
func (f File) At(position int64) (object int, number int64, ok bool) {
	for _, r := range f.Runs {
		if position < r.Rows {
			return r.Object, r.First + position, position >= 0
		}
		position -= r.Rows
	}
	return 0, 0, false
}

// Rows is the number of rows on record.
func (f File) Rows() int64 {
	var n int64
	for _, r := range f.Runs {
		n += r.Rows
	}
	return n
}
