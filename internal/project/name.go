package project

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// longestName bounds the name of a source, which is also that of a folder.
const longestName = 100

// name checks the name of a source. It is a folder in the table's state and a
// view in queries, and neither tells casings apart everywhere.
func (l *loader) name(key tree) {
	name := key.name()
	if !validName(name) {
		l.problems.Add(key.problem(diag.ProjectKey, "source %s: want a name of at most %d letters (a-z), digits, -, _ and single dots, a letter or digit first",
			diag.Quote(name), longestName))
	}
	for _, other := range l.project.Sources {
		if other.Name != name && schema.Fold(other.Name) == schema.Fold(name) {
			l.problems.Add(key.problem(diag.ProjectKey, "source %s differs from %s (line %d) only in casing", diag.Quote(name), diag.Quote(other.Name), other.At.Line).
				Hinted("give one of them another name: queries do not tell casings apart"))
		}
	}
}

// validName takes names that can be a folder's and a view's. A dot divides the
// view's schema from its name, so something stands on both sides.
func validName(name string) bool {
	if name == "" || len(name) > longestName || name[0] == '_' || name[0] == '-' {
		return false
	}
	for part := range strings.SplitSeq(name, ".") {
		if part == "" {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && r != '-' && r != '_' && r != '.'
	})
}
