package function

import (
	"fmt"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// wholeType is the type of a decimal's whole part.
func wholeType(types []schema.Type) schema.Type {
	d, _ := types[0].(schema.Decimal)
	if d.Scale == 0 {
		return d
	}
	return schema.Decimal{Precision: min(d.Precision-d.Scale+1, 38)}
}

// wider is a decimal with so many digits more, some behind the point.
func wider(t schema.Type, digits, scale int) schema.Type {
	d, _ := t.(schema.Decimal)
	return typed.Bounded(d.Precision+digits, d.Scale+scale)
}

// roundedType is Spark's type of a number of which so many digits are left
// behind the point.
func roundedType(t schema.Type, digits int) schema.Type {
	d, ok := t.(schema.Decimal)
	if !ok {
		return t
	}
	whole := d.Precision - d.Scale + 1
	if digits < 0 {
		return schema.Decimal{Precision: min(max(whole, -digits+1), 38)}
	}
	scale := min(d.Scale, digits)
	return schema.Decimal{Precision: min(whole+scale, 38), Scale: scale}
}

// rounded rounds to as many digits as a literal says.
func (w *writing) rounded(even bool) (string, error) {
	n := 0
	if len(w.args) > 1 {
		var err error
		if n, err = w.number(1, "how many digits behind the point"); err != nil {
			return "", err
		}
	}
	t := w.types[0]
	w.typ = roundedType(t, n)
	x := w.args[0]
	switch {
	case typed.Integral(t) && n >= 0:
		return x, nil
	case even:
		return fmt.Sprintf("CAST(adf_rounded(CAST(%s AS VARCHAR), %d, 7) AS %s)", x, n, typed.TypeSQL(w.typ)), nil
	case typed.Fractional(t):
		return typed.Once([]string{typed.CastTo(x, schema.Double)}, func(names []string) string {
			return typed.CastTo(fmt.Sprintf("spark_round(%s, %d)", names[0], n), t)
		}), nil
	}
	return typed.CastTo(fmt.Sprintf("round(%s, %d)", x, n), w.typ), nil
}

// stepped rounds up or down to as many digits as a literal says; the result is
// a decimal.
func (w *writing) stepped(by string) (string, error) {
	n, err := w.number(1, "how many digits behind the point")
	if err != nil {
		return "", err
	}
	d, ok := typed.AsDecimal(w.types[0])
	switch {
	case ok:
	case w.types[0] == schema.Float:
		d = schema.Decimal{Precision: 14, Scale: 7}
	default:
		d = schema.Decimal{Precision: 30, Scale: 15}
	}
	x, err := typed.Cast(typed.Argument{SQL: w.args[0], Type: w.types[0]}, d, false)
	if err != nil {
		return "", err
	}
	mode := map[string]int{"ceil": 3, "floor": 4}[by]
	w.typ = roundedType(d, n)
	return fmt.Sprintf("CAST(adf_rounded(CAST(%s AS VARCHAR), %d, %d) AS %s)", x, n, mode, typed.TypeSQL(w.typ)), nil
}

// operator is the function of an operator.
func (w *writing) operator(op string) (string, error) {
	r, err := Operator(op, w.call.Args[0], w.call.Args[1])
	w.typ = r.Type
	return r.SQL, err
}

// tryOperator is an operator that gives null where it fails.
func (w *writing) tryOperator(op string) (string, error) {
	a, b := w.call.Args[0], w.call.Args[1]
	r, err := Operator(op, a, b)
	if err != nil {
		return "", err
	}
	w.typ = r.Type
	if t, ok := arithmeticType(op, a, b); ok {
		for _, x := range []*typed.Argument{&a, &b} {
			if x.Type != schema.String {
				continue
			}
			if x.SQL, err = typed.Cast(*x, t, true); err != nil {
				return "", err
			}
			x.Type, x.Literal = t, nil
		}
	}
	if typed.IsMoment(r.Type) || typed.IsInterval(r.Type) {
		return r.SQL, nil
	}
	if d, ok := r.Type.(schema.Decimal); ok {
		x, y, err := decimalOperands(op, a, b)
		return fmt.Sprintf("CAST(spark_try_decimal(%s, CAST(%s AS VARCHAR), CAST(%s AS VARCHAR), %d, %d) AS %s)", typed.Quote(op), x, y, d.Precision, d.Scale, typed.TypeSQL(d)), err
	}
	x, y, err := operands(op, a, b, r.Type)
	if err != nil {
		return "", err
	}
	if op == "/" || op == "%" {
		return typed.Once([]string{y}, func(n []string) string {
			return "CASE WHEN " + n[0] + " <> 0 THEN CAST(" + x + " " + op + " " + n[0] + " AS " + typed.TypeSQL(r.Type) + ") END"
		}), nil
	}
	if typed.Fractional(r.Type) {
		return "(" + x + " " + op + " " + y + ")", nil
	}
	return "TRY_CAST(CAST(" + x + " AS HUGEINT) " + op + " " + y + " AS " + typed.TypeSQL(r.Type) + ")", nil
}

// pmod is the rest of a division, made positive.
func (w *writing) pmod() (string, error) {
	r, err := Operator("%", w.call.Args[0], w.call.Args[1])
	if err != nil {
		return "", err
	}
	w.typ = r.Type
	divisor := w.args[1]
	if !typed.IsDecimal(r.Type) {
		if divisor, err = typed.Cast(w.call.Args[1], r.Type, false); err != nil {
			return "", err
		}
	}
	return typed.Once([]string{r.SQL, divisor}, func(n []string) string {
		return "CASE WHEN " + n[0] + " < 0 THEN CAST((" + n[0] + " + " + n[1] + ") % " + n[1] + " AS " + typed.TypeSQL(r.Type) + ") ELSE " + n[0] + " END"
	}), nil
}

// zero is the literal 0.
func zero() typed.Argument {
	text := "0"
	return typed.Argument{SQL: text, Type: schema.Integer, Literal: &text}
}

func (w *writing) zeroIfNull() (string, error) {
	r, err := callOf("coalesce", w.call.Args[0], zero())
	w.typ = r.Type
	return r.SQL, err
}

// nullif compares in the common type, and gives the first value.
func (w *writing) nullif() (string, error) {
	a, b := w.call.Args[0], zero()
	if len(w.args) > 1 {
		b = w.call.Args[1]
	}
	a.SQL = w.args[0]
	var failed error
	out := typed.Once([]string{a.SQL}, func(n []string) string {
		a.SQL = n[0]
		r, err := Operator("=", a, b)
		failed = err
		return "CASE WHEN " + r.SQL + " THEN NULL ELSE " + n[0] + " END"
	})
	return out, failed
}

// cast is the function of a type's name.
func (w *writing) cast() (string, error) {
	return typed.Cast(w.call.Args[0], w.typ, false)
}

// hash goes on with the hash of the value before for each value.
func (w *writing) hash(by string) (string, error) {
	seed := "CAST(42 AS BIGINT)"
	for i, t := range w.types {
		text, kind := hashed(w.args[i], t)
		if text == "" {
			return "", &typed.Misuse{Function: w.name, Argument: i, Found: t.String(), Want: "a text, a number, a time or bytes", Hint: "hash what is in it"}
		}
		if kind == "void" {
			continue
		}
		name := "spark_" + by + "_" + kind
		seed = typed.Once([]string{seed}, func(n []string) string {
			return "coalesce(" + name + "(" + text + ", " + n[0] + "), " + n[0] + ")"
		})
	}
	return typed.CastTo(seed, w.typ), nil
}

// hashed is a value as the kernels of hashes take it, and of which kind it is:
// int, long, double, float or bytes.
func hashed(x string, t schema.Type) (text, kind string) {
	d, decimal := t.(schema.Decimal)
	switch {
	case t == typed.Void:
		return x, "void"
	case t == schema.Boolean, typed.Rank(t) >= 1 && typed.Rank(t) <= 3:
		return typed.CastTo(x, schema.Long), "int"
	case t == schema.Date:
		return "CAST(" + x + " - DATE '1970-01-01' AS BIGINT)", "int"
	case t == schema.Long:
		return x, "long"
	case typed.IsTime(t):
		return "epoch_us(" + x + ")", "long"
	case decimal && d.Precision <= 18:
		return "CAST(" + typed.CastTo(x, schema.Decimal{Precision: 38, Scale: d.Scale}) + " * CAST(1" + strings.Repeat("0", d.Scale) + " AS DECIMAL(19,0)) AS BIGINT)", "long"
	case t == schema.Float:
		return typed.CastTo(x, schema.Double), "float"
	case t == schema.Double:
		return x, "double"
	case t == schema.String:
		return "encode(" + x + ")", "bytes"
	case t == schema.Binary:
		return x, "bytes"
	}
	return "", ""
}
