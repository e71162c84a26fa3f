package duckdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/engine/duckdb/program"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
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
func (s *session) addKernels(kernels []function.Kernel) error {
	for _, k := range kernels {
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
	if err := s.addKernels(program.Kernels()); err != nil {
		return err
	}
	now := "SET VARIABLE adf_now = " + dialect.Moment(job.Now.UTC().Truncate(time.Microsecond), schema.Timestamp)
	return s.exec(ctx, strings.Join(append([]string{now}, program.Macros()...), ";\n"))
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
