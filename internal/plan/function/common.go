package function

import (
	"slices"
	"strconv"
	"strings"

	"landfall/internal/schema"
)

// maxDigits is the longest precision of a decimal.
const maxDigits = 38

// same reports whether two types are equal but for what can be null.
func same(a, b schema.Type) bool { return a.String() == b.String() }

// common returns the type that values of both types are brought to, as the
// branches of iif and the elements of an array; false if there is none. Texts
// have none in common with anything else.
func common(a, b schema.Type) (schema.Type, bool) {
	switch {
	case a == nil || a == schema.Unknown:
		return b, true
	case b == schema.Unknown || same(a, b):
		return a, true
	case isNumber(a) && isNumber(b):
		return wider(a, b), true
	case isMoment(a) && isMoment(b):
		return schema.Timestamp, true
	}
	switch a := a.(type) {
	case schema.Array:
		if b, ok := b.(schema.Array); ok {
			element, ok := common(a.Element, b.Element)
			return schema.Array{Element: element, ContainsNull: true}, ok
		}
	case schema.Map:
		if b, ok := b.(schema.Map); ok {
			key, okKey := common(a.Key, b.Key)
			value, okValue := common(a.Value, b.Value)
			return schema.Map{Key: key, Value: value, ValueContainsNull: true}, okKey && okValue
		}
	case schema.Struct:
		if b, ok := b.(schema.Struct); ok {
			return commonStruct(a, b)
		}
	}
	return nil, false
}

func isMoment(t schema.Type) bool { return t == schema.Date || t == schema.Timestamp }

// commonStruct joins structs that have the same fields in the same order.
func commonStruct(a, b schema.Struct) (schema.Type, bool) {
	if len(a.Fields) != len(b.Fields) {
		return nil, false
	}
	out := schema.Struct{Fields: make([]schema.Field, len(a.Fields))}
	for i, f := range a.Fields {
		t, ok := common(f.Type, b.Fields[i].Type)
		if !ok || f.Name != b.Fields[i].Name {
			return nil, false
		}
		out.Fields[i] = schema.Field{Name: f.Name, Type: t, Nullable: true}
	}
	return out, true
}

// wider is the number type in which Spark computes with two others.
func wider(a, b schema.Type) schema.Type {
	da, aDecimal := a.(schema.Decimal)
	db, bDecimal := b.(schema.Decimal)
	switch {
	case aDecimal && bDecimal:
	case aDecimal && isIntegral(b):
		db = decimalOf(b, nil)
	case bDecimal && isIntegral(a):
		da = decimalOf(a, nil)
	case aDecimal || bDecimal:
		return schema.Double
	case width(a) < width(b):
		return b
	default:
		return a
	}
	scale := max(da.Scale, db.Scale)
	return schema.Decimal{Precision: min(max(da.Precision-da.Scale, db.Precision-db.Scale)+scale, maxDigits), Scale: scale}
}

// width orders the number types that are not decimals.
func width(t schema.Type) int {
	return strings.Index("tinyint smallint int bigint float double", t.String())
}

// decimalOf is the decimal that holds an integral type, or a constant of it.
func decimalOf(t schema.Type, constant any) schema.Decimal {
	if n, ok := constant.(int64); ok {
		return schema.Decimal{Precision: len(strings.TrimPrefix(strconv.FormatInt(n, 10), "-"))}
	}
	switch t {
	case schema.Byte:
		return schema.Decimal{Precision: 3}
	case schema.Short:
		return schema.Decimal{Precision: 5}
	case schema.Integer:
		return schema.Decimal{Precision: 10}
	}
	return schema.Decimal{Precision: 20}
}

// bounded brings a decimal with more than 38 digits into bounds as Spark does:
// digits behind the point go first, down to six.
func bounded(precision, scale int) schema.Decimal {
	if precision <= maxDigits {
		return schema.Decimal{Precision: precision, Scale: scale}
	}
	return schema.Decimal{Precision: maxDigits, Scale: max(maxDigits-(precision-scale), min(scale, 6))}
}

// rule is the type of a result that depends on precision and scale of decimals,
// or on what Spark widens a sum to; false if there is no rule of the name. A
// number behind the name is that of the first argument that counts.
func rule(name string, args []schema.Type) (schema.Type, bool) {
	base := strings.TrimRight(name, "0123456789")
	from, _ := strconv.Atoi(name[len(base):]) // no digits are 0
	if args = args[min(max(from-1, 0), len(args)):]; len(args) < 2 {
		args = append(slices.Clone(args), schema.Unknown, schema.Unknown)
	}
	a, isDecimal := args[0].(schema.Decimal)
	b, _ := args[1].(schema.Decimal) // an argument that is none leaves zeros, which no rule of two numbers sees
	switch base {
	case "=added":
		scale := max(a.Scale, b.Scale)
		return bounded(max(a.Precision-a.Scale, b.Precision-b.Scale)+scale+1, scale), true
	case "=multiplied":
		return bounded(a.Precision+b.Precision+1, a.Scale+b.Scale), true
	case "=divided":
		scale := max(6, a.Scale+b.Precision+1)
		return bounded(a.Precision-a.Scale+b.Scale+scale, scale), true
	case "=remainder":
		scale := max(a.Scale, b.Scale)
		return bounded(min(a.Precision-a.Scale, b.Precision-b.Scale)+scale, scale), true
	case "=whole":
		return bounded(a.Precision-a.Scale+1, 0), true
	case "=summed":
		switch {
		case isDecimal:
			return schema.Decimal{Precision: min(a.Precision+10, maxDigits), Scale: a.Scale}, true
		case isIntegral(args[0]):
			return schema.Long, true
		}
		return schema.Double, true
	case "=averaged":
		if isDecimal {
			return bounded(min(a.Precision+4, maxDigits), min(a.Scale+4, maxDigits)), true
		}
		return schema.Double, true
	}
	return nil, false
}
