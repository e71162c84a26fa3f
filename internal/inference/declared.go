package inference

import (
	"landfall/internal/column"
	"landfall/internal/schema"
)

// kind is what a file declares at a path.
type kind int

const (
	nothing kind = iota
	scalars
	objects
	arrays
	maps
	several // kinds that no type but string holds
)

// known is a type that files declare, and what its values are known to be.
type known struct {
	schema.Type
	column.Declared
}

// longDigits is how many digits a bigint has at most.
const longDigits = 19

// declared is the type of a path at which files declare types: of what has values,
// else of all that is declared.
func (m Method) declared(s *Sight, depth int) schema.Type {
	deep := depth >= schema.MaxNesting
	switch found := m.kindOf(s); {
	case found == nothing:
		return schema.Unknown
	case found == several, found != scalars && deep:
		return schema.String
	case found == objects:
		return m.structure(s, depth)
	case found == arrays:
		return m.array(s, depth)
	case found == maps:
		return m.mapping(s, depth)
	}
	return joinKnown(m.pool(&s.Own))
}

// kindOf is the kind of the values of a sight, and if there are none that of its
// declarations.
func (m Method) kindOf(s *Sight) kind {
	var valued, declared kind
	is := func(k kind, values int64, any bool) {
		switch {
		case values > 0 && valued != nothing:
			valued = several
		case values > 0:
			valued = k
		case any && declared != nothing:
			declared = several
		case any:
			declared = k
		}
	}
	var values int64
	pool := m.pool(&s.Own)
	for _, k := range pool {
		values += k.Count
	}
	is(scalars, values, len(pool) > 0)
	is(objects, s.Own.Objects.Count, len(s.Members) > 0)
	is(arrays, s.Own.Arrays.Count, s.Element != nil && s.Key == nil)
	is(maps, s.Own.Maps.Count, s.Key != nil)
	if valued != nothing {
		return valued
	}
	return declared
}

// mapping is the type of maps; their values may be null.
func (m Method) mapping(s *Sight, depth int) schema.Type {
	t := schema.Map{Key: schema.Unknown, Value: schema.Unknown, ValueContainsNull: true}
	if s.Key != nil {
		t.Key = m.Infer(s.Key, depth+1)
	}
	if s.Element != nil {
		t.Value = m.Infer(s.Element, depth+1)
	}
	return t
}

// pool are the scalar types that are declared, but for void: those with values,
// if there are any. What other objects of the path hold as text has the type that
// it would have alone.
func (m Method) pool(e *column.Evidence) []known {
	var all, valued []known
	add := func(k known) {
		if k.Type == schema.Unknown {
			return
		}
		all = append(all, k)
		if k.Count > 0 {
			valued = append(valued, k)
		}
	}
	for _, d := range e.Types {
		t, err := schema.ParseDDL(d.Type)
		if err != nil {
			t = schema.String // none that we declare
		}
		add(known{t, d})
	}
	add(m.text(e))
	if len(valued) > 0 {
		return valued
	}
	return all
}

// text is what the scalars of text and JSON have in common.
func (m Method) text(e *column.Evidence) known {
	t := count(e, m.Rules, m.Strict)
	n := t.total() - t.objects - t.arrays
	if n == 0 && t.quiet == 0 {
		return known{Type: schema.Unknown}
	}
	typ, _ := t.scalar()
	if n == 0 {
		typ = schema.String
	}
	k := known{typ, column.Declared{Count: n + t.quiet, Whole: t.whole, Scale: t.scale}}
	for _, c := range inexact(typ) {
		k.Inexact += t.of[c]
	}
	return k
}

// joinKnown is the type that holds all values of all types, string if there is no
// other.
func joinKnown(pool []known) schema.Type {
	var numbers, texts, others []known
	for _, k := range pool {
		switch {
		case isNumber(k.Type):
			numbers = append(numbers, k)
		case k.Type == schema.String || k.Type == schema.Binary:
			texts = append(texts, k)
		default:
			others = append(others, k)
		}
	}
	switch len(pool) {
	case len(numbers):
		return joinNumbers(numbers)
	case len(texts):
		return joinTexts(texts)
	case len(others):
		t, _ := joinTypes(others)
		return t
	default:
		return schema.String
	}
}

// joinTypes joins types, whatever their values are.
func joinTypes(pool []known) (t schema.Type, lossless bool) {
	t = schema.Unknown
	for _, k := range pool {
		if t, lossless = schema.Join(t, k.Type); !lossless {
			return t, false
		}
	}
	return t, true
}

// joinTexts is string if all values are text.
func joinTexts(pool []known) schema.Type {
	if len(pool) == 1 {
		return pool[0].Type
	}
	for _, k := range pool {
		if k.Type == schema.Binary && k.Inexact > 0 {
			return schema.Binary
		}
	}
	return schema.String
}

// joinNumbers is the type that holds all numbers. Doubles have no digits that a
// decimal could be sure to hold: they join with what is exact in a double, or if
// they are all integers, as such.
func joinNumbers(pool []known) schema.Type {
	var exact, floats, whole []known
	doubles, bigints := true, true
	for _, k := range pool {
		if !isFloat(k.Type) {
			exact = append(exact, k)
			doubles = doubles && k.Inexact == 0
			continue
		}
		floats = append(floats, k)
		whole = append(whole, known{schema.Long, column.Declared{Whole: longDigits}})
		bigints = bigints && k.Inexact == 0
	}
	switch {
	case len(floats) == 0:
		return joinExact(exact)
	case doubles:
		if t, lossless := joinTypes(pool); lossless {
			return t
		}
		return schema.Double
	case bigints:
		return joinExact(append(exact, whole...))
	default:
		return schema.String
	}
}

// joinExact joins integers and decimals by the digits that are declared, so that
// the type does not hang on single values; where these are too many, it keeps what
// room there is beside the digits that were seen.
func joinExact(pool []known) schema.Type {
	if t, lossless := joinTypes(pool); lossless {
		return t
	}
	var whole, scale, declared int
	for _, k := range pool {
		whole, scale = max(whole, k.Whole), max(scale, k.Scale)
		if d, ok := k.Type.(schema.Decimal); ok {
			declared = max(declared, d.Scale)
		}
	}
	if whole+scale > maxDigits {
		return schema.String
	}
	return schema.Decimal{Precision: maxDigits, Scale: min(declared, maxDigits-whole)}
}

func isNumber(t schema.Type) bool {
	_, decimal := t.(schema.Decimal)
	return decimal || isInteger(t) || isFloat(t)
}

func isInteger(t schema.Type) bool {
	return t == schema.Byte || t == schema.Short || t == schema.Integer || t == schema.Long
}

func isFloat(t schema.Type) bool { return t == schema.Float || t == schema.Double }

// weigh is Weigh for values that have a declared type.
func (m Method) weigh(t schema.Type, s *Sight) Verdict {
	joined, pool := t, m.pool(&s.Own)
	if _, any := s.Own.FirstValue(); !any {
		return Single
	}
	if m.kindOf(s) != scalars {
		return Conflict
	}
	for _, k := range pool {
		with := k.Type
		switch {
		case t == schema.String && (with != schema.Binary || k.Inexact == 0):
			continue // as its text
		case t == schema.Binary && with == schema.String:
			continue
		case t == schema.Double && isNumber(with) && (isFloat(with) || k.Inexact == 0):
			continue
		case isFloat(with) && k.Inexact == 0 && !isFloat(t) && isNumber(t):
			with, k.Whole = schema.Long, longDigits
		}
		wide, lossless := schema.Join(joined, with)
		switch {
		case lossless:
			joined = wide
		case !isFloat(with) && fits(t, k):
		default:
			return Conflict
		}
	}
	if joined.String() != t.String() {
		return Wider
	}
	return Single
}

// fits reports whether a decimal has room for the digits of all numbers seen.
func fits(t schema.Type, k known) bool {
	d, ok := t.(schema.Decimal)
	return ok && isNumber(k.Type) && k.Whole <= d.Precision-d.Scale && k.Scale <= d.Scale
}
