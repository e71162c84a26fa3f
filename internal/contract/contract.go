// Package contract holds the versioned schema of a source and how it evolves.
//
// A [Version] is immutable. [Evolve] is pure: the same version, evidence and
// policy give the same next version and the same drift, so that a preview prints
// exactly what a landing does.
package contract

import (
	"time"

	"landfall/internal/event"
	"landfall/internal/schema"
)

// Version is one version of a contract.
type Version struct {
	// Number counts from 1; 0 is the empty contract before the first landing.
	Number int       `json:"number"`
	At     time.Time `json:"at"`
	// Cause is the drift that led to this version.
	Cause []event.Drift `json:"cause,omitempty"`
	// Columns are the data columns in table order, metadata columns excluded.
	Columns []Column `json:"columns"`
}

// Column is a column of the contract.
type Column struct {
	// Name is the stored name, once given never changed.
	Name string `json:"name"`
	// Original is the name in the first file that had it, trimmed; the k-th
	// equal name of one header is "name#k" (k ≥ 2).
	Original string `json:"original"`
	// Type is the Spark DDL of the column's type.
	Type string `json:"type"`
	// Partition is set for columns that come from folder names (k=v).
	Partition bool `json:"partition,omitempty"`
	// File and Record say where the column was first seen.
	File   string `json:"file,omitempty"`
	Record int64  `json:"record,omitempty"`
}

// Evidence is what the objects of a batch say, in the order that decides "first
// seen": (mtime, path).
type Evidence struct {
	Objects []ObjectEvidence
}

// ObjectEvidence is what one object says about its columns.
type ObjectEvidence struct {
	Path string
	// Header holds the names as the file spells them.
	Header []string
	// Partitions holds the keys of k=v folders in its path.
	Partitions []string
}

// Policy says what to do on each kind of drift. The zero value is our preset.
type Policy struct {
	// Preset is "evolve".
	Preset string
	// Kinds overrides the preset: kind → action.
	Kinds map[event.Kind]string
	// Rescue is the name of the rescue column, "" for none.
	Rescue string
}

// Result is the outcome of Evolve.
type Result struct {
	Version Version
	Drift   []event.Drift
	// Foreign maps the path of an object that belongs to another feed to why.
	Foreign map[string]string
}

// Reserved names of the metadata columns and of the keys within the rescue JSON.
const (
	RescuedData = "_rescued_data"
	SourceFile  = "_source_file"
	IngestedAt  = "_ingested_at"
)

// TableSchema returns the schema a table needs for v: the data columns, then
// the rescue and metadata columns.
func TableSchema(v Version, p Policy) (schema.Struct, error) {
	_ = p
	return schema.Struct{}, nil
}
