package evolution

import (
	"fmt"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/inference"
	"landfall/internal/schema"
)

// newField treats a field that no column stands for.
func (e *evolution) newField(o contract.ObjectEvidence, i int, f contract.Field) {
	if f.Base == "" { // of a tree; no column can have this name
		e.note(event.ColumnAdded, e.spill(), event.Drift{File: o.Path, From: "a blank name"})
		return
	}
	c := contract.Column{Original: e.index.Original(f.Base, f.K), File: o.Path, Partition: f.Folder}
	if f.K > 1 {
		c.K = f.K
	} else if h := e.policy.Hints.For(c.Original); h != nil {
		c.Original = h.Name
	}
	if o.Tree && i < len(o.Evidence.Fields) {
		c.Record = o.Evidence.Fields[i].First
	}
	if f.Folder && e.hintOn(c) == nil {
		c.Type = schema.String.String()
	}
	at := e.take(o, c)
	if at < 0 {
		e.seeRefused(o, i, f)
		return
	}
	e.noteAdded(o, at)
	if e.policy.CaseSensitive && e.index.Respelt(at, f.Base) {
		e.met[at] = e.objects
		e.recased(o, c, f.Base, e.spill())
		return
	}
	e.see(o, i, at, f)
	if f.K < 2 {
		e.recased(o, c, f.Base, "fold")
		return
	}
	c = e.index.Columns[at]
	path := c.Path().String()
	action, _ := e.policy.ActionOf(event.NameDuplicate, path)
	e.noteOf(c, event.NameDuplicate, action, event.Drift{File: o.Path, From: f.Base, To: c.Title()})
	if action == "fail" {
		e.fail(event.NameDuplicate, path, o.Path, fmt.Sprintf("column %s stands %d times in the header", diag.Quote(f.Base), f.K),
			"set name_duplicate to clean to land each under a name of its own")
	}
}

// newFolder treats a folder's key that no column stands for.
func (e *evolution) newFolder(o contract.ObjectEvidence, k contract.Key) {
	c := contract.Column{Original: e.index.Original(k.Name, 1), File: o.Path, Partition: true, Type: schema.String.String()}
	if h := e.policy.Hints.For(c.Original); h != nil {
		c.Original, c.Type = h.Name, "" // as hinted
	}
	if at := e.take(o, c); at >= 0 {
		e.noteAdded(o, at)
		e.met[at] = e.objects
	}
}

// take adds a column if the table has it, if this is the first landing, or if
// the policy says so, and returns its position. It notes the drift itself if
// not, and returns -1.
func (e *evolution) take(o contract.ObjectEvidence, c contract.Column) int {
	if t := e.tableField(c); t != nil {
		c.Name = t.Name
		c.SetType(t.Type)
		return e.addColumn(c)
	}
	action, rule := e.policy.ActionOf(event.ColumnAdded, c.Path().String())
	switch {
	case e.stood > 0 && action != "add" && e.hintOn(c) == nil && !e.wanted(c):
	case e.room <= 0:
		e.overflow(o.Path)
		return -1
	default:
		return e.addColumn(c)
	}
	e.tell(spelt{schema.Fold(c.Original), max(c.K, 1)}, e.noteOf(c, event.ColumnAdded, action, event.Drift{File: o.Path, Record: c.Record}))
	if action == "fail" {
		e.failNew(c.Path(), o.Path, rule)
	}
	return -1
}

func (e *evolution) addColumn(c contract.Column) int {
	e.room--
	e.sights = append(e.sights, nil)
	e.met = append(e.met, e.objects)
	return e.index.Add(c)
}

// overflow notes a name that finds no room any more.
func (e *evolution) overflow(file string) {
	e.note(event.ColumnOverflow, e.spill(), event.Drift{
		File: file, To: fmt.Sprintf("more than %d columns and fields", e.policy.FieldLimit()),
	})
}

// tell remembers an event on a name that became no column: its type is known in
// the end.
func (e *evolution) tell(key spelt, at int) {
	s := e.refused[key]
	if s == nil {
		s = &inference.Sight{}
		e.refused[key] = s
		e.untyped = append(e.untyped, untyped{event: at, column: -1, sight: s})
	}
}

// seeRefused takes in the evidence on such a name.
func (e *evolution) seeRefused(o contract.ObjectEvidence, i int, f contract.Field) {
	if s := e.refused[spelt{schema.Fold(f.Base), f.K}]; s != nil && i < len(o.Evidence.Fields) {
		s.Add(o.Path, &o.Evidence.Fields[i].Evidence, e.policy.CaseSensitive)
	}
}

// tellTypes gives the events on new names their types.
func (e *evolution) tellTypes() {
	in := e.policy.Method()
	for _, u := range e.untyped {
		if u.column >= 0 {
			e.drift[u.event].To = e.index.Columns[u.column].Type
		} else if t := in.Infer(u.sight, 0); t != schema.Unknown {
			e.drift[u.event].To = e.plain(t).String()
		}
	}
}

// plain makes a string of what is only nulls in a format without structure,
// where all is strings.
func (e *evolution) plain(t schema.Type) schema.Type {
	if t == schema.Unknown && e.flat && e.policy.Rules.Strings {
		return schema.String
	}
	return t
}

// leaveOut finds the new columns that the rules leave out.
func (e *evolution) leaveOut() {
	if !e.policy.Rules.DropAllNull {
		return
	}
	in := e.policy.Method()
	for at := e.stood; at < len(e.index.Columns); at++ {
		c, s := e.index.Columns[at], e.sights[at]
		_, foldered := e.foldered[at]
		e.left[at] = c.Type == "" && !foldered && e.hintOn(c) == nil && (s == nil || in.Infer(s, 0) == schema.Unknown)
	}
}
