package evolution

import (
	"fmt"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// nameColumns gives the new columns their stored names: those that a file has
// as they are come first, so that they keep theirs.
func (e *evolution) nameColumns() {
	taken := map[string]bool{contract.RescuedData: true, contract.SourceFile: true, contract.IngestedAt: true}
	taken[schema.Fold(e.policy.RescueColumn())] = true
	for _, f := range e.table {
		taken[schema.Fold(f.Name)] = true
	}
	for _, c := range e.index.Columns {
		taken[schema.Fold(c.Name)] = true
	}
	added := e.index.Columns[e.stood:]
	for _, made := range []bool{false, true} {
		for i := range added {
			c := &added[i]
			if c.Name != "" || e.left[e.stood+i] || made != (schema.CleanName(c.Title()) != c.Original) {
				continue
			}
			c.Name = schema.FreeName(c.Title(), func(folded string) bool { return taken[folded] })
			taken[schema.Fold(c.Name)] = true
			e.cleaned(*c)
		}
	}
}

// cleaned notes a stored name that is not the original.
func (e *evolution) cleaned(c contract.Column) {
	if c.Name == c.Title() {
		return
	}
	path := c.Path().String()
	action, _ := e.policy.ActionOf(event.NameCleaned, path)
	e.noteOf(c, event.NameCleaned, action, event.Drift{File: c.File, From: c.Title(), To: c.Name})
	if action == "fail" {
		e.fail(event.NameCleaned, path, c.File, fmt.Sprintf("column %s cannot keep its name", diag.Quote(c.Title())),
			"set name_cleaned to clean to store it as "+c.Name)
	}
}

// tableField finds the table's field for a column: one that another source of
// ours made of the same name, or one of that very name.
func (e *evolution) tableField(c contract.Column) *schema.Field {
	want := schema.Fold(c.Original)
	for i, f := range e.table {
		original, k := schema.Original(f)
		if !e.policy.Reserves(schema.Fold(f.Name)) && schema.Fold(original) == want && k == c.K {
			return &e.table[i]
		}
	}
	return nil
}
