package conform

import (
	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/rescue"
	"landfall/internal/schema"
	"landfall/internal/verdict"
)

// names finds what the names of an object's members stand for. It remembers
// each spelling that it met, and in which order the last object had them: most
// records are written by one program.
type names struct {
	f    *Fitter
	path schema.Path
	// root is set for the records themselves.
	root bool
	// find and slots are the fields that a value can land in.
	find  *contract.Names
	slots []slot
	// voids are fields that the contract knows and the table does not have.
	voids     *contract.Names
	voidTypes []schema.Type

	known  map[string]*spelling
	order  []*spelling
	shapes []*knownShape
	// object counts the objects, so that what is said of the present one need
	// not be cleared.
	object uint64
}

// slot is a field of a struct, or a column, as the present object has it.
type slot struct {
	node *node // nil if the table does not have it
	// target is set for columns, folder where a folder's value is the column's.
	target *target
	folder *folderValue
	// rule is that of a column without a node.
	rule *verdict.Rule
	// by is the spelling that stands for the field in this object.
	object uint64
	by     *spelling
}

// spelling is one way to write a name.
type spelling struct {
	rescue.Key
	text string
	path schema.Path
	// slot is the field that it stands for, -1 for none; rank tells how near it
	// is to the contract's own spelling.
	slot int
	rank uint8
	// rule is for values under a name that no field has; losing, twice and
	// remark are made when they are needed.
	rule, losing, twice, remark *verdict.Rule
	// last is its last meeting in the present object.
	object uint64
	last   int
}

// meeting is a member of an object.
type meeting struct {
	member uint32
	by     *spelling
	// before is the meeting with an equal name before it, -1 for none; later is
	// set if one comes after it.
	before int
	later  bool
}

const (
	// maxSpellings is how many are remembered from object to object.
	maxSpellings = 4096
	maxOrder     = 1024
)

// begin prepares for the next object.
func (ns *names) begin() {
	ns.object++
	if ns.known == nil || len(ns.known) > maxSpellings+len(ns.slots) {
		ns.known, ns.order = make(map[string]*spelling), ns.order[:0]
	}
}

// at returns the spelling of member m, the i-th of its object.
func (ns *names) at(t *column.Tape, i int, m uint32) *spelling {
	text, lone := t.Text(m), t.Nodes[m].Flags&column.Lone != 0
	if i < len(ns.order) && !lone && ns.order[i].text == string(text) {
		return ns.order[i]
	}
	var sp *spelling
	if !lone {
		sp = ns.known[string(text)]
	} else {
		sp = ns.known["\xff"+string(text)] // no text begins so
	}
	if sp == nil {
		sp = ns.learn(string(text), lone, t.Raw(m))
	}
	if i < len(ns.order) {
		ns.order[i] = sp
	} else if i < maxOrder {
		ns.order = append(ns.order, sp)
	}
	return sp
}

// learn finds out what a name stands for. Half of a surrogate pair is no text,
// and no field's name.
func (ns *names) learn(text string, lone bool, raw []byte) *spelling {
	sp := &spelling{text: text, path: ns.path.Child(text), slot: -1}
	sp.Key = verdict.NewKey(text, ns.root)
	if lone {
		sp.text = "\xff" + text
		sp.Key = rescue.RawKey(text, raw)
		sp.rule = ns.f.book.UnknownRule(sp.path)
	} else {
		ns.resolve(sp)
	}
	ns.known[sp.text] = sp
	return sp
}

func (ns *names) resolve(sp *spelling) {
	at, why := ns.find.Find(sp.text)
	switch {
	case at >= 0 && ns.slots[at].node == nil && ns.slots[at].folder == nil:
		sp.rule = ns.slots[at].rule
	case at >= 0:
		sp.slot = at
		switch original := ns.find.Spelling(sp.text); {
		case original == sp.text:
			sp.rank = 2
		case original == schema.TrimName(sp.text):
			sp.rank = 1
		}
	case why == contract.WhyCase:
		sp.rule = ns.recased(sp)
	case why == contract.WhyIgnored:
		sp.rule = ns.f.book.DropRule(sp.path, why)
	case ns.root && (ns.f.reserves(sp.text) || ns.f.retired[schema.Fold(schema.TrimName(sp.text))]):
		sp.rule = ns.f.book.SpillRule(sp.path, why)
	default:
		sp.rule = ns.void(sp)
	}
}

// void is the rule for a name of which no field of the table is.
func (ns *names) void(sp *spelling) *verdict.Rule {
	if ns.voids != nil {
		if at, _ := ns.voids.Find(sp.text); at >= 0 {
			return ns.f.book.SpillRule(sp.path, contract.WhyType+":"+ns.voidTypes[at].String())
		}
	}
	return ns.f.book.UnknownRule(sp.path)
}

// meet meets a member, and lets its spelling stand for the field if it is
// nearer to the contract's than the others of this object. The first of equals
// stands.
func (ns *names) meet(met []meeting, m uint32, sp *spelling) []meeting {
	x := meeting{member: m, by: sp, before: -1}
	if sp.object == ns.object {
		x.before = sp.last
		met[sp.last].later = true
	} else if sp.object = ns.object; sp.slot >= 0 {
		s := &ns.slots[sp.slot]
		if s.object != ns.object || sp.rank > s.by.rank {
			s.object, s.by = ns.object, sp
		}
	}
	sp.last = len(met)
	return append(met, x)
}

// slotOf is the field that takes the value under a spelling, nil for none.
func (ns *names) slotOf(sp *spelling) *slot {
	if sp.slot < 0 || ns.slots[sp.slot].by != sp {
		return nil
	}
	return &ns.slots[sp.slot]
}

// left is the rule for a value that no field takes.
func (ns *names) left(sp *spelling) *verdict.Rule {
	if sp.slot < 0 {
		return sp.rule
	}
	if sp.losing == nil {
		sp.losing = ns.recased(sp)
	}
	return sp.losing
}

// recased is the rule for a casing of a field's name that does not stand for it.
func (ns *names) recased(sp *spelling) *verdict.Rule {
	r := ns.f.book.SpillRule(sp.path, contract.WhyCase)
	r.Recased(sp.path, ns.find.Spelling(sp.text))
	return r
}
