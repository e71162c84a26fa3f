package intake

import (
	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/schema"
)

// Shape is how rows are written under one version of the contract.
type Shape struct {
	Version contract.Version
	// Fits is what rows are fitted to: the columns of the table, of structs the
	// fields that the contract knows.
	Fits schema.Struct
	// File holds the columns of data files, in the table's types: what the contract
	// has, and nothing that others added. Held are their positions in Fits.
	File schema.Struct
	Held []int
}

// Hold returns the columns of a batch that data files have.
func (s *Shape) Hold(b column.Batch) column.Batch {
	held := column.Batch{Rows: b.Rows, Columns: make([]column.Column, len(s.Held))}
	for i, at := range s.Held {
		held.Columns[i] = b.Columns[at]
	}
	return held
}

// Takes tells whether a data file with the columns of file is one of the shape:
// each of them stands there, in the same type. A column, or a field of a struct,
// that the file lacks reads as null.
func (s *Shape) Takes(file schema.Struct) bool { return Within(file, s.File) }

// Within tells whether values of one type are such of another as they are: it has the
// same parts, or more of them.
func Within(small, large schema.Type) bool {
	switch small := small.(type) {
	case schema.Struct:
		l, same := large.(schema.Struct)
		if !same {
			return false
		}
		for _, f := range small.Fields {
			at := -1
			for i := range l.Fields {
				if l.Fields[i].Name == f.Name {
					at = i
				}
			}
			if at < 0 || l.Fields[at].Nullable != f.Nullable || !Within(f.Type, l.Fields[at].Type) {
				return false
			}
		}
		return true
	case schema.Array:
		l, same := large.(schema.Array)
		return same && l.ContainsNull == small.ContainsNull && Within(small.Element, l.Element)
	case schema.Map:
		l, same := large.(schema.Map)
		return same && l.ValueContainsNull == small.ValueContainsNull &&
			Within(small.Key, l.Key) && Within(small.Value, l.Value)
	}
	return small.String() == large.String()
}
