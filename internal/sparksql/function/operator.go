package function

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// Operator writes an operator of Spark: + - * / % div || = <> < <= > >= <=> & |
// ^ and or like ilike rlike, and [] for an element of an array, counted from 0,
// or the value of a key; neg, not and bitnot have one operand, and take no
// notice of b. The error is a *Misuse.
func Operator(op string, a, b typed.Argument) (Result, error) {
	switch op {
	case "neg", "not", "bitnot":
		return unary(op, a)
	case "+", "-", "*", "/", "%", "div":
		return arithmetic(op, a, b)
	case "=", "<>", "<", "<=", ">", ">=", "<=>":
		return compare(op, a, b)
	case "&", "|", "^":
		return bitwise(op, a, b)
	case "and", "or":
		return logical(op, a, b)
	case "[]":
		return element(a, b)
	case "||":
		return callOf("concat", a, b)
	case "like", "ilike", "rlike":
		return callOf(op, a, b)
	}
	return Result{}, &typed.Misuse{Function: op, Argument: -1, Found: "an operator that there is not", Want: "one of Spark's"}
}

func callOf(name string, args ...typed.Argument) (Result, error) {
	f, _ := Lookup(name)
	return f.Write(Call{Args: args})
}

// element is an element of an array, or the value of a key of a map.
func element(a, b typed.Argument) (Result, error) {
	switch t := a.Type.(type) {
	case schema.Map:
		k, err := operand("[]", 1, b, t.Key)
		return Result{"(" + a.SQL + ")[" + k + "]", t.Value}, err
	case schema.Array:
		i, err := operand("[]", 1, b, schema.Integer)
		return Result{typed.Once([]string{a.SQL, i}, func(n []string) string {
			return "CASE WHEN " + n[1] + " < 0 OR " + n[1] + " >= len(" + n[0] + ") THEN error('INVALID_ARRAY_INDEX: found a place that there is not, want one of the array; get gives NULL') ELSE " +
				n[0] + "[" + n[1] + " + 1] END"
		}), t.Element}, err
	}
	return Result{}, &typed.Misuse{Function: "[]", Argument: 0, Found: a.Type.String(), Want: "an array or a map"}
}

// operand brings one operand to a type.
func operand(op string, i int, a typed.Argument, to schema.Type) (string, error) {
	if !typed.Assignable(a.Type, to) {
		return "", &typed.Misuse{Function: op, Argument: i, Found: a.Type.String(), Want: to.String()}
	}
	return typed.Cast(a, to, false)
}

func operands(op string, a, b typed.Argument, to schema.Type) (x, y string, err error) {
	if x, err = operand(op, 0, a, to); err != nil {
		return "", "", err
	}
	y, err = operand(op, 1, b, to)
	return x, y, err
}

func unary(op string, a typed.Argument) (Result, error) {
	t := a.Type
	switch {
	case op == "not":
		x, err := operand(op, 0, a, schema.Boolean)
		return Result{"(NOT " + x + ")", schema.Boolean}, err
	case typed.IsInterval(t) && op == "neg":
		return Result{"(-" + a.SQL + ")", t}, nil
	case op == "neg" && (t == schema.String || t == typed.Void):
		t = schema.Double
	case op == "bitnot" && t == typed.Void:
		t = schema.Integer
	case op == "neg" && !typed.Numeric(t), op == "bitnot" && !typed.Integral(t):
		return Result{}, &typed.Misuse{Function: op, Argument: 0, Found: t.String(), Want: "a number"}
	}
	x, err := operand(op, 0, a, t)
	sign := map[string]string{"neg": "-", "bitnot": "~"}[op]
	return Result{"CAST(" + sign + x + " AS " + typed.TypeSQL(t) + ")", t}, err
}

func logical(op string, a, b typed.Argument) (Result, error) {
	x, y, err := operands(op, a, b, schema.Boolean)
	return Result{"(" + x + " " + strings.ToUpper(op) + " " + y + ")", schema.Boolean}, err
}

func bitwise(op string, a, b typed.Argument) (Result, error) {
	t, ok := typed.Common(a.Type, b.Type)
	if t == typed.Void {
		t = schema.Integer
	}
	if !ok || !typed.Integral(t) {
		return Result{}, mismatch(op, a, b, "whole numbers")
	}
	x, y, err := operands(op, a, b, t)
	if op == "^" {
		return Result{"xor(" + x + ", " + y + ")", t}, err
	}
	return Result{"(" + x + " " + op + " " + y + ")", t}, err
}

func mismatch(op string, a, b typed.Argument, want string) error {
	return &typed.Misuse{
		Function: op, Argument: -1, Found: a.Type.String() + " and " + b.Type.String(), Want: want,
		Hint: "cast one of them",
	}
}

func compare(op string, a, b typed.Argument) (Result, error) {
	t, ok := typed.Common(a.Type, b.Type)
	if !ok {
		return Result{}, mismatch(op, a, b, "types that can be compared")
	}
	if op != "<=>" && !orderable(t) {
		return Result{}, mismatch(op, a, b, "values that have an order")
	}
	x, y, err := operands(op, a, b, t)
	if op == "<=>" {
		return Result{"(" + x + " IS NOT DISTINCT FROM " + y + ")", schema.Boolean}, err
	}
	if t == typed.Void {
		return Result{typed.CastTo("NULL", schema.Boolean), schema.Boolean}, err
	}
	return Result{"(" + x + " " + op + " " + y + ")", schema.Boolean}, err
}

// orderable reports whether Spark orders and compares values of a type.
func orderable(t schema.Type) bool {
	switch t := t.(type) {
	case schema.Array:
		return orderable(t.Element)
	case schema.Map:
		return false
	case schema.Struct:
		return !slices.ContainsFunc(t.Fields, func(f schema.Field) bool { return !orderable(f.Type) })
	}
	return true
}

func arithmetic(op string, a, b typed.Argument) (Result, error) {
	if typed.IsMoment(a.Type) || typed.IsMoment(b.Type) || typed.IsInterval(a.Type) || typed.IsInterval(b.Type) {
		return withTime(op, a, b)
	}
	if a.Type != typed.Void && a.Type != schema.String && !typed.Numeric(a.Type) || b.Type != typed.Void && b.Type != schema.String && !typed.Numeric(b.Type) {
		return Result{}, mismatch(op, a, b, "numbers")
	}
	t, ok := arithmeticType(op, a, b)
	if !ok {
		return Result{}, mismatch(op, a, b, "numbers")
	}
	if typed.IsDecimal(t) {
		return decimals(op, a, b)
	}
	x, y, err := operands(op, a, b, t)
	if err != nil {
		return Result{}, err
	}
	switch op {
	case "/":
		return Result{divided([]string{x, y}, "CAST(%s / %s AS "+typed.TypeSQL(t)+")"), t}, nil
	case "%":
		return Result{divided([]string{x, y}, "CAST(%s %% %s AS "+typed.TypeSQL(t)+")"), t}, nil
	case "div":
		return Result{divided([]string{x, y}, "CAST(CAST(%s AS HUGEINT) // %s AS BIGINT)"), t}, nil
	}
	return Result{"(" + x + " " + op + " " + y + ")", t}, nil
}

// divided writes a division that fails where the divisor is zero.
func divided(texts []string, form string) string {
	return typed.Once(texts, func(n []string) string {
		return "CASE WHEN " + n[1] + " = 0 AND " + n[0] + " IS NOT NULL THEN error('DIVIDE_BY_ZERO: found a divisor of 0, want another; try_divide gives NULL') ELSE " +
			fmt.Sprintf(form, n[0], n[1]) + " END"
	})
}

// arithmeticType is the type that both operands are brought to.
func arithmeticType(op string, a, b typed.Argument) (schema.Type, bool) {
	t, ok := typed.Common(a.Type, b.Type)
	switch {
	case !ok:
		return nil, false
	case t == schema.String || t == typed.Void:
		t = schema.Double
	}
	switch op {
	case "/":
		if !typed.IsDecimal(t) {
			t = schema.Double
		}
	case "div":
		if typed.Integral(t) || a.Type == typed.Void || b.Type == typed.Void {
			return schema.Long, true
		}
		return t, typed.IsDecimal(t)
	}
	return t, typed.Numeric(t)
}

// decimals computes with decimals, in Spark's types.
func decimals(op string, a, b typed.Argument) (Result, error) {
	p, q := decimalTypes(a, b)
	x, y, err := castBoth(op, a, b, p, q)
	if err != nil {
		return Result{}, err
	}
	out := decimalResult(op, p, q)
	digits := max(p.Precision-p.Scale, q.Precision-q.Scale) + max(p.Scale, q.Scale)
	switch {
	case (op == "+" || op == "-") && digits < 38, op == "*" && p.Precision+q.Precision <= 38:
		if out.Precision > 18 && p.Precision <= 18 {
			// DuckDB computes with 18 digits, if both have no more.
			x = typed.CastTo(x, schema.Decimal{Precision: 19, Scale: p.Scale})
		}
		return Result{typed.CastTo(x+" "+op+" "+y, out), out}, nil
	case op == "%" && digits <= 38:
		return Result{divided([]string{x, y}, "CAST(%s %% %s AS "+typed.TypeSQL(out)+")"), out}, nil
	}
	if op == "/" && p.Precision-p.Scale+q.Scale+out.Scale <= 38 && p.Precision+out.Scale+q.Scale < 38 {
		return Result{quotient(typed.CastTo(x, schema.Decimal{Precision: 38, Scale: p.Scale}), typed.CastTo(y, schema.Decimal{Precision: 38, Scale: q.Scale}), q.Scale, out), out}, nil
	}
	form := fmt.Sprintf("CAST(spark_decimal(%s, CAST(%%s AS VARCHAR), CAST(%%s AS VARCHAR), %d, %d) AS %s)", typed.Quote(strings.ReplaceAll(op, "%", "%%")), out.Precision, out.Scale, typed.TypeSQL(out))
	text := divided([]string{x, y}, form)
	if op == "div" {
		return Result{typed.CastTo(text, schema.Long), schema.Long}, nil
	}
	return Result{text, out}, nil
}

// quotient divides decimals by whole numbers, for which there is room: halves
// round away from zero.
func quotient(x, y string, scale int, out schema.Decimal) string {
	shifted := func(v string, n int) string {
		return fmt.Sprintf("CAST(%s * CAST(1%s AS DECIMAL(%d,0)) AS HUGEINT)", v, strings.Repeat("0", n), n+1)
	}
	unit := fmt.Sprintf("CAST(0.%s1 AS DECIMAL(%d,%d))", strings.Repeat("0", out.Scale-1), out.Scale, out.Scale)
	return divided([]string{shifted(x, out.Scale+scale), shifted(y, scale)},
		"CAST(CAST(spark_rounded_div(%s, %s) AS DECIMAL(38,0)) * "+unit+" AS "+typed.TypeSQL(out)+")")
}

// decimalTypes are the types that operands have as decimals.
func decimalTypes(a, b typed.Argument) (p, q schema.Decimal) {
	p, okA := typed.LiteralDecimal(a)
	q, okB := typed.LiteralDecimal(b)
	if !okA {
		p = q
	}
	if !okB {
		q = p
	}
	return p, q
}

func decimalOperands(op string, a, b typed.Argument) (x, y string, err error) {
	p, q := decimalTypes(a, b)
	return castBoth(op, a, b, p, q)
}

func castBoth(op string, a, b typed.Argument, p, q schema.Type) (x, y string, err error) {
	if x, err = operand(op, 0, a, p); err != nil {
		return "", "", err
	}
	y, err = operand(op, 1, b, q)
	return x, y, err
}

// decimalResult is Spark's type of a result: with all digits that it can have,
// as long as these are no more than 38.
func decimalResult(op string, a, b schema.Decimal) schema.Decimal {
	whole := max(a.Precision-a.Scale, b.Precision-b.Scale)
	scale := max(a.Scale, b.Scale)
	switch op {
	case "*":
		return typed.Bounded(a.Precision+b.Precision+1, a.Scale+b.Scale)
	case "/":
		scale = max(6, a.Scale+b.Precision+1)
		return typed.Bounded(a.Precision-a.Scale+b.Scale+scale, scale)
	case "%":
		return typed.Bounded(min(a.Precision-a.Scale, b.Precision-b.Scale)+scale, scale)
	case "div":
		return typed.Bounded(max(a.Precision-a.Scale+b.Scale, 1), 0)
	}
	return typed.Bounded(whole+scale+1, scale)
}

// withTime is arithmetic with dates, times and intervals.
func withTime(op string, a, b typed.Argument) (Result, error) {
	span, right := b.Type.(typed.Interval)
	left, isLeft := a.Type.(typed.Interval)
	switch {
	case right && isLeft:
		t, ok := typed.CommonInterval(a.Type, b.Type)
		if !ok || op != "+" && op != "-" {
			break
		}
		if left == span {
			t = span
		}
		return Result{"(" + a.SQL + " " + op + " " + b.SQL + ")", t}, nil
	case right && (op == "+" || op == "-") && a.Type == schema.String:
		return shiftedText(op, a, b)
	case right && (op == "+" || op == "-") && (typed.IsMoment(a.Type) || a.Type == typed.Void):
		return shifted(op, a, span, b.SQL), nil
	case isLeft && op == "+" && typed.IsMoment(b.Type):
		return shifted(op, b, left, a.SQL), nil
	case right && op == "*" && typed.Numeric(a.Type):
		return scaled(op, b, a, span)
	case isLeft && (op == "*" || op == "/") && typed.Numeric(b.Type):
		return scaled(op, a, b, left)
	case op == "-" && typed.IsMoment(a.Type) && typed.IsMoment(b.Type):
		return apart(a, b)
	case typed.IsMoment(a.Type) && b.Type == typed.Void && (op == "+" || op == "-"):
		t := schema.Type(schema.Timestamp)
		if a.Type == schema.TimestampNTZ {
			t = a.Type
		}
		return Result{typed.CastTo("NULL", t), t}, nil
	case a.Type == schema.Date && typed.Integral(b.Type) && (op == "+" || op == "-"):
		return days(op, a, b)
	case b.Type == schema.Date && typed.Integral(a.Type) && op == "+":
		return days(op, b, a)
	}
	return Result{}, mismatch(op, a, b, "a time and an interval, or two of them")
}

func days(op string, a, b typed.Argument) (Result, error) {
	n, err := typed.Cast(b, schema.Integer, false)
	return Result{"(" + typed.Exactly(a) + " " + op + " " + n + ")", schema.Date}, err
}

// shiftedText is a text of a time, as Spark shifts it: it stays one.
func shiftedText(op string, a, b typed.Argument) (Result, error) {
	t, err := typed.Cast(a, schema.Timestamp, false)
	if err != nil {
		return Result{}, err
	}
	r, err := withTime(op, typed.Argument{SQL: t, Type: schema.Timestamp}, b)
	if err != nil {
		return Result{}, err
	}
	text, err := typed.Cast(typed.Argument{SQL: r.SQL, Type: r.Type}, schema.String, false)
	return Result{text, schema.String}, err
}

func shifted(op string, a typed.Argument, span typed.Interval, sql string) Result {
	switch {
	case a.Type == schema.Date && (span.Months || span.Days):
		return Result{typed.CastTo(a.SQL+" "+op+" "+sql, schema.Date), schema.Date}
	case a.Type == schema.Date:
		return Result{"(spark_instant(CAST(" + a.SQL + " AS TIMESTAMP)) " + op + " " + sql + ")", schema.Timestamp}
	}
	return Result{"(" + a.SQL + " " + op + " " + sql + ")", a.Type}
}

// scaled is an interval as many times, or a part of it. Microseconds and months
// are whole; halves round away from zero.
func scaled(op string, span, by typed.Argument, t typed.Interval) (Result, error) {
	n, err := typed.Cast(by, schema.Double, false)
	if err != nil {
		return Result{}, err
	}
	t.Days = false
	unit, back := "epoch_us("+span.SQL+")", "to_microseconds"
	if t.Months {
		unit, back = "date_part('year', "+span.SQL+") * 12 + date_part('month', "+span.SQL+")", "to_months"
	}
	form := "CAST(round(%s " + op + " %s) AS BIGINT)"
	if op == "/" {
		return Result{back + "(" + divided([]string{unit, n}, form) + ")", t}, nil
	}
	return Result{back + "(" + fmt.Sprintf(form, "("+unit+")", n) + ")", t}, nil
}

// apart is how far two times are apart.
func apart(a, b typed.Argument) (Result, error) {
	if a.Type == schema.Date && b.Type == schema.Date {
		return Result{"to_days(CAST(" + typed.Exactly(a) + " - " + typed.Exactly(b) + " AS INTEGER))", typed.Interval{Days: true}}, nil
	}
	x, y, err := operands("-", a, b, typed.CommonMoment(a.Type, b.Type))
	return Result{"to_microseconds(epoch_us(" + x + ") - epoch_us(" + y + "))", typed.Interval{}}, err
}
