package contract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
		events: make(map[event.Drift]int), foreign: make(map[string]string),
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
	events  map[event.Drift]int
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
	for _, key := range o.Partitions {
		key = schema.TrimName(key)
		if !e.policy.takes(key) {
			continue
		}
		c := e.index.find(key)
		if c < 0 {
			e.folder(o, key)
			continue
		}
		if c >= e.stood {
			e.index.columns[c].Partition = true
		}
		e.recased(o, e.index.columns[c].Original, key, "fold")
	}
	e.missing(o, b)
}

// shares reports whether the object has a column of the contract that stood.
func (e *evolution) shares(b Binding) bool {
	return slices.ContainsFunc(b.Fields, func(f Field) bool {
		c := e.index.find(f.Base)
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
		wants[i] = c.Original
	}
	why := fmt.Sprintf("shares no column with the feed: found %s, want %s", listed(has), listed(wants))
	action, _ := e.policy.Action(event.FileForeign)
	e.note(event.FileForeign, action, event.Drift{File: o.Path, To: why})
	switch action {
	case "land":
		return false
	case "fail":
		e.fail(event.FileForeign, o.Path, why, "move the file out of the source, or set file_foreign to land")
	default:
		e.foreign[o.Path] = why
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
			s = append(s, e.index.columns[c].Original)
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
		if c := e.index.find(f.Base); c >= 0 {
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
	e.recased(o, c.Original, f.Name, "fold")
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
	c := Column{Original: f.Name, Type: schema.String.String(), File: o.Path, Partition: f.Folder}
	if !e.take(o, &c) {
		return
	}
	e.noteAdded(o, c)
	if f.K > 1 {
		action, _ := e.policy.Action(event.NameDuplicate)
		e.note(event.NameDuplicate, action, event.Drift{Column: f.Name, File: o.Path, From: f.Base, To: f.Name})
		if action == "fail" {
			e.fail(event.NameDuplicate, o.Path, fmt.Sprintf("column %s stands %d times in the header", diag.Quote(f.Base), f.K),
				"set name_duplicate to clean to land each under a name of its own")
		}
	}
}

// folder treats a folder key that no column stands for.
func (e *evolution) folder(o ObjectEvidence, key string) {
	if e.policy.reserves(schema.Fold(key)) {
		return
	}
	c := Column{Original: key, Type: schema.String.String(), File: o.Path, Partition: true}
	if e.take(o, &c) {
		e.noteAdded(o, c)
	}
}

// take adds a column if the table has it, if this is the first landing, or if
// the policy says so. It notes the drift itself if not.
func (e *evolution) take(o ObjectEvidence, c *Column) bool {
	if t := e.tableField(c.Original); t != nil {
		c.Name, c.Type = t.Name, t.Type.String()
		e.index.add(*c)
		return true
	}
	action, _ := e.policy.Action(event.ColumnAdded)
	if e.stood == 0 || action == "add" {
		e.index.add(*c)
		return true
	}
	if c.Partition && action == "rescue" {
		action = "ignore" // the value stays in the path, which each row has
	}
	e.note(event.ColumnAdded, action, event.Drift{Column: c.Original, File: o.Path, To: c.Type})
	if action == "fail" {
		set := "column_added to add"
		if _, rule := e.policy.Action(event.ColumnAdded); rule == FailOnNewColumns {
			set = "cloudFiles.schemaEvolutionMode to " + AddNewColumns
		}
		e.fail(event.ColumnAdded, o.Path, fmt.Sprintf("column %s is new", diag.Quote(c.Original)),
			"set "+set+" to take it up, or move the file out of the source")
	}
	return false
}

// tableField finds the table's column for an original name: one that another
// source of ours made of it, or one of that very name.
func (e *evolution) tableField(original string) *schema.Field {
	want := schema.Fold(original)
	for i, f := range e.table {
		if !e.policy.reserves(schema.Fold(f.Name)) && schema.Fold(originalOf(f)) == want {
			return &e.table[i]
		}
	}
	return nil
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
		mark(c)
	}
	action, _ := e.policy.Action(event.ColumnMissing)
	for i, c := range e.index.columns[:e.stood] {
		if has[i] {
			continue
		}
		e.note(event.ColumnMissing, action, event.Drift{Column: c.Original, File: o.Path})
		if action == "fail" {
			e.fail(event.ColumnMissing, o.Path, fmt.Sprintf("column %s is missing", diag.Quote(c.Original)),
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

// nameColumns gives the new columns their stored names: those that need no
// cleaning come first, so that they keep theirs.
func (e *evolution) nameColumns() {
	taken := map[string]bool{RescuedData: true, SourceFile: true, IngestedAt: true}
	taken[schema.Fold(e.policy.RescueColumn())] = true
	for _, f := range e.table {
		taken[schema.Fold(f.Name)] = true
	}
	for _, c := range e.index.columns {
		taken[schema.Fold(c.Name)] = true
	}
	added := e.index.columns[e.stood:]
	for _, cleaning := range []bool{false, true} {
		for i := range added {
			c := &added[i]
			if c.Name != "" || cleaning != (schema.CleanName(c.Original) != c.Original) {
				continue
			}
			c.Name = schema.FreeName(c.Original, func(folded string) bool { return taken[folded] })
			taken[schema.Fold(c.Name)] = true
			e.cleaned(*c)
		}
	}
}

// cleaned notes a stored name that is not the original.
func (e *evolution) cleaned(c Column) {
	if c.Name == c.Original {
		return
	}
	action, _ := e.policy.Action(event.NameCleaned)
	e.note(event.NameCleaned, action, event.Drift{Column: c.Original, File: c.File, From: c.Original, To: c.Name})
	if action == "fail" {
		e.fail(event.NameCleaned, c.File, fmt.Sprintf("column %s cannot keep its name", diag.Quote(c.Original)),
			"set name_cleaned to clean to store it as "+c.Name)
	}
}

// noteAdded notes that an object holds a column which this batch adds.
func (e *evolution) noteAdded(o ObjectEvidence, c Column) {
	decision := "add"
	if c.Name != "" {
		decision = "adopt" // the table has it
	}
	e.note(event.ColumnAdded, decision, event.Drift{Column: c.Original, File: o.Path, To: c.Type})
}

// note adds an event, or counts one more object for it.
func (e *evolution) note(kind event.Kind, decision string, d event.Drift) {
	file := d.File
	d.Kind, d.Decision, d.File = kind, decision, ""
	if kind == event.FileForeign {
		d.File = file // each is an event of its own
	}
	_, d.Policy = e.policy.Action(kind)
	if i, ok := e.events[d]; ok {
		e.drift[i].Count++
		return
	}
	e.events[d] = len(e.drift)
	d.File, d.Count = file, 1
	e.drift = append(e.drift, d)
}

// fail collects what a policy of "fail" stops.
func (e *evolution) fail(kind event.Kind, file, message, hint string) {
	d := diag.New(diag.PolicyFail, "%s (%s)", message, e.policy.Setting(kind))
	e.failed.Add(d.In(diag.Place{File: file}).Hinted("%s", hint))
}

// causes are the events that changed the columns.
func (e *evolution) causes() []event.Drift {
	var causes []event.Drift
	for _, d := range e.drift {
		switch d.Kind {
		case event.NameCleaned, event.NameDuplicate:
			causes = append(causes, d)
		case event.ColumnAdded:
			if d.Decision == "add" || d.Decision == "adopt" {
				causes = append(causes, d)
			}
		}
	}
	return causes
}

// originalOf is the name that a table's field had in its first file.
func originalOf(f schema.Field) string {
	var original string
	if raw, ok := f.Metadata[OriginalKey]; ok && json.Unmarshal(raw, &original) == nil {
		return original
	}
	return f.Name
}

// listed names some of the names.
func listed(names []string) string {
	const most, longest = 5, 40
	var cut []string
	for _, name := range names[:min(most, len(names))] {
		if r := []rune(name); len(r) > longest {
			name = string(r[:longest]) + "…"
		}
		cut = append(cut, name)
	}
	text := strings.Join(cut, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
