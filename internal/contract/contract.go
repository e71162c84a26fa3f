// Package contract holds the versioned schema of a source and how it evolves.
//
// A [Version] is immutable. [Evolve] is pure: the same version, evidence and
// policy give the same next version and the same drift, so that a preview prints
// exactly what a landing does.
package contract

import (
	"time"

	"landfall/internal/column"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// Version is one version of a contract.
type Version struct {
	// Number counts from 1; 0 is the empty contract before the first landing.
	Number int `json:"number"`
	// At is when the version was made. [Evolve] has no clock: its caller sets
	// At of a new version.
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

// Evidence is what the objects of a batch say, in the order that decides "first
// seen": (mtime, path).
type Evidence struct {
	Objects []ObjectEvidence
	// Life is what the objects said whose rows the table holds, of all sources
	// that land in it, those of the batch aside. It is read if Lived is set alone:
	// whoever has not gathered it has no type widened ([Result.AsksLife]).
	Life  []ObjectEvidence
	Lived bool
	// Held says of which columns the standing rows cannot be written again: by
	// folded stored name, "" for all columns, why it is and what leads on, as the
	// event tells it.
	Held map[string]string
}

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

// Result is the outcome of Evolve.
type Result struct {
	// Version is the next version, or the one that stood if no column changed.
	Version Version
	// Drift tells every difference once: what concerns a column of several
	// objects is one event, with the first of them and Count objects.
	Drift []event.Drift
	// Foreign maps the path of an object that belongs to another feed to why.
	Foreign map[string]string
	// AsksLife says that a type may have to widen, and that [Evidence.Life] decides
	// it: the caller gathers it and asks again. What else the result says is what
	// would be if no type widened.
	AsksLife bool
	// Reshaped are the columns whose types widened, in the order of the version's:
	// the table's rows have to be written again before they are of it.
	Reshaped []Reshape
}

// Reshape is a column that the table has under a narrower type.
type Reshape struct {
	// Column is its position in the version's columns, Name its stored name.
	Column int
	Name   string
	// Parts are the paths, in original names, of what widened: the column itself,
	// or fields, elements and values in it.
	Parts []schema.Path
	// From and To are the types of the whole column, with stored names and without
	// what has no place in a table. To has the fields that structs gained, too.
	From, To schema.Type
}

// Reserved names of the metadata columns and of the keys within the rescue JSON.
const (
	RescuedData = "_rescued_data"
	SourceFile  = "_source_file"
	IngestedAt  = "_ingested_at"
)
