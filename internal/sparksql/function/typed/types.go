// Package typed knows Spark's types beside those of tables: which meet in
// which, which become which by what text of DuckDB, and how values that are
// needed several times are computed once.
package typed

import (
	"fmt"
	"strings"

	"landfall/internal/schema"
)

// Interval is the type of a span of time, which no table holds.
type Interval struct {
	// Months says that the span is of years and months; else it is of days and
	// parts of them.
	Months bool
	// Days says that it is of whole days by its type, as INTERVAL 3 DAYS is:
	// added to a date it gives a date.
	Days bool
}

// String returns Spark's name of the type.
func (i Interval) String() string {
	switch {
	case i.Months:
		return "interval year to month"
	case i.Days:
		return "interval day"
	}
	return "interval day to second"
}

// Argument is one argument of a call, or an operand.
type Argument struct {
	// SQL is text of DuckDB that may stand wherever an operand may.
	SQL string
	// Type is Spark's type of it; schema.Unknown is that of NULL. Of a lambda
	// it is the type of its body.
	Type schema.Type
	// Literal is the value of a literal text or number; else nil.
	Literal *string
	// Name is the name of a column, or what stands behind AS; else "". The
	// fields of struct(…) are named so.
	Name string
	// Params are a lambda's parameters as SQL, its body, refers to them.
	Params []string
}

// Void is the type of NULL.
const Void = schema.Unknown

// TypeSQL spells a type for DuckDB.
func TypeSQL(t schema.Type) string {
	switch t := t.(type) {
	case schema.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case schema.Array:
		return TypeSQL(t.Element) + "[]"
	case schema.Map:
		return "MAP(" + TypeSQL(t.Key) + ", " + TypeSQL(t.Value) + ")"
	case schema.Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = name(f.Name) + " " + TypeSQL(f.Type)
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	case Interval:
		return "INTERVAL"
	case schema.Primitive:
		if t == Void {
			return `"NULL"`
		}
		return schema.DuckDB(t)
	}
	return "VARCHAR"
}

// Quote writes a text as a literal of DuckDB.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// name writes a name of DuckDB.
func name(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// CastTo is the cast of DuckDB itself.
func CastTo(sql string, t schema.Type) string { return "CAST(" + sql + " AS " + TypeSQL(t) + ")" }

// Rank orders the numbers that are no decimals; 0 is none of them.
func Rank(t schema.Type) int {
	switch t {
	case schema.Byte:
		return 1
	case schema.Short:
		return 2
	case schema.Integer:
		return 3
	case schema.Long:
		return 4
	case schema.Float:
		return 5
	case schema.Double:
		return 6
	}
	return 0
}

// Integral reports whether a type is one of whole numbers.
func Integral(t schema.Type) bool { return Rank(t) >= 1 && Rank(t) <= 4 }

// Fractional reports whether a type is a float or a double.
func Fractional(t schema.Type) bool { return t == schema.Float || t == schema.Double }

// IsDecimal reports whether a type is a decimal.
func IsDecimal(t schema.Type) bool {
	_, ok := t.(schema.Decimal)
	return ok
}

// Numeric reports whether a type is one of numbers.
func Numeric(t schema.Type) bool { return Rank(t) > 0 || IsDecimal(t) }

// IsInterval reports whether a type is one of spans of time.
func IsInterval(t schema.Type) bool {
	_, ok := t.(Interval)
	return ok
}

// IsTime reports whether a type is a timestamp, of an instant or of a wall clock.
func IsTime(t schema.Type) bool { return t == schema.Timestamp || t == schema.TimestampNTZ }

// Atomic reports whether a type has no parts and is not that of NULL.
func Atomic(t schema.Type) bool { return schema.Scalar(t) && t != Void && !IsInterval(t) }

// Same reports whether two types have the same values, whatever may be null in
// them.
func Same(a, b schema.Type) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.String() == b.String()
}

// AsDecimal is the decimal that holds the values of a whole number's type.
func AsDecimal(t schema.Type) (schema.Decimal, bool) {
	switch t {
	case schema.Byte:
		return schema.Decimal{Precision: 3}, true
	case schema.Short:
		return schema.Decimal{Precision: 5}, true
	case schema.Integer:
		return schema.Decimal{Precision: 10}, true
	case schema.Long:
		return schema.Decimal{Precision: 20}, true
	}
	d, ok := t.(schema.Decimal)
	return d, ok
}

// LiteralDecimal is the decimal of a whole number's literal, which has the
// digits that are written.
func LiteralDecimal(a Argument) (schema.Decimal, bool) {
	if a.Literal == nil || !Integral(a.Type) {
		return AsDecimal(a.Type)
	}
	digits := strings.TrimLeft(*a.Literal, "+-0")
	return schema.Decimal{Precision: max(len(digits), 1)}, true
}

// Bounded is a decimal of 38 digits at most: of too many the ones behind the
// point go, but for six.
func Bounded(precision, scale int) schema.Decimal {
	if precision <= 38 {
		return schema.Decimal{Precision: precision, Scale: scale}
	}
	return schema.Decimal{Precision: 38, Scale: max(38-(precision-scale), min(scale, 6))}
}

// ArrayOf is an array in which elements may be null.
func ArrayOf(t schema.Type) schema.Array { return schema.Array{Element: t, ContainsNull: true} }

// MapOf is a map in which values may be null.
func MapOf(k, v schema.Type) schema.Map {
	return schema.Map{Key: k, Value: v, ValueContainsNull: true}
}

// StructOf is a struct of fields.
func StructOf(fields ...schema.Field) schema.Struct { return schema.Struct{Fields: fields} }

// Field is a field that may be null.
func Field(name string, t schema.Type) schema.Field {
	return schema.Field{Name: name, Type: t, Nullable: true}
}
