package column

import "slices"

// knownShape is a shape of objects whose names were found once: each of them once,
// and all of them counted.
type knownShape struct {
	shapes *Shapes
	shape  uint16
	// members are the tallies of the values, in the order of the names.
	members []*tally
}

// mostKnown is how many shapes a path has room for.
const mostKnown = 16

// knownShape returns the shape of the object at node i, nil if it is not known. What
// was met last is looked at first.
func (t *tally) knownShape(tape *Tape, i uint32) *knownShape {
	shape := tape.Nodes[i].Hint
	if shape == NoShape {
		return nil
	}
	for k := range t.known {
		if t.known[k].shape == shape && t.known[k].shapes == tape.Shapes {
			if k > 0 {
				t.known[0], t.known[k] = t.known[k], t.known[0]
			}
			return &t.known[0]
		}
	}
	return nil
}

// learn makes the shape of the object at node i known, whose members are present.
func (t *tally) learn(tape *Tape, i uint32) {
	shape := tape.Nodes[i].Hint
	if shape == NoShape || len(t.known) == mostKnown {
		return
	}
	n := len(t.known)
	t.known = slices.Grow(t.known, 1)[:n+1]
	known := &t.known[n]
	known.shapes, known.shape, known.members = tape.Shapes, shape, known.members[:0]
	for _, m := range t.present {
		known.members = append(known.members, t.members[m].tally)
	}
}
