package program

import (
	"fmt"
	"math/big"
	"strings"

	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// exactly is the function that computes with two decimals: operator, both as
// text, precision and scale of the result. What does not fit is null.
const exactly = "landfall_decimal"

// The functions of the table that write doubles and floats as Java does, which
// is how Spark does.
const (
	javaText  = "adf_double_text"
	javaFloat = "adf_float_text"
)

// Kernels are the functions of Go that a program calls.
func Kernels() []function.Kernel {
	decimal := function.Kernel{
		Name: exactly, Args: []schema.Type{schema.String, schema.String, schema.String, schema.Long, schema.Long},
		Result: schema.String, Call: computeDecimal,
	}
	return append(function.Kernels(), decimal)
}

// computeDecimal is the function exactly.
func computeDecimal(values []any) (any, error) {
	left, okLeft := new(big.Rat).SetString(fmt.Sprint(values[1]))
	right, okRight := new(big.Rat).SetString(fmt.Sprint(values[2]))
	precision, okPrecision := values[3].(int64)
	scale, okScale := values[4].(int64)
	if !okLeft || !okRight || !okPrecision || !okScale {
		return nil, fmt.Errorf("%s: found %v", exactly, values)
	}
	out := computed(fmt.Sprint(values[0]), left, right)
	if out == nil {
		return nil, nil
	}
	return digitsOf(out, int(precision), int(scale)), nil
}

// computed applies an operator; nil is the result of a division by zero.
func computed(op string, left, right *big.Rat) *big.Rat {
	out := new(big.Rat)
	switch op {
	case "+":
		return out.Add(left, right)
	case "-":
		return out.Sub(left, right)
	case "*":
		return out.Mul(left, right)
	}
	if right.Sign() == 0 {
		return nil
	}
	out.Quo(left, right)
	if op == "/" {
		return out
	}
	out.SetInt(new(big.Int).Quo(out.Num(), out.Denom())) // cuts towards zero
	if op == "%" {
		out.Sub(left, out.Mul(out, right))
	}
	return out
}

// digitsOf rounds a number half away from zero, and writes it; nil if it has
// too many digits.
func digitsOf(n *big.Rat, precision, scale int) any {
	text := n.FloatString(scale)
	digits := strings.TrimLeft(strings.ReplaceAll(strings.TrimPrefix(text, "-"), ".", ""), "0")
	if len(digits) > precision {
		return nil
	}
	return text
}
