package conform

import (
	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/leaf"
	"landfall/internal/schema"
	"landfall/internal/verdict"
)

// kind is what a node makes of a value.
type kind uint8

const (
	noKind kind = iota // a type that takes nothing
	asScalar
	asStruct
	asArray
	asMap
)

// node is a column's type, or a part of one, ready to take values.
type node struct {
	kind     kind
	scalar   leaf.Scalar // of asScalar
	typ      schema.Type
	path     schema.Path // original names
	nullable bool
	// def is the definition level at which a value is there; rep the repetition
	// level of the elements of an array or map but the first.
	def, rep uint8
	// leaves are those of the node and all below it; a scalar has one.
	leaves []*leaf.Builder
	// misfit says what becomes of values that do not fit.
	misfit *verdict.Rule
	// cut says what becomes of digits beyond the microsecond.
	cut *verdict.Rule
	// names are those of a struct's fields, key and element what an array or map
	// holds.
	names   *names
	key     *node
	element *node
	entry   slot // of a map, for element
	// twice and remark are for keys that a map has twice.
	twice, remark *verdict.Rule
}

// compiler makes the nodes of one column.
type compiler struct {
	*Fitter
	leaves []*leaf.Builder
	infos  []column.LeafInfo
}

// compile makes the node of a column of a type. known is the type that the
// contract has for it, nil if that is not known.
func (f *Fitter) compile(t schema.Type, nullable bool, path schema.Path, known schema.Type) *node {
	c := &compiler{Fitter: f, infos: column.Leaves(t, nullable)}
	return c.node(t, nullable, path, known, 0, 0)
}

func (c *compiler) node(t schema.Type, nullable bool, path schema.Path, known schema.Type, def, rep uint8) *node {
	if nullable {
		def++
	}
	n := &node{typ: t, path: path, nullable: nullable, def: def, rep: rep}
	n.misfit = c.book.PolicyRule(event.ValueMisfit, path, contract.WhyType+":"+t.String(), t.String())
	first := len(c.leaves)
	switch t := t.(type) {
	case schema.Struct:
		n.kind = asStruct
		n.names = c.structNames(n, t, known)
	case schema.Array:
		n.kind, n.rep = asArray, rep+1
		k, _ := known.(schema.Array)
		n.element = c.node(t.Element, t.ContainsNull, path.Child("element"), k.Element, def+1, n.rep)
	case schema.Map:
		n.kind, n.rep = asMap, rep+1
		k, _ := known.(schema.Map)
		n.key = c.node(t.Key, false, path.Child("key"), k.Key, def+1, n.rep)
		n.element = c.node(t.Value, t.ValueContainsNull, path.Child("value"), k.Value, def+1, n.rep)
		n.entry.node = n.element
		if k := n.key.scalar.Kind; k != leaf.Text && k != leaf.Integer && k != leaf.Binary {
			n.kind = noKind // two names could be one key
		}
	default:
		n.scalar = leaf.NewScalar(t, c.forms, c.strict)
		if n.scalar.Kind != leaf.None {
			n.kind = asScalar
		}
		if n.scalar.Kind == leaf.Instant || n.scalar.Kind == leaf.Wall {
			n.cut = c.book.RemarkRule(event.ValueTruncated, path, "digits to the microsecond")
		}
		c.leaves = append(c.leaves, leaf.New(c.infos[len(c.leaves)]))
	}
	n.leaves = c.leaves[first:len(c.leaves):len(c.leaves)]
	return n
}

// structNames makes the fields of a struct. Those that the contract knows but
// that have no type yet are in no table: their nulls are nulls.
func (c *compiler) structNames(n *node, t schema.Struct, known schema.Type) *names {
	ns := &names{f: c.Fitter, path: n.path, find: contract.FieldsOf(t, c.policy), slots: make([]slot, len(t.Fields))}
	k, isStruct := known.(schema.Struct)
	types := make(map[string]schema.Type, len(k.Fields))
	for _, field := range k.Fields {
		types[schema.Fold(field.Name)] = field.Type
	}
	for i, field := range t.Fields {
		original, _ := schema.Original(field)
		below := c.node(field.Type, field.Nullable, n.path.Child(original), types[schema.Fold(field.Name)], n.def, n.rep)
		ns.slots[i].node = below
	}
	if isStruct {
		ns.voids = contract.FieldsOf(k, c.policy)
		for _, field := range k.Fields {
			ns.voidTypes = append(ns.voidTypes, field.Type)
		}
	}
	return ns
}
