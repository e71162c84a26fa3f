package contract

import (
	"landfall/internal/column"
	"landfall/internal/schema"
)

// maxNesting is how deep objects and arrays become structs and arrays; what is
// below is a string that holds raw JSON.
const maxNesting = 100

// Infer returns the type of a path from the evidence on it (docs/inference.md).
// Fields of structs go by the names that they have in the files.
func Infer(e *column.Evidence, r Rules) schema.Type {
	s := &sight{}
	s.add("", e, false)
	in := inference{rules: r}
	return in.infer(s, 0)
}

// inference makes types of evidence.
type inference struct {
	rules Rules
	// strict says that JSON strings convert to no number and no boolean.
	strict bool
	// exact keeps casings of a name apart: the first one is the field.
	exact bool
	// room is the number of fields that structs may still have, nil for any;
	// full is called with the file of each that finds none.
	room *int
	full func(file string)
}

// inference returns how the policy makes types of evidence. Under the modes of
// Auto Loader strings do not convert.
func (p Policy) inference() inference {
	return inference{rules: p.Rules, exact: p.CaseSensitive, strict: p.Preset != "" && p.Preset != Evolves}
}

// infer returns the type of what a sight is of.
func (in *inference) infer(s *sight, depth int) schema.Type {
	t := count(&s.Evidence, in.rules, in.strict)
	if t.total() == 0 {
		if t.quiet > 0 {
			return schema.String
		}
		return schema.Unknown
	}
	deep := depth >= maxNesting
	switch {
	case t.objects > 0 && t.agrees(t.objects) && !deep:
		return in.structure(s, depth)
	case t.arrays > 0 && t.agrees(t.arrays) && !deep:
		return in.array(s, depth)
	}
	typ, _ := t.scalar()
	return typ
}

// structure is the type of objects. One whose members have no name is nothing
// that a column can hold.
func (in *inference) structure(s *sight, depth int) schema.Type {
	var fields []schema.Field
	if s.Overflow > 0 && in.full != nil {
		in.full(s.file)
	}
	taken := make(map[string]bool, len(s.members))
	for _, m := range s.members {
		folded := schema.Fold(m.name())
		if in.exact && taken[folded] {
			continue
		}
		if in.room != nil && *in.room <= 0 {
			in.full(m.casings[0].file)
			continue
		}
		t := in.member(m, depth)
		if t == nil {
			continue
		}
		taken[folded] = true
		fields = append(fields, schema.Field{Name: m.name(), Type: t, Nullable: true})
	}
	if len(fields) == 0 {
		return schema.Unknown
	}
	return schema.Struct{Fields: fields}
}

// member is the type of one member, nil to leave it out.
func (in *inference) member(m *sight, depth int) schema.Type {
	if in.room != nil {
		*in.room--
	}
	t := in.infer(m, depth+1)
	if t == schema.Unknown && in.rules.DropAllNull {
		if in.room != nil {
			*in.room++
		}
		return nil
	}
	return t
}

// array is the type of arrays; their elements may be null.
func (in *inference) array(s *sight, depth int) schema.Type {
	element := schema.Type(schema.Unknown)
	if s.element != nil {
		element = in.infer(s.element, depth+1)
	}
	return schema.Array{Element: element, ContainsNull: true}
}
