package duckdb

import (
	"testing"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
)

// A disk without room is told as such, whatever was written there.
func TestFull(t *testing.T) {
	err := (&session{}).fault(t.Context(), &duck.Error{Type: duck.ErrorTypeIO, Msg: `IO Error: Could not write file "x.parquet": No space left on device`})
	if diag.CodeOf(err) != diag.StoreFull {
		t.Errorf("found %v, want %s", err, diag.StoreFull)
	}
}
