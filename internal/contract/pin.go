package contract

import (
	"fmt"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// pin is what the hints say about one path; the zero value says nothing.
type pin struct {
	// node is the hint on the path or on parts of it; whole is the type where a
	// hint gave that of something which the path is part of.
	node  *HintNode
	whole schema.Type
	// name is the hint's spelling.
	name string
}

// pin returns what the hints say about a column.
func (p Policy) pin(original string, k int) pin {
	if n, ok := p.Hints.For(numbered(original, k)); ok {
		return pin{node: n, name: n.Name, whole: n.Type}
	}
	return pin{}
}

// none reports whether no hint names the path or a part of it.
func (p pin) none() bool { return p.node == nil && p.whole == nil }

// child is what the hints say about a part.
func (p pin) child(name string) pin {
	folded := schema.Fold(name)
	if s, ok := p.whole.(schema.Struct); ok {
		if i := s.Lookup(name); i >= 0 {
			return pin{whole: s.Fields[i].Type, name: s.Fields[i].Name}
		}
		return pin{}
	}
	if p.whole != nil {
		return pin{whole: partOf(p.whole, name), name: name}
	}
	if p.node != nil {
		for _, c := range p.node.parts() {
			if schema.Fold(c.Name) == folded {
				return pin{node: c, name: c.Name, whole: c.Type}
			}
		}
	}
	return pin{}
}

// children names the parts that the hints speak of, in their order.
func (p pin) children() []string {
	var names []string
	if s, ok := p.whole.(schema.Struct); ok {
		for _, f := range s.Fields {
			names = append(names, f.Name)
		}
	} else if p.whole == nil && p.node != nil {
		for _, c := range p.node.parts() {
			names = append(names, c.Name)
		}
	}
	return names
}

// apply returns the hinted type of what evidence has found a type for.
func (p pin) apply(t schema.Type) schema.Type {
	switch {
	case p.whole != nil:
		return p.whole
	case p.node != nil:
		return p.node.Apply(t)
	default:
		return t
	}
}

// shape is the kind of a type: what a hint on parts of it must agree with.
func shape(t schema.Type) string {
	switch t.(type) {
	case schema.Struct:
		return "struct"
	case schema.Array:
		return "array"
	case schema.Map:
		return "map"
	default:
		return "scalar"
	}
}

// held reports whether a hint wants another type than one that has landed, and
// notes it: the type stays.
func (g growth) held(path schema.Path, t schema.Type, p pin) bool {
	if p.none() {
		return false
	}
	want := p.apply(t)
	if shape(want) == shape(t) && (shape(t) != "scalar" || want.String() == t.String()) {
		return false
	}
	if shape(t) == "scalar" && p.whole == nil {
		d := diag.New(diag.BadOption, "found a hint for a part of %s, which has landed as %s", path, t)
		g.failed.Add(d.Hinted("hint the type of %s itself, or land all of it again under the hint: landfall reset --reprocess", path))
		return true
	}
	g.noteAt(path, event.HintHeld, "hold", event.Drift{
		From: t.String(), To: want.String(),
		Hint: "landfall reset --reprocess lands all of it again under the hint",
	})
	return true
}

// pinned are the fields of a struct that hints name and nobody has had.
func (g growth) pinned(path schema.Path, names *Names, came map[string]string, p pin) []fresh {
	var out []fresh
	for _, name := range p.children() {
		if at, why := names.Find(name); at >= 0 || why == WhyCase || came[schema.Fold(name)] != "" {
			continue
		}
		g.room--
		below := path.Child(name)
		t := g.stored(below, p.child(name).apply(schema.Unknown), "")
		g.noteAt(below, event.ColumnAdded, "hint", event.Drift{To: t.String()})
		out = append(out, fresh{Field: schema.Field{Name: name, Type: t, Nullable: true}})
	}
	return out
}

// hintColumns adds the columns that hints name and nobody has had.
func (e *evolution) hintColumns() {
	if e.objects == 0 {
		return // nothing landed
	}
	has := make(map[string]bool, len(e.index.columns))
	for _, c := range e.index.columns {
		has[schema.Fold(c.title())] = true
	}
	for _, name := range e.policy.Hints.Names() {
		n, _ := e.policy.Hints.For(name)
		if e.flat && (n.Type == nil || shape(n.Type) != "scalar") {
			e.failNested(n)
		}
		if folded := schema.Fold(name); has[folded] || e.policy.reserves(folded) {
			continue
		}
		c := Column{Original: name, Hinted: true}
		decision := "hint"
		if t := e.tableField(c); t != nil {
			c.Name, decision = t.Name, "adopt"
			c.setType(t.Type)
		}
		at := e.addColumn(c)
		e.untyped = append(e.untyped, untyped{event: e.noteOf(c, event.ColumnAdded, decision, event.Drift{}), column: at})
	}
}

// failNested refuses a hint that no column of a flat file can follow.
func (e *evolution) failNested(n *HintNode) {
	found := "a hint for parts of it"
	if n.Type != nil {
		found = n.Type.String()
	}
	d := diag.New(diag.BadOption, "column %s: found %s at character %d of the hints, want a scalar type: the files have no nesting",
		diag.Quote(n.Name), found, n.At)
	e.failed.Add(d.Hinted("hint a scalar type; a name that has dots stands in backticks: %s", fmt.Sprintf("`%s.…`", n.Name)))
}
