package evolution

import (
	"maps"
	"slices"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// Evolve decides what the objects of a batch mean for the contract: the next
// version, the drift, and which objects are foreign. table is the table's
// present schema, nil if there is none. The evidence must be in the order that
// decides "first seen", and hold no object that failed.
//
// The first landing defines the contract; the policy on new columns holds from
// the second on. A new column, or field of a struct, that the table has already
// (somebody added it) is taken up under any policy: the table's owner has
// spoken, and a type that it gave to a column of ours is the column's from then on.
// Types of columns that have one widen where the policy says so and the table's
// life allows it ([Evidence.Life]), and stay otherwise; structs gain fields.
//
// Where a policy says fail, the error is a diagnostic or a [diag.List], and the
// result still tells the drift.
func Evolve(v contract.Version, ev Evidence, p contract.Policy, table *schema.Struct) (Result, error) {
	e := newEvolution(v, p, table)
	if err := e.followTable(); err != nil {
		return Result{Version: v}, err
	}
	for _, o := range ev.Objects {
		if len(o.Header) > 0 {
			e.object(o)
		}
	}
	err := e.settle(ev)
	e.drift = e.told()
	r := Result{Version: v, Drift: e.drift, Foreign: e.foreign, AsksLife: e.asksLife}
	if err != nil {
		return r, err
	}
	if err := e.failed.Err(); err != nil {
		return r, err
	}
	columns := e.kept()
	if !slices.EqualFunc(columns, v.Columns, sameColumn) {
		r.Version = contract.Version{Number: v.Number + 1, Cause: e.causes(), Columns: columns, Decisions: e.decisions}
	}
	r.Reshaped, err = e.reshaped(columns)
	return r, err
}

// sameColumn reports whether two versions say the same of a column.
func sameColumn(a, b contract.Column) bool {
	return maps.Equal(a.Nested, b.Nested) && a.Name == b.Name && a.Original == b.Original && a.K == b.K &&
		a.Type == b.Type && a.Hinted == b.Hinted && a.Retired == b.Retired && a.Partition == b.Partition
}

// evolution is the state of one call of Evolve.
type evolution struct {
	policy contract.Policy
	index  *contract.Index
	// decisions are those in force.
	decisions []contract.Decision
	// stood is the number of columns before the batch.
	stood int
	table []schema.Field
	// sights are what the batch says of the columns, one by one; nil for nothing.
	sights []*inference.Sight
	// refused are what it says of names that became no column.
	refused map[spelt]*inference.Sight
	// untyped are events on new names, whose types are known in the end.
	untyped []untyped
	// met is the object, counted from 1, that had a column last; so many objects
	// were taken in.
	met     []int
	objects int
	flat    bool
	// foldered are the columns that a folder has a value for, and the first file
	// below one.
	foldered map[int]string
	// left are new columns that the rules leave out.
	left map[int]bool
	// pairs are what went and came in one object; both are columns of a pair that
	// stand side by side in another.
	pairs []pair
	both  map[[2]int]bool
	// asksLife is set where the table's life decides and is not known; widened are
	// the columns that it let widen.
	asksLife bool
	widened  []Reshape
	// room is the number of columns and fields that may still come.
	room    int
	drift   []event.Drift
	events  map[noted]int
	foreign map[string]string
	failed  diag.List
}

// spelt is the k-th equal name of a header, folded.
type spelt struct {
	name string
	k    int
}

// untyped is an event that tells the type of a column.
type untyped struct {
	event int
	// column is its position, or -1 and sight that of a name that became none.
	column int
	sight  *inference.Sight
}

func newEvolution(v contract.Version, p contract.Policy, table *schema.Struct) *evolution {
	v.Decisions = contract.InForce(v, p)
	e := &evolution{
		policy: p, index: contract.NewIndex(v, p), decisions: v.Decisions, stood: len(v.Columns),
		sights: make([]*inference.Sight, len(v.Columns)), met: make([]int, len(v.Columns)),
		refused: make(map[spelt]*inference.Sight), left: make(map[int]bool), foldered: make(map[int]string),
		both: make(map[[2]int]bool), room: p.FieldLimit() - countColumns(v),
		events: make(map[noted]int), foreign: make(map[string]string),
	}
	if table != nil {
		e.table = table.Fields
	}
	return e
}

// settle ends the batch: names, types and what follows from them.
func (e *evolution) settle(ev Evidence) error {
	e.hintColumns()
	e.leaveOut()
	e.nameColumns()
	if err := e.widenColumns(ev); err != nil {
		return err
	}
	if err := e.typeColumns(); err != nil {
		return err
	}
	e.tellTypes()
	e.tellRenamed()
	return e.tellTexts(ev.Objects)
}

// kept are the columns of the next version.
func (e *evolution) kept() []contract.Column {
	columns := make([]contract.Column, 0, len(e.index.Columns))
	for i, c := range e.index.Columns {
		if !e.left[i] {
			columns = append(columns, c)
		}
	}
	return columns
}

// told is the drift without that of columns which the rules leave out.
func (e *evolution) told() []event.Drift {
	for at := range e.left {
		c := e.index.Columns[at]
		for d, i := range e.events {
			if e.left[at] && d.k == c.K && d.Column == c.Title() {
				e.drift[i].Kind = ""
			}
		}
	}
	return slices.DeleteFunc(e.drift, func(d event.Drift) bool { return d.Kind == "" })
}

// causes are the events that changed the columns.
func (e *evolution) causes() []event.Drift {
	var causes []event.Drift
	for _, d := range e.drift {
		switch d.Kind {
		case event.NameCleaned, event.NameDuplicate, event.TypeAltered:
			causes = append(causes, d)
		case event.ColumnAdded:
			if d.Decision == "add" || d.Decision == "adopt" || d.Decision == "hint" {
				causes = append(causes, d)
			}
		case event.TypeWider:
			if d.Decision == widens || d.Decision == contract.ByFeature {
				causes = append(causes, d)
			}
		}
	}
	return causes
}

// countColumns counts the columns of a version and the fields of their structs.
func countColumns(v contract.Version) int {
	n := len(v.Columns)
	for _, c := range v.Columns {
		if t, err := schema.ParseDDL(c.Type); err == nil {
			n += countFields(t)
		}
	}
	return n
}

// countFields counts the struct fields of a type.
func countFields(t schema.Type) int {
	switch t := t.(type) {
	case schema.Array:
		return countFields(t.Element)
	case schema.Map:
		return countFields(t.Key) + countFields(t.Value)
	case schema.Struct:
		n := len(t.Fields)
		for _, f := range t.Fields {
			n += countFields(f.Type)
		}
		return n
	default:
		return 0
	}
}
