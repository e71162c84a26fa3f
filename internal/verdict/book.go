package verdict

import (
	"landfall/internal/column"
	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Book accounts for the values of one object, slab by slab.
type Book struct {
	policy contract.Policy
	path   string
	// rescues is set if the table has a rescue column.
	rescues bool
	tallies tallies

	// The rest is of the slab at hand: its counts, the row, the first error and
	// the rows that are kept out.
	Counts Counts
	Row    int
	Err    error
	Out    map[int]Kept
	slab   *column.Slab
}

// Kept is why a row is kept out of the table.
type Kept struct {
	Code   diag.Code
	Reason string
	tally  *tally
	found  string
}

// Note counts a row that is kept out, by its record.
func (k Kept) Note(record int64) { k.tally.note(record, func() string { return k.found }) }

// NewBook returns a book for the object at path. rescues says that the table has
// a rescue column.
func NewBook(p contract.Policy, path string, rescues bool) *Book {
	return &Book{policy: p, path: path, rescues: rescues}
}

// Planned says that the rules made so far are those of every object ([Book.Turn]).
func (b *Book) Planned() {
	b.tallies.planned, b.tallies.asked = make([]tally, len(b.tallies.all)), false
	for i, t := range b.tallies.all {
		b.tallies.planned[i] = *t
	}
}

// Turn makes b the book of the object at path, in which nothing has been counted. It
// reports whether rules were made that were not planned: they are void then.
func (b *Book) Turn(path string) (void bool) {
	b.path = path
	return b.tallies.turn()
}

// Begin forgets the slab before, unless it was kept.
func (b *Book) Begin(s *column.Slab) {
	b.slab, b.Counts, b.Row, b.Err, b.Out = s, Counts{}, 0, nil, nil
	b.tallies.forget()
}

// Keep adds what was counted of the slab at hand to what is told of the object.
func (b *Book) Keep() { b.tallies.keep() }

// keepOut keeps the row at hand out of the table. The first reason stands.
func (b *Book) keepOut(code diag.Code, path, found, reason string, t *tally) {
	if _, is := b.Out[b.Row]; is {
		return
	}
	if b.Out == nil {
		b.Out = make(map[int]Kept)
	}
	if path != "" {
		reason = path + ": " + reason
	}
	b.Out[b.Row] = Kept{code, reason, t, found}
}

// Missing keeps out a row that has no value for a column that may not be null.
func (b *Book) Missing(path schema.Path) {
	t := b.tallies.of(path, "null", "quarantine", false)
	b.keepOut(diag.Constraint, path.String(), "", "found no value in a column that may not be null", t)
}

// Refuse keeps out a row whose value does not fit such a column: r is the rule
// for its misfits.
func (b *Book) Refuse(path schema.Path, r *Rule, found string) {
	t := b.tallies.of(path, r.tally.why, "quarantine", false)
	b.keepOut(diag.Constraint, path.String(), found, "found "+found+", want "+r.want+": the column may not be null", t)
}
