package contract

import (
	"fmt"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// Evolve decides what the objects of a batch mean for the contract: the next
// version, the drift, and which objects are foreign. table is the table's
// present schema, nil if there is none. The evidence must be in the order that
// decides "first seen".
//
// The first landing defines the contract; the policy on new columns holds from
// the second on. A new column that the table has already (somebody added it)
// is taken up under any policy: the table's owner has spoken.
//
// Where a policy says fail, the error is a diagnostic or a [diag.List], and the
// result still tells the drift.
func Evolve(v Version, ev Evidence, p Policy, table *schema.Struct) (Result, error) {
	e := evolution{
		policy: p, index: newIndex(slices.Clone(v.Columns), p), stood: len(v.Columns),
		events: make(map[noted]int), foreign: make(map[string]string),
	}
	if table != nil {
		e.table = table.Fields
	}
	for _, o := range ev.Objects {
		if len(o.Header) > 0 {
			e.object(o)
		}
	}
	e.nameColumns()
	r := Result{Version: v, Drift: e.drift, Foreign: e.foreign}
	if err := e.failed.Err(); err != nil {
		return r, err
	}
	if len(e.index.columns) > e.stood {
		r.Version = Version{Number: v.Number + 1, Cause: e.causes(), Columns: e.index.columns}
	}
	return r, nil
}

// evolution is the state of one call of Evolve.
type evolution struct {
	policy Policy
	index  *index
	// stood is the number of columns before the batch.
	stood   int
	table   []schema.Field
	drift   []event.Drift
	events  map[noted]int
	foreign map[string]string
	failed  diag.List
}

// object takes in what one object says.
func (e *evolution) object(o ObjectEvidence) {
	b := e.index.bind(o.Header, o.Partitions)
	if e.stood > 0 && !e.shares(b) && e.refuse(o, b) {
		return
	}
	known := len(e.index.columns)
	e.order(o, b, known)
	for _, f := range b.Fields {
		e.field(o, f)
	}
	e.folders(o, b.Folders)
	e.missing(o, b)
}

// shares reports whether the object has a column of the contract that stood.
func (e *evolution) shares(b Binding) bool {
	return slices.ContainsFunc(b.Fields, func(f Field) bool {
		c := e.index.find(f.Base, 1)
		return c >= 0 && c < e.stood
	})
}

// refuse treats an object that shares no column with the contract; it reports
// whether the object is kept out.
func (e *evolution) refuse(o ObjectEvidence, b Binding) bool {
	has, wants := make([]string, len(b.Fields)), make([]string, e.stood)
	for i, f := range b.Fields {
		has[i] = f.Name
	}
	for i, c := range e.index.columns[:e.stood] {
		wants[i] = c.title()
	}
	why := fmt.Sprintf("shares no column with the feed: found %s, want %s", listed(has), listed(wants))
	const land = "if this is how the feed looks from now on, set policy file_foreign: land (--policy file_foreign=land)"
	action, _ := e.policy.Action(event.FileForeign)
	e.note(event.FileForeign, action, event.Drift{File: o.Path, To: why})
	switch action {
	case "land":
		return false
	case "fail":
		e.fail(event.FileForeign, o.Path, why, "move the file out of the source; or "+land)
	default:
		e.foreign[o.Path] = why + "; " + land
	}
	return true
}

// order notes a header whose known columns come in another order.
func (e *evolution) order(o ObjectEvidence, b Binding, known int) {
	var found []int
	for _, f := range b.Fields {
		if f.Column >= 0 && f.Column < known {
			found = append(found, f.Column)
		}
	}
	if slices.IsSorted(found) {
		return
	}
	names := func(columns []int) string {
		var s []string
		for _, c := range columns {
			s = append(s, e.index.columns[c].title())
		}
		return listed(s)
	}
	before := slices.Sorted(slices.Values(found))
	first, last := 0, len(found)
	for found[first] == before[first] {
		first++
	}
	for found[last-1] == before[last-1] {
		last--
	}
	action, _ := e.policy.Action(event.ColumnOrder)
	e.note(event.ColumnOrder, action, event.Drift{File: o.Path, From: names(before[first:last]), To: names(found[first:last])})
}

// field takes in one field of a header.
func (e *evolution) field(o ObjectEvidence, f Field) {
	switch {
	case f.Reserved:
		e.note(event.ColumnAdded, e.kept(), event.Drift{Column: f.Name, File: o.Path, From: "reserved"})
		return
	case f.Why == WhyCase:
		original := f.Base
		if c := e.index.find(f.Base, 1); c >= 0 {
			original = e.index.columns[c].Original
		}
		e.recased(o, original, f.Base, e.kept())
		return
	case f.Column < 0:
		e.newField(o, f)
		return
	}
	c := e.index.columns[f.Column]
	if f.Column >= e.stood {
		e.noteAdded(o, c)
	}
	e.recased(o, c.title(), numbered(f.Base, f.K), "fold")
}

// kept says what becomes of values that no column takes.
func (e *evolution) kept() string {
	if e.policy.RescueColumn() == "" {
		return "ignore"
	}
	return "rescue"
}

// newField treats a field that no column stands for.
func (e *evolution) newField(o ObjectEvidence, f Field) {
	c := Column{Original: f.Base, Type: schema.String.String(), File: o.Path, Partition: f.Folder}
	if f.K > 1 {
		c.K = f.K
	}
	if !e.take(o, &c) {
		return
	}
	e.noteAdded(o, c)
	if f.K > 1 {
		action, _ := e.policy.Action(event.NameDuplicate)
		e.note(event.NameDuplicate, action, event.Drift{Column: c.title(), File: o.Path, From: f.Base, To: c.title()})
		if action == "fail" {
			e.fail(event.NameDuplicate, o.Path, fmt.Sprintf("column %s stands %d times in the header", diag.Quote(f.Base), f.K),
				"set name_duplicate to clean to land each under a name of its own")
		}
	}
}

// folders takes in the keys of an object's folders.
func (e *evolution) folders(o ObjectEvidence, keys []Key) {
	for _, k := range keys {
		if k.Reserved {
			e.note(event.ColumnAdded, e.kept(), event.Drift{Column: k.Name, File: o.Path, From: "reserved"})
		}
		if k.Reserved || k.Outer || k.left() {
			continue
		}
		at := e.index.find(k.Name, 1) // a field of this header may have brought it
		if at < 0 {
			c := Column{Original: k.Name, Type: schema.String.String(), File: o.Path, Partition: true}
			if e.take(o, &c) {
				e.noteAdded(o, c)
			}
			continue
		}
		if at >= e.stood {
			e.index.columns[at].Partition = true
		}
		e.recased(o, e.index.columns[at].title(), k.Name, "fold")
	}
}

// take adds a column if the table has it, if this is the first landing, or if
// the policy says so. It notes the drift itself if not.
func (e *evolution) take(o ObjectEvidence, c *Column) bool {
	if t := e.tableField(*c); t != nil {
		c.Name, c.Type = t.Name, t.Type.String()
		e.index.add(*c)
		return true
	}
	action, _ := e.policy.Action(event.ColumnAdded)
	if e.stood == 0 || action == "add" {
		e.index.add(*c)
		return true
	}
	e.noteOf(*c, event.ColumnAdded, action, event.Drift{File: o.Path, To: c.Type})
	if action == "fail" {
		set := "column_added to add"
		if _, rule := e.policy.Action(event.ColumnAdded); rule == FailOnNewColumns {
			set = "cloudFiles.schemaEvolutionMode to " + AddNewColumns
		}
		e.fail(event.ColumnAdded, o.Path, fmt.Sprintf("column %s is new", diag.Quote(c.title())),
			"set "+set+" to take it up, or move the file out of the source")
	}
	return false
}

// missing notes the columns that stood and that an object lacks.
func (e *evolution) missing(o ObjectEvidence, b Binding) {
	has := make([]bool, e.stood)
	mark := func(c int) {
		if c >= 0 && c < e.stood {
			has[c] = true
		}
	}
	for _, f := range b.Fields {
		mark(f.Column)
	}
	for _, c := range b.Folders {
		mark(c.Column)
	}
	action, _ := e.policy.Action(event.ColumnMissing)
	for i, c := range e.index.columns[:e.stood] {
		if has[i] {
			continue
		}
		e.noteOf(c, event.ColumnMissing, action, event.Drift{File: o.Path})
		if action == "fail" {
			e.fail(event.ColumnMissing, o.Path, fmt.Sprintf("column %s is missing", diag.Quote(c.title())),
				"set column_missing to null to land the file without it")
		}
	}
}

// recased notes another casing of a column.
func (e *evolution) recased(o ObjectEvidence, original, found, decision string) {
	if original == found {
		return
	}
	if action, _ := e.policy.Action(event.ColumnRecased); action == "fail" {
		decision = action
		e.fail(event.ColumnRecased, o.Path, fmt.Sprintf("found %s, want %s", diag.Quote(found), diag.Quote(original)),
			"set column_recased to fold to take it for the same column")
	}
	e.note(event.ColumnRecased, decision, event.Drift{Column: original, File: o.Path, From: original, To: found})
}
