// Package plan holds what flows and pipelines compile to: typed relational
// steps over named streams, before any engine has seen them.
//
// A [Plan] is a graph of steps without cycles. Every step has a name and the
// columns that leave it; every column has an id of its own, a type and its
// lineage. Expressions refer to columns by id, so that two columns of one name,
// as a join makes them, are never mixed up. A plan is concrete: what a flow
// leaves open until it sees the files (drifted columns, patterns, pivot values)
// is settled before a step is added.
//
// A plan is made with a [Builder], which works out what leaves each step, or by
// hand and then passed to [Check]. Values are Spark's: null and NaN order,
// decimal result types, and null for what overflows or cannot be converted.
package plan

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/schema"
)

// ID names a column as it leaves one step; no other column of the plan has it.
// 0 names none.
type ID int

// Plan is steps in an order in which each comes after its inputs.
type Plan struct {
	Steps []Step
}

// Step is one transformation, and the stream of rows that leaves it.
type Step struct {
	// Name is the stream's name, unique in the plan; that of an output of a
	// split is "split@output".
	Name string
	// Inputs names the steps whose rows it takes.
	Inputs []string
	// Op says what is done.
	Op Op
	// Columns leave the step, in order.
	Columns []Column
	// At is where the step stands in the text that it was made of.
	At diag.Place
}

// Column is a column as it leaves a step.
type Column struct {
	ID   ID
	Name string
	Type schema.Type
	// From are the columns of the step's inputs that it is made of: the one
	// that is handed on, those that are united, or those that an expression
	// reads; none for a column of a source or a constant.
	From []ID
	// Origin is where its values were made.
	Origin Origin
	// Drifted says that no projection names it: it was found in the data, or
	// its name was worked out at run time.
	Drifted bool
	// Hidden columns are no part of what a sink writes or a rule matches; they
	// carry what the engine knows of a row: whether a lookup matched, which
	// asserts failed.
	Hidden bool
	// Change is what the step did to it.
	Change Change
	// By names the step that made it, or changed or renamed it last.
	By string
}

// Origin is the step that made the values of a column, and the column's name
// there.
type Origin struct {
	Stream, Name string
}

// Change is what a step does to a column.
type Change int

// What a step does to a column.
const (
	Kept Change = iota
	Added
	Changed // new values under the name of an input column
	Renamed
)

// String says it in one word.
func (c Change) String() string {
	switch c {
	case Added:
		return "added"
	case Changed:
		return "changed"
	case Renamed:
		return "renamed"
	}
	return "kept"
}

// Step returns the step of a name; nil if there is none. It stays the plan's.
func (p *Plan) Step(name string) *Step {
	for i := range p.Steps {
		if p.Steps[i].Name == name {
			return &p.Steps[i]
		}
	}
	return nil
}

// Sinks names the sinks, in the order in which they are written.
func (p *Plan) Sinks() []string {
	var sinks []*Step
	for i := range p.Steps {
		if _, ok := p.Steps[i].Op.(Sink); ok {
			sinks = append(sinks, &p.Steps[i])
		}
	}
	slices.SortStableFunc(sinks, func(a, b *Step) int { return sinkOrder(a) - sinkOrder(b) })
	names := make([]string, len(sinks))
	for i, s := range sinks {
		names[i] = s.Name
	}
	return names
}

func sinkOrder(s *Step) int {
	sink, _ := s.Op.(Sink)
	return sink.Order
}

// Upstream returns the steps that a step needs, itself last, in the plan's
// order; what no sink needs is not run.
func (p *Plan) Upstream(name string) []*Step {
	need := map[string]bool{}
	todo := []string{name}
	for len(todo) > 0 {
		next := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		step := p.Step(next)
		if step == nil || need[next] {
			continue
		}
		need[next] = true
		todo = append(append(todo, step.Inputs...), cachesOf(step)...)
	}
	var steps []*Step
	for i := range p.Steps {
		if need[p.Steps[i].Name] {
			steps = append(steps, &p.Steps[i])
		}
	}
	return steps
}

// cachesOf names the steps that the expressions of a step look values up in.
func cachesOf(s *Step) []string {
	var names []string
	for _, e := range Exprs(s.Op) {
		Walk(e, func(e Expr) bool {
			if c, ok := e.(Cached); ok {
				names = append(names, c.Step)
			}
			return true
		})
	}
	return names
}

// Column returns a column by id; nil if it does not leave the step.
func (s *Step) Column(id ID) *Column {
	for i := range s.Columns {
		if s.Columns[i].ID == id {
			return &s.Columns[i]
		}
	}
	return nil
}

// Named returns the columns of a name that are not hidden: those that are
// spelt exactly so, else those whose names differ in casing alone.
func (s *Step) Named(name string) []Column {
	var exact, folded []Column
	for _, c := range s.Columns {
		switch {
		case c.Hidden:
		case c.Name == name:
			exact = append(exact, c)
		case schema.Fold(c.Name) == schema.Fold(name):
			folded = append(folded, c)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return folded
}

// Visible returns the columns that are not hidden.
func (s *Step) Visible() []Column {
	return slices.DeleteFunc(slices.Clone(s.Columns), func(c Column) bool { return c.Hidden })
}

// Through reports whether the values of a column passed through a stream, by
// that or any other name, unchanged since.
func (p *Plan) Through(step *Step, id ID, stream string) bool {
	return p.Since(step, id, stream) >= 0
}

// Since counts the steps from a stream, through which the values of a column
// passed, to the given one; 0 where that is the stream itself, -1 where they did
// not pass through it, or were changed since.
func (p *Plan) Since(step *Step, id ID, stream string) int {
	return p.since(step, id, stream, map[ID]int{})
}

// since is Since; met are the answers of the columns that were looked at: in a
// plan that divides and unites there are many ways to each.
func (p *Plan) since(step *Step, id ID, stream string, met map[ID]int) int {
	c := step.Column(id)
	if c == nil {
		return -1
	}
	if step.Name == stream {
		return 0
	}
	if n, known := met[id]; known {
		return n
	}
	met[id] = -1
	if c.Change != Kept && c.Change != Renamed {
		return -1
	}
	nearest := -1
	for _, name := range step.Inputs {
		input := p.Step(name)
		if input == nil {
			continue
		}
		for _, from := range c.From {
			if n := p.since(input, from, stream, met); n >= 0 && (nearest < 0 || n+1 < nearest) {
				nearest = n + 1
			}
		}
	}
	met[id] = nearest
	return nearest
}

// Dropped returns the columns of a step's inputs whose values go no further:
// no column that leaves it hands them on or has taken their place.
func (p *Plan) Dropped(name string) []Column {
	step := p.Step(name)
	if step == nil {
		return nil
	}
	handed, changed := map[ID]bool{}, map[string]bool{}
	for _, c := range step.Columns {
		switch c.Change {
		case Kept, Renamed:
			for _, id := range c.From {
				handed[id] = true
			}
		case Changed:
			changed[schema.Fold(c.Name)] = true
		case Added:
		}
	}
	var gone []Column
	for _, in := range step.Inputs {
		input := p.Step(in)
		if input == nil {
			continue
		}
		for _, c := range input.Columns {
			if !handed[c.ID] && !c.Hidden && !changed[schema.Fold(c.Name)] {
				gone = append(gone, c)
			}
		}
	}
	return gone
}
