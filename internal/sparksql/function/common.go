package function

import "landfall/internal/schema"

// Common is the type that values of two types are brought to where they meet,
// in a comparison, in CASE, or in a UNION; false if there is none.
func Common(a, b schema.Type) (schema.Type, bool) {
	switch {
	case same(a, b):
		return a, true
	case a == void:
		return b, true
	case b == void:
		return a, true
	case numeric(a) && numeric(b):
		return commonNumber(a, b), true
	case a == schema.String:
		return withText(b)
	case b == schema.String:
		return withText(a)
	case isMoment(a) && isMoment(b):
		return commonMoment(a, b), true
	case isInterval(a) && isInterval(b):
		return commonInterval(a, b)
	}
	return commonParts(a, b)
}

func isMoment(t schema.Type) bool { return t == schema.Date || isTime(t) }

func commonMoment(a, b schema.Type) schema.Type {
	if a == schema.Timestamp || b == schema.Timestamp {
		return schema.Timestamp
	}
	return schema.TimestampNTZ
}

func commonInterval(a, b schema.Type) (schema.Type, bool) {
	x, okA := a.(Interval)
	y, okB := b.(Interval)
	return Interval{Months: x.Months}, okA && okB && x.Months == y.Months
}

// withText is what text and another type have in common: text becomes the
// other, and the widest number of its kind.
func withText(t schema.Type) (schema.Type, bool) {
	switch {
	case integral(t):
		return schema.Long, true
	case numeric(t):
		return schema.Double, true
	}
	return t, atomic(t)
}

func commonNumber(a, b schema.Type) schema.Type {
	if rank(a) > 0 && rank(b) > 0 {
		switch wider := max(rank(a), rank(b)); {
		case wider == rank(schema.Float):
			return schema.Double // an integer and a float
		case wider == rank(a):
			return a
		}
		return b
	}
	if fractional(a) || fractional(b) {
		return schema.Double
	}
	x, _ := asDecimal(a)
	y, _ := asDecimal(b)
	scale := max(x.Scale, y.Scale)
	return bounded(max(x.Precision-x.Scale, y.Precision-y.Scale)+scale, scale)
}

// commonParts is of arrays, maps and structs.
func commonParts(a, b schema.Type) (schema.Type, bool) {
	switch a := a.(type) {
	case schema.Array:
		if b, ok := b.(schema.Array); ok {
			t, ok := Common(a.Element, b.Element)
			return arrayOf(t), ok
		}
	case schema.Map:
		if b, ok := b.(schema.Map); ok {
			k, okK := Common(a.Key, b.Key)
			v, okV := Common(a.Value, b.Value)
			return mapOf(k, v), okK && okV
		}
	case schema.Struct:
		if b, ok := b.(schema.Struct); ok && len(a.Fields) == len(b.Fields) {
			return commonFields(a, b)
		}
	}
	return nil, false
}

func commonFields(a, b schema.Struct) (schema.Type, bool) {
	fields := make([]schema.Field, len(a.Fields))
	for i, f := range a.Fields {
		t, ok := Common(f.Type, b.Fields[i].Type)
		if !ok || schema.Fold(f.Name) != schema.Fold(b.Fields[i].Name) {
			return nil, false
		}
		fields[i] = field(f.Name, t)
	}
	return structOf(fields...), true
}

// assignable reports whether Spark casts one type to another where nobody
// wrote a cast: an argument to its parameter.
func assignable(from, to schema.Type) bool {
	switch {
	case same(from, to) || from == void:
		return true
	case numeric(from) && numeric(to):
		return true
	case from == schema.String && atomic(to):
		return true
	case to == schema.String:
		return atomic(from)
	case isMoment(from) && isMoment(to):
		return true
	case isInterval(from) && isInterval(to):
		_, ok := commonInterval(from, to)
		return ok
	}
	switch from := from.(type) {
	case schema.Array:
		to, ok := to.(schema.Array)
		return ok && assignable(from.Element, to.Element)
	case schema.Map:
		to, ok := to.(schema.Map)
		return ok && assignable(from.Key, to.Key) && assignable(from.Value, to.Value)
	case schema.Struct:
		to, ok := to.(schema.Struct)
		if !ok || len(from.Fields) != len(to.Fields) {
			return false
		}
		for i, f := range from.Fields {
			if !assignable(f.Type, to.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return false
}
