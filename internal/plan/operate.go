package plan

import (
	"fmt"
	"slices"
	"strconv"

	"landfall/internal/schema"
)

// Operate applies an operator and works out the type of the result by Spark's
// rules, for which operands of other types are converted where that loses
// nothing. The error says which operands it does not take.
func Operate(op Operator, args ...Expr) (Operation, error) {
	if want := arity(op); len(args) < want.least || len(args) > want.most {
		return Operation{}, fmt.Errorf("%s: found %d operands, want %s", op, len(args), want)
	}
	switch op {
	case Add, Subtract, Multiply, Divide, IntDivide, Modulo, Negate:
		return arithmetic(op, args)
	case Equal, NotEqual, SameAs, Less, LessEqual, Greater, GreaterEqual:
		return alike(op, schema.Boolean, args)
	case Coalesce:
		return alike(op, nil, args)
	case IsNull:
		return Operation{op, args, schema.Boolean}, nil
	case And, Or, Not:
		return all(op, schema.Boolean, args)
	case Concat:
		return all(op, schema.String, args)
	}
	return Operation{}, fmt.Errorf("found operator %d, want one of the plan's", op)
}

type span struct{ least, most int }

func (s span) String() string {
	if s.least == s.most {
		return fmt.Sprint(s.least)
	}
	return fmt.Sprintf("at least %d", s.least)
}

func arity(op Operator) span {
	const any = 1 << 20
	switch op {
	case Negate, Not, IsNull:
		return span{1, 1}
	case And, Or, Coalesce, Concat:
		return span{1, any}
	}
	return span{2, 2}
}

// all demands operands of one type, which is also the result's.
func all(op Operator, t schema.Type, args []Expr) (Operation, error) {
	for _, a := range args {
		if !Same(a.Type(), t) {
			return Operation{}, fmt.Errorf("%s: found %s, want %s", op, a.Type(), t)
		}
	}
	return Operation{op, args, t}, nil
}

// alike brings operands to one type; result nil is that type.
func alike(op Operator, result schema.Type, args []Expr) (Operation, error) {
	t := args[0].Type()
	for _, a := range args[1:] {
		common, lossless := unite(t, a.Type())
		if !lossless {
			return Operation{}, fmt.Errorf("%s: found %s and %s, want operands of one type", op, t, a.Type())
		}
		t = common
	}
	if !comparable(t) && op != Coalesce {
		return Operation{}, fmt.Errorf("%s: found %s, want a type that has an order", op, t)
	}
	converted := make([]Expr, len(args))
	for i, a := range args {
		converted[i] = To(a, t)
	}
	if result == nil {
		result = t
	}
	return Operation{op, converted, result}, nil
}

// To converts an expression, unless it has the type already.
func To(e Expr, t schema.Type) Expr {
	if Same(e.Type(), t) {
		return e
	}
	if l, ok := e.(Literal); ok && l.Value == nil {
		return Literal{Of: t}
	}
	if l, ok := widened(e, t); ok {
		return l
	}
	return Convert{From: e, To: t}
}

// widened is an integer constant as one of a longer integer or of a decimal.
func widened(e Expr, t schema.Type) (Literal, bool) {
	l, _ := e.(Literal)
	v, whole := l.Value.(int64)
	if !whole {
		return Literal{}, false
	}
	out := Literal{Value: v, Of: t}
	if _, decimal := t.(schema.Decimal); decimal {
		out.Value = strconv.FormatInt(v, 10)
	}
	return out, checkLiteral(out) == nil
}

// comparable reports whether the values of a type have an order; maps have none.
func comparable(t schema.Type) bool {
	switch t := t.(type) {
	case schema.Map:
		return false
	case schema.Array:
		return comparable(t.Element)
	case schema.Struct:
		return !slices.ContainsFunc(t.Fields, func(f schema.Field) bool { return !comparable(f.Type) })
	}
	return true
}

// Numeric reports whether a type is one of numbers.
func Numeric(t schema.Type) bool {
	if _, ok := t.(schema.Decimal); ok {
		return true
	}
	return Integral(t) || t == schema.Float || t == schema.Double
}

// Integral reports whether a type is one of whole numbers, decimals excepted.
func Integral(t schema.Type) bool {
	switch t {
	case schema.Byte, schema.Short, schema.Integer, schema.Long:
		return true
	}
	return false
}

func arithmetic(op Operator, args []Expr) (Operation, error) {
	for _, a := range args {
		if !Numeric(a.Type()) {
			return Operation{}, fmt.Errorf("%s: found %s, want a number", op, a.Type())
		}
	}
	if op == Negate {
		return Operation{op, args, args[0].Type()}, nil
	}
	left, right := args[0].Type(), args[1].Type()
	if l, r, ok := decimals(left, right); ok {
		return Operation{op, []Expr{To(args[0], l), To(args[1], r)}, decimalResult(op, l, r)}, nil
	}
	t := wider(left, right)
	switch op {
	case Divide:
		t = schema.Double
	case IntDivide:
		return Operation{op, []Expr{To(args[0], t), To(args[1], t)}, schema.Long}, nil
	}
	return Operation{op, []Expr{To(args[0], t), To(args[1], t)}, t}, nil
}

// wider is the type in which Spark computes with two numbers, none a decimal.
func wider(a, b schema.Type) schema.Type {
	rank := []schema.Type{schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double}
	return rank[max(slices.Index(rank, a), slices.Index(rank, b))]
}

// decimals returns the types of two operands of which one is a decimal, and the
// other one or an integer; a float makes the result one.
func decimals(a, b schema.Type) (l, r schema.Decimal, ok bool) {
	l, left := asDecimal(a)
	r, right := asDecimal(b)
	_, one := a.(schema.Decimal)
	_, other := b.(schema.Decimal)
	return l, r, left && right && (one || other)
}

// asDecimal is the decimal that holds any value of a type.
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

// MaxDigits is how many digits a decimal has at most.
const MaxDigits = 38

// decimalResult is Spark's type of a result of decimals, which gives up digits
// behind the point, down to six, before it gives up any in front of it.
func decimalResult(op Operator, l, r schema.Decimal) schema.Type {
	front, scale := max(l.Precision-l.Scale, r.Precision-r.Scale), max(l.Scale, r.Scale)
	switch op {
	case Multiply:
		return Bounded(l.Precision+r.Precision+1, l.Scale+r.Scale)
	case Divide:
		scale = max(6, l.Scale+r.Precision+1)
		return Bounded(l.Precision-l.Scale+r.Scale+scale, scale)
	case IntDivide:
		return schema.Long
	case Modulo:
		return Bounded(min(l.Precision-l.Scale, r.Precision-r.Scale)+scale, scale)
	}
	return Bounded(front+scale+1, scale)
}

// Bounded is the decimal of a precision and scale that may be more than
// MaxDigits allow.
func Bounded(precision, scale int) schema.Decimal {
	const keep = 6
	if precision > MaxDigits {
		front := precision - scale
		precision, scale = MaxDigits, max(MaxDigits-front, min(scale, keep))
	}
	return schema.Decimal{Precision: precision, Scale: scale}
}
