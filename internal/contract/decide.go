package contract

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/schema"
)

// Decided is what a decision comes to.
type Decided struct {
	// Version is the version that it makes; that which stood if Same is set.
	Version Version
	// Merges are the columns of the table that become one.
	Merges []Merge
	// Drift tells what is done.
	Drift []event.Drift
	// Same is set if the decision is in force already.
	Same bool
}

// Merge says that the standing rows of a table hold a column under another name,
// or in two columns that become one. A row that has other values in both, and a
// value that the type of the version's column does not hold exactly, forbid it.
type Merge struct {
	// From is the stored name of the column that leaves the table, To that of
	// the one that takes its values; there may be none of that name yet.
	From, To string
}

// Decide carries a decision into a contract. table is the table's present schema,
// nil if there is none. The error is a diagnostic: the decision contradicts
// another, or nothing can come of it. Whether anybody has ever met the column is
// not asked.
func Decide(v Version, d Decision, p Policy, table *schema.Struct) (Decided, error) {
	d = v.named(d)
	if err := v.agrees(d, p); err != nil {
		return Decided{Version: v}, err
	}
	if v.holds(d) {
		return Decided{Version: v, Same: true}, nil
	}
	if d.Action == Map {
		d.To = choicesOf(v.Decisions).target(d.To)
	} else {
		d.To = ""
	}
	next := v
	next.Number, next.At, next.Options = v.Number+1, d.At, ""
	next.Who, next.Reason = d.Who, d.String()
	next.Columns = slices.Clone(v.Columns)
	next.Decisions = slices.DeleteFunc(slices.Clone(v.Decisions), func(old Decision) bool {
		return old.Action == Carry && schema.Fold(old.Column) == schema.Fold(d.Column) && (d.Action != Carry || d.Drift == "")
	})
	next.Decisions = append(next.Decisions, d)
	told := event.Drift{Kind: event.Decided, Column: d.Column, To: d.To, Decision: string(d.Action), Policy: ruleDecision, Hint: d.Why}
	m := merging{version: next, policy: p, decision: d, drift: []event.Drift{told}}
	if table != nil {
		m.table = table.Fields
	}
	switch d.Action {
	case Map:
		if err := m.merge(); err != nil {
			return Decided{Version: v}, err
		}
	case Ignore:
		if err := m.ignore(); err != nil {
			return Decided{Version: v}, err
		}
	}
	m.version.Cause = m.drift
	return Decided{Version: m.version, Merges: m.merges, Drift: m.drift}, nil
}

// ruleDecision is the policy that events name which a decision is behind.
const ruleDecision = "decision"

// agrees refuses a decision that says nothing, or the contrary of one in force.
func (v Version) agrees(d Decision, p Policy) error {
	switch {
	case d.Column == "":
		return d.refused("found no column, want the name of one").Hinted("see them: landfall drift list")
	case d.Action != Map && d.Action != Carry && d.Action != Ignore:
		return d.refused("found the action %s, want map, carry or ignore", diag.Quote(string(d.Action))).Hinted("write one of them")
	case d.Why == "":
		return d.refused("the decision on %s has no reason", diag.Quote(d.Column)).Hinted("say why, for those who come later")
	case p.Reserves(schema.Fold(d.Column)) || d.Action == Map && p.Reserves(schema.Fold(d.To)):
		return d.refused("%s is a column of landfall itself", diag.Quote(d.reserved(p))).Hinted("decide about a column of the files")
	}
	if d.Action == Map {
		if err := v.agreesToMap(d); err != nil {
			return err
		}
	}
	return v.contradicts(d)
}

func (d Decision) reserved(p Policy) string {
	if p.Reserves(schema.Fold(d.Column)) {
		return d.Column
	}
	return d.To
}

// agreesToMap refuses to map what is one column, or none that files have.
func (v Version) agreesToMap(d Decision) error {
	c := choicesOf(v.Decisions)
	switch at := v.column(d.Column); {
	case d.To == "":
		return d.refused("found no column that %s is, want the name of one", diag.Quote(d.Column)).Hinted("name it: --map-to COLUMN")
	case schema.Fold(d.Column) == schema.Fold(d.To):
		return d.refused("%s and %s are one column: casing makes no other", diag.Quote(d.Column), diag.Quote(d.To)).
			Hinted("name the column whose values these are")
	case at >= 0 && v.Columns[at].K > 1:
		return d.refused("%s is one of several equal names of a header, which stand side by side", diag.Quote(d.Column)).
			Hinted("keep them apart: --carry; or drop the values: --ignore")
	case !c.is(d.Column) && schema.Fold(c.target(d.To)) == schema.Fold(d.Column):
		return d.refused("%s is %s already, so that the other way would be a circle", diag.Quote(d.To), diag.Quote(d.Column)).
			Hinted("give the column a new name, which neither is")
	case c.ignores(d.To):
		out := d.refused("the values of %s are ignored by decision", diag.Quote(d.To)).
			Hinted("take them up again first: landfall schema rollback")
		out.Rule = v.ignoring(c.target(d.To)).Place
		return out
	}
	if at := v.column(c.target(d.To)); at >= 0 && v.Columns[at].Retired {
		return d.refused("%s is retired by a rollback", diag.Quote(d.To)).
			Hinted("bring it back first: landfall schema rollback, to a version that has it")
	}
	return nil
}

// contradicts refuses the contrary of a decision in force.
func (v Version) contradicts(d Decision) error {
	c := choicesOf(v.Decisions)
	if old, ok := c.mapped[schema.Fold(d.Column)]; ok {
		if d.Action == Map && schema.Fold(c.target(d.To)) == schema.Fold(c.target(old.To)) {
			return nil
		}
		return d.against(old).Hinted("its values are in %s: decide about that column", c.target(old.To))
	}
	if d.Action == Ignore || !c.ignores(d.Column) {
		return nil
	}
	return d.against(v.ignoring(c.target(d.Column))).Hinted("take the values up again first: landfall schema rollback")
}

// ignoring is the decision that drops the values of a column.
func (v Version) ignoring(column string) Decision {
	for _, d := range v.Decisions {
		if d.Action == Ignore && schema.Fold(d.Column) == schema.Fold(column) {
			return d
		}
	}
	return Decision{Column: column, Action: Ignore}
}

// against says which decision another contradicts.
func (d Decision) against(old Decision) *diag.Diagnostic {
	by := ""
	if old.Who != "" {
		by = " by " + old.Who
	}
	if !old.At.IsZero() {
		by += " since " + old.At.UTC().Format("2006-01-02")
	}
	out := d.refused("found %s, but it is decided%s: %s (%s)", diag.Quote(d.String()), by, old.String(), old.Why)
	out.Rule = old.Place
	return out
}

// merging is a decision being carried out.
type merging struct {
	version  Version
	policy   Policy
	decision Decision
	table    []schema.Field
	merges   []Merge
	drift    []event.Drift
}

// ignore refuses to leave null what may not be.
func (m *merging) ignore() error {
	at := m.version.column(m.decision.Column)
	if at < 0 {
		return nil
	}
	if f := m.field(m.version.Columns[at].Name); f != nil && !f.Nullable {
		return m.decision.refused("%s may not be null in the table, so its values cannot be ignored", diag.Quote(m.decision.Column)).
			Hinted("drop its NOT NULL, or carry it")
	}
	return nil
}

// merge makes one column of two, or gives one another name.
func (m *merging) merge() error {
	from, to := m.version.column(m.decision.Column), m.version.column(m.decision.To)
	if from < 0 {
		return nil // from now on its values go to the other
	}
	old := m.version.Columns[from]
	if to < 0 && old.Retired {
		return m.decision.refused("%s is retired by a rollback", diag.Quote(old.Title())).
			Hinted("bring it back first: landfall schema rollback, to a version that has it")
	}
	if to < 0 {
		m.rename(from)
		to = from
	}
	c := &m.version.Columns[to]
	t, err := m.typeOf(old, *c)
	if err != nil {
		return err
	}
	if t != nil && t.String() != c.Type {
		if c.Type != schema.Unknown.String() {
			m.note(event.Drift{Kind: event.TypeAltered, Column: c.Title(), From: c.Type, To: t.String(), Decision: widens})
		}
		c.SetType(t)
	}
	if m.field(old.Name) != nil && schema.Fold(old.Name) != schema.Fold(c.Name) {
		m.merges = append(m.merges, Merge{From: old.Name, To: c.Name})
	}
	if to != from {
		c.Partition = c.Partition && old.Partition
		m.version.Columns = slices.Delete(m.version.Columns, from, from+1)
	}
	return nil
}

// rename gives a column the name that it has from now on. A field of the table
// that others gave this name is it.
func (m *merging) rename(at int) {
	c := &m.version.Columns[at]
	c.Original, c.K = m.decision.To, 0
	if i := slices.IndexFunc(m.table, func(f schema.Field) bool {
		original, k := schema.Original(f)
		return schema.Fold(original) == schema.Fold(c.Original) && k < 2 && !m.policy.Reserves(schema.Fold(f.Name))
	}); i >= 0 {
		c.Name = m.table[i].Name
		return
	}
	own := schema.Fold(c.Name)
	free := schema.FreeName(c.Original, func(folded string) bool {
		return folded != own && (m.policy.Reserves(folded) || m.field(folded) != nil ||
			slices.ContainsFunc(m.version.Columns, func(o Column) bool { return schema.Fold(o.Name) == folded }))
	})
	if schema.Fold(free) == own {
		return // a table has one column of all casings of a name, and keeps its spelling
	}
	c.Name = free
	if c.Name != c.Original {
		m.note(event.Drift{Kind: event.NameCleaned, Column: c.Original, From: c.Original, To: c.Name, Decision: "clean"})
	}
}

// typeOf is the type of the one column: that which holds all values of both, else
// that of the one which stays where each value is asked whether it is exactly one
// of that type. It is nil if nothing changes.
func (m *merging) typeOf(from, to Column) (schema.Type, error) {
	a, err := m.standing(from)
	if err != nil {
		return nil, err
	}
	b, err := m.standing(to)
	if err != nil {
		return nil, err
	}
	switch joined, lossless := schema.Join(b, a); {
	case a == schema.Unknown || a.String() == b.String():
		return nil, nil
	case lossless:
		return joined, nil
	case floats(a) != floats(b) && schema.Family(a) == "number" && schema.Family(b) == "number":
		return schema.Double, nil // whether it holds all, the rows say
	case schema.Family(a) == schema.Family(b) && schema.Scalar(a) || b == schema.String && schema.Scalar(a):
		return b, nil
	}
	d := m.decision.refused("found %s %s and %s %s, which no type holds without loss", diag.Quote(from.Title()), a, diag.Quote(to.Title()), b)
	if schema.Scalar(b) && a == schema.String {
		return nil, d.Hinted("turn it round: landfall drift decide %s --map-to %s", to.Title(), from.Title())
	}
	return nil, d.Hinted("keep both: --carry")
}

// floats reports whether a type is of numbers with an exponent.
func floats(t schema.Type) bool { return t == schema.Float || t == schema.Double }

// standing is the type of a column's standing rows, which the table knows better.
func (m *merging) standing(c Column) (schema.Type, error) {
	t, err := c.SchemaType()
	if err != nil {
		return nil, err
	}
	if f := m.field(c.Name); f != nil {
		t = Follow(t, f.Type)
		if t == schema.Unknown {
			t = f.Type
		}
	}
	return t, nil
}

// field is the table's field of a stored name, nil for none.
func (m *merging) field(name string) *schema.Field {
	for i := range m.table {
		if schema.Fold(m.table[i].Name) == schema.Fold(name) {
			return &m.table[i]
		}
	}
	return nil
}

func (m *merging) note(d event.Drift) {
	d.Policy = ruleDecision
	m.drift = append(m.drift, d)
}
