// Package datafile writes the data files of a table: their packing, target size,
// statistics and the lineage of their rows.
package datafile

import (
	"landfall/internal/parquetfile"
)

// File is a finished data file, not yet part of any table.
type File struct {
	// Path is the key in the table's store.
	Path string
	Size int64
	Rows int64
	// Stats is Delta's statistics JSON ("Per-file Statistics" of the protocol).
	Stats string
	// Parts says which objects the rows come from, in row order.
	Parts []Part
}

// Part is a run of rows of a file that come from one object.
type Part struct {
	// Object is the caller's number of the object.
	Object int
	Rows   int64
}

// Options of a writer. The zero value is ready but for Name.
type Options struct {
	parquetfile.Options
	// Target is the size in bytes at which a file is closed; 0 means 128 MiB.
	Target int64
	// Name returns a fresh key for each file.
	Name func() string
	// StatsColumns is the number of leading columns with statistics, the fields
	// of structs counted instead of the struct; 0 means 32.
	StatsColumns int
}
