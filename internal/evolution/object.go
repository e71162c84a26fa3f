package evolution

import (
	"fmt"
	"slices"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// object takes in what one object says.
func (e *evolution) object(o contract.ObjectEvidence) {
	b := e.index.Bind(o.Header, o.Partitions, o.Tree)
	whole := o.Evidence.Overflow == 0 // else other names may be there too
	if e.stood > 0 && whole && !e.shares(b) && e.refuse(o, b) {
		return
	}
	known := len(e.index.Columns)
	e.objects++
	text := !o.Tree && !o.Evidence.Typed()
	e.flat = e.flat || text
	if text {
		e.order(o, b, known)
	}
	for i, f := range b.Fields {
		if !e.second(f) {
			e.field(o, i, f)
		}
	}
	for _, f := range b.Fields {
		if e.second(f) {
			e.displaced(o, f)
		}
	}
	e.folders(o, b.Folders)
	if !whole {
		e.overflow(o.Path)
		return
	}
	e.missing(o, b, known)
}

// shares reports whether the object has a column of the contract that stood.
func (e *evolution) shares(b contract.Binding) bool {
	return slices.ContainsFunc(b.Fields, func(f contract.Field) bool {
		c := e.index.Find(f.Base, 1)
		return c >= 0 && c < e.stood
	})
}

// refuse treats an object that shares no column with the contract; it reports
// whether the object is kept out.
func (e *evolution) refuse(o contract.ObjectEvidence, b contract.Binding) bool {
	has, wants := make([]string, len(b.Fields)), make([]string, e.stood)
	for i, f := range b.Fields {
		has[i] = f.Name
	}
	for i, c := range e.index.Columns[:e.stood] {
		wants[i] = c.Title()
	}
	why := fmt.Sprintf("shares no column with the feed: found %s, want %s", listed(has), listed(wants))
	const land = "if this is how the feed looks from now on, set policy file_foreign: land (--policy file_foreign=land)"
	action, _ := e.policy.Action(event.FileForeign)
	e.note(event.FileForeign, action, event.Drift{File: o.Path, To: why})
	switch action {
	case "land":
		return false
	case "fail":
		e.fail(event.FileForeign, "", o.Path, why, "move the file out of the source; or "+land)
	default:
		e.foreign[o.Path] = why + "; " + land
	}
	return true
}

// order notes a header whose known columns come in another order.
func (e *evolution) order(o contract.ObjectEvidence, b contract.Binding, known int) {
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
			s = append(s, e.index.Columns[c].Title())
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

// field takes in field i of an object.
func (e *evolution) field(o contract.ObjectEvidence, i int, f contract.Field) {
	if f.Reserved {
		e.note(event.ColumnAdded, e.spill(), event.Drift{Column: f.Name, File: o.Path, From: "reserved"})
		return
	}
	if f.Why == contract.WhyIgnored {
		e.ignored(o, f.Base)
		return
	}
	at := e.index.Find(f.Base, f.K) // an earlier field of a tree may have brought it
	switch {
	case at < 0 && f.Why == contract.WhyCase:
		return // the policy left out the spelling that wins, and told so
	case at < 0:
		e.newField(o, i, f)
		return
	}
	c := e.index.Columns[at]
	switch {
	case c.Retired:
		e.noteOf(c, event.ColumnAdded, e.spill(), event.Drift{File: o.Path, From: "retired"})
	case f.Why == contract.WhyCase || e.policy.CaseSensitive && e.index.Respelt(at, f.Base):
		e.recased(o, c, f.Title(), e.spill())
	default:
		if at >= e.stood && e.met[at] != e.objects {
			e.noteAdded(o, at)
		}
		e.see(o, i, at, f)
		e.recased(o, c, f.Title(), "fold")
	}
}

// see takes in the evidence on a column. Where a folder has the same key, its
// value is the column's.
func (e *evolution) see(o contract.ObjectEvidence, i, at int, f contract.Field) {
	e.met[at] = e.objects
	if f.Folder || i >= len(o.Evidence.Fields) {
		return
	}
	if e.sights[at] == nil {
		e.sights[at] = &inference.Sight{}
	}
	e.sights[at].Add(o.Path, &o.Evidence.Fields[i].Evidence, e.policy.CaseSensitive)
}

// spill says what becomes of values that no column takes.
func (e *evolution) spill() string {
	switch {
	case e.policy.RescueColumn() != "":
		return "rescue"
	case e.policy.Preset == contract.NoEvolution:
		return "ignore"
	default:
		return "quarantine"
	}
}

// lost says what becomes of values under another casing of a name.
func (e *evolution) lost() string { return e.spill() }

// folders takes in the keys of an object's folders.
func (e *evolution) folders(o contract.ObjectEvidence, keys []contract.Key) {
	for _, k := range keys {
		if k.Reserved {
			e.note(event.ColumnAdded, e.spill(), event.Drift{Column: k.Name, File: o.Path, From: "reserved"})
		}
		if k.Why == contract.WhyIgnored {
			e.ignored(o, k.Name)
			continue
		}
		if k.Reserved || k.Outer || left(k) {
			continue
		}
		at := e.index.Find(k.Name, 1) // a field of this header may have brought it
		if at < 0 {
			e.newFolder(o, k)
			continue
		}
		c := &e.index.Columns[at]
		if c.Retired {
			e.noteOf(*c, event.ColumnAdded, e.spill(), event.Drift{File: o.Path, From: "retired"})
			continue
		}
		if at >= e.stood {
			c.Partition = true
		}
		if _, seen := e.foldered[at]; !seen {
			e.foldered[at] = o.Path
		}
		e.recased(o, *c, k.Name, "fold")
	}
}

// missing notes the columns that stood and that an object lacks. So many columns
// were known before it.
func (e *evolution) missing(o contract.ObjectEvidence, b contract.Binding, known int) {
	has := make([]bool, len(e.index.Columns))
	mark := func(c int) {
		if c >= 0 {
			has[c] = true
		}
	}
	for _, f := range b.Fields {
		if mark(f.Column); f.Column < 0 && f.Why == contract.WhyUnknown {
			mark(e.index.Find(f.Base, f.K)) // it brought the column
		}
	}
	for _, c := range b.Folders {
		mark(c.Column)
	}
	e.renamed(o, b, has, known)
	for i, c := range e.index.Columns[:e.stood] {
		if has[i] || c.Retired || e.index.Ignores(c) || c.Type == schema.Unknown.String() {
			continue
		}
		action, _ := e.policy.ActionOf(event.ColumnMissing, c.Path().String())
		e.noteOf(c, event.ColumnMissing, action, event.Drift{File: o.Path})
		if action == "fail" {
			e.fail(event.ColumnMissing, c.Path().String(), o.Path, fmt.Sprintf("column %s is missing", diag.Quote(c.Title())),
				"set column_missing to null to land the file without it")
		}
	}
}

// recased notes another casing of a column.
func (e *evolution) recased(o contract.ObjectEvidence, c contract.Column, found, decision string) {
	own := e.index.Called(c, found)
	if own == found {
		return
	}
	path := c.Path().String()
	if action, _ := e.policy.ActionOf(event.ColumnRecased, path); action == "fail" {
		decision = action
		e.fail(event.ColumnRecased, path, o.Path, fmt.Sprintf("found %s, want %s", diag.Quote(found), diag.Quote(own)),
			"set column_recased to fold to take it for the same column")
	}
	e.noteOf(c, event.ColumnRecased, decision, event.Drift{File: o.Path, From: own, To: found})
}

// left reports whether the policy leaves a folder to the path alone.
func left(k contract.Key) bool { return k.Column < 0 && k.Why == "" }
