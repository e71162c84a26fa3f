package contract

import (
	"landfall/internal/column"
	"landfall/internal/event"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// Judge says what the misfits of a column of type t mean, given the evidence on
// its values: value_misfit (single values), type_wider (they are of a type that
// would hold them and all that a column of type t can have) or type_conflict (of
// another type altogether).
func Judge(t schema.Type, e column.Evidence, p Policy) Kind {
	s := &inference.Sight{}
	s.Add("", &e, p.CaseSensitive)
	p.Rules.Strings, p.Rules.PrimitivesAsString = false, false // what the values look like, not what they land as
	return judgement{p, p.method()}.of(t, s)
}

// judgement weighs evidence against types.
type judgement struct {
	policy Policy
	method inference.Method
}

func (j judgement) of(t schema.Type, s *inference.Sight) Kind {
	if s == nil {
		return event.ValueMisfit
	}
	found := j.method.Infer(s, 0)
	switch t := t.(type) {
	case schema.Struct:
		if _, ok := found.(schema.Struct); ok {
			return j.members(t, s)
		}
	case schema.Array:
		if _, ok := found.(schema.Array); ok {
			return j.of(t.Element, s.Element)
		}
	case schema.Map:
		if _, ok := found.(schema.Struct); ok {
			return j.of(t.Value, s.Values())
		}
	default:
		switch j.method.Weigh(t, s) {
		case inference.Single:
			return event.ValueMisfit
		case inference.Wider:
			return event.TypeWider
		default:
			return event.TypeConflict
		}
	}
	if found == schema.Unknown {
		return event.ValueMisfit
	}
	return event.TypeConflict
}

// members is the gravest of what the members of objects mean: within an array
// the misfit of one brings all to rescue.
func (j judgement) members(t schema.Struct, s *inference.Sight) Kind {
	worst, names := event.ValueMisfit, FieldsOf(t, j.policy)
	for _, m := range s.Members {
		at, _ := names.Find(m.Name())
		if at < 0 {
			continue
		}
		switch k := j.of(t.Fields[at].Type, m); k {
		case event.TypeConflict:
			return k
		case event.TypeWider:
			worst = k
		}
	}
	return worst
}
