package evolution

import (
	"landfall/internal/contract"
	"landfall/internal/event"
)

// second reports whether a field is another name of a column than the one which
// stands for it in the header.
func (e *evolution) second(f contract.Field) bool {
	return f.Why == contract.WhyCase && f.K < 2 && e.index.Mapped(f.Base)
}

// displaced tells that the values of a field have no column, since another name
// of it stands beside.
func (e *evolution) displaced(o contract.ObjectEvidence, f contract.Field) {
	at := e.index.Find(f.Base, f.K)
	if at < 0 {
		return // the policy left out the name that stands for it, and told so
	}
	c := e.index.Columns[at]
	e.noteOf(c, event.ColumnRecased, e.spill(), event.Drift{File: o.Path, From: c.Title(), To: f.Base})
}

// ignored tells that a decision drops what an object has under a name.
func (e *evolution) ignored(o contract.ObjectEvidence, name string) {
	at := e.add(0, event.ColumnAdded, string(contract.Ignore), "", event.Drift{Column: name, File: o.Path, From: "ignored"})
	e.drift[at].Policy = "decision"
}

// wanted reports whether decisions gave a column other names: it is taken up
// under any policy.
func (e *evolution) wanted(c contract.Column) bool { return len(e.index.Aliases(c)) > 0 }
