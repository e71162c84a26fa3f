package duckdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/engine"
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

// kernel lets DuckDB call a function of ours.
type kernel struct {
	function.Kernel
	config duck.ScalarFuncConfig
}

var _ duck.ScalarFunc = kernel{}

// Config implements duck.ScalarFunc.
func (k kernel) Config() duck.ScalarFuncConfig { return k.config }

// Executor implements duck.ScalarFunc.
func (k kernel) Executor() duck.ScalarFuncExecutor {
	return duck.ScalarFuncExecutor{RowExecutor: func(values []driver.Value) (any, error) {
		args := make([]any, len(values))
		for i, v := range values {
			args[i] = v
		}
		return k.Call(args)
	}}
}

// addKernels makes our functions known to a session.
func (s *session) addKernels() error {
	decimal := function.Kernel{
		Name: exactly, Args: []schema.Type{schema.String, schema.String, schema.String, schema.Long, schema.Long},
		Result: schema.String, Call: computeDecimal,
	}
	for _, k := range append(function.Kernels(), decimal) {
		config, err := configOf(k)
		if err != nil {
			return fmt.Errorf("add the function %s: %w", k.Name, err)
		}
		if err := duck.RegisterScalarUDF(s.conn, k.Name, kernel{k, config}); err != nil {
			return fmt.Errorf("add the function %s: %w", k.Name, err)
		}
	}
	return nil
}

// addFunctions makes the functions of the table known to a session, for which
// it is now the time that a job says.
func (s *session) addFunctions(ctx context.Context, job engine.Job) error {
	if err := s.addKernels(); err != nil {
		return err
	}
	now := "SET VARIABLE adf_now = " + momentSQL(job.Now.UTC().Truncate(time.Microsecond), schema.Timestamp)
	return s.exec(ctx, strings.Join(slices.Concat([]string{now}, function.Macros(function.DuckDB), macros()), ";\n"))
}

func configOf(k function.Kernel) (duck.ScalarFuncConfig, error) {
	var c duck.ScalarFuncConfig
	var errs []error
	info := func(t schema.Type) duck.TypeInfo {
		info, err := duck.NewTypeInfo(kernelType(t))
		errs = append(errs, err)
		return info
	}
	for _, t := range k.Args {
		c.InputTypeInfos = append(c.InputTypeInfos, info(t))
	}
	c.ResultTypeInfo = info(k.Result)
	return c, errors.Join(errs...)
}

func kernelType(t schema.Type) duck.Type {
	switch t {
	case schema.String:
		return duck.TYPE_VARCHAR
	case schema.Long:
		return duck.TYPE_BIGINT
	case schema.Double:
		return duck.TYPE_DOUBLE
	case schema.Binary:
		return duck.TYPE_BLOB
	}
	return duck.TYPE_INVALID
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
