package column

// mostHeld is how many tallies an observer keeps for another object.
const mostHeld = 1 << 10

// Turn makes o the observer of another object, as [NewObserver] returns one for the
// same forms, and keeps its memory. It reports false, and o is of no further use, where
// that is too much, and for objects that are no trees.
func (o *Observer) Turn() bool {
	if len(o.fields)+len(o.typed) > 0 || o.held > mostHeld {
		return false
	}
	o.paths = 0
	o.root.forget()
	return true
}

// forget makes the tally, and those below, one that has counted nothing.
func (t *tally) forget() {
	for i := range t.members {
		m := &t.members[i]
		m.tally.forget()
		*m = member{name: m.name, tally: m.tally}
	}
	if t.element != nil {
		t.element.forget()
	}
	for _, s := range []*shapes{t.bare, t.strings} {
		if s != nil {
			*s = shapes{}
		}
	}
	*t = tally{
		bare: t.bare, strings: t.strings, members: t.members, index: t.index, element: t.element,
		present: t.present, known: t.known[:0],
	}
}
