// Package reconcile proves that a copy holds every value of the files it was made
// of, column by column.
//
// It reads the files and the copy, and compares values, not what anybody wrote down
// about them: each value of a row of a file must be found in the row of the copy that
// was made of it, in the column of its name or in the rescue column, and nothing else.
// What the copy holds in another type counts as the same value if it is equal to it.
package reconcile

import (
	"time"

	"landfall/internal/schema"
	"landfall/internal/store"
)

// Object is a file that was copied: a Parquet file of the source.
type Object struct {
	// Path is its key in the source, Version the store.Info.Version that it had when
	// it was copied; empty if that is not known.
	Path, Version string
	// Folders are the partition folders of its path, outermost first.
	Folders []Folder
	// Breaks says that the file cannot be read behind so many rows, and that these are
	// what was copied; 0 says that it can.
	Breaks int64
}

// Folder is a partition folder: name=value, without escapes. A nil value is null.
type Folder struct {
	Name  string
	Value *string
}

// DataFile is a Parquet file of the copy.
type DataFile struct {
	// Path is its key in the copy.
	Path string
	// Partition has the values of the columns that are in the folder's name and not
	// in the file, by the column's name; nil is null.
	Partition map[string]*string
	// Runs say where its rows come from, in order.
	Runs []Run
}

// Run is a stretch of rows of a data file that come from one object.
type Run struct {
	// Object is the index in Proof.Objects. First is the number, from 0, of the first
	// of the rows in the object; Rows is how many they are.
	Object      int
	First, Rows int64
}

// Column is a column of the copy that holds values of the files.
type Column struct {
	// Name is the one in the copy; Original is how the files spell it, in whatever
	// casing: names are cleaned in the copy. Fields of structs say theirs themselves
	// (schema.Original).
	Name, Original string
	// Nth is k for values of the k-th column of equal names of a file, 0 for the first.
	Nth int
	// Type is the type of the column in the copy.
	Type schema.Type
}

// Proof says what is compared. It is read only.
type Proof struct {
	// Source holds the objects, Copy the data files.
	Source, Copy store.Store
	Objects      []Object
	Files        []DataFile
	// Columns are those of the copy that are compared; others of its files are not.
	Columns []Column
	// Rescue is the name of the rescue column, empty for none.
	Rescue string
	// Zone is where timestamps of the files stand that name no zone, and where days
	// begin; nil is UTC.
	Zone *time.Location
	// Workers is how many files are read at a time, 0 for 1.
	Workers int
	// Progress, if set, is told of each file that was read: how many are, of how many.
	// Calls do not overlap.
	Progress func(done, of int)
}
