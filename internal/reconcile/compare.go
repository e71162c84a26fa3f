package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// side is the files or the copy.
type side uint8

const (
	before side = iota
	after
)

// tallies are those of a plan over all workers.
func (r *run) tallies(p *plan, of side) []tally {
	out := make([]tally, len(p.slots))
	for i := range r.workers {
		tellers := r.workers[i].before
		if of == after {
			tellers = r.workers[i].after
		}
		if t := tellers[p]; t != nil {
			for k := range out {
				out[k].merge(&t.tallies[k])
			}
		}
	}
	return out
}

// report compares what was found.
func (r *run) report(examples map[string][]*Example) Report {
	out := Report{Files: []File{}, Columns: []Path{}, Differences: []Difference{}}
	paths := r.paths()
	for _, d := range r.broken {
		if d != nil {
			out.add(*d)
		}
	}
	strays := r.strays()
	for i := range r.accounts {
		a := &r.accounts[i]
		f := File{File: r.Objects[i].Path, Count: a.rows}
		total := out.Total
		a.compare(f.File, &out, paths)
		if s := strays[i]; s.n > 0 {
			out.add(Difference{File: f.File, Column: s.name, What: Rescued, Row: s.row + 1, After: s.text})
			out.Total += s.n - 1
		}
		f.Equal = total == out.Total
		out.Files = append(out.Files, f)
		out.Rows.Before += f.Before
		out.Rows.After += f.After
	}
	for _, key := range slices.Sorted(maps.Keys(paths)) {
		out.Columns = append(out.Columns, paths[key].report(key, out.Rows, paths, examples[key]))
	}
	out.Reconciled = out.Total == 0
	return out
}

func (r *Report) add(d Difference) {
	if r.Total++; r.Total <= MaxDifferences {
		r.Differences = append(r.Differences, d)
	}
}

// strays are what of the objects has no place in them.
func (r *run) strays() map[int]stray {
	out := map[int]stray{}
	for i := range r.workers {
		for _, t := range r.workers[i].after {
			for object, s := range t.strays {
				out[object] = out[object].merge(s)
			}
		}
	}
	return out
}

// compare finds what differs in an object.
func (a *account) compare(file string, out *Report, paths map[string]*summary) {
	if a.problem != nil {
		out.add(*a.problem)
	}
	if a.plan == nil {
		return
	}
	type two struct{ before, after sum }
	sums := map[string]*two{}
	for i := range a.plan.slots {
		key := a.plan.slots[i].path.String()
		s := sums[key]
		if s == nil {
			s = &two{}
			sums[key] = s
		}
		s.before.merge(a.before[i])
		s.after.merge(a.after[i])
		paths[key].before.merge(a.before[i])
		paths[key].after.merge(a.after[i])
	}
	if a.problem != nil {
		return
	}
	switch {
	case a.rows.Before != a.rows.After:
		out.add(Difference{File: file, What: Rows, Before: fmt.Sprint(a.rows.Before), After: fmt.Sprint(a.rows.After)})
	case !a.eachOnce():
		out.add(Difference{File: file, What: Order})
	}
	for _, key := range slices.Sorted(maps.Keys(sums)) {
		if s := sums[key]; s.before != s.after {
			paths[key].differ = true
			out.add(Difference{File: file, Column: key, What: Values, Before: s.before.String(), After: s.after.String()})
		}
	}
}

// eachOnce reports whether the runs of an object have each row of it once.
func (a *account) eachOnce() bool {
	slices.SortFunc(a.runs, func(x, y Run) int {
		return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(x.Rows, y.Rows))
	})
	next := int64(0)
	for _, s := range a.runs {
		if s.First != next {
			return false
		}
		next += s.Rows
	}
	return next == a.rows.Before
}

// String says how many values there are, and their hash.
func (s sum) String() string { return fmt.Sprintf("%d values, hash %s", s.values, s.hash) }

func (h hash) String() string { return fmt.Sprintf("%016x%016x", h.high, h.low) }
