package engine

import "strings"

// Mentions reports whether a statement may refer to a view or listing of that
// name; false is certain. It spares opening tables that a query does not read.
func Mentions(sql, name string) bool {
	sql = strings.ToLower(sql)
	// Statements that list what there is refer to everything.
	for _, word := range []string{"show", "describe", "information_schema", "duckdb_", "pg_catalog"} {
		if strings.Contains(sql, word) {
			return true
		}
	}
	last := strings.ToLower(LastPart(name))
	return strings.Contains(sql, strings.ReplaceAll(last, `"`, `""`))
}

// LastPart returns what follows the last dot of a name.
func LastPart(name string) string {
	return name[strings.LastIndexByte(name, '.')+1:]
}
