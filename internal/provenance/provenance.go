// Package provenance says where the rows and cells of a table come from.
//
// A row is led back to the batch that landed it, to its file and to its record;
// each of its cells to the field that the record has of it, and to the rule that
// gave it its type, or kept it beside the row. What cannot be told for sure is
// said to be so.
package provenance

import (
	"encoding/json"
	"time"

	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/reread"
	"landfall/internal/schema"
	"landfall/internal/state"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Place is a row of a table.
type Place struct {
	// File is its data file, Position its number among all rows of the file, from 0.
	File     table.File
	Position int64
	// Values are those of its columns, as JSON.
	Values map[string]json.RawMessage
}

// Explainer explains rows of one source.
type Explainer struct {
	// Name is what people call the source.
	Name string
	// Objects says how its files are read.
	Objects reread.Source
	State   *state.State
	// Data holds the table's files, Snapshot is the table.
	Data     store.Store
	Snapshot *table.Snapshot
	// Column keeps to one column; "" means all. Part is the path of a part of it, by
	// the names of files or of the table; none means the whole.
	Column string
	Part   schema.Path
}

// How the record of a row was found.
const (
	// ByRescue: the rescue column says it.
	ByRescue = "rescued_data"
	// ByLineage: the row stands in its data file where it landed, and the file of the
	// source is as it was then.
	ByLineage = "lineage"
	// ByCount: as by lineage, but the source's file is not there to look at.
	ByCount = "count"
	// ByValues: the record has the values of the row.
	ByValues = "values"
	// Unfound: nothing tells.
	Unfound = "none"
)

// Row is what is known of a row. Its JSON keys are an interface (docs/json.md).
type Row struct {
	Source   string `json:"source"`
	DataFile string `json:"data_file"`
	Position int64  `json:"position"`
	// File is the object that the row came from; nil if that is not known.
	File   *File  `json:"file"`
	Record Record `json:"record"`
	// Landed is the batch that landed it; nil if none on record did.
	Landed   *Landed  `json:"landed"`
	Contract *Version `json:"contract"`
	Columns  []Cell   `json:"columns"`
	// Rescued are the values that are kept beside the row.
	Rescued []Kept `json:"rescued"`
	// Ignored are those that no column has and that a policy drops.
	Ignored []Kept `json:"ignored"`
	// Notes say what is not sure.
	Notes []string `json:"notes"`
}

// File is an object of the source.
type File struct {
	Path string `json:"path"`
	URL  string `json:"url"`
	// Size, Modified and Hash (xxh3) are as it landed.
	Size     int64     `json:"size"`
	Modified time.Time `json:"mtime"`
	Hash     string    `json:"hash,omitempty"`
	// Now is "as landed", "changed", "gone" or "unread".
	Now string `json:"now"`
}

// What a file is now.
const (
	AsLanded = "as landed"
	Changed  = "changed"
	Gone     = "gone"
	Unread   = "unread"
)

// Record is where in its file a row was.
type Record struct {
	// Number counts from 1; 0 if it is not known.
	Number int64 `json:"number,omitempty"`
	// Alike are the records of which each may be it, since all have its values.
	Alike   []int64 `json:"alike,omitempty"`
	FoundBy string  `json:"found_by"`
	// Line is the physical line where it begins, Text the record as it is written.
	Line int64  `json:"line,omitempty"`
	Text string `json:"text,omitempty"`
}

// Landed is the batch that landed a row.
type Landed struct {
	Batch        int64     `json:"batch"`
	Kind         string    `json:"kind"`
	Attempt      string    `json:"attempt"`
	At           time.Time `json:"at"`
	TableVersion int64     `json:"table_version"`
}

// Version is a version of a contract, and what made it.
type Version struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"`
	// Reason and Who are those of a person.
	Reason string        `json:"reason,omitempty"`
	Who    string        `json:"who,omitempty"`
	Cause  []event.Drift `json:"cause"`
	// Now is the version in force today.
	Now int `json:"now"`
}

// Cell is a column of a row.
type Cell struct {
	Column string          `json:"column"`
	Type   string          `json:"type"`
	Value  json.RawMessage `json:"value"`
	// State is "typed", "null" (the file has it without a value), "missing" (the
	// file does not have it), "rescued", "ignored" or "ours" (Landfall wrote it).
	State string `json:"state"`
	// Field is the name as the file spells it, Raw what the file has there: neither
	// is known when the file is not there.
	Field string  `json:"field,omitempty"`
	Raw   *string `json:"raw,omitempty"`
	// Why is the reason that a value is rescued or ignored, Policy the rule that
	// says so.
	Why    string `json:"why,omitempty"`
	Policy string `json:"policy,omitempty"`
	Rule   *Rule  `json:"rule,omitempty"`
}

// The states of cells.
const (
	Typed   = "typed"
	Null    = "null"
	Missing = "missing"
	Rescued = "rescued"
	Ignored = "ignored"
	Ours    = "ours"
)

// Rule is what gave a column its type.
type Rule struct {
	// By is "inferred", "hint", "folder" or "table" (somebody else added it).
	By string `json:"by"`
	// Version brought the column, File and Record had it first.
	Version int    `json:"version,omitempty"`
	File    string `json:"file,omitempty"`
	Record  int64  `json:"record,omitempty"`
	// Evidence is what the values look like of all files whose rows the table holds.
	Evidence string              `json:"evidence,omitempty"`
	Changes  []Change            `json:"changes,omitempty"`
	Decided  []contract.Decision `json:"decided,omitempty"`
}

// Change is a version that changed a column.
type Change struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	From    string    `json:"from,omitempty"`
	To      string    `json:"to,omitempty"`
}

// Kept is a value that is kept beside a row.
type Kept struct {
	// Path leads to it, in the names of the file.
	Path   string          `json:"path"`
	Value  json.RawMessage `json:"value,omitempty"`
	Why    string          `json:"why"`
	Policy string          `json:"policy,omitempty"`
}
