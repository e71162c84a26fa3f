package contract

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// Action is what a person decides about a column.
type Action string

// The actions of decisions.
const (
	// Map makes the column another name of the one that To names: one column
	// holds both.
	Map Action = "map"
	// Carry leaves all as it is: the drift is settled.
	Carry Action = "carry"
	// Ignore drops the values of the column from now on; they are counted as
	// ignored by policy.
	Ignore Action = "ignore"
)

// Decision is a person's answer to drift of a column.
type Decision struct {
	// Column is the original name of the column.
	Column string `json:"column"`
	Action Action `json:"action"`
	// To is the column that the values of a mapped one belong to.
	To string `json:"to,omitempty"`
	// Drift is the id of the one event that is answered; "" for all drift that
	// the column has had.
	Drift string    `json:"drift,omitempty"`
	Why   string    `json:"why"`
	Who   string    `json:"who,omitempty"`
	At    time.Time `json:"at"`
	// Place is where the decision is written down, for errors.
	Place diag.Place `json:"-"`
}

// Says reports whether two decisions come to the same, whoever took them.
func (d Decision) Says(other Decision) bool {
	return schema.Fold(d.Column) == schema.Fold(other.Column) && d.Action == other.Action &&
		schema.Fold(d.To) == schema.Fold(other.To) && (d.Action != Carry || d.Drift == other.Drift)
}

// String is the decision in a line, without its reason.
func (d Decision) String() string {
	switch d.Action {
	case Map:
		return d.Column + " is " + d.To
	case Ignore:
		return "ignore " + d.Column
	default:
		return "carry " + d.Column
	}
}

// choices are what decisions say of names.
type choices struct {
	// mapped holds folded names that are others of a column, with the decision.
	mapped  map[string]Decision
	ignored map[string]bool
}

func choicesOf(decisions []Decision) choices {
	var c choices
	for _, d := range decisions {
		switch folded := schema.Fold(d.Column); d.Action {
		case Map:
			if c.mapped == nil {
				c.mapped = make(map[string]Decision)
			}
			c.mapped[folded] = d
		case Ignore:
			if c.ignored == nil {
				c.ignored = make(map[string]bool)
			}
			c.ignored[folded] = true
		}
	}
	return c
}

// target is the name of the column that a name belongs to; the name itself if
// nobody mapped it.
func (c choices) target(name string) string {
	for range len(c.mapped) { // a list that somebody wrote by hand may have a circle
		d, ok := c.mapped[schema.Fold(name)]
		if !ok {
			return name
		}
		name = d.To
	}
	return name
}

// is reports whether a name is mapped to a column.
func (c choices) is(name string) bool {
	_, ok := c.mapped[schema.Fold(name)]
	return ok
}

// ignores reports whether values under a name are dropped.
func (c choices) ignores(name string) bool { return c.ignored[schema.Fold(c.target(name))] }

// spelling is how the decision that maps a name spells it.
func (c choices) spelling(name string) (spelt string, ok bool) {
	d, ok := c.mapped[schema.Fold(name)]
	return d.Column, ok
}

// aliases are the names, spelt as decided, that belong to a column.
func (c choices) aliases(original string) []string {
	var names []string
	for _, d := range c.mapped {
		if schema.Fold(c.target(d.Column)) == schema.Fold(original) {
			names = append(names, d.Column)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(schema.Fold(a), schema.Fold(b)) })
	return names
}

// Aliases are the other names that people decided the column has.
func (v Version) Aliases(c Column) []string {
	if c.K > 1 {
		return nil
	}
	return choicesOf(v.Decisions).aliases(c.Original)
}

// Ignored reports whether a decision drops the values under a name, which is
// that of a column or one that no column has.
func (v Version) Ignored(name string) bool { return choicesOf(v.Decisions).ignores(name) }

// Pending are the decisions of the policy that are not in force yet.
func Pending(v Version, p Policy) []Decision {
	var out []Decision
	for _, d := range lasting(p.Decisions) {
		if !v.holds(v.named(d)) {
			out = append(out, d)
		}
	}
	return out
}

// lasting leaves out what a later decision takes the place of: that a column is
// carried, where it is mapped or ignored since. It leaves out that a name is itself in
// another casing, which holds without saying.
func lasting(decisions []Decision) []Decision {
	var out []Decision
	for i, d := range decisions {
		if d.Action == Map && d.Column != "" && schema.Fold(schema.TrimName(d.Column)) == schema.Fold(schema.TrimName(d.To)) {
			continue
		}
		after := d.Action == Carry && slices.ContainsFunc(decisions[i+1:], func(later Decision) bool {
			return later.Action != Carry && schema.Fold(schema.TrimName(later.Column)) == schema.Fold(schema.TrimName(d.Column))
		})
		if !after {
			out = append(out, d)
		}
	}
	return out
}

// holds reports whether a decision is in force.
func (v Version) holds(d Decision) bool {
	c := choicesOf(v.Decisions)
	if d.Action == Map && c.is(d.Column) {
		return schema.Fold(c.target(d.Column)) == schema.Fold(c.target(d.To))
	}
	return slices.ContainsFunc(v.Decisions, d.Says)
}

// named is a decision by the original names of the columns, trimmed, where it has
// stored ones.
func (v Version) named(d Decision) Decision {
	column, to := schema.TrimName(d.Column), schema.TrimName(d.To)
	d.Column, d.To = v.original(column), v.original(to)
	if d.To == d.Column && schema.Fold(column) != schema.Fold(to) {
		d.To = to // its own stored name, which no file has
	}
	return d
}

// original is the title of the column that a person names.
func (v Version) original(name string) string {
	name = schema.TrimName(name)
	if at := v.column(name); at >= 0 {
		return v.Columns[at].Title()
	}
	if choicesOf(v.Decisions).is(name) {
		return name
	}
	if at := slices.IndexFunc(v.Columns, func(c Column) bool { return schema.Fold(c.Name) == schema.Fold(name) }); at >= 0 {
		return v.Columns[at].Title()
	}
	for _, d := range v.Decisions { // the stored name that it had
		if d.Action == Map && schema.Fold(schema.CleanName(d.Column)) == schema.Fold(name) {
			return d.Column
		}
	}
	return name
}

// column is the position of the column of that title, -1 for none.
func (v Version) column(title string) int {
	return slices.IndexFunc(v.Columns, func(c Column) bool { return schema.Fold(c.Title()) == schema.Fold(title) })
}

// refused is the diagnostic for a decision that cannot be carried out.
func (d Decision) refused(format string, args ...any) *diag.Diagnostic {
	out := diag.New(diag.BadDecision, "%s", fmt.Sprintf(format, args...)).In(d.Place)
	out.Path = d.Column
	return out
}

// InForce are the decisions that hold when a version goes on: with the first
// landing those of the policy come into force too, as far as they agree.
func InForce(v Version, p Policy) []Decision {
	if len(v.Columns) > 0 || len(p.Decisions) == 0 {
		return v.Decisions
	}
	v.Decisions = slices.Clone(v.Decisions)
	for _, d := range lasting(p.Decisions) {
		if v.agrees(d, p) == nil && !v.holds(d) {
			v.Decisions = append(v.Decisions, d)
		}
	}
	return v.Decisions
}

// kept are the decisions that a rollback leaves in force: a column that became
// part of another stays so, and values are dropped as long as they were then.
func kept(now, to Version) []Decision {
	return slices.DeleteFunc(slices.Clone(now.Decisions), func(d Decision) bool {
		return d.Action == Ignore && !slices.ContainsFunc(to.Decisions, d.Says)
	})
}

// mapped reports whether a column is part of another one in a version.
func mapped(v Version, c Column) bool { return c.K < 2 && choicesOf(v.Decisions).is(c.Original) }

// renamedTo finds the column of a that has the name of c in b.
func renamedTo(a, b Version, c Column) (old Column, ok bool) {
	names := choicesOf(b.Decisions)
	for _, old := range a.Columns {
		if old.K < 2 && c.K < 2 && names.is(old.Original) && schema.Fold(names.target(old.Original)) == schema.Fold(c.Original) {
			return old, true
		}
	}
	return old, false
}

// decisions notes what people decided from a to b, and what holds no more.
func (d *difference) decisions(a, b Version) {
	for _, x := range b.Decisions {
		if !slices.ContainsFunc(a.Decisions, x.Says) {
			kind := map[Action]string{Map: "mapped", Ignore: "ignored", Carry: "carried"}[x.Action]
			d.note(kind, schema.Path{x.Column}, "", x.To)
		}
	}
	for _, x := range a.Decisions {
		if !slices.ContainsFunc(b.Decisions, x.Says) {
			d.note("undecided", schema.Path{x.Column}, "", x.To)
		}
	}
}

// Agree checks decisions that somebody wrote down, without a contract: what they
// lack, and where one contradicts another. The error is a diagnostic or a
// [diag.List].
func Agree(decisions []Decision, p Policy) error {
	var v Version
	var problems diag.List
	for _, d := range lasting(decisions) {
		if err := v.agrees(d, p); err != nil {
			problems.Merge(err)
		} else if !v.holds(d) {
			v.Decisions = append(v.Decisions, d)
		}
	}
	return problems.Err()
}
