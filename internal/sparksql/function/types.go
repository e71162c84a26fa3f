package function

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

// void is the type of NULL.
const void = schema.Unknown

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
		return primitiveSQL(t)
	}
	return "VARCHAR"
}

func primitiveSQL(p schema.Primitive) string {
	switch p {
	case schema.Boolean:
		return "BOOLEAN"
	case schema.Byte:
		return "TINYINT"
	case schema.Short:
		return "SMALLINT"
	case schema.Integer:
		return "INTEGER"
	case schema.Long:
		return "BIGINT"
	case schema.Float:
		return "FLOAT"
	case schema.Double:
		return "DOUBLE"
	case schema.Binary:
		return "BLOB"
	case schema.Date:
		return "DATE"
	case schema.Timestamp:
		return "TIMESTAMP WITH TIME ZONE"
	case schema.TimestampNTZ:
		return "TIMESTAMP"
	case void:
		return `"NULL"`
	}
	return "VARCHAR"
}

// quote writes a text as a literal of DuckDB.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// name writes a name of DuckDB.
func name(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// castTo is the cast of DuckDB itself.
func castTo(sql string, t schema.Type) string { return "CAST(" + sql + " AS " + TypeSQL(t) + ")" }

// rank orders the numbers that are no decimals; 0 is none of them.
func rank(t schema.Type) int {
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

func integral(t schema.Type) bool { return rank(t) >= 1 && rank(t) <= 4 }

func fractional(t schema.Type) bool { return t == schema.Float || t == schema.Double }

func isDecimal(t schema.Type) bool {
	_, ok := t.(schema.Decimal)
	return ok
}

func numeric(t schema.Type) bool { return rank(t) > 0 || isDecimal(t) }

func isInterval(t schema.Type) bool {
	_, ok := t.(Interval)
	return ok
}

func isTime(t schema.Type) bool { return t == schema.Timestamp || t == schema.TimestampNTZ }

// atomic reports whether a type has no parts and is not that of NULL.
func atomic(t schema.Type) bool { return schema.Scalar(t) && t != void && !isInterval(t) }

// same reports whether two types have the same values, whatever may be null in
// them.
func same(a, b schema.Type) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.String() == b.String()
}

// asDecimal is the decimal that holds the values of a whole number's type.
func asDecimal(t schema.Type) (schema.Decimal, bool) {
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

// literalDecimal is the decimal of a whole number's literal, which has the
// digits that are written.
func literalDecimal(a Argument) (schema.Decimal, bool) {
	if a.Literal == nil || !integral(a.Type) {
		return asDecimal(a.Type)
	}
	digits := strings.TrimLeft(*a.Literal, "+-0")
	return schema.Decimal{Precision: max(len(digits), 1)}, true
}

// bounded is a decimal of 38 digits at most: of too many the ones behind the
// point go, but for six.
func bounded(precision, scale int) schema.Decimal {
	if precision <= 38 {
		return schema.Decimal{Precision: precision, Scale: scale}
	}
	return schema.Decimal{Precision: 38, Scale: max(38-(precision-scale), min(scale, 6))}
}

func arrayOf(t schema.Type) schema.Array { return schema.Array{Element: t, ContainsNull: true} }

func mapOf(k, v schema.Type) schema.Map {
	return schema.Map{Key: k, Value: v, ValueContainsNull: true}
}

func structOf(fields ...schema.Field) schema.Struct { return schema.Struct{Fields: fields} }

func field(name string, t schema.Type) schema.Field {
	return schema.Field{Name: name, Type: t, Nullable: true}
}
