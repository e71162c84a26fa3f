package revise

import (
	"strconv"

	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// typeOf is a type as scripts write it.
func typeOf(t schema.Type) *syntax.Type {
	switch t := t.(type) {
	case schema.Decimal:
		return &syntax.Type{Base: "decimal", Params: []string{strconv.Itoa(t.Precision), strconv.Itoa(t.Scale)}}
	case schema.Array:
		out := *typeOf(t.Element)
		out.Dims++
		return &out
	case schema.Map:
		return &syntax.Type{Key: typeOf(t.Key), Value: typeOf(t.Value)}
	case schema.Struct:
		out := &syntax.Type{}
		for _, f := range t.Fields {
			out.Fields = append(out.Fields, syntax.Field{Name: nameOf(f.Name), Type: typeOf(f.Type)})
		}
		return out
	}
	words := map[schema.Type]string{
		schema.Boolean: "boolean", schema.Byte: "byte", schema.Short: "short", schema.Integer: "integer", schema.Long: "long",
		schema.Float: "float", schema.Double: "double", schema.Date: "date", schema.Timestamp: "timestamp", schema.TimestampNTZ: "timestamp", schema.Binary: "binary",
	}
	if word, ok := words[t]; ok {
		return &syntax.Type{Base: word}
	}
	return &syntax.Type{Base: "string"}
}
