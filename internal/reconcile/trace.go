package reconcile

import (
	"context"
	"maps"
	"slices"
	"strings"

	"landfall/internal/parquetfile"
	"landfall/internal/reconcile/datum"
)

// trace finds the rows in which an object and its copy differ. It is for one side of
// one object.
type trace struct {
	// rows are the sums of each row of the slots that are traced.
	rows map[int][]uint64
	// wanted are the rows whose values are to be told, by slot, and told what they are.
	wanted map[int]int64
	told   map[int][]string
	// only, if not 0, is the place of the values that are told; others of the row are not.
	only uint64
}

// maxTraced is how many objects are read again to find the rows that differ, and
// maxSums how many sums of rows are kept for it.
const (
	maxTraced = 10
	maxSums   = 1 << 24
)

// add adds a value of the row at hand.
func (x *trace) add(slot int, row int64, digest, place uint64, own *datum.Value) {
	if sums, ok := x.rows[slot]; ok {
		for int64(len(sums)) <= row {
			sums = append(sums, 0)
		}
		sums[row] += datum.Mix(digest ^ place)
		x.rows[slot] = sums
	}
	if at, ok := x.wanted[slot]; ok && at == row && (x.only == 0 || x.only == place) {
		x.told[slot] = append(x.told[slot], datum.Show(own))
	}
}

// locate finds the first row of each value that differs, as far as that can be had
// without reading too much again.
func (r *run) locate(ctx context.Context, out *Report) error {
	byFile := map[string][]*Difference{}
	for i := range out.Differences {
		if d := &out.Differences[i]; d.What == Values {
			byFile[d.File] = append(byFile[d.File], d)
		}
	}
	traced := 0
	for i := range r.accounts {
		differ := byFile[r.Objects[i].Path]
		if len(differ) == 0 || traced == maxTraced {
			continue
		}
		traced++
		if err := r.locateIn(ctx, i, differ); err != nil {
			return err
		}
	}
	return nil
}

// locateIn finds the rows of one object.
func (r *run) locateIn(ctx context.Context, i int, differ []*Difference) error {
	a := &r.accounts[i]
	most := max(a.rows.Before, a.rows.After, 1)
	of := map[int]*Difference{}
	for _, d := range differ {
		for slot := range a.plan.slots {
			if a.plan.slots[slot].path.String() == d.Column && a.before[slot] != a.after[slot] && int64(len(of)+1)*most <= maxSums {
				of[slot] = d
			}
		}
	}
	was, is := &trace{rows: map[int][]uint64{}}, &trace{rows: map[int][]uint64{}}
	for slot := range of {
		was.rows[slot], is.rows[slot] = nil, nil
	}
	if ok, err := r.again(ctx, i, was, is); !ok {
		return err
	}
	wanted := map[int]int64{}
	for slot := range of {
		if row, ok := apart(was.rows[slot], is.rows[slot]); ok {
			wanted[slot] = row
		}
	}
	was = &trace{wanted: wanted, told: map[int][]string{}}
	is = &trace{wanted: wanted, told: map[int][]string{}}
	if ok, err := r.again(ctx, i, was, is); !ok {
		return err
	}
	for _, slot := range slices.Sorted(maps.Keys(wanted)) {
		if d, row := of[slot], wanted[slot]+1; d.Row == 0 || row < d.Row {
			d.Row, d.Before, d.After = row, was.text(slot), is.text(slot)
		}
	}
	return nil
}

// text is what was told of a slot.
func (x *trace) text(slot int) string { return cut(strings.Join(x.told[slot], ", ")) }

// apart returns the first row in which sums differ.
func apart(a, b []uint64) (int64, bool) {
	for len(a) < len(b) {
		a = append(a, 0)
	}
	for row := range a {
		if row >= len(b) && a[row] != 0 || row < len(b) && a[row] != b[row] {
			return int64(row), true
		}
	}
	return 0, false
}

// again reads an object and its copy once more; ok is false if something of them
// cannot be read any longer.
func (r *run) again(ctx context.Context, i int, was, is *trace) (ok bool, err error) {
	a := &r.accounts[i]
	t, others := newTeller(a.plan), newTeller(nil)
	t.trace = was
	t.begin(i, a.folders)
	problem, err := r.with(ctx, i, func(f *parquetfile.File) error {
		_, err := tellObject(ctx, t, f, a)
		return err
	})
	if problem != nil || err != nil {
		return false, err
	}
	t = newTeller(a.plan)
	t.trace = is
	one := sink{
		teller: func(object int) *teller {
			if object == i {
				return t
			}
			return others
		},
		done: func(*teller, int, int) {},
	}
	for k := range r.Files {
		f := &r.Files[k]
		if r.broken[k] != nil || !f.holds(i) {
			continue
		}
		if problem, err := r.readRows(ctx, f, one); problem != nil || err != nil {
			return false, err
		}
	}
	return true, nil
}

// holds reports whether a data file has rows of an object.
func (f *DataFile) holds(object int) bool {
	for _, s := range f.Runs {
		if s.Object == object {
			return true
		}
	}
	return false
}
