package translate

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/function"
)

// whole are the types of whole numbers by the letter behind them.
func whole(l *sparksql.Literal) schema.Type {
	switch l.Keyword {
	case "L":
		return schema.Long
	case "S":
		return schema.Short
	case "Y":
		return schema.Byte
	}
	digits := strings.TrimLeft(l.Text, "-0")
	switch {
	case len(digits) < 10 || len(digits) == 10 && digits <= "2147483647" || l.Text == "-2147483648":
		return schema.Integer
	case len(digits) < 19 || len(digits) == 19 && digits <= "9223372036854775807" || l.Text == "-9223372036854775808":
		return schema.Long
	default:
		return schema.Decimal{Precision: len(digits)}
	}
}

// decimal is the type of a number with a point.
func decimal(digits string) schema.Decimal {
	before, after, _ := strings.Cut(strings.TrimLeft(digits, "-"), ".")
	before = strings.TrimLeft(before, "0")
	return schema.Decimal{Precision: max(len(before)+len(after), 1), Scale: len(after)}
}

func (e *expressions) literal(l *sparksql.Literal) value {
	switch l.Class {
	case sparksql.Null:
		return value{sql: "NULL", typ: schema.Unknown}
	case sparksql.Boolean:
		return value{sql: l.Text, typ: schema.Boolean}
	case sparksql.Text:
		return value{sql: e.text(l.Text), typ: schema.String, literal: &l.Text}
	case sparksql.Typed:
		return e.typed(l)
	}
	return e.number(l)
}

// text writes a string; DuckDB has no literal with a byte of zero.
func (e *expressions) text(s string) string {
	if !strings.Contains(s, "\x00") {
		return text(s)
	}
	parts := strings.Split(s, "\x00")
	for i, p := range parts {
		parts[i] = text(p)
	}
	return "(" + strings.Join(parts, " || chr(0) || ") + ")"
}

func (e *expressions) number(l *sparksql.Literal) value {
	var t schema.Type
	switch l.Class {
	case sparksql.Whole:
		t = whole(l)
	case sparksql.Decimal:
		t = decimal(l.Text)
	default:
		t = schema.Double
		if l.Keyword == "F" {
			t = schema.Float
		}
	}
	if d, ok := t.(schema.Decimal); ok && d.Precision > 38 {
		e.problem(diag.SQLType, l.Range, "found a number of %d digits, want at most 38", d.Precision).Hint = "write it as a double: 1e40"
		return value{}
	}
	return value{sql: "CAST(" + text(l.Text) + " AS " + function.TypeSQL(t) + ")", typ: t, literal: &l.Text}
}

// typed is DATE '…' and the like.
func (e *expressions) typed(l *sparksql.Literal) value {
	if l.Keyword == "X" {
		hex := &sparksql.Literal{Range: l.Range, Class: sparksql.Text, Text: l.Text}
		return e.function("unhex", l.Range, hex)
	}
	to := map[string]schema.Type{"DATE": schema.Date, "TIMESTAMP": schema.Timestamp, "TIMESTAMP_LTZ": schema.Timestamp, "TIMESTAMP_NTZ": schema.TimestampNTZ}[l.Keyword]
	return e.cast(&sparksql.Literal{Range: l.Range, Class: sparksql.Text, Text: l.Text}, to, false, l.Range)
}

func (e *expressions) param(x *sparksql.Param) value {
	v, ok := e.options.Params[x.Name]
	if !ok {
		e.problem(diag.SQLName, x.Range, "parameter %s: there is none of that name", x.Name).Hint = "give it under parameters: of the pipeline, or by --param " + x.Name + "=…"
		return value{}
	}
	return e.literal(&sparksql.Literal{Range: x.Range, Class: sparksql.Text, Text: v})
}

// interval is a span of months, or of days and parts of them.
func (e *expressions) interval(x *sparksql.Interval) value {
	t := function.Interval{Days: true}
	var parts []string
	var values []value
	for i, a := range x.Parts {
		months := a.Unit == "year" || a.Unit == "quarter" || a.Unit == "month"
		if i > 0 && months != t.Months {
			e.problem(diag.SQLRefused, x.Range, "an interval of months and of days is not understood").Hint = "add the one and then the other"
			return value{}
		}
		t.Months = months
		t.Days = t.Days && !months && (a.Unit == "day" || a.Unit == "week")
		v, sql := e.amount(a, months)
		if v.typ == nil {
			return v
		}
		parts, values = append(parts, sql), append(values, v)
	}
	return of(function.Result{SQL: "(" + strings.Join(parts, " + ") + ")", Type: t}, values...)
}

// amount writes one part of an interval. Parts of days may have fractions.
func (e *expressions) amount(a sparksql.Amount, months bool) (value, string) {
	unit, factor := a.Unit, "1"
	if unit == "quarter" {
		unit, factor = "month", "3"
	}
	if months || unit == "week" || unit == "day" {
		v := e.cast(a.Count, schema.Integer, false, a.Count.Span())
		return v, "to_" + unit + "s(" + v.sql + " * " + factor + ")"
	}
	micros := map[string]string{"hour": "3600000000", "minute": "60000000", "second": "1000000", "millisecond": "1000", "microsecond": "1"}[unit]
	v := e.cast(a.Count, schema.Decimal{Precision: 18, Scale: 6}, false, a.Count.Span())
	return v, "to_microseconds(CAST(" + v.sql + " * " + micros + " AS BIGINT))"
}
