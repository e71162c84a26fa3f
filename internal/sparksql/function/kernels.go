package function

import (
	"fmt"
	"math/big"

	"landfall/internal/plan/function/kernel"
	"landfall/internal/schema"
)

// Kernels are the functions in Go that a session registers before Macros; those
// of package kernel are among them.
func Kernels() []kernel.Kernel {
	const text, long = schema.String, schema.Long
	return append(kernel.All(),
		kernel.Kernel{Name: "spark_decimal", Args: []schema.Type{text, text, text, long, long}, Result: text, Call: decimalOf},
	)
}

// decimalOf computes an operator of two decimals exactly, and rounds to a scale,
// halves away from zero.
func decimalOf(args []any) (any, error) {
	op, okOp := args[0].(string)
	precision, okP := args[3].(int64)
	scale, okS := args[4].(int64)
	x, okX := new(big.Rat).SetString(fmt.Sprint(args[1]))
	y, okY := new(big.Rat).SetString(fmt.Sprint(args[2]))
	if !okOp || !okP || !okS || !okX || !okY {
		return nil, fmt.Errorf("spark_decimal: found %v", args)
	}
	switch op {
	case "+":
		x.Add(x, y)
	case "-":
		x.Sub(x, y)
	case "*":
		x.Mul(x, y)
	case "/":
		x.Quo(x, y)
	default:
		q := new(big.Rat).Quo(x, y)
		whole := new(big.Int).Quo(q.Num(), q.Denom())
		if op == "div" {
			x.SetInt(whole)
		} else {
			x.Sub(x, y.Mul(y, new(big.Rat).SetInt(whole)))
		}
	}
	return digits(x, int(precision), int(scale))
}

// digits writes a number as a decimal, if it is one of so many digits.
func digits(x *big.Rat, precision, scale int) (any, error) {
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	scaled := new(big.Rat).Mul(x, new(big.Rat).SetInt(power))
	whole, rest := new(big.Int).QuoRem(scaled.Num(), scaled.Denom(), new(big.Int))
	if rest.Abs(rest).Lsh(rest, 1).Cmp(scaled.Denom()) >= 0 {
		whole.Add(whole, big.NewInt(int64(scaled.Sign())))
	}
	if len(new(big.Int).Abs(whole).String()) > precision {
		return nil, fmt.Errorf("NUMERIC_VALUE_OUT_OF_RANGE: found %s, want a decimal(%d,%d)", x.FloatString(scale), precision, scale)
	}
	return new(big.Rat).SetFrac(whole, power).FloatString(scale), nil
}
