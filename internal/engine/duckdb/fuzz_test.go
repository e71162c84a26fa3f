package duckdb

import (
	"strings"
	"testing"
)

// Whatever DuckDB says, the place found in a statement is inside it.
func FuzzPosition(f *testing.F) {
	f.Add("SELECT nope FROM t", "Binder Error: no nope\n\nLINE 1: SELECT nope FROM t\n               ^")
	f.Add("SELECT 1,\nnope", "Binder Error: no nope\n\nLINE 2: ...nope...\n           ^")
	f.Fuzz(func(t *testing.T, sql, msg string) {
		place, excerpt := position(sql, msg)
		lines := strings.Split(sql, "\n")
		if place.IsZero() {
			return
		}
		if place.Line > int64(len(lines)) || lines[place.Line-1] != excerpt || place.Column > len(excerpt)+1 {
			t.Errorf("%v %q in %q", place, excerpt, sql)
		}
	})
}
