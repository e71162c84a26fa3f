package evolution

import (
	"fmt"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/hint"
	"landfall/internal/schema"
)

// hintOn is what the hints say about a column under any of its names, nil for
// nothing.
func (e *evolution) hintOn(c contract.Column) *hint.Node {
	if h := e.policy.Hints.For(c.Title()); h != nil {
		return h
	}
	for _, name := range e.index.Aliases(c) {
		if h := e.policy.Hints.For(name); h != nil {
			return h
		}
	}
	return nil
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
func (g growth) held(path schema.Path, t schema.Type, h *hint.Node) bool {
	if h == nil {
		return false
	}
	want := h.Apply(t)
	if shape(want) == shape(t) && (shape(t) != "scalar" || want.String() == t.String()) {
		return false
	}
	if shape(t) == "scalar" && h.Type == nil {
		d := diag.New(diag.BadOption, "found a hint for a part of %s, which has landed as %s", path, t)
		g.failed.Add(d.Hinted("hint the type of %s itself, or land all of it again under the hint: landfall reset --reprocess", path))
		return true
	}
	g.hold(path, t, want)
	return true
}

// hold notes a hint that what has landed cannot follow.
func (g growth) hold(path schema.Path, t, want schema.Type) {
	g.noteAt(path, event.HintHeld, "hold", event.Drift{
		From: t.String(), To: want.String(),
		Hint: "landfall reset --reprocess lands all of it again under the hint",
	})
}

// hinted are the fields of a struct that hints name and nobody has had.
func (g growth) hinted(path schema.Path, names *contract.Names, came map[string]string, h *hint.Node) []fresh {
	var out []fresh
	for _, p := range h.Parts() {
		if at, why := names.Find(p.Name); at >= 0 || why == contract.WhyCase || came[schema.Fold(p.Name)] != "" {
			continue
		}
		below := path.Child(p.Name)
		if g.closed {
			g.hold(below, schema.Unknown, p.Apply(schema.Unknown))
			continue
		}
		g.room--
		t := g.stored(below, p.Apply(schema.Unknown), "")
		g.noteAt(below, event.ColumnAdded, "hint", event.Drift{To: t.String()})
		out = append(out, fresh{Field: schema.Field{Name: p.Name, Type: t, Nullable: true}})
	}
	return out
}

// hintColumns adds the columns that hints name and nobody has had.
func (e *evolution) hintColumns() {
	if e.objects == 0 {
		return // nothing landed
	}
	has := make(map[string]bool, len(e.index.Columns))
	for _, c := range e.index.Columns {
		has[schema.Fold(c.Title())] = true
	}
	for _, h := range e.policy.Hints.Columns() {
		if e.flat && (h.Type == nil || shape(h.Type) != "scalar") {
			e.failNested(h)
		}
		c := contract.Column{Original: h.Name, Hinted: true}
		if folded := schema.Fold(h.Name); has[folded] || e.index.Mapped(h.Name) || e.index.Ignores(c) || e.policy.Reserves(folded) {
			continue
		}
		decision := "hint"
		if t := e.tableField(c); t != nil {
			c.Name, decision = t.Name, "adopt"
			c.SetType(t.Type)
		}
		at := e.addColumn(c)
		e.untyped = append(e.untyped, untyped{event: e.noteOf(c, event.ColumnAdded, decision, event.Drift{}), column: at})
	}
}

// failNested refuses a hint that no column of a flat file can follow.
func (e *evolution) failNested(h *hint.Node) {
	found := "a hint for parts of it"
	if h.Type != nil {
		found = h.Type.String()
	}
	d := diag.New(diag.BadOption, "column %s: found %s at character %d of the hints, want a scalar type: the files have no nesting",
		diag.Quote(h.Name), found, h.At)
	e.failed.Add(d.Hinted("hint a scalar type; a name that has dots stands in backticks: %s", fmt.Sprintf("`%s.…`", h.Name)))
}
