package contract

import (
	"landfall/internal/column"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// Judge says what the misfits of a column of type t mean, given the evidence on
// its values: value_misfit (single values), type_wider (they are of a type that
// would hold them and all that a column of type t can have) or type_conflict (of
// another type altogether).
func Judge(t schema.Type, e column.Evidence, p Policy) Kind {
	s := &sight{}
	s.add("", &e, p.CaseSensitive)
	p.Rules.Strings, p.Rules.PrimitivesAsString = false, false // what the values look like, not what they land as
	return judge{p, p.inference()}.judge(t, s)
}

// judge weighs evidence against a type.
type judge struct {
	policy Policy
	inference
}

func (j judge) judge(t schema.Type, s *sight) Kind {
	if s == nil {
		return event.ValueMisfit
	}
	found := j.infer(s, 0)
	switch t := t.(type) {
	case schema.Struct:
		if _, ok := found.(schema.Struct); ok {
			return j.members(t, s)
		}
	case schema.Array:
		if _, ok := found.(schema.Array); ok {
			return j.judge(t.Element, s.element)
		}
	case schema.Map:
		if _, ok := found.(schema.Struct); ok {
			return j.judge(t.Value, s.values())
		}
	default:
		return j.scalar(t, found, s)
	}
	if found == schema.Unknown {
		return event.ValueMisfit
	}
	return event.TypeConflict
}

// members is the gravest of what the members of objects mean: within an array
// the misfit of one brings all to rescue.
func (j judge) members(t schema.Struct, s *sight) Kind {
	worst, names := event.ValueMisfit, FieldsOf(t, j.policy)
	for _, m := range s.members {
		at, _ := names.Find(m.name())
		if at < 0 {
			continue
		}
		switch k := j.judge(t.Fields[at].Type, m); k {
		case event.TypeConflict:
			return k
		case event.TypeWider:
			worst = k
		}
	}
	return worst
}

// scalar judges by the type that the values would have had.
func (j judge) scalar(t, found schema.Type, s *sight) Kind {
	if family(t) == "time" {
		j.rules.Timestamps = true
		found = j.infer(s, 0)
	}
	votes := count(&s.Evidence, j.rules, j.strict)
	switch {
	case found == schema.Unknown || found == t:
		return event.ValueMisfit
	case found != schema.String && wider(t, found):
		return event.TypeWider
	case found == schema.Double && wider(t, votes.exact()):
		return event.TypeWider
	case votes.codes == 0 && votes.agrees(votes.belong(t)):
		return event.ValueMisfit
	default:
		return event.TypeConflict
	}
}

// wider reports whether a type and another are exactly in one that is wider.
func wider(t, found schema.Type) bool {
	joined, lossless := schema.Join(t, found)
	return lossless && joined.String() != t.String()
}
