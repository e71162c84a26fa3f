package schema

import "slices"

// Join returns the type that two types have in common. It is lossless if every
// value of both is exactly in it; types that have none such join to string.
//
// Types join whatever their order, but for the order of a struct's fields: those
// of a come first, under the names that a has for them. Which names are equal,
// the original ones decide, in any casing. Integers take part in decimals with
// the digits that Delta's type widening asks for, 10, and 20 for a bigint. Two
// numbers of which one may have more digits than a double, and the other an
// exponent, have no type in common.
func Join(a, b Type) (t Type, lossless bool) {
	switch {
	case a == Type(Unknown):
		return b, true
	case b == Type(Unknown):
		return a, true
	}
	switch a := a.(type) {
	case Array:
		if b, ok := b.(Array); ok {
			e, lossless := Join(a.Element, b.Element)
			return Array{Element: e, ContainsNull: a.ContainsNull || b.ContainsNull}, lossless
		}
	case Map:
		if b, ok := b.(Map); ok {
			k, keys := Join(a.Key, b.Key)
			v, values := Join(a.Value, b.Value)
			return Map{Key: k, Value: v, ValueContainsNull: a.ValueContainsNull || b.ValueContainsNull}, keys && values
		}
	case Struct:
		if b, ok := b.(Struct); ok {
			return joinStructs(a, b)
		}
	default:
		return joinScalars(a, b)
	}
	return String, false
}

// identity is what makes two fields the same: the original name, folded, and k.
type identity struct {
	name string
	k    int
}

func identify(f Field) identity {
	name, k := Original(f)
	return identity{Fold(name), k}
}

// places maps the fields of a struct to where they stand, equal ones to the first.
func (s Struct) places() map[identity]int {
	at := make(map[identity]int, len(s.Fields))
	for i, f := range slices.Backward(s.Fields) {
		at[identify(f)] = i
	}
	return at
}

// joinStructs gives a struct the fields of both. A field that one of them lacks
// is null there.
func joinStructs(a, b Struct) (Type, bool) {
	fields := make([]Field, len(a.Fields), len(a.Fields)+len(b.Fields))
	copy(fields, a.Fields)
	at, taken := a.places(), make(map[string]bool, len(fields))
	for _, f := range fields {
		taken[Fold(f.Name)] = true
	}
	both := make([]bool, len(fields), cap(fields))
	lossless := true
	for _, f := range b.Fields {
		id := identify(f)
		i, ok := at[id]
		if !ok {
			// The stored name may be taken by a field of another original one.
			original, k := Original(f)
			if taken[Fold(f.Name)] {
				f.Name = FreeName(original, func(folded string) bool { return taken[folded] })
				f = f.WithOriginal(original, k)
			}
			taken[Fold(f.Name)] = true
			f.Nullable = true
			at[id] = len(fields)
			fields, both = append(fields, f), append(both, true)
			continue
		}
		t, exact := Join(fields[i].Type, f.Type)
		fields[i].Type = t
		fields[i].Nullable = fields[i].Nullable || f.Nullable
		both[i] = true
		lossless = lossless && exact
	}
	for i := range fields {
		fields[i].Nullable = fields[i].Nullable || !both[i]
	}
	return Struct{Fields: fields}, lossless
}

// joinScalars joins a scalar with a type.
func joinScalars(a, b Type) (Type, bool) {
	switch {
	case a == b:
		return a, true
	case isInteger(a) && isInteger(b):
		if Widens(a, b) {
			return b, true
		}
		return a, true
	case Widens(a, Float) && Widens(b, Float):
		return Float, true
	case Widens(a, Double) && Widens(b, Double):
		return Double, true
	case a == Type(Date) && isTimestamp(b):
		return b, true
	case b == Type(Date) && isTimestamp(a):
		return a, true
	}
	x, ok1 := asDecimal(a)
	y, ok2 := asDecimal(b)
	if !ok1 || !ok2 {
		return String, false
	}
	whole, scale := max(x.Precision-x.Scale, y.Precision-y.Scale), max(x.Scale, y.Scale)
	if whole+scale > maxDigits {
		return String, false
	}
	return Decimal{Precision: whole + scale, Scale: scale}, true
}

func isInteger(t Type) bool { return digits(t) > 0 }

func isTimestamp(t Type) bool { return t == Type(Timestamp) || t == Type(TimestampNTZ) }

// digits is how many digits an integer of a type has at most, 0 for other types.
func digits(t Type) int {
	switch t {
	case Type(Byte):
		return 3
	case Type(Short):
		return 5
	case Type(Integer):
		return 10
	case Type(Long):
		return 19
	default:
		return 0
	}
}

// asDecimal is the decimal as which a type joins with decimals.
func asDecimal(t Type) (Decimal, bool) {
	if d, ok := t.(Decimal); ok {
		return d, true
	}
	switch {
	case t == Type(Long):
		return Decimal{Precision: 20}, true
	case isInteger(t):
		return Decimal{Precision: 10}, true
	default:
		return Decimal{}, false
	}
}

// Widens reports whether every value of a type is exactly one of another: an
// integer in a longer one, in a decimal with room for its digits, or in a float
// or double that has them; a decimal in one with as many digits before and after
// the point; a date as its midnight. A struct may gain fields that can be null.
// No type but itself and void widens to string.
func Widens(from, to Type) bool {
	if from == Type(Unknown) {
		return true
	}
	switch from := from.(type) {
	case Array:
		to, ok := to.(Array)
		return ok && Widens(from.Element, to.Element) && (to.ContainsNull || !from.ContainsNull)
	case Map:
		to, ok := to.(Map)
		return ok && Widens(from.Key, to.Key) && Widens(from.Value, to.Value) &&
			(to.ValueContainsNull || !from.ValueContainsNull)
	case Struct:
		to, ok := to.(Struct)
		return ok && widensStruct(from, to)
	default:
		return from == to || widensScalar(from, to)
	}
}

func widensStruct(from, to Struct) bool {
	at := to.places()
	met := make([]bool, len(to.Fields))
	for _, f := range from.Fields {
		i, ok := at[identify(f)]
		if !ok || !Widens(f.Type, to.Fields[i].Type) || f.Nullable && !to.Fields[i].Nullable {
			return false
		}
		met[i] = true
	}
	for i, f := range to.Fields {
		if !met[i] && !f.Nullable {
			return false
		}
	}
	return true
}

func widensScalar(from, to Type) bool {
	whole, scale := digits(from), 0
	if d, ok := from.(Decimal); ok {
		whole, scale = d.Precision-d.Scale, d.Scale
	} else if whole > 0 && isInteger(to) {
		return whole <= digits(to)
	}
	if to, ok := to.(Decimal); ok {
		return whole+scale > 0 && whole <= to.Precision-to.Scale && scale <= to.Scale
	}
	switch to {
	case Type(Float):
		return from == Type(Byte) || from == Type(Short)
	case Type(Double):
		return isInteger(from) && from != Type(Long) || from == Type(Float)
	case Type(Timestamp), Type(TimestampNTZ):
		return from == Type(Date)
	default:
		return false
	}
}
