package repair

import (
	"time"
)

// manifest says of what a copy is made, file by file. With it a copy is proven again,
// whether its source is still where it was or took the copy's place.
type manifest struct {
	Format int       `json:"format_version"`
	ID     string    `json:"id"`
	Plan   string    `json:"plan"`
	At     time.Time `json:"at"`
	Source string    `json:"source"`
	Out    string    `json:"out"`
	Form   Form      `json:"form"`
	Schema string    `json:"schema"`

	PartitionBy []string   `json:"partition_by"`
	Folders     []string   `json:"folders"`
	Rescue      string     `json:"rescue"`
	Columns     []Column   `json:"columns"`
	Objects     []object   `json:"objects"`
	Files       []dataFile `json:"files"`
	LeftOut     []LeftOut  `json:"left_out"`
	// Told is what else became of columns.
	Told []Told `json:"told"`
	// Sums are of the rows of each partition of a copy that is divided by columns: its
	// files do not say whose rows they hold.
	Sums map[string]sum `json:"sums,omitempty"`
}

// Column is a column of a copy.
type Column struct {
	Name string `json:"name"`
	// Original is the name in the first file that had it, K is k for the k-th of equal
	// names, else 0.
	Original string `json:"original"`
	K        int    `json:"k,omitempty"`
	// Type is Spark's DDL; Nested maps paths of fields in stored names to their original
	// names where these differ.
	Type   string            `json:"type"`
	Nested map[string]string `json:"nested,omitempty"`
}

// object is a file of the source that was copied.
type object struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Size    int64  `json:"size"`
	// Hash is the xxh3 of its bytes.
	Hash string `json:"hash"`
	Rows int64  `json:"rows"`
	// Breaks says that the file cannot be read behind its rows.
	Breaks bool `json:"breaks,omitzero"`
}

// dataFile is a file of the copy.
type dataFile struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Rows int64  `json:"rows"`
	// Hash is the xxh3 of its bytes.
	Hash      string             `json:"hash"`
	Partition map[string]*string `json:"partition,omitempty"`
	Runs      []run              `json:"runs"`
}

// run is a stretch of rows of a data file that come from one object, by its number.
type run struct {
	Object int   `json:"object"`
	First  int64 `json:"first"`
	Rows   int64 `json:"rows"`
}

// Told is what became of a column beside its values' types.
type Told struct {
	// Kind is zone_assumed (wall clocks became instants, in UTC), value_truncated (digits
	// beyond the microsecond were cut), calendar_rebased (days of the old calendar),
	// name_cleaned (the column has another name), column_empty (no file has a value of it,
	// so that the copy lacks it).
	Kind   string `json:"kind"`
	Column string `json:"column"`
	// Count is the number of values, or files; To is the new name.
	Count int64  `json:"count"`
	To    string `json:"to,omitzero"`
}

// LeftOut is a file of the source that is not in the copy, since nobody can read it,
// or a part of one.
type LeftOut struct {
	Path   string `json:"path"`
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason"`
	Bytes  int64  `json:"bytes"`
	// Version is that of the file which was met.
	Version string `json:"version,omitzero"`
	// From is the first record that is left out of a file that breaks off, 0 for all.
	From int64 `json:"from,omitempty"`
}
