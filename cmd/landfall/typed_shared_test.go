//go:build shared

package main

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"time"

	"landfall/internal/schema"
)

// sameTyped compares a table with types with one of text. Each value is the same
// in both: as a number has the same digits, as an instant is the same one, or is
// rescued as it was.
func sameTyped(t *testing.T, what, table string, typed, text realTable) {
	t.Helper()
	if text.count() == 0 {
		return // no contract either
	}
	types := typesOf(t, table)
	for file, rows := range text.rows {
		sameRows(t, what, canonical(typed.rows[file], types), canonical(rows, types))
	}
	if len(typed.rows) != len(text.rows) {
		t.Errorf("%s: found rows of %d files with types, of %d as text", what, len(typed.rows), len(text.rows))
	}
}

// typesOf maps the original names of a table's columns to their types.
func typesOf(t *testing.T, table string) map[string]string {
	t.Helper()
	types := map[string]string{}
	for line := range bytes.Lines(command(t, "schema", "show", "--table", table, "--json")) {
		var v agreed
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		for _, c := range v.Columns {
			name := c.Name
			if c.Original != "" {
				name = c.Original
			}
			types[name] = c.Type
		}
	}
	return types
}

// canonical gives the values of a column's type one form.
func canonical(rows []row, types map[string]string) []row {
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = row{}
		for name, text := range r {
			out[i][name] = form(types[name], text)
		}
	}
	return out
}

// form is a value as text that equal values of a type have in common. A code is
// no number.
func form(typ, text string) string {
	switch {
	case isCode(text):
	case typ == schema.Double.String() || typ == schema.Long.String() || strings.HasPrefix(typ, "decimal"):
		if text == "Inf" || text == "-Inf" {
			return text + "inity"
		}
		if n, ok := new(big.Rat).SetString(text); ok && !strings.ContainsAny(text, "/_xX") {
			return n.RatString()
		}
	case typ == schema.Boolean.String():
		if lower := strings.ToLower(text); lower == "true" || lower == "false" {
			return lower
		}
	case typ == schema.Timestamp.String():
		for _, layout := range []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999Z07", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
			if at, err := time.Parse(layout, text); err == nil {
				return at.UTC().Format(time.RFC3339Nano)
			}
		}
	}
	return text
}

// isCode tells texts of digits that a number would lose something of: 02134, +5.
// (That 1e5 is one, too, holds for CSV alone.)
func isCode(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return strings.HasPrefix(text, "+") || len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'
}
