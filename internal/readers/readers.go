// Package readers says who can read a table.
//
// What a table asks of its readers is a set of needs: the features of its protocol
// and the types of its columns. What each reader does with each need is a row of
// facts, measured or taken from its documentation; a need without a row shuts a
// reader out, since a reader must refuse what it does not know. Nothing here reads
// a table.
package readers

import (
	"slices"
	"strings"

	"landfall/internal/schema"
)

// Table is what readers react to in a table.
type Table struct {
	// MinReader is the reader version of the protocol: 1, 2 or 3.
	MinReader int
	// Features are the reader features of the protocol, by their names there.
	Features []string
	// Mapping is the column mapping mode: "", none, name or id.
	Mapping string
	Schema  schema.Struct
}

// Reader is a program that reads tables.
type Reader struct {
	Name string
	// Version is the one that was measured, or is documented.
	Version string
}

// Verdict tells whether a reader can read a table.
type Verdict struct {
	Reader
	Reads bool
	// Why names what shuts the reader out; "" if it reads.
	Why string
}

// Judge returns a verdict on a table for each reader, in a fixed order.
func Judge(t Table) []Verdict {
	needs := t.needs()
	known := facts()
	var out []Verdict
	for _, r := range all() {
		v := Verdict{Reader: r, Reads: true}
		var why []string
		for _, need := range needs {
			f := known.of(need, r)
			if f.reads {
				continue
			}
			v.Reads = false
			why = append(why, f.why)
		}
		v.Why = strings.Join(why, "; ")
		out = append(out, v)
	}
	return out
}

// ShutOut returns the readers that can read a table as it was, and not as it would
// be. before is nil for a table that is new: everybody could read it then.
func ShutOut(before *Table, after Table) []Reader {
	could := map[Reader]bool{}
	if before != nil {
		for _, v := range Judge(*before) {
			could[v.Reader] = v.Reads
		}
	}
	var out []Reader
	for _, v := range Judge(after) {
		if !v.Reads && (before == nil || could[v.Reader]) {
			out = append(out, v.Reader)
		}
	}
	return out
}

// Needs of tables: features by their names in the protocol, and types.
const (
	columnMapping   = "columnMapping"
	deletionVectors = "deletionVectors"
	timestampNTZ    = "timestampNtz"
	typeWidening    = "typeWidening"
	v2Checkpoint    = "v2Checkpoint"
	vacuumCheck     = "vacuumProtocolCheck"
	voidColumn      = "a column of type void"
	deepLists       = "arrays and maps more than 24 deep"
)

// Reader versions of the protocol from which it means more.
const (
	mappingVersion = 2
	featureVersion = 3
)

// mostLists is how many arrays and maps all readers read in one another.
const mostLists = 24

// needs lists what a reader has to know, sorted.
func (t Table) needs() []string {
	var needs []string
	if t.MinReader >= featureVersion {
		needs = slices.Clone(t.Features)
	}
	// A protocol may allow column mapping that no column uses; version 2 allows
	// nothing else, and readers refuse it by the number.
	if t.MinReader == mappingVersion || t.Mapping != "" && t.Mapping != "none" {
		needs = append(needs, columnMapping)
	}
	if has(t.Schema, schema.TimestampNTZ) {
		needs = append(needs, timestampNTZ)
	}
	if has(t.Schema, schema.Unknown) {
		needs = append(needs, voidColumn)
	}
	if lists(t.Schema) > mostLists {
		needs = append(needs, deepLists)
	}
	slices.Sort(needs)
	return slices.Compact(needs)
}

// has tells whether a type is another, or has it inside.
func has(t, wanted schema.Type) bool {
	switch t := t.(type) {
	case schema.Struct:
		return slices.ContainsFunc(t.Fields, func(f schema.Field) bool { return has(f.Type, wanted) })
	case schema.Array:
		return has(t.Element, wanted)
	case schema.Map:
		return has(t.Key, wanted) || has(t.Value, wanted)
	}
	return t == wanted
}

// lists counts the arrays and maps that stand in one another.
func lists(t schema.Type) int {
	switch t := t.(type) {
	case schema.Struct:
		most := 0
		for _, f := range t.Fields {
			most = max(most, lists(f.Type))
		}
		return most
	case schema.Array:
		return 1 + lists(t.Element)
	case schema.Map:
		return 1 + max(lists(t.Key), lists(t.Value))
	}
	return 0
}
