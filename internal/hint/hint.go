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
}

// IsZero reports whether nothing is hinted.
func (s Set) IsZero() bool { return len(s.top) == 0 }

// For returns what is hinted of a column, by its original name in any casing;
// nil for nothing.
func (s Set) For(name string) *Node { return s.byName[schema.Fold(schema.TrimName(name))] }

// Columns returns what is hinted of each column, in the order in which they were
// named first. One that no file has had yet is a column all the same.
func (s Set) Columns() []*Node { return slices.Clone(s.top) }
