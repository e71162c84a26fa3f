// Package dialect spells names, types and constants as DuckDB does.
package dialect

import (
	"fmt"
	"strings"
	"time"

	"landfall/internal/schema"
)

// Quote writes a string literal, of text without zero bytes.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// Name writes an identifier.
func Name(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// List writes a list of string literals.
func List(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = Quote(t)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// Text writes a string; DuckDB's texts of statements end at a zero byte.
func Text(v string) string {
	parts := strings.Split(v, "\x00")
	for i, p := range parts {
		parts[i] = Quote(p)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + strings.Join(parts, " || chr(0) || ") + ")"
}

// Moment writes a date or timestamp, as its distance from 1970 where ISO 8601
// has no spelling for the year.
func Moment(t time.Time, of schema.Type) string {
	const last = 9999
	plain := t.Year() >= 1 && t.Year() <= last
	switch {
	case of == schema.Date && plain:
		return "CAST('" + t.Format(time.DateOnly) + "' AS DATE)"
	case of == schema.Date:
		return fmt.Sprintf("CAST(make_timestamp(%d) AS DATE)", t.UnixMicro())
	case plain:
		return "CAST('" + t.Format("2006-01-02 15:04:05.999999") + "' AS TIMESTAMP)"
	}
	return fmt.Sprintf("make_timestamp(%d)", t.UnixMicro())
}
