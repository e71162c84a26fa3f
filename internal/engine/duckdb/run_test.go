package duckdb_test

import (
	"testing"

	"landfall/internal/engine/duckdb"
	"landfall/internal/engine/enginetest"
)

func TestSuite(t *testing.T) {
	e, err := duckdb.Open(t.Context(), duckdb.Options{Threads: 2, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Run(t, e)
}
