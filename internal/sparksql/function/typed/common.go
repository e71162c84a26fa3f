package typed

import "landfall/internal/schema"

// Common is the type that values of two types are brought to where they meet,
// in a comparison, in CASE, or in a UNION; false if there is none.
func Common(a, b schema.Type) (schema.Type, bool) {
	switch {
	case Same(a, b):
		return a, true
	case a == Void:
		return b, true
	case b == Void:
		return a, true
	case Numeric(a) && Numeric(b):
		return commonNumber(a, b), true
	case a == schema.String:
		return withText(b)
	case b == schema.String:
		return withText(a)
	case IsMoment(a) && IsMoment(b):
		return CommonMoment(a, b), true
	case IsInterval(a) && IsInterval(b):
		return CommonInterval(a, b)
	}
	return commonParts(a, b)
}

// IsMoment reports whether a type is a date or a timestamp.
func IsMoment(t schema.Type) bool { return t == schema.Date || IsTime(t) }

// CommonMoment is the timestamp that two dates or timestamps become.
func CommonMoment(a, b schema.Type) schema.Type {
	if a == schema.Timestamp || b == schema.Timestamp {
		return schema.Timestamp
	}
	return schema.TimestampNTZ
}

// CommonInterval is what two spans have in common; false if one is of months
// and the other of days.
func CommonInterval(a, b schema.Type) (schema.Type, bool) {
	x, okA := a.(Interval)
	y, okB := b.(Interval)
	return Interval{Months: x.Months}, okA && okB && x.Months == y.Months
}

// withText is what text and another type have in common: text becomes the
// other, and the widest number of its kind.
func withText(t schema.Type) (schema.Type, bool) {
	switch {
	case Integral(t):
		return schema.Long, true
	case Numeric(t):
		return schema.Double, true
	}
	return t, Atomic(t)
}

func commonNumber(a, b schema.Type) schema.Type {
	if Rank(a) > 0 && Rank(b) > 0 {
		switch wider := max(Rank(a), Rank(b)); {
		case wider == Rank(schema.Float):
			return schema.Double // an integer and a float
		case wider == Rank(a):
			return a
		}
		return b
	}
	if Fractional(a) || Fractional(b) {
		return schema.Double
	}
	x, _ := AsDecimal(a)
	y, _ := AsDecimal(b)
	scale := max(x.Scale, y.Scale)
	return Bounded(max(x.Precision-x.Scale, y.Precision-y.Scale)+scale, scale)
}

// commonParts is of arrays, maps and structs.
func commonParts(a, b schema.Type) (schema.Type, bool) {
	switch a := a.(type) {
	case schema.Array:
		if b, ok := b.(schema.Array); ok {
			t, ok := Common(a.Element, b.Element)
			return ArrayOf(t), ok
		}
	case schema.Map:
		if b, ok := b.(schema.Map); ok {
			k, okK := Common(a.Key, b.Key)
			v, okV := Common(a.Value, b.Value)
			return MapOf(k, v), okK && okV
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
		fields[i] = Field(f.Name, t)
	}
	return StructOf(fields...), true
}

// Assignable reports whether Spark casts one type to another where nobody
// wrote a cast: an argument to its parameter.
func Assignable(from, to schema.Type) bool {
	switch {
	case Same(from, to) || from == Void:
		return true
	case Numeric(from) && Numeric(to):
		return true
	case from == schema.String && Atomic(to):
		return true
	case to == schema.String:
		return Atomic(from)
	case IsMoment(from) && IsMoment(to):
		return true
	case IsInterval(from) && IsInterval(to):
		_, ok := CommonInterval(from, to)
		return ok
	}
	switch from := from.(type) {
	case schema.Array:
		to, ok := to.(schema.Array)
		return ok && Assignable(from.Element, to.Element)
	case schema.Map:
		to, ok := to.(schema.Map)
		return ok && Assignable(from.Key, to.Key) && Assignable(from.Value, to.Value)
	case schema.Struct:
		to, ok := to.(schema.Struct)
		if !ok || len(from.Fields) != len(to.Fields) {
			return false
		}
		for i, f := range from.Fields {
			if !Assignable(f.Type, to.Fields[i].Type) {
				return false
			}
		}
		return true
	}
	return false
}
