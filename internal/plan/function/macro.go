package function

import (
	_ "embed"
	"strings"

	"landfall/internal/plan/function/kernel"
)

// Kernel is a function in Go that the templates for DuckDB call. An engine
// registers each once a session, under its name.
type Kernel = kernel.Kernel

// Kernels lists the kernels that the templates and macros for DuckDB use.
func Kernels() []Kernel { return kernel.All() }

// duckdb holds the macros, a statement each up to a semicolon at a line's end.
//
//go:embed duckdb.sql
var duckdb string

// Macros returns the statements that an engine runs once a session, after the
// kernels are registered and before any call. On DuckDB the session's time zone
// is UTC, and its variable adf_now holds when the run began, a TIMESTAMP in UTC.
func Macros(engine Engine) []string {
	if engine != DuckDB {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.TrimSpace(duckdb), ";"), ";\n")
}
