package translate_test

import (
	"database/sql"
	"testing"

	"landfall/internal/engine/duckdb/sessiontest"
	"landfall/internal/sparksql/function"
)

// session is a session of DuckDB that has all that queries need.
func session(t *testing.T) *sql.Conn {
	t.Helper()
	return sessiontest.Open(t, function.Kernels(), function.Macros())
}
