// Package contract holds the versioned schema of a source.
//
// A [Version] is immutable. A [Policy] says what to do on each kind of drift, and
// [Decision]s what people want of single columns. Names that files have for columns
// are found by one rule, which [Bind], [NamesOf] and [Index] share. What the files
// of a batch make of a version is the matter of package evolution.
package contract

import (
	"time"

	"landfall/internal/event"
)

// Version is one version of a contract.
type Version struct {
	// Number counts from 1; 0 is the empty contract before the first landing.
	Number int `json:"number"`
	// At is when the version was made. Nothing here has a clock: who makes a new
	// version sets it.
	At time.Time `json:"at"`
	// Cause is the drift that led to this version.
	Cause []event.Drift `json:"cause,omitempty"`
	// Reason is what a person asked for: "approve", "rollback to 3"; "" for what
	// files brought.
	Reason string `json:"reason,omitempty"`
	// Who made it: a person's name, "" for a landing.
	Who string `json:"who,omitempty"`
	// Options is the digest of the source's options then.
	Options string `json:"options,omitempty"`
	// Columns are the data columns in table order, metadata columns excluded.
	Columns []Column `json:"columns"`
	// Decisions are those of people that are in force, in the order in which they
	// were taken. Names that they map are other names of a column: [Bind] and
	// [NamesOf] know them.
	Decisions []Decision `json:"decisions,omitempty"`
}

// Reserved names of the metadata columns and of the keys within the rescue JSON.
const (
	RescuedData = "_rescued_data"
	SourceFile  = "_source_file"
	IngestedAt  = "_ingested_at"
)
