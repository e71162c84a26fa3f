package duckdb

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"
)

// The functions that DuckDB has from us, in every session that runs plans.
const (
	// exactly computes with two decimals: operator, both as text, precision
	// and scale of the result. What does not fit is null.
	exactly = "landfall_decimal"
	// javaText writes a double as Java does, which is how Spark does.
	javaText = "landfall_double_text"
	// javaFloat is javaText of a float.
	javaFloat = "landfall_float_text"
)

// kernel is a function of ours on values of one row, none of them null.
type kernel struct {
	from []duck.Type
	call func(values []driver.Value) (any, error)
}

var _ duck.ScalarFunc = kernel{}

// Config implements duck.ScalarFunc.
func (k kernel) Config() duck.ScalarFuncConfig {
	var c duck.ScalarFuncConfig
	for _, t := range k.from {
		if info, err := duck.NewTypeInfo(t); err == nil {
			c.InputTypeInfos = append(c.InputTypeInfos, info)
		}
	}
	if info, err := duck.NewTypeInfo(duck.TYPE_VARCHAR); err == nil {
		c.ResultTypeInfo = info
	}
	return c
}

// Executor implements duck.ScalarFunc.
func (k kernel) Executor() duck.ScalarFuncExecutor {
	return duck.ScalarFuncExecutor{RowExecutor: k.call}
}

// addKernels makes our functions known to a session.
func addKernels(conn *sql.Conn) error {
	for name, k := range map[string]kernel{
		exactly: {
			[]duck.Type{duck.TYPE_VARCHAR, duck.TYPE_VARCHAR, duck.TYPE_VARCHAR, duck.TYPE_INTEGER, duck.TYPE_INTEGER},
			computeDecimal,
		},
		javaText:  {[]duck.Type{duck.TYPE_DOUBLE}, doubleText},
		javaFloat: {[]duck.Type{duck.TYPE_FLOAT}, doubleText},
	} {
		if err := duck.RegisterScalarUDF(conn, name, k); err != nil {
			return fmt.Errorf("add the function %s: %w", name, err)
		}
	}
	return nil
}

// computeDecimal is the function exactly.
func computeDecimal(values []driver.Value) (any, error) {
	op, _ := values[0].(string)
	left, okLeft := new(big.Rat).SetString(fmt.Sprint(values[1]))
	right, okRight := new(big.Rat).SetString(fmt.Sprint(values[2]))
	precision, okPrecision := values[3].(int32)
	scale, okScale := values[4].(int32)
	if !okLeft || !okRight || !okPrecision || !okScale {
		return nil, fmt.Errorf("%s: found %v", exactly, values)
	}
	out := new(big.Rat)
	switch op {
	case "+":
		out.Add(left, right)
	case "-":
		out.Sub(left, right)
	case "*":
		out.Mul(left, right)
	default:
		if right.Sign() == 0 {
			return nil, nil
		}
		out.Quo(left, right)
		if op != "/" {
			whole := new(big.Int).Quo(out.Num(), out.Denom())
			out.SetInt(whole)
		}
		if op == "%" {
			out.Sub(left, out.Mul(out, right))
		}
	}
	return digitsOf(out, int(precision), int(scale)), nil
}

// digitsOf rounds a number half away from zero, and writes it; nil if it has
// too many digits.
func digitsOf(n *big.Rat, precision, scale int) any {
	text := n.FloatString(scale) // rounds half away from zero
	digits := strings.TrimLeft(strings.ReplaceAll(strings.TrimPrefix(text, "-"), ".", ""), "0")
	if len(digits) > precision {
		return nil
	}
	return text
}

// doubleText is the functions javaText and javaFloat.
func doubleText(values []driver.Value) (any, error) {
	switch v := values[0].(type) {
	case float64:
		return javaDigits(v, 64), nil
	case float32:
		return javaDigits(float64(v), 32), nil
	}
	return nil, fmt.Errorf("%s: found %T", javaText, values[0])
}

// javaDigits writes the shortest digits of a number: 1.0E7 from ten million on
// and below a thousandth, 1234.5 between.
func javaDigits(v float64, bits int) string {
	const least, most = 1e-3, 1e7
	switch {
	case v != v:
		return "NaN"
	case v > 0 && v*2 == v:
		return "Infinity"
	case v < 0 && v*2 == v:
		return "-Infinity"
	}
	abs := max(v, -v)
	if abs == 0 || abs >= least && abs < most {
		text := strconv.FormatFloat(v, 'f', -1, bits)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	}
	text := strconv.FormatFloat(v, 'e', -1, bits)
	mantissa, exponent, _ := strings.Cut(text, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, err := strconv.Atoi(exponent)
	if err != nil {
		return text
	}
	return mantissa + "E" + strconv.Itoa(n)
}
