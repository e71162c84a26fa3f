package hint

import (
	"cmp"
	"slices"

	"landfall/internal/schema"
)

// Node is what hints say of a column or of a part of one: its type, or the parts
// that they speak of, which are fields of a struct, the element of an array, or
// key and value of a map.
type Node struct {
	// Name is the name as the hint spells it.
	Name string
	// Type is the whole type, nil if only parts are hinted.
	Type schema.Type
	// At is the 1-based character of the first hint that names it.
	At int

	// fields are the hinted fields of a struct, in the order of the hints.
	fields []*Node
	// element, key and value are set where a hint names nothing else of the
	// column. They may still turn out to be fields of these names: see Apply.
	element, key, value *Node
	// typed is the declaration that gave the type.
	typed schema.Declared
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
func (n *Node) Apply(inferred schema.Type) schema.Type {
	switch {
	case n == nil:
		return inferred
	case n.Type != nil:
		return open(n.Type, inferred)
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
		if n.element != nil {
			t.Element = n.element.Apply(t.Element)
			return t
		}
	case schema.Map:
		if n.key != nil || n.value != nil {
			return n.mapping(t)
		}
	}
	switch {
	case n.element != nil:
		return schema.Array{Element: n.element.Apply(schema.Unknown), ContainsNull: true}
	case n.isMap():
		return n.mapping(schema.Map{Key: schema.String, Value: schema.Unknown, ValueContainsNull: true})
	default:
		return n.structure(schema.Struct{})
	}
}

// open is a hinted type with the fields beside that its structs have in the files:
// a hint says what it names, and what it does not name may come later too.
func open(t, inferred schema.Type) schema.Type {
	switch t := t.(type) {
	case schema.Struct:
		was, ok := inferred.(schema.Struct)
		if !ok {
			return t
		}
		out := schema.Struct{Fields: slices.Clone(t.Fields)}
		for i, f := range t.Fields {
			if at := fieldOf(was, f.Name); at >= 0 {
				out.Fields[i].Type = open(f.Type, was.Fields[at].Type)
			}
		}
		for _, f := range was.Fields {
			original, _ := schema.Original(f)
			if out.Lookup(original) < 0 {
				out.Fields = append(out.Fields, f)
			}
		}
		return out
	case schema.Array:
		if was, ok := inferred.(schema.Array); ok {
			t.Element = open(t.Element, was.Element)
		}
		return t
	default:
		return t
	}
}

// fieldOf finds a field by its original name, in any casing.
func fieldOf(s schema.Struct, name string) int {
	want := schema.Fold(name)
	return slices.IndexFunc(s.Fields, func(f schema.Field) bool {
		original, _ := schema.Original(f)
		return schema.Fold(original) == want
	})
}

// Spelling is the hint's spelling of the name, "" where nothing is hinted.
func (n *Node) Spelling() string {
	if n == nil {
		return ""
	}
	return n.Name
}

// Part returns what is hinted of a part: a field, or "element", "key" or "value",
// in any casing; nil for nothing. Of a whole type it has the type of that part.
func (n *Node) Part(name string) *Node {
	if n == nil {
		return nil
	}
	if n.Type != nil {
		t := partOf(n.Type, name)
		if t == nil {
			return nil
		}
		if s, ok := n.Type.(schema.Struct); ok {
			name = s.Fields[s.Lookup(name)].Name
		}
		return &Node{Name: name, Type: t, At: n.At}
	}
	want := schema.Fold(name)
	for _, p := range n.Parts() {
		if schema.Fold(p.Name) == want {
			return p
		}
	}
	return nil
}

// Parts returns the parts that hints speak of, in their order. Those of a whole
// type are the fields of a struct.
func (n *Node) Parts() []*Node {
	switch {
	case n == nil:
		return nil
	case n.Type != nil:
		s, _ := n.Type.(schema.Struct)
		parts := make([]*Node, len(s.Fields))
		for i, f := range s.Fields {
			parts[i] = &Node{Name: f.Name, Type: f.Type, At: n.At}
		}
		return parts
	case len(n.fields) > 0:
		return n.fields
	}
	parts := slices.DeleteFunc([]*Node{n.element, n.key, n.value}, func(p *Node) bool { return p == nil })
	slices.SortFunc(parts, func(a, b *Node) int { return cmp.Compare(a.At, b.At) })
	return parts
}

// isMap reports whether the hinted parts are those of a map that text can have.
func (n *Node) isMap() bool {
	return n.value != nil && n.key == nil || n.key != nil && n.key.Type != nil && isKey(n.key.Type)
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
func (n *Node) mapping(m schema.Map) schema.Type {
	m.Key, m.Value = n.key.Apply(m.Key), n.value.Apply(m.Value)
	return m
}

// names reports whether a struct has a field for every hinted part.
func (n *Node) names(s schema.Struct) bool {
	return !slices.ContainsFunc(n.Parts(), func(p *Node) bool { return p.in(s) < 0 })
}

// in is the position of the field that a hint speaks of, or -1.
func (n *Node) in(s schema.Struct) int {
	want := schema.Fold(n.Name)
	return slices.IndexFunc(s.Fields, func(f schema.Field) bool {
		original, _ := schema.Original(f)
		return schema.Fold(original) == want
	})
}

// structure applies the hints on fields.
func (n *Node) structure(s schema.Struct) schema.Type {
	fields := slices.Clone(s.Fields)
	for _, p := range n.Parts() {
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
