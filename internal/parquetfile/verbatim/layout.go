package verbatim

import (
	"slices"

	"landfall/internal/parquetfile/element"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/logical"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/schema"
)

// layout makes the nodes of a column of a table, of parts of one of a file.
type layout struct {
	source *Source
	column *Column
}

// part is a part of the table's column and the part of the file's that becomes it.
type part struct {
	// name is the name of the node, path those from the column on.
	name string
	path []string
	to   schema.Type
	// nullable says that the table takes nulls here.
	nullable bool
	from     schema.Type
	// optional says that the table's leaves have a level for a null here; whether
	// the file has is in its leaves. Keys of maps have none.
	optional bool
	// first is the position in the file of the first of the leaves.
	first  int
	leaves []logical.Leaf
	// level is the number of the table's levels around the part.
	level uint8
}

// below is a part of a part: the leaves from..to of it.
func (p part) below(name string, from, to int) part {
	p.name, p.path = name, append(slices.Clip(p.path), name)
	p.first, p.leaves = p.first+from, p.leaves[from:to]
	return p
}

func (l *layout) part(p part) *Refusal {
	repetition := element.Required
	if p.optional {
		p.level++
		if p.leaves[0].Distinct(p.level) {
			repetition = element.Optional
		}
	}
	if !p.nullable && repetition == element.Optional {
		return refuse(Nulls, "part %q may be null", p.name)
	}
	switch to := p.to.(type) {
	case schema.Struct:
		return l.structure(p, to, repetition)
	case schema.Array:
		from, ok := p.from.(schema.Array)
		if !ok {
			return differs(p)
		}
		l.add(element.List(p.name, repetition))
		p.level++
		p.path = append(slices.Clip(p.path), element.ListOf)
		of := p.below("element", 0, len(p.leaves))
		of.to, of.nullable, of.from, of.optional = to.Element, to.ContainsNull, from.Element, true
		return l.part(of)
	case schema.Map:
		return l.mapping(p, to, repetition)
	default:
		return l.leaf(p, repetition)
	}
}

func (l *layout) add(nodes ...thrift.Struct) {
	l.column.elements = append(l.column.elements, nodes...)
}

func differs(p part) *Refusal {
	return refuse(Shape, "found %v, want %v", p.from, p.to)
}

func (l *layout) mapping(p part, to schema.Map, repetition element.Repetition) *Refusal {
	from, ok := p.from.(schema.Map)
	if !ok {
		return differs(p)
	}
	if slices.ContainsFunc(p.leaves, func(leaf logical.Leaf) bool { return leaf.NullKeys() }) {
		return refuse(Shape, "keys may be null")
	}
	l.add(element.Map(p.name, repetition))
	p.level++
	p.path = append(slices.Clip(p.path), element.MapOf)
	keys := schema.LeafCount(from.Key)
	key := p.below("key", 0, keys)
	key.to, key.nullable, key.from, key.optional = to.Key, true, from.Key, false
	if r := l.part(key); r != nil {
		return r
	}
	of := p.below("value", keys, len(p.leaves))
	of.to, of.nullable, of.from, of.optional = to.Value, to.ValueContainsNull, from.Value, true
	return l.part(of)
}

// structure takes a struct with the same fields, in any order.
func (l *layout) structure(p part, to schema.Struct, repetition element.Repetition) *Refusal {
	from, ok := p.from.(schema.Struct)
	if !ok || len(from.Fields) != len(to.Fields) || len(to.Fields) == 0 {
		return differs(p)
	}
	starts := make([]int, 1, len(from.Fields)+1)
	for _, f := range from.Fields {
		starts = append(starts, starts[len(starts)-1]+schema.LeafCount(f.Type))
	}
	l.add(element.Group(p.name, repetition, len(to.Fields)))
	for _, f := range to.Fields {
		i, r := fieldOf(from, f)
		if r != nil {
			return r
		}
		of := p.below(schema.PhysicalName(f), starts[i], starts[i+1])
		of.to, of.nullable, of.from, of.optional = f.Type, f.Nullable, from.Fields[i].Type, true
		if r := l.part(of); r != nil {
			return r
		}
	}
	return nil
}

// fieldOf finds the field of a file's struct that becomes one of the table's: that
// of the same original name. Where casing would have to decide, nothing is copied.
func fieldOf(from schema.Struct, f schema.Field) (int, *Refusal) {
	name, k := schema.Original(f)
	found := -1
	for i, g := range from.Fields {
		switch {
		case schema.Fold(g.Name) != schema.Fold(name):
		case g.Name != name || found >= 0 || k > 1:
			return 0, refuse(Name, "fields %q and %q", g.Name, name)
		default:
			found = i
		}
	}
	if found < 0 {
		return 0, refuse(Shape, "no field %q", name)
	}
	return found, nil
}

// leaf takes a leaf whose values are written as the table's are.
func (l *layout) leaf(p part, repetition element.Repetition) *Refusal {
	if len(p.leaves) != 1 || schema.LeafCount(p.from) != 1 {
		return differs(p)
	}
	from, node := &p.leaves[0], &l.source.nodes[p.first]
	if r := l.source.written(from, node, p.to); r != nil {
		return r.on(from.Path)
	}
	l.add(element.Leaf(p.name, repetition, p.to, form.Physical(node.Physical), int(node.Length)))
	l.column.leaves = append(l.column.leaves, moved{at: p.first, path: p.path, leaf: from, node: node, to: p.to})
	return nil
}
