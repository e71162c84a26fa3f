// Package engine runs SQL over the data files of lake tables.
//
// A [View] is a table as the caller's log describes it: a schema, files,
// partition values, deleted rows. An engine shows it under a name with exactly
// the table's types, whatever the files hold, or it refuses: a value that does
// not fit its column is an error, never another value. Engines read; nothing a
// query says changes a table, a file or a setting.
package engine

import (
	"context"
	"io"
	"iter"

	"landfall/internal/schema"
	"landfall/internal/store"
)

// File is one data file of a view.
type File struct {
	// Path is the key in the view's store, or an absolute file:// URL of a
	// file that lies elsewhere on this machine.
	Path string
	Size int64
	// Rows is the number of records in the file, deleted ones included; -1
	// when unknown.
	Rows int64
	// Partition holds a value for each partition column, by physical name; nil
	// means null.
	Partition map[string]*string
	// Deleted lists the 0-based positions of the rows that are gone, in any
	// order.
	Deleted []int64
}

// View is a table, or a version of one, under a name.
type View struct {
	// Name is what a query calls it. A dotted name can also be called by its
	// last part when no other view ends in the same.
	Name   string
	Schema schema.Struct
	// Partitions names the partition columns.
	Partitions []string
	// ByID says that columns are found in the files by field id (Delta's
	// column mapping mode "id"), not by their physical name.
	ByID  bool
	Files []File
	// Store holds the files.
	Store store.Store
	// Positions adds two columns behind the others: FileNumber and RowNumber.
	Positions bool
}

// The columns of a view that say where a row is: the position of its file in
// View.Files, and its own among all rows of the file, deleted ones included;
// both count from 0.
const (
	FileNumber = "_landfall_file"
	RowNumber  = "_landfall_row"
)

// Listing is a set of records that a query calls as a function: events().
type Listing struct {
	Name   string
	Schema schema.Struct
	// Lines is NDJSON with one object a record. Keys that Schema lacks are
	// left out; a string column takes any JSON, nested values as their text.
	Lines io.Reader
}

// Column describes a column of a result.
type Column struct {
	Name string
	// Type is the type in the engine's own spelling.
	Type string
}

// Result is what a query answers. It is valid only inside the callback that
// receives it.
type Result struct {
	Columns []Column
	// Rows yields the rows once, in order; a row is the caller's to keep. For
	// the values see [Value]. It ends after the first error.
	Rows iter.Seq2[[]Value, error]
}

// Querier answers read-only SQL over views and listings.
type Querier interface {
	// Query runs one statement and lends its result to use. A statement that
	// is wrong is a diag.QueryFailed, a data file that contradicts its table a
	// diag.FileUnreadable. Only views that the statement may refer to are
	// opened.
	Query(ctx context.Context, sql string, views []View, listings []Listing, use func(Result) error) error
}
