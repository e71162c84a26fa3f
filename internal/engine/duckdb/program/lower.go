// Package program writes the SQL that runs steps of a plan in DuckDB.
//
// A program is one statement, with a common table expression for each stream. Its
// results are Spark's: where DuckDB computes otherwise, it is told to do as Spark does.
package program

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// Places says where a program finds what it reads.
type Places struct {
	// Files are the local paths of an input's files, by source and key.
	Files map[string]map[string]string
	// Tables are the relations that stand for inputs which are tables, by source.
	Tables map[string]string
	// Kept are the relations that hold the rows of steps, by step.
	Kept map[string]string
}

// program is the SQL of steps of a plan: a SELECT with a common table expression
// for each stream before it. Inside it a timestamp is a TIMESTAMP of the wall clock
// of UTC, since DuckDB computes faster and by more functions with it; as it comes in
// and goes out, it has its zone.
type program struct {
	plan   *plan.Plan
	inputs map[string]engine.Input
	at     Places
	// names are the common table expressions by stream.
	names map[string]string
	// columns are the identifiers of columns by id, one for each in a stream.
	columns map[plan.ID]string
	ctes    []string
}

// What DuckDB says of a row that ends the run: AssertMark, the id of the rule, then
// AssertMessage and its message.
const (
	AssertMark    = "landfall assert "
	AssertMessage = "\x1f"
)

// Lower writes the SQL of a job: a SELECT of the rows of its step.
func Lower(job engine.Job, at Places) (string, error) {
	p, err := lower(job, at, job.Step)
	if err != nil {
		return "", err
	}
	text := p.with() + p.last(job.Plan.Step(job.Step))
	if job.Limit > 0 {
		text += fmt.Sprintf("\nLIMIT %d", job.Limit)
	}
	return text, nil
}

// Keep writes the statement that keeps the rows of a step in a table.
func Keep(job engine.Job, at Places, step, table string) (string, error) {
	p, err := lower(job, at, step)
	if err != nil {
		return "", err
	}
	return "CREATE TABLE " + table + " AS\n" + p.with() + "FROM " + p.names[step], nil
}

// Count writes a SELECT of the number of rows of a step.
func Count(job engine.Job, at Places, step string) (string, error) {
	p, err := lower(job, at, step)
	if err != nil {
		return "", err
	}
	return p.with() + "SELECT count(*)\nFROM " + p.names[step], nil
}

// lower writes the common table expressions up to a step.
func lower(job engine.Job, at Places, last string) (*program, error) {
	if err := plan.Check(job.Plan); err != nil {
		return nil, err
	}
	if job.Plan.Step(last) == nil {
		return nil, fmt.Errorf("lower plan: no step %q", last)
	}
	p := &program{
		plan: job.Plan, at: at, inputs: map[string]engine.Input{},
		names: map[string]string{}, columns: map[plan.ID]string{},
	}
	for _, in := range job.Inputs {
		p.inputs[in.Source] = in
	}
	taken := map[string]bool{}
	for _, step := range needed(job.Plan, last, at.Kept) {
		p.name(step)
		if table, ok := at.Kept[step.Name]; ok {
			p.names[step.Name] = table
			continue
		}
		p.names[step.Name] = dialect.Name(free(step.Name, taken))
		body, err := p.step(step)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.Name, err)
		}
		p.ctes = append(p.ctes, p.names[step.Name]+" AS (\n"+indent(body)+"\n)")
	}
	return p, nil
}

// with writes the common table expressions.
func (p *program) with() string {
	if len(p.ctes) == 0 {
		return ""
	}
	return "WITH " + strings.Join(p.ctes, ",\n") + "\n"
}

// needed lists the steps that a step is made of, in order, and of those whose rows are
// kept none further up.
func needed(p *plan.Plan, last string, kept map[string]string) []*plan.Step {
	need := map[string]bool{last: true}
	var steps []*plan.Step
	for i := len(p.Steps) - 1; i >= 0; i-- {
		step := &p.Steps[i]
		if !need[step.Name] {
			continue
		}
		steps = append(steps, step)
		if _, ok := kept[step.Name]; ok {
			continue
		}
		for _, name := range readBy(step) {
			need[name] = true
		}
	}
	slices.Reverse(steps)
	return steps
}

// readBy names the steps whose rows a step reads.
func readBy(step *plan.Step) []string {
	names := slices.Clone(step.Inputs)
	for _, e := range plan.Exprs(step.Op) {
		plan.Walk(e, func(e plan.Expr) bool {
			if c, ok := e.(plan.Cached); ok {
				names = append(names, c.Step)
			}
			return true
		})
	}
	return names
}

// name gives the columns of a step identifiers that differ for DuckDB.
func (p *program) name(step *plan.Step) {
	taken := map[string]bool{rowNumber: true, matched: true, pick: true}
	for _, c := range step.Columns {
		p.columns[c.ID] = dialect.Name(free(c.Name, taken))
	}
}

// free returns a name, with a number behind it if it is taken in any casing.
func free(name string, taken map[string]bool) string {
	try := name
	for n := 2; taken[schema.Fold(try)]; n++ {
		try = fmt.Sprintf("%s_%d", name, n)
	}
	taken[schema.Fold(try)] = true
	return try
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(text, "\n", "\n  ")
}

// last is the SELECT behind the common table expressions: what is not hidden,
// by its own names and as the world outside knows it.
func (p *program) last(step *plan.Step) string {
	var list []string
	plain := true
	for i, c := range step.Columns {
		if c.Hidden {
			plain = false
			continue
		}
		text := p.columns[c.ID]
		if zoned(c.Type) {
			text, plain = instant(text, c.Type), false
		}
		if name := dialect.Name(c.Name); text != name {
			text += " AS " + name
		}
		plain = plain && i < len(step.Columns)
		list = append(list, text)
	}
	if plain {
		return "SELECT *\nFROM " + p.names[step.Name]
	}
	return selection(list) + "\nFROM " + p.names[step.Name]
}

// selection writes SELECT with a column a line, or in one line if they are few.
func selection(list []string) string {
	const short = 72
	if len(list) == 0 {
		list = []string{"NULL AS _landfall_none"} // SQL has no rows without columns
	}
	if line := "SELECT " + strings.Join(list, ", "); len(line) <= short {
		return line
	}
	return "SELECT\n  " + strings.Join(list, ",\n  ")
}

// step writes the SELECT of a step.
func (p *program) step(step *plan.Step) (string, error) {
	in := p.ins(step)
	switch op := step.Op.(type) {
	case plan.Source:
		return p.source(step, op)
	case plan.Sink:
		if op.Take != nil {
			return p.selected(step, op.Take, in)
		}
		return p.kept(step, in[0]), nil
	case plan.Select:
		return p.selected(step, op.Take, in)
	case plan.Derive:
		return p.derived(step, op.Set, in)
	case plan.Filter:
		return p.where(step, in[0], op.Keep)
	case plan.Aggregate:
		return p.aggregate(step, op, in)
	case plan.Join:
		return p.join(step, op, in)
	case plan.Lookup:
		return p.lookup(step, op, in)
	case plan.Exists:
		return p.exists(step, op, in)
	case plan.Union:
		return p.union(step, op, in)
	case plan.Split, plan.Alias:
		return p.kept(step, in[0]), nil
	case plan.Output:
		return p.output(step, op, in[0])
	}
	return p.more(step, in)
}

func (p *program) more(step *plan.Step, in []*plan.Step) (string, error) {
	switch op := step.Op.(type) {
	case plan.Window:
		return p.window(step, op, in)
	case plan.Rank:
		return p.rank(step, op, in)
	case plan.Key:
		text := fmt.Sprintf("%d + (row_number() OVER () - 1) * %d", op.Start, op.Step)
		return p.replaced(step, in[0], map[plan.ID]string{made(step, op.Name, false).ID: "CAST(" + text + " AS BIGINT)"}), nil
	case plan.Sort:
		keys, err := p.order(op.By, in, false)
		return p.kept(step, in[0]) + "\nORDER BY " + keys, err
	case plan.Assert:
		return p.assert(step, op, in)
	case plan.Cast:
		return p.cast(step, op, in)
	case plan.Flatten:
		return p.flatten(step, op, in)
	case plan.Pivot:
		return p.pivot(step, op, in)
	case plan.Unpivot:
		return p.unpivot(step, op, in)
	}
	return "", diag.New(diag.PlanInvalid, "%s: found a step that this engine does not run", step.Name).In(step.At)
}

func (p *program) ins(step *plan.Step) []*plan.Step {
	in := make([]*plan.Step, len(step.Inputs))
	for i, name := range step.Inputs {
		in[i] = p.plan.Step(name)
	}
	return in
}

// kept selects the columns of a step from its input, where each comes from one.
func (p *program) kept(step, from *plan.Step) string {
	return p.replaced(step, from, nil)
}

// replaced selects the columns of the input, with values for some that the step
// has changed or added, by id.
func (p *program) replaced(step, from *plan.Step, values map[plan.ID]string) string {
	return p.rewritten(step, from, values, "*", p.names[from.Name])
}

// rewritten is replaced of the rows of a relation. A step that keeps all
// columns says so with a star.
func (p *program) rewritten(step, from *plan.Step, values map[plan.ID]string, star, relation string) string {
	var list, changed, added []string
	all := len(step.Columns) >= len(from.Columns)
	for i, c := range step.Columns {
		name := p.columns[c.ID]
		value, set := values[c.ID]
		if !set {
			value = p.columns[c.From[0]]
		}
		switch {
		case i >= len(from.Columns):
			added = append(added, as(value, name))
		case set:
			changed = append(changed, value+" AS "+name)
		}
		all = all && (i >= len(from.Columns) || p.columns[from.Columns[i].ID] == name)
		list = append(list, as(value, name))
	}
	if !all {
		return selection(list) + "\nFROM " + relation
	}
	if len(changed) > 0 {
		star += " REPLACE (" + strings.Join(changed, ", ") + ")"
	}
	return selection(append([]string{star}, added...)) + "\nFROM " + relation
}

// made is the column of a name that a step has made or changed.
func made(step *plan.Step, name string, hidden bool) *plan.Column {
	for i := range step.Columns {
		c := &step.Columns[i]
		if c.Name == name && c.Hidden == hidden && c.By == step.Name && (c.Change == plan.Added || c.Change == plan.Changed) {
			return c
		}
	}
	return nil
}

func as(value, name string) string {
	if value == name {
		return name
	}
	return value + " AS " + name
}

// values lowers the values of assignments.
func (s scope) values(list []plan.Assignment) ([]string, error) {
	out := make([]string, len(list))
	for i, a := range list {
		text, err := s.value(a.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.Name, err)
		}
		out[i] = text
	}
	return out, nil
}

// settings lowers assignments to the columns that a step makes of them; the
// last of a name counts.
func (s scope) settings(step *plan.Step, list []plan.Assignment) (map[plan.ID]string, error) {
	texts, err := s.values(list)
	if err != nil {
		return nil, err
	}
	out := map[plan.ID]string{}
	for i, a := range list {
		out[made(step, a.Name, false).ID] = texts[i]
	}
	return out, nil
}

func (p *program) selected(step *plan.Step, take []plan.Assignment, in []*plan.Step) (string, error) {
	scope := p.scope(in)
	scope.apart = &apart{}
	texts, err := scope.values(take)
	if err != nil {
		return "", err
	}
	return selection(p.listed(step.Columns, texts)) + "\nFROM " + scope.apart.below(p.names[in[0].Name], ""), nil
}

// listed writes values of the first columns of a SELECT.
func (p *program) listed(columns []plan.Column, texts []string) []string {
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = as(text, p.columns[columns[i].ID])
	}
	return list
}

func (p *program) derived(step *plan.Step, list []plan.Assignment, in []*plan.Step) (string, error) {
	scope := p.scope(in)
	scope.apart = &apart{}
	set, err := scope.settings(step, list)
	if err != nil {
		return "", err
	}
	return p.rewritten(step, in[0], set, scope.apart.star(), scope.apart.below(p.names[in[0].Name], "")), nil
}

func (p *program) where(step, in *plan.Step, keep plan.Expr) (string, error) {
	scope := p.scope([]*plan.Step{in})
	scope.apart = &apart{}
	text, err := scope.bare(keep)
	return p.rewritten(step, in, nil, scope.apart.star(), scope.apart.below(p.names[in.Name], "")) + "\nWHERE " + text, err
}

// output filters the rows of a split.
func (p *program) output(step *plan.Step, op plan.Output, split *plan.Step) (string, error) {
	what, _ := split.Op.(plan.Split)
	scope := p.scope([]*plan.Step{p.plan.Step(split.Inputs[0])})
	texts := make([]string, len(what.Conditions))
	for i, e := range what.Conditions {
		var err error
		if texts[i], err = scope.expr(e); err != nil {
			return "", err
		}
	}
	var tests []string
	if n := op.Number; n < len(texts) {
		tests = append(tests, texts[n])
		if !what.All {
			tests = append(tests, fails(texts[:n])...)
		}
	} else {
		tests = fails(texts)
	}
	return p.kept(step, split) + "\nWHERE " + strings.Join(tests, "\n  AND "), nil
}

func fails(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = t + " IS NOT TRUE"
	}
	return out
}

// order writes the keys of an ORDER BY, in the other direction if reversed.
func (p *program) order(list []plan.Order, in []*plan.Step, reversed bool) (string, error) {
	return p.scope(in).order(list, reversed)
}
