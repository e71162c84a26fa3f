package conform

import (
	"landfall/internal/column"
	"landfall/internal/leaf"
	"landfall/internal/recode"
	"landfall/internal/rescue"
	"landfall/internal/schema"
	"landfall/internal/verdict"
)

// way is how values of a part of a file's type come into the table.
type way uint8

const (
	nowhere    way = iota // no field takes them
	misfits               // none of them is one of the field's
	converted             // scalars
	structured            // the fields of a struct, one by one
	listed
	mapped
	written // as their JSON, to a string
)

// link is a part of the type of a typed field, and the node that takes it.
type link struct {
	way  way
	part *rescue.Part
	node *node // nil if nowhere
	// rule is that of values that no field takes; other casings and names that
	// the contract does not know have one of their own.
	rule *verdict.Rule
	// key is the name of a struct's field.
	key rescue.Key
	// fields are those of the file's struct, absent what the table's has beside.
	fields []*link
	absent []*node
	// mapKey and element are what a map or array holds, names those of a map's
	// entries.
	mapKey, element *link
	names           *rescue.Keys

	coder *recode.Recoder
	// values are those of the slab that are converted, and missing the positions
	// of those that are not; the first next of them are passed.
	values  column.Leaf
	missing []recode.Misfit
	next    int
	// text is what was written.
	text []byte
}

// link finds out how the values of a part come into a node.
func (f *Fitter) link(p *rescue.Part, n *node) (*link, error) {
	l := &link{way: misfits, part: p, node: n, rule: n.misfit}
	var err error
	switch t := p.Type.(type) {
	case schema.Struct:
		switch {
		case n.kind == asStruct:
			l.way = structured
			err = f.linkFields(l, t)
		case n.typ == schema.String:
			l.way = written
		}
	case schema.Array:
		switch {
		case n.kind == asArray:
			l.way = listed
			l.element, err = f.link(p.Element, n.element)
		case n.typ == schema.String:
			l.way = written
		}
	case schema.Map:
		switch {
		case n.key != nil:
			l.way = mapped
			err = f.linkMap(l)
		case n.typ == schema.String:
			l.way = written
		}
	default:
		err = f.linkScalar(l)
	}
	return l, err
}

func (f *Fitter) linkScalar(l *link) (err error) {
	n := l.node
	if n.kind == asStruct || n.kind == asArray || n.key != nil || f.strict && n.scalar.Numeric() && l.part.Type == schema.String {
		return nil
	}
	l.way = converted
	l.coder, err = recode.New(l.part.Type, n.typ, recode.Options{Forms: f.forms, Clocks: true})
	return err
}

// linkMap links a map. Keys convert only where two of them cannot become one.
func (f *Fitter) linkMap(l *link) (err error) {
	if l.mapKey, err = f.link(l.part.Key, l.node.key); err != nil {
		return err
	}
	from, to := l.part.Key.Type, l.node.key.typ
	if l.mapKey.way == converted && from != to && !schema.Widens(from, to) && to != schema.String {
		l.mapKey.way = misfits
	}
	if l.element, err = f.link(l.part.Element, l.node.element); err != nil {
		return err
	}
	if l.mapKey.way != converted && !l.same(l.node.nullable) {
		l.way = misfits
	}
	return nil
}

// linkFields links the fields of a struct by the one rule for names. Of several
// that stand for one field that nearest to its spelling is taken, the first of
// equals.
func (f *Fitter) linkFields(l *link, t schema.Struct) error {
	ns := l.node.names
	ns.begin()
	spellings := make([]*spelling, len(t.Fields))
	winners := make([]int, len(ns.slots))
	for i, field := range t.Fields {
		sp := ns.learn(field.Name, false, nil)
		spellings[i] = sp
		if sp.slot < 0 {
			continue
		}
		if w := winners[sp.slot]; w == 0 || sp.rank > spellings[w-1].rank {
			winners[sp.slot] = i + 1
		}
	}
	for i, name := range rescue.NthNames(t) {
		sp, part := spellings[i], &l.part.Fields[i]
		below := &link{part: part}
		switch {
		case sp.slot >= 0 && winners[sp.slot] == i+1:
			var err error
			if below, err = f.link(part, ns.slots[sp.slot].node); err != nil {
				return err
			}
		default:
			below.rule = ns.left(sp)
		}
		below.key = verdict.NewKey(name, false)
		l.fields = append(l.fields, below)
	}
	for i, w := range winners {
		if w == 0 {
			l.absent = append(l.absent, ns.slots[i].node)
		}
	}
	return nil
}

// same reports whether the leaves of the part are those of the node: all of it
// may be null, but keys of maps and, if nullable is false, the column itself; it
// has the same types, and they stand at the same places.
func (l *link) same(nullable bool) bool {
	if l.node == nil || l.node.nullable != nullable {
		return false
	}
	switch l.way {
	case converted:
		return l.part.Type == l.node.typ
	case structured:
		if len(l.absent) > 0 || len(l.fields) != len(l.node.names.slots) {
			return false
		}
		for i, below := range l.fields {
			if below.node != l.node.names.slots[i].node || !below.same(true) {
				return false
			}
		}
		return true
	case listed:
		return l.element.same(true)
	case mapped:
		return l.mapKey.same(false) && l.element.same(true)
	default:
		return false
	}
}

// begin converts the scalars of a slab.
func (l *link) begin(leaves []column.Leaf) {
	if l.way == converted {
		from := &leaves[l.part.First]
		n := leaf.Values(from)
		c := column.Column{Type: l.part.Type, Leaves: []column.Leaf{*from}}
		c.Leaves[0].Defs, c.Leaves[0].Reps = nil, nil
		c, l.missing = l.coder.Recode(c, n)
		l.values, l.next = c.Leaves[0], 0
		for _, target := range l.node.leaves {
			target.Reset(leaf.Data(&l.values), false)
		}
	}
	if l.way == written {
		l.node.leaves[0].Reset(l.text[:0], false)
	}
	for _, below := range l.fields {
		below.begin(leaves)
	}
	if l.mapKey != nil {
		l.mapKey.begin(leaves)
	}
	if l.element != nil {
		l.element.begin(leaves)
	}
}
