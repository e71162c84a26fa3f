package contract

import (
	"cmp"
	"slices"

	"landfall/internal/schema"
)

// Hints pin the types of columns by path (cloudFiles.schemaHints). The zero
// value pins nothing. They never change.
type Hints struct {
	// Text is what a person wrote.
	Text string
	// top holds the columns in the order in which they were named first.
	top    []*HintNode
	byName map[string]*HintNode
}

// HintNode is what hints say of a column or of a part of one: its type, or the
// parts that they speak of, which are fields of a struct, the element of an
// array, or key and value of a map.
type HintNode struct {
	// Name is the name as the hint spells it.
	Name string
	// Type is the whole type, nil if only parts are hinted.
	Type schema.Type
	// Fields are the hinted fields of a struct, in the order of the hints.
	Fields []*HintNode
	// Element, Key and Value are set where a hint names nothing else of the
	// column. They may still turn out to be fields of these names: see Apply.
	Element, Key, Value *HintNode
	// At is the 1-based character of the first hint that names it.
	At int

	// typed is the declaration that gave the type.
	typed schema.Declared
}

// IsZero reports whether nothing is hinted.
func (h Hints) IsZero() bool { return len(h.top) == 0 }

// For returns what is hinted of a column, by its original name in any casing.
func (h Hints) For(name string) (*HintNode, bool) {
	n, ok := h.byName[schema.Fold(schema.TrimName(name))]
	return n, ok
}

// Names lists the columns that hints name, in their order and spelling. One
// that no file has had yet is a column all the same.
func (h Hints) Names() []string {
	names := make([]string, len(h.top))
	for i, n := range h.top {
		names[i] = n.Name
	}
	return names
}

// Apply returns the hinted type of what evidence has found a type for. A whole
// type replaces that; of parts, those that are not there are added, last and in
// the order of the hints, and those that are there get the spelling of the hint
// unless they are stored under another name than their own. Hence Apply is not
// for what has landed.
//
// "element", "key" and "value" are fields where the objects have fields of these
// names or other fields are hinted beside them, and "element" wherever there are
// objects. Else "element" makes an array, and "key" and "value" a map; of an
// object its values are those of all members. A key that is no scalar is a field
// too. Any other name makes a struct.
func (n *HintNode) Apply(inferred schema.Type) schema.Type {
	if n.Type != nil {
		return n.Type
	}
	switch t := inferred.(type) {
	case schema.Struct:
		if !n.isMap() || n.names(t) {
			return n.structure(t)
		}
		values := schema.Type(schema.Unknown)
		for _, f := range t.Fields {
			values, _ = schema.Join(values, f.Type)
		}
		return n.mapping(schema.Map{Key: schema.String, Value: values, ValueContainsNull: true})
	case schema.Array:
		if n.Element != nil {
			t.Element = n.Element.Apply(t.Element)
			return t
		}
	case schema.Map:
		if n.Key != nil || n.Value != nil {
			return n.mapping(t)
		}
	}
	switch {
	case n.Element != nil:
		return schema.Array{Element: n.Element.Apply(schema.Unknown), ContainsNull: true}
	case n.isMap():
		return n.mapping(schema.Map{Key: schema.String, Value: schema.Unknown, ValueContainsNull: true})
	default:
		return n.structure(schema.Struct{})
	}
}

// Part returns what is hinted of a part: a field, or "element", "key" or "value",
// in any casing. Of a whole type it has the type of that part.
func (n *HintNode) Part(name string) (*HintNode, bool) {
	if n.Type != nil {
		t := partOf(n.Type, name)
		if s, ok := n.Type.(schema.Struct); ok && t != nil {
			name = s.Fields[s.Lookup(name)].Name
		}
		return &HintNode{Name: name, Type: t, At: n.At}, t != nil
	}
	want := schema.Fold(name)
	for _, p := range n.parts() {
		if schema.Fold(p.Name) == want {
			return p, true
		}
	}
	return nil, false
}

// isMap reports whether the hinted parts are those of a map that text can have.
func (n *HintNode) isMap() bool {
	return n.Value != nil && n.Key == nil || n.Key != nil && n.Key.Type != nil && isKey(n.Key.Type)
}

// isKey reports whether a type can be that of a map's keys.
func isKey(t schema.Type) bool {
	switch t.(type) {
	case schema.Primitive, schema.Decimal:
		return true
	default:
		return false
	}
}

// mapping applies the hints on key and value.
func (n *HintNode) mapping(m schema.Map) schema.Type {
	if n.Key != nil {
		m.Key = n.Key.Apply(m.Key)
	}
	if n.Value != nil {
		m.Value = n.Value.Apply(m.Value)
	}
	return m
}

// parts are the hinted parts, whatever they are parts of.
func (n *HintNode) parts() []*HintNode {
	if len(n.Fields) > 0 {
		return n.Fields
	}
	parts := slices.DeleteFunc([]*HintNode{n.Element, n.Key, n.Value}, func(p *HintNode) bool { return p == nil })
	slices.SortFunc(parts, func(a, b *HintNode) int { return cmp.Compare(a.At, b.At) })
	return parts
}

// names reports whether a struct has a field for every hinted part.
func (n *HintNode) names(s schema.Struct) bool {
	return !slices.ContainsFunc(n.parts(), func(p *HintNode) bool { return p.in(s) < 0 })
}

// in is the position of the field that a hint speaks of, or -1.
func (n *HintNode) in(s schema.Struct) int {
	want := schema.Fold(n.Name)
	return slices.IndexFunc(s.Fields, func(f schema.Field) bool {
		name, k := schema.Original(f)
		return schema.Fold(numbered(name, k)) == want
	})
}

// structure applies the hints on fields.
func (n *HintNode) structure(s schema.Struct) schema.Type {
	fields := slices.Clone(s.Fields)
	for _, p := range n.parts() {
		i := p.in(s)
		if i < 0 {
			fields = append(fields, schema.Field{Name: p.Name, Type: p.Apply(schema.Unknown), Nullable: true})
			continue
		}
		f := &fields[i]
		f.Type = p.Apply(f.Type)
		if _, stored := f.Metadata[schema.OriginalKey]; !stored {
			f.Name = p.Name
		}
	}
	return schema.Struct{Fields: fields}
}
