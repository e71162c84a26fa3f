package program

import (
	"fmt"
	"maps"
	"strings"

	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/plan"
)

// both lists the columns of a step that come from two inputs, l and r.
func (p *program) both(step *plan.Step, in []*plan.Step) []string {
	var list []string
	for i, c := range step.Columns {
		switch {
		case i < len(in[0].Columns):
			list = append(list, as("l."+p.columns[c.From[0]], p.columns[c.ID]))
		case i < len(in[0].Columns)+len(in[1].Columns):
			list = append(list, as("r."+p.columns[c.From[0]], p.columns[c.ID]))
		}
	}
	return list
}

func (p *program) join(step *plan.Step, op plan.Join, in []*plan.Step) (string, error) {
	text := selection(p.both(step, in)) + "\nFROM " + p.names[in[0].Name] + " AS l\n"
	right := p.names[in[1].Name] + " AS r"
	if op.On == nil {
		return text + "CROSS JOIN " + right, nil
	}
	on, err := p.scope(in).bare(op.On)
	word := map[plan.JoinKind]string{
		plan.Inner: "JOIN", plan.Cross: "JOIN", plan.LeftOuter: "LEFT JOIN",
		plan.RightOuter: "RIGHT JOIN", plan.FullOuter: "FULL JOIN",
	}[op.Kind]
	return text + word + " " + right + " ON " + on, err
}

func (p *program) exists(step *plan.Step, op plan.Exists, in []*plan.Step) (string, error) {
	on, err := p.scope(in).bare(op.On)
	word := "SEMI JOIN "
	if op.Negate {
		word = "ANTI JOIN "
	}
	list := make([]string, len(step.Columns))
	for i, c := range step.Columns {
		list[i] = as("l."+p.columns[c.From[0]], p.columns[c.ID])
	}
	return selection(list) + "\nFROM " + p.names[in[0].Name] + " AS l\n" + word + p.names[in[1].Name] + " AS r ON " + on, err
}

// lookup joins the rows of the second input, or one of those that match.
func (p *program) lookup(step *plan.Step, op plan.Lookup, in []*plan.Step) (string, error) {
	scope := p.scope(in)
	on, err := scope.bare(op.On)
	if err != nil {
		return "", err
	}
	list := p.both(step, in)
	if op.Matched != "" {
		list = append(list, "coalesce(r."+matched+", false) AS "+p.columns[step.Columns[len(list)].ID])
	}
	left, right := p.names[in[0].Name], "SELECT *, true AS "+matched
	if op.Pick == plan.PickAll {
		right = "(" + right + " FROM " + p.names[in[1].Name] + ")"
		return selection(list) + "\nFROM " + left + " AS l\nLEFT JOIN " + right + " AS r ON " + on, nil
	}
	if keys := equated(op.On); keys != nil {
		right, err = p.onePerKey(op, in, keys, right)
		return selection(list) + "\nFROM " + left + " AS l\nLEFT JOIN (\n" + indent(right) + "\n) AS r ON " + on, err
	}
	order, err := scope.order(op.Order, op.Pick == plan.PickLast)
	if err != nil {
		return "", err
	}
	if order != "" {
		order += ", "
	}
	right = "(" + right + ", row_number() OVER () AS " + rowNumber + " FROM " + p.names[in[1].Name] + ")"
	list = append(list, fmt.Sprintf("row_number() OVER (PARTITION BY l.%s ORDER BY %sr.%s) AS %s", rowNumber, order, rowNumber, pick))
	inner := selection(list) + "\nFROM " + p.numbered(in[0]) + " AS l\nLEFT JOIN " + right + " AS r ON " + on
	return "SELECT * EXCLUDE (" + pick + ")\nFROM (\n" + indent(inner) + "\n)\nWHERE " + pick + " = 1", nil
}

// onePerKey is the second input with the first row of each key alone.
func (p *program) onePerKey(op plan.Lookup, in []*plan.Step, keys []plan.Expr, right string) (string, error) {
	scope := scope{program: p, sides: []string{"", ""}}
	texts, err := scope.all(keys)
	if err != nil {
		return "", err
	}
	order, err := scope.order(op.Order, op.Pick == plan.PickLast)
	if err != nil {
		return "", err
	}
	if order != "" {
		order += ", "
	}
	return right + "\nFROM " + p.numbered(in[1]) + "\nQUALIFY row_number() OVER (PARTITION BY " + strings.Join(texts, ", ") +
		" ORDER BY " + order + rowNumber + ") = 1", nil
}

// equated returns what of the second input a condition demands to be equal to
// something of the first, if that is all it demands.
func equated(on plan.Expr) []plan.Expr {
	op, args := operator(on)
	switch op {
	case plan.And:
		var all []plan.Expr
		for _, a := range args {
			keys := equated(a)
			if keys == nil {
				return nil
			}
			all = append(all, keys...)
		}
		return all
	case plan.Equal, plan.SameAs:
		left, right := side(args[0]), side(args[1])
		if left == 0 && right == 1 {
			return args[1:]
		}
		if left == 1 && right == 0 {
			return args[:1]
		}
	}
	return nil
}

// operator is what an expression does with its operands, also where a function
// of the table does it; Not of anything else.
func operator(e plan.Expr) (plan.Operator, []plan.Expr) {
	switch e := e.(type) {
	case plan.Operation:
		return e.Op, e.Args
	case plan.Call:
		op, known := map[string]plan.Operator{"and": plan.And, "equals": plan.Equal, "===": plan.SameAs}[e.Fn.Name()]
		if known && len(e.Args) == 2 {
			return op, e.Args
		}
	}
	return plan.Not, nil
}

// side is the only input that an expression reads, -1 if it is none or both.
func side(e plan.Expr) int {
	found, mixed := -1, false
	plan.Walk(e, func(e plan.Expr) bool {
		switch e := e.(type) {
		case plan.Ref:
			mixed = mixed || found >= 0 && found != e.Input
			found = e.Input
		case plan.Cached:
			mixed = true
		}
		return true
	})
	if mixed {
		return -1
	}
	return found
}

// union puts inputs one after another, each with all columns of the step.
func (p *program) union(step *plan.Step, op plan.Union, in []*plan.Step) (string, error) {
	parts := make([]string, len(in))
	for n, input := range in {
		list := make([]string, len(step.Columns))
		for i, c := range step.Columns {
			text := "CAST(NULL AS " + innerSQL(c.Type) + ")"
			if from := fromInput(c, input, i, op.ByName); from != nil {
				text = convertSQL(p.columns[from.ID], from.Type, c.Type, 0)
			}
			list[i] = as(text, p.columns[c.ID])
		}
		parts[n] = selection(list) + "\nFROM " + p.names[input.Name]
	}
	return strings.Join(parts, "\nUNION ALL\n"), nil
}

// fromInput finds the column of an input that a united one has values of. An
// input may come twice.
func fromInput(c plan.Column, input *plan.Step, at int, byName bool) *plan.Column {
	if !byName {
		return &input.Columns[at]
	}
	for _, id := range c.From {
		if from := input.Column(id); from != nil {
			return from
		}
	}
	return nil
}

// assert marks the rows that break rules, or ends the run.
func (p *program) assert(step *plan.Step, op plan.Assert, in []*plan.Step) (string, error) {
	entries := make([]string, len(op.Rules))
	var stops []string
	for i, r := range op.Rules {
		fails, message, err := p.rule(r, in)
		if err != nil {
			return "", err
		}
		id := dialect.Text(r.ID)
		entries[i] = "CASE WHEN " + fails + " THEN {'k': " + id + ", 'v': " + message + "} END"
		stops = append(stops, "WHEN "+fails+" THEN error("+dialect.Quote(AssertMark)+" || "+id+" || chr(31) || coalesce("+message+", ''))")
	}
	if op.Abort {
		// The rule is a column first: one that looks at other rows or streams
		// is no condition of a WHERE.
		inner := "SELECT *, CASE " + strings.Join(stops, " ") + " END AS " + matched + "\nFROM " + p.names[in[0].Name]
		star, from := "* EXCLUDE ("+matched+")", "(\n"+indent(inner)+"\n)"
		return p.rewritten(step, in[0], failures(p, step, op.Errors, nil), star, from) + "\nWHERE " + matched + " IS NULL", nil
	}
	return p.replaced(step, in[0], failures(p, step, op.Errors, entries)), nil
}

// failures is the hidden column of what a row fails.
func failures(p *program, step *plan.Step, name string, entries []string) map[plan.ID]string {
	out := map[plan.ID]string{}
	column := made(step, name, true)
	if column == nil {
		return out
	}
	value := "map_from_entries(list_filter(CAST([" + strings.Join(entries, ", ") +
		"] AS STRUCT(k VARCHAR, v VARCHAR)[]), lambda e: e IS NOT NULL))"
	if column.Change == plan.Changed {
		value = "map_concat(" + p.columns[column.From[0]] + ", " + value + ")"
	}
	out[column.ID] = value
	return out
}

// rule returns the condition under which a row breaks a rule, and the message.
func (p *program) rule(r plan.Rule, in []*plan.Step) (fails, message string, err error) {
	one := p.scope(in[:1])
	message = "CAST(NULL AS VARCHAR)"
	if r.Message != nil {
		if message, err = one.typed(r.Message); err != nil {
			return "", "", err
		}
	}
	scope := one
	if r.Kind == plan.ExpectExists {
		scope.sides = []string{p.names[in[0].Name] + ".", "r."}
	}
	on, err := scope.expr(r.On)
	if err != nil {
		return "", "", err
	}
	switch r.Kind {
	case plan.ExpectUnique:
		fails = "count(*) OVER (PARTITION BY " + on + ") > 1"
	case plan.ExpectExists:
		fails = "NOT EXISTS (SELECT 1 FROM " + p.names[in[1].Name] + " AS r WHERE " + on + ")"
	default:
		fails = on + " IS NOT TRUE"
	}
	if r.IgnoreNulls && r.Kind != plan.ExpectExists {
		fails = "(" + on + " IS NOT NULL AND " + fails + ")"
	}
	if r.Filter != nil {
		filter, err := one.expr(r.Filter)
		if err != nil {
			return "", "", err
		}
		fails = "(" + filter + " AND " + fails + ")"
	}
	return fails, message, nil
}

// cast converts columns, and marks rows where that fails.
func (p *program) cast(step *plan.Step, op plan.Cast, in []*plan.Step) (string, error) {
	scope := p.scope(in)
	var entries []string
	values := map[plan.ID]string{}
	for _, c := range op.Columns {
		column := in[0].Column(c.Column)
		old := p.columns[c.Column]
		value := convertSQL(old, column.Type, c.To, 0)
		if c.By != nil {
			var err error
			if value, err = scope.typed(c.By); err != nil {
				return "", err
			}
		}
		for _, out := range step.Columns {
			if len(out.From) > 0 && out.From[0] == c.Column {
				values[out.ID] = value
			}
		}
		entries = append(entries, "CASE WHEN "+old+" IS NOT NULL AND "+value+" IS NULL THEN {'k': "+dialect.Text(column.Name)+
			", 'v': "+dialect.Text("found a value that is no "+c.To.String())+"} END")
	}
	maps.Copy(values, failures(p, step, op.Errors, entries))
	return p.replaced(step, in[0], values), nil
}
