package inference

import (
	"landfall/internal/schema"
)

// Method says how types are made of sights. The zero value is our default.
type Method struct {
	Rules Rules
	// Strict says that JSON strings convert to no number and no boolean.
	Strict bool
	// CaseSensitive keeps casings of a name apart: the first one is the field.
	CaseSensitive bool
	// Room is the number of fields that structs may still have, nil for any;
	// Full is then called with the file of each that finds none.
	Room *int
	Full func(file string)
}

// Infer returns the type of what a sight is of, which lies in so many structs,
// arrays and maps. Fields of structs go by the names that they have in the files.
func (m Method) Infer(s *Sight, depth int) schema.Type {
	if s.typed {
		return m.declared(s, depth)
	}
	t := count(&s.Own, m.Rules, m.Strict)
	if t.total() == 0 {
		if t.quiet > 0 {
			return schema.String
		}
		return schema.Unknown
	}
	deep := depth >= schema.MaxNesting
	switch {
	case t.objects > 0 && t.agrees(t.objects) && !deep:
		return m.structure(s, depth)
	case t.arrays > 0 && t.agrees(t.arrays) && !deep:
		return m.array(s, depth)
	}
	typ, _ := t.scalar()
	return typ
}

// Objects is the type of those values of a sight that are objects, as if there
// were no others.
func (m Method) Objects(s *Sight, depth int) schema.Type {
	if depth >= schema.MaxNesting {
		return schema.Unknown
	}
	return m.structure(s, depth)
}

// structure is the type of objects. One whose members have no name is nothing
// that a column can hold.
func (m Method) structure(s *Sight, depth int) schema.Type {
	var fields []schema.Field
	if s.Own.Overflow > 0 && m.Full != nil {
		m.Full(s.File)
	}
	taken := make(map[string]bool, len(s.Members))
	for _, member := range s.Members {
		folded := schema.Fold(member.Name())
		if m.CaseSensitive && taken[folded] {
			continue
		}
		if m.Room != nil && *m.Room <= 0 {
			m.Full(member.Casings[0].File)
			continue
		}
		t := m.member(member, depth)
		if t == nil {
			continue
		}
		taken[folded] = true
		fields = append(fields, schema.Field{Name: member.Name(), Type: t, Nullable: true})
	}
	if len(fields) == 0 {
		return schema.Unknown
	}
	return schema.Struct{Fields: fields}
}

// member is the type of one member, nil to leave it out.
func (m Method) member(s *Sight, depth int) schema.Type {
	if m.Room != nil {
		*m.Room--
	}
	t := m.Infer(s, depth+1)
	if t == schema.Unknown && m.Rules.DropAllNull {
		if m.Room != nil {
			*m.Room++
		}
		return nil
	}
	return t
}

// array is the type of arrays; their elements may be null.
func (m Method) array(s *Sight, depth int) schema.Type {
	element := schema.Type(schema.Unknown)
	if s.Element != nil {
		element = m.Infer(s.Element, depth+1)
	}
	return schema.Array{Element: element, ContainsNull: true}
}
