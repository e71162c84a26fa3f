package evolution

import (
	"fmt"
	"strings"

	"landfall/internal/contract"
	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// noteAdded notes that an object holds a column which this batch adds.
func (e *evolution) noteAdded(o contract.ObjectEvidence, at int) {
	c := e.index.Columns[at]
	d := event.Drift{File: o.Path, Record: c.Record}
	if c.Name != "" { // the table has it
		d.To = c.Type
		e.noteOf(c, event.ColumnAdded, "adopt", d)
		return
	}
	decision := "add"
	if action, _ := e.policy.ActionOf(event.ColumnAdded, c.Path().String()); e.stood > 0 && action != decision && !e.wanted(c) {
		decision = "hint" // against the policy
	}
	known := len(e.drift)
	if i := e.noteOf(c, event.ColumnAdded, decision, d); i == known {
		e.untyped = append(e.untyped, untyped{event: i, column: at})
	}
}

// noteOf notes what concerns a column.
func (e *evolution) noteOf(c contract.Column, kind event.Kind, decision string, d event.Drift) int {
	d.Column = c.Title()
	return e.add(c.K, kind, decision, c.Path().String(), d)
}

// noteAt notes what concerns a column or a part of one.
func (e *evolution) noteAt(path schema.Path, kind event.Kind, decision string, d event.Drift) int {
	text := path.String()
	if d.Column = text; len(path) == 1 {
		d.Column = path[0]
	}
	return e.add(0, kind, decision, text, d)
}

// note notes what concerns no column of the contract.
func (e *evolution) note(kind event.Kind, decision string, d event.Drift) {
	e.add(0, kind, decision, "", d)
}

// noted is a drift without its place. Two columns of one title have other k.
type noted struct {
	event.Drift
	k int
}

// add adds an event, or counts one more object for it, and returns its position.
func (e *evolution) add(k int, kind event.Kind, decision, path string, d event.Drift) int {
	file, record, count := d.File, d.Record, max(d.Count, 1)
	d.Kind, d.Decision, d.File, d.Record, d.Count = kind, decision, "", 0, 0
	if kind == event.FileForeign {
		d.File = file // each is an event of its own
	}
	_, d.Policy = e.policy.ActionOf(kind, path)
	if i, ok := e.events[noted{d, k}]; ok {
		e.drift[i].Count += count
		return i
	}
	e.events[noted{d, k}] = len(e.drift)
	d.File, d.Record, d.Count = file, record, count
	e.drift = append(e.drift, d)
	return len(e.drift) - 1
}

// fail collects what a policy of "fail" stops.
func (e *evolution) fail(kind event.Kind, path, file, message, hint string) {
	d := diag.New(diag.PolicyFail, "%s (%s)", message, e.policy.SettingOf(kind, path))
	e.failed.Add(d.In(diag.Place{File: file}).Hinted("%s", hint))
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
