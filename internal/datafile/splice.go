package datafile

import (
	"math"
	"slices"

	"landfall/internal/column"
)

// reel goes through the leaves of a column row by row.
type reel struct {
	infos  []column.LeafInfo
	leaves []column.Leaf
	// at is where the row begins, end where it ends.
	at, end []extent
}

// extent is a place in a leaf: in its levels, and in its values.
type extent struct{ entry, value int }

// wind begins with the first row of a column whose rows may be null.
func wind(c column.Column) *reel {
	r := &reel{infos: column.Leaves(c.Type, true), leaves: c.Leaves}
	r.at, r.end = make([]extent, len(r.infos)), make([]extent, len(r.infos))
	r.find()
	return r
}

// next goes on to the next row.
func (r *reel) next() {
	copy(r.at, r.end)
	r.find()
}

// find looks for the end of the row.
func (r *reel) find() {
	for i := range r.leaves {
		l, e := &r.leaves[i], &r.end[i]
		for first := true; first || e.entry < len(l.Reps) && l.Reps[e.entry] > 0; first = false {
			if l.Defs == nil || e.entry < len(l.Defs) && l.Defs[e.entry] == r.infos[i].MaxDef {
				e.value++
			}
			e.entry++
		}
	}
}

// null reports whether the row is null.
func (r *reel) null() bool {
	l := &r.leaves[0]
	return l.Defs != nil && l.Defs[r.at[0].entry] == 0
}

// equals reports whether two rows of one type are the same, bit by bit.
func (r *reel) equals(o *reel) bool {
	for i := range r.leaves {
		if !slices.Equal(r.defs(nil, i), o.defs(nil, i)) || !slices.Equal(r.reps(i), o.reps(i)) || !r.sameValues(o, i) {
			return false
		}
	}
	return true
}

// defs appends the definition levels of the row.
func (r *reel) defs(to []uint8, i int) []uint8 {
	if r.leaves[i].Defs != nil {
		return append(to, r.leaves[i].Defs[r.at[i].entry:r.end[i].entry]...)
	}
	for range r.end[i].entry - r.at[i].entry {
		to = append(to, r.infos[i].MaxDef)
	}
	return to
}

func (r *reel) reps(i int) []uint8 {
	if r.leaves[i].Reps == nil {
		return nil
	}
	return r.leaves[i].Reps[r.at[i].entry:r.end[i].entry]
}

func (r *reel) sameValues(o *reel, i int) bool {
	a, b := &r.leaves[i], &o.leaves[i]
	from, to, other := r.at[i].value, r.end[i].value, o.at[i].value
	if to-from != o.end[i].value-other {
		return false
	}
	for n := from; n < to; n, other = n+1, other+1 {
		switch {
		case a.Text != nil:
			if string(a.Text.Value(n)) != string(b.Text.Value(other)) {
				return false
			}
		case a.Wide != nil:
			if a.Wide[n] != b.Wide[other] {
				return false
			}
		case a.Floats != nil:
			if math.Float64bits(a.Floats[n]) != math.Float64bits(b.Floats[other]) {
				return false
			}
		case a.Bools != nil:
			if a.Bools[n] != b.Bools[other] {
				return false
			}
		case a.Ints[n] != b.Ints[other]:
			return false
		}
	}
	return true
}

// splice gathers rows of columns of one type.
type splice struct {
	leaves []column.Leaf
}

// add copies the row at which a reel stands.
func (s *splice) add(r *reel) {
	if s.leaves == nil {
		s.leaves = make([]column.Leaf, len(r.leaves))
	}
	for i := range r.leaves {
		from, to := &r.leaves[i], &s.leaves[i]
		to.Defs = r.defs(to.Defs, i)
		to.Reps = append(to.Reps, r.reps(i)...)
		a, b := r.at[i].value, r.end[i].value
		switch {
		case a == b:
		case from.Text != nil:
			if to.Text == nil {
				to.Text = &column.Text{}
			}
			for n := a; n < b; n++ {
				to.Text.AppendValue(from.Text.Value(n))
			}
		case from.Wide != nil:
			to.Wide = append(to.Wide, from.Wide[a:b]...)
		case from.Floats != nil:
			to.Floats = append(to.Floats, from.Floats[a:b]...)
		case from.Bools != nil:
			to.Bools = append(to.Bools, from.Bools[a:b]...)
		default:
			to.Ints = append(to.Ints, from.Ints[a:b]...)
		}
	}
}
