package assembly

import (
	"landfall/internal/parquetfile/element"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/schema"
)

// appendNodes adds the nodes of a type, in depth-first order.
func appendNodes(to []thrift.Struct, name string, of schema.Type, nullable bool) []thrift.Struct {
	repetition := element.Required
	if nullable {
		repetition = element.Optional
	}
	switch of := of.(type) {
	case schema.Struct:
		to = append(to, element.Group(name, repetition, len(of.Fields)))
		for _, f := range of.Fields {
			to = appendNodes(to, schema.PhysicalName(f), f.Type, f.Nullable)
		}
		return to
	case schema.Array:
		outer, inner := element.List(name, repetition)
		return appendNodes(append(to, outer, inner), "element", of.Element, of.ContainsNull)
	case schema.Map:
		outer, inner := element.Map(name, repetition)
		to = appendNodes(append(to, outer, inner), "key", of.Key, false)
		return appendNodes(to, "value", of.Value, of.ValueContainsNull)
	}
	return append(to, element.Leaf(name, repetition, of, form.PhysicalOf(of), lengthOf(of)))
}

// lengthOf is the length of values of a type that have a fixed one.
func lengthOf(t schema.Type) int {
	if d, ok := t.(schema.Decimal); ok {
		return form.WideBytes(d.Precision)
	}
	return 0
}
