// Package evolution makes the next version of a contract of what a batch says.
//
// [Evolve] is pure: the same version, evidence and policy give the same next version
// and the same drift, so that a preview prints exactly what a landing does.
package evolution

import (
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// Evidence is what the objects of a batch say, in the order that decides "first
// seen": (mtime, path).
type Evidence struct {
	Objects []contract.ObjectEvidence
	// Life is what the objects said whose rows the table holds, of all sources
	// that land in it, those of the batch aside. It is read if Lived is set alone:
	// whoever has not gathered it has no type widened ([Result.AsksLife]).
	Life  []contract.ObjectEvidence
	Lived bool
	// Held says of which columns the standing rows cannot be written again: by
	// folded stored name, "" for all columns, why it is and what leads on, as the
	// event tells it.
	Held map[string]string
	// Written says why standing rows are written again for every type that widens,
	// also where the policy has them stay as they are; "" if they need not.
	Written string
}

// Result is the outcome of Evolve.
type Result struct {
	// Version is the next version, or the one that stood if no column changed.
	Version contract.Version
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
	// the table's rows have to be written again before they are of it, but for those
	// that widened in place.
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
	// InPlace says that no file has to be written again: readers take what the files
	// have for the new types.
	InPlace bool
}
