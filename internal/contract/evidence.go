package contract

import "landfall/internal/column"

// ObjectEvidence is what one object says about its columns.
type ObjectEvidence struct {
	Path string
	// Header holds the names as the file spells them. Of a file of trees they are
	// the names of Evidence's fields.
	Header []string
	// Tree says that records are trees: the casings of a name in Header are then
	// of different records, and need not stand in each other's way.
	Tree bool
	// Evidence is what the values of the object look like. Its fields are those
	// of Header, one by one.
	Evidence column.Evidence
	// Partitions holds the keys of the k=v folders in its path, from the
	// outermost in.
	Partitions []string
}
