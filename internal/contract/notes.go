package contract

import (
	"fmt"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/event"
)

// noteAdded notes that an object holds a column which this batch adds.
func (e *evolution) noteAdded(o ObjectEvidence, c Column) {
	decision := "add"
	if c.Name != "" {
		decision = "adopt" // the table has it
	}
	e.noteOf(c, event.ColumnAdded, decision, event.Drift{File: o.Path, To: c.Type})
}

// noteOf notes what concerns a column.
func (e *evolution) noteOf(c Column, kind event.Kind, decision string, d event.Drift) {
	d.Column = c.title()
	e.add(c.K, kind, decision, d)
}

// note notes what concerns no column of the contract.
func (e *evolution) note(kind event.Kind, decision string, d event.Drift) {
	e.add(0, kind, decision, d)
}

// noted is a drift without its place. Two columns of one title have other k.
type noted struct {
	event.Drift
	k int
}

// add adds an event, or counts one more object for it.
func (e *evolution) add(k int, kind event.Kind, decision string, d event.Drift) {
	file := d.File
	d.Kind, d.Decision, d.File = kind, decision, ""
	if kind == event.FileForeign {
		d.File = file // each is an event of its own
	}
	_, d.Policy = e.policy.Action(kind)
	if i, ok := e.events[noted{d, k}]; ok {
		e.drift[i].Count++
		return
	}
	e.events[noted{d, k}] = len(e.drift)
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
