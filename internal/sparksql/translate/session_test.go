package translate_test

import (
	"database/sql"
	"testing"

	"landfall/internal/plan/function/functiontest"
	"landfall/internal/sparksql/function"
)

// session is a session of DuckDB that has all that queries need.
func session(t *testing.T) *sql.Conn {
	t.Helper()
	return functiontest.Session(t, function.Kernels(), function.Macros())
}
