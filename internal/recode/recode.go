// Package recode makes columns of one type of columns of another.
//
// A value comes out as exactly the value that it was, or it is a misfit: its
// place is null then, and the misfit names it, so that the caller can keep the
// value elsewhere. Nothing is rounded, cut or guessed.
package recode

import (
	"fmt"
	"slices"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// Options of a Recoder. The zero value is ready.
type Options struct {
	// Forms are the forms of numbers and times in text that becomes another type;
	// nil means the default ones.
	Forms *value.Forms
	// Match returns the position of the field of from that becomes the field f of
	// the target, −1 for none; nil matches as [schema.Widens] does: by original
	// names, in any casing.
	Match func(from schema.Struct, f schema.Field) int
	// NotNull says that the target takes no null. The levels of the column are
	// those of such a one then, and a row without a value is a misfit with some
	// value in its place: the caller must keep the row out.
	NotNull bool
	// Clocks has timestamps become timestamp_ntz: what clocks in the zone of the forms
	// show then. Of a time that they skip that is the time itself. Keys of maps do
	// not, since two of them may become one.
	Clocks bool
}

// Misfit is a value that the target type does not hold.
type Misfit struct {
	// Row is the 0-based row of the column.
	Row int
	// Path leads to the value within the column, in the source's own names; empty
	// is the column itself. Of what lies in an array or a map it leads to the
	// outermost of these, which is null as a whole. Misfits may share it.
	Path schema.Path
	// Type is what the value should have become.
	Type schema.Type
}

// Recoder makes columns of one type of another's. It is for one goroutine.
type Recoder struct {
	to        schema.Type
	notNull   bool
	root      *pair
	sources   []column.LeafInfo
	targets   []column.LeafInfo
	unmatched []schema.Path
	forms     *value.Forms
	// scratch holds the text of one value.
	scratch []byte
}

// New returns a recoder of columns of one type, which may be null, into columns
// of another.
//
// Numbers become numbers that are equal to them, but for decimals, which become
// the double or float that has their digits, as text does; and back, the fewest
// digits that are a double's or a float's own. Only integral ones become integers,
// and -0 nothing but another -0. A date becomes
// the instant at which it begins in the zone of the forms, or its wall clock, and
// back. Everything without parts becomes string in the
// form that [AppendText] writes, and strings what [value.Forms] read without
// loss; binary becomes string if it is UTF-8. Structs match field by field: what
// the source lacks is null, what the target lacks is [Recoder.Unmatched]. Arrays
// and maps convert as a whole or not at all. Values of void are null. Any other
// pair of types is no error: all that is not null is a misfit.
//
// The error says that the target is no type of a column.
func New(from, to schema.Type, o Options) (*Recoder, error) {
	r := &Recoder{
		to: to, notNull: o.NotNull, forms: o.Forms,
		sources: column.Leaves(from, true), targets: column.Leaves(to, !o.NotNull),
	}
	if r.forms == nil {
		r.forms = &value.Forms{}
	}
	if len(r.targets) == 0 {
		return nil, fmt.Errorf("no column has the type %v", to)
	}
	b := builder{match: o.Match, clocks: o.Clocks, recoder: r}
	if b.match == nil {
		b.match = matchOriginals
	}
	r.root = b.root(from, to, !o.NotNull)
	return r, nil
}

// Unmatched lists the parts of the source type that the target type has no place
// for: fields of structs, in the source's names. Their values are not in what
// Recode returns, and are no misfits.
func (r *Recoder) Unmatched() []schema.Path { return r.unmatched }

// Recode converts the rows of a column of the source type. Misfits come by row.
//
// A value with a flaw is a misfit, but for times that become the text which they
// have in whole, and bytes that are no text and become binary. The new column has no
// flaws.
//
// A column whose values have the same form in both types is handed through, and
// a text column lends its bytes to the new one: both are valid as long as c is.
// Anything else is new.
func (r *Recoder) Recode(c column.Column, rows int) (column.Column, []Misfit) {
	if r.root.alike && !r.notNull && !flawed(c.Leaves) {
		c.Type = r.to
		return c, nil
	}
	w := newWalk(r, expand(c, r.sources, rows))
	for row := range rows {
		w.row(row)
	}
	return column.Column{Type: r.to, Leaves: w.leaves()}, w.misfits
}

// flawed reports whether values of a column have flaws.
func flawed(leaves []column.Leaf) bool {
	return slices.ContainsFunc(leaves, func(l column.Leaf) bool { return len(l.Flaws) > 0 })
}
