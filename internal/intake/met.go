package intake

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/conform"
	"landfall/internal/contract"
	"landfall/internal/event"
	"landfall/internal/evolution"
	"landfall/internal/format"
	"landfall/internal/part"
	"landfall/internal/schema"
	"landfall/internal/state"
)

// tell notes what was met in an object that was read to its end.
func (d *decoding) tell(r format.Reader) error {
	if d.bad.Count > 0 {
		d.Note(d.i, d.bad)
	}
	if n, ok := r.(interface{ Notes() []format.Note }); ok {
		for _, note := range n.Notes() {
			if err := d.remark(note); err != nil {
				return err
			}
		}
	}
	d.ragged()
	if err := d.misfits(); err != nil {
		return err
	}
	for _, m := range d.fit.Remarks() {
		e := event.Drift{Kind: m.Kind, Column: Title(m.Column), Record: m.Record, Count: m.Count}
		e.Decision, e.Policy = d.src.Policy.ActionOf(m.Kind, m.Column)
		if m.Kind == event.FolderPadded {
			e.Decision, e.To = "land", "without the zeros in front, which the path keeps"
		}
		d.Note(d.i, e)
	}
	return nil
}

// remark notes what a reader noticed. About values of a column there is a policy:
// they have been read by then, so that all but landing them stops the run; only what
// lost digits can be rescued.
func (d *decoding) remark(n format.Note) error {
	e := event.Drift{
		Kind: event.Kind(n.Kind), Column: Title(n.Column), Record: n.Record, Line: n.Line, Count: n.Count,
		To: n.Message, Decision: "land", Policy: "note", Hint: n.Hint,
	}
	if n.Column == "" {
		d.Note(d.i, e)
		return nil
	}
	if t, _ := d.shape.Version.TypeOf(n.Column); e.Kind == event.ZoneAssumed && t == schema.Type(schema.TimestampNTZ) {
		return nil // they stay wall clocks
	}
	var action string
	action, e.Policy = d.src.Policy.ActionOf(e.Kind, n.Column)
	if e.Kind == event.ValueTruncated && action == "rescue" {
		return nil // they are among the misfits
	}
	if action != "land" {
		e.File = d.in.Objects[d.i].Path
		return d.stopped(e, n.Message)
	}
	d.Note(d.i, e)
	return nil
}

// Title is how events name a column: a path of one name is that name.
func Title(path string) string {
	if p, err := schema.ParsePath(path); err == nil && len(p) == 1 {
		return p[0]
	}
	return path
}

// spilled is what happens to values that no column takes.
func (d *decoding) spilled() string {
	if d.src.Policy.RescueColumn() == "" {
		return "ignore"
	}
	return "rescue"
}

// ragged notes records that were shorter or longer than their header.
func (d *decoding) ragged() {
	if d.short.count > 0 {
		d.Note(d.i, event.Drift{Kind: event.RecordRagged, Record: d.short.record, Count: d.short.count, To: "fewer fields than the header", Decision: "null"})
	}
	if d.long.count > 0 {
		d.Note(d.i, event.Drift{Kind: event.RecordRagged, Record: d.long.record, Count: d.long.count, To: "more fields than the header", Decision: d.spilled()})
	}
}

// misfits notes what the columns did not take. Of flat input the header has told
// what names do not fit; of trees the contract may not have, see [Intake.Untold].
func (d *decoding) misfits() error {
	for _, m := range d.fit.Misfits() {
		e := event.Drift{Column: Title(m.Column), Record: m.Record, Count: m.Count, Sample: m.Sample, Decision: m.Action}
		typ, misfit := strings.CutPrefix(m.Why, contract.WhyType+":")
		switch {
		case misfit:
			e.Kind, e.To = d.judge(m.Column), typ
		case m.Why == contract.WhyPartition:
			e.Kind = event.PartitionClash
			if e.Decision != "quarantine" {
				e.Decision, _ = d.src.Policy.Action(e.Kind)
			}
		case d.src.Tree && (m.Why == contract.WhyCase || m.Why == contract.WhyUnknown):
			d.Note(d.i, d.named(m, e))
			continue
		default:
			continue
		}
		action, rule := d.src.Policy.ActionOf(e.Kind, m.Column)
		e.Policy = rule
		if action == "fail" {
			e.File = d.in.Objects[d.i].Path
			return d.stopped(e, fmt.Sprintf("found %d values that are no %s", e.Count, e.To))
		}
		d.Note(d.i, e)
	}
	return nil
}

// named completes the event on values of a tree whose name no field has, or of
// which another casing was taken.
func (d *decoding) named(m conform.Misfits, e event.Drift) event.Drift {
	path, column := schema.Path(nil), m.Column
	e.Kind = event.ColumnAdded
	if m.Why == contract.WhyCase {
		e.Kind = event.ColumnRecased
		if path, _ = schema.ParsePath(m.Column); len(path) > 0 && m.Of != "" {
			e.From, e.To = m.Of, path[len(path)-1]
			column = path.Parent().Child(m.Of).String()
			e.Column = Title(column)
		}
	}
	_, e.Policy = d.src.Policy.ActionOf(e.Kind, column)
	return e
}

// Untold takes from what objects met what the contract has told of the same
// names: that a column is new, that another casing does not land, that there are
// too many.
func (a *Intake) Untold(told []event.Drift) {
	type name struct {
		kind               event.Kind
		column, to, action string
	}
	of := func(d event.Drift) name {
		if d.Kind == event.ColumnRecased {
			return name{d.Kind, d.Column, d.To, d.Decision}
		}
		return name{kind: d.Kind, column: schema.Fold(d.Column)}
	}
	known, overflows := make(map[name]bool), false
	for _, d := range told {
		known[of(d)] = true
		overflows = overflows || d.Kind == event.ColumnOverflow
	}
	for i := range a.Drift {
		a.Drift[i] = slices.DeleteFunc(a.Drift[i], func(d event.Drift) bool {
			switch d.Kind {
			case event.ColumnAdded:
				return overflows || known[of(d)]
			case event.ColumnRecased:
				return known[of(d)]
			default:
				return false
			}
		})
	}
}

// judge says what the misfits of a column mean, by the evidence of the object.
func (d *decoding) judge(column string) event.Kind {
	seen := d.Seen[d.i]
	path, err := schema.ParsePath(column)
	if seen == nil || err != nil {
		return event.ValueMisfit
	}
	p, ok := part.Find(d.shape.Version, d.src.Policy, *seen, path)
	if !ok {
		return event.ValueMisfit
	}
	return evolution.Judge(p.Type, *p.Evidence, d.src.Policy)
}

// judged is the policy under which the values of object i are fitted to a version.
// other tells that it is another than the source's.
func (a *Intake) judged(v contract.Version, i int) (policy contract.Policy, other bool) {
	if a.Seen[i] == nil {
		return a.src.Policy, false
	}
	return part.Judged(v, a.src.Policy, *a.Seen[i])
}

// Zones notes the columns into which wall clocks went as instants, once a column
// and object.
func (a *Intake) Zones(shape *Shape) error {
	zone := "UTC"
	if z := a.src.Forms.Zone; z != nil {
		zone = z.String()
	}
	for i, o := range a.Outcomes {
		if o.Fate != state.Landed || a.Seen[i] == nil || !part.HasClocks(&a.Seen[i].Evidence) {
			continue
		}
		for _, p := range part.All(shape.Version, a.src.Policy, *a.Seen[i]) {
			seen := p.Clocks()
			if seen.Count == 0 {
				continue
			}
			path := p.Path.String()
			e := event.Drift{Kind: event.ZoneAssumed, Column: Title(path), Record: seen.First, Count: seen.Count, To: zone}
			e.Decision, e.Policy = a.src.Policy.ActionOf(e.Kind, path)
			if e.Decision == "fail" {
				e.File = o.Path
				return a.stopped(e, "found a timestamp without a zone")
			}
			a.Note(i, e)
		}
	}
	return nil
}
