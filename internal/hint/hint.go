// Package hint holds the types that people give to columns (cloudFiles.schemaHints).
//
// A [Set] is read from text once and never changes. What it says of one column,
// or of a part of one, is a [Node]; nil is the node that says nothing.
package hint

import (
	"slices"

	"landfall/internal/schema"
)

// Set pins the types of columns by path. The zero value pins nothing.
type Set struct {
	// Text is what a person wrote.
	Text string
	// top holds the columns in their order.
	top    []*Node
	byName map[string]*Node
	// required are the paths that hints say are not null.
	required []string
}

// IsZero reports whether nothing is hinted.
func (s Set) IsZero() bool { return len(s.top) == 0 }

// For returns what is hinted of a column, by its original name in any casing;
// nil for nothing.
func (s Set) For(name string) *Node { return s.byName[schema.Fold(schema.TrimName(name))] }

// Required returns the paths of the columns and parts that hints declare NOT NULL,
// as schema.Path writes them, in the order of the hints. It is all that becomes of
// it: a column of files may always be null.
func (s Set) Required() []string { return slices.Clone(s.required) }

// Columns returns what is hinted of each column, in the order in which they were
// named first. One that no file has had yet is a column all the same.
func (s Set) Columns() []*Node { return slices.Clone(s.top) }
