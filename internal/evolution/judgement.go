package evolution

import (
	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// Judge says what the misfits of a column of type t mean, given the evidence on
// its values: value_misfit (single values), type_wider (they are of a type that
// would hold them and all that a column of type t can have) or type_conflict (of
// another type altogether).
func Judge(t schema.Type, e column.Evidence, p contract.Policy) contract.Kind {
	s := &inference.Sight{}
	s.Add("", &e, p.CaseSensitive)
	p.Rules.Strings, p.Rules.PrimitivesAsString = false, false // what the values look like, not what they land as
	return judgement{p, p.Method()}.of(t, s)
}

// judgement weighs evidence against types.
type judgement struct {
	policy contract.Policy
	method inference.Method
}

func (j judgement) of(t schema.Type, s *inference.Sight) contract.Kind {
	if s == nil {
		return event.ValueMisfit
	}
	if _, any := s.Own.FirstValue(); !any {
		return event.ValueMisfit // a file may declare what it has no values of
	}
	found := j.method.Infer(s, 0)
	switch t := t.(type) {
	case schema.Struct:
		if _, ok := found.(schema.Struct); ok {
			return j.members(t, s)
		}
	case schema.Array:
		if _, ok := found.(schema.Array); ok {
			return j.of(t.Element, s.Elements())
		}
	case schema.Map:
		switch found.(type) {
		case schema.Struct:
			return j.of(t.Value, s.Values())
		case schema.Map:
			return graver(j.of(t.Key, s.Key), j.of(t.Value, s.Values()))
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
func (j judgement) members(t schema.Struct, s *inference.Sight) contract.Kind {
	worst, names := event.ValueMisfit, contract.FieldsOf(t, j.policy)
	for _, m := range s.Members {
		at, _ := names.Find(m.Name())
		if at < 0 {
			continue
		}
		worst = graver(worst, j.of(t.Fields[at].Type, m))
	}
	return worst
}

// graver is the graver of two kinds.
func graver(a, b contract.Kind) contract.Kind {
	if a == event.TypeConflict || a == event.TypeWider && b == event.ValueMisfit {
		return a
	}
	return b
}
