package conform

import (
	"slices"

	"landfall/internal/column"
)

// knownShape says where the values of objects of one shape go: each of its names
// stands there once, and one object was fitted name by name.
type knownShape struct {
	shapes *column.Shapes
	shape  uint16
	// places are those of the values in the order of the names, absent the fields
	// that have none; not of a root.
	places []known
	absent []*node
}

// known is the place of a value: the field that takes it, nil for none, and the
// spelling of its name.
type known struct {
	slot *slot
	by   *spelling
}

// mostKnown is how many shapes the names of one place have room for.
const mostKnown = 16

// knownShape returns what is known of the shape of object v, nil for nothing. What
// was met last is looked at first.
func (ns *names) knownShape(t *column.Tape, v uint32) *knownShape {
	shape := t.Nodes[v].Hint
	if shape == column.NoShape {
		return nil
	}
	for i := range ns.shapes {
		if k := ns.shapes[i]; k.shape == shape && k.shapes == t.Shapes {
			if i > 0 {
				ns.shapes[0], ns.shapes[i] = k, ns.shapes[0]
			}
			return k
		}
	}
	return nil
}

// keepShape remembers the shape of object v, whose members were met, unless a name is
// there twice.
func (ns *names) keepShape(t *column.Tape, v uint32, met []meeting) {
	shape := t.Nodes[v].Hint
	if shape == column.NoShape {
		return
	}
	if len(ns.shapes) == mostKnown { // those of other readers may be gone
		ns.shapes = slices.DeleteFunc(ns.shapes, func(k *knownShape) bool { return k.shapes != t.Shapes })
	}
	if len(ns.shapes) == mostKnown {
		return
	}
	k := &knownShape{shapes: t.Shapes, shape: shape, places: make([]known, len(met))}
	for i, x := range met {
		if x.later {
			return
		}
		k.places[i] = known{ns.slotOf(x.by), x.by}
	}
	for i := range ns.slots {
		if s := &ns.slots[i]; !ns.root && s.object != ns.object {
			k.absent = append(k.absent, s.node)
		}
	}
	ns.shapes = append(ns.shapes, k)
}

// knownMembers fits the members of an object of a known shape: what members does,
// without looking at a name.
func (f *Fitter) knownMembers(ns *names, k *knownShape, v uint32, rep uint8) outcome {
	nodes, m := f.tape.Nodes, f.tape.First(v)
	for i := range k.places {
		p := &k.places[i]
		if f.place(ns, p.slot, p.by, m+1, rep) == broken {
			return broken
		}
		m = nodes[m].Next
	}
	for _, n := range k.absent {
		f.null(n, rep)
	}
	return landed
}
