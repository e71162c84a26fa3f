package program

import (
	"fmt"
	"strconv"
	"strings"

	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// Columns that a step adds for itself alone. No column of a stream is called
// so.
const (
	rowNumber = "_landfall_row"   // numbers the rows, where their order matters
	matched   = "_landfall_match" // marks the rows of a lookup's second input
	pick      = "_landfall_pick"  // numbers the matches of a row
)

// numbered is a stream with its rows numbered, for aggregates that go by order.
func (p *program) numbered(in *plan.Step) string {
	return "(SELECT *, row_number() OVER () AS " + rowNumber + " FROM " + p.names[in.Name] + ")"
}

// byOrder reports whether an aggregate in an expression goes by the order of
// rows.
func byOrder(exprs []plan.Expr) bool {
	found := false
	for _, e := range exprs {
		plan.Walk(e, func(e plan.Expr) bool {
			if c, isCall := e.(plan.Call); isCall {
				e = ordered(c)
			}
			f, ok := e.(plan.Fold)
			found = found || ok && (f.Kind == plan.First || f.Kind == plan.Last || f.Kind == plan.Collect && !f.Distinct)
			return true
		})
	}
	return found
}

// ordered is the aggregate of ours for a function of the table that goes by the
// order of rows, which its own text cannot: with several threads rows come as
// they come. Any other call stays.
func ordered(e plan.Call) plan.Expr {
	kind, known := map[string]plan.FoldKind{"first": plan.First, "last": plan.Last}[e.Fn.Name()]
	if !known || e.Kind != plan.Aggregating || len(e.Args) == 0 {
		return e
	}
	f := plan.Fold{Kind: kind, Arg: e.Args[0], Of: e.Of}
	if len(e.Args) > 1 {
		literal, _ := e.Args[1].(plan.Literal)
		f.IgnoreNulls = literal.Value == true
	}
	return f
}

func (p *program) aggregate(step *plan.Step, op plan.Aggregate, in []*plan.Step) (string, error) {
	scope := p.scope(in)
	group, err := scope.values(op.Group)
	if err != nil {
		return "", err
	}
	from := p.names[in[0].Name]
	if byOrder(plan.Exprs(plan.Aggregate{Values: op.Values})) {
		scope.row, from = rowNumber, p.numbered(in[0])
	}
	keys := make([]string, len(group))
	for i := range keys {
		keys[i] = p.columns[step.Columns[i].ID]
	}
	scope.apart, scope.keys = &apart{}, keysOf(op.Group, keys)
	values, err := scope.values(op.Values)
	if err != nil {
		return "", err
	}
	if len(scope.apart.columns) == 0 {
		return selection(p.listed(step.Columns, append(group, values...))) + "\nFROM " + from + groupBy(len(group)), nil
	}
	// All values come from below, those that are aggregates as well.
	*scope.apart = apart{}
	for i, a := range op.Values {
		if values[i], err = scope.typed(a.Value); err != nil {
			return "", err
		}
	}
	below := selection(append(p.listed(step.Columns, group), scope.apart.columns...)) + "\nFROM " + from + groupBy(len(group))
	return selection(p.listed(step.Columns, append(keys, values...))) + "\nFROM (\n" + indent(below) + "\n)", nil
}

// keysOf maps the columns that are keys of groups to the names of the keys.
func keysOf(group []plan.Assignment, names []string) map[plan.ID]string {
	keys := map[plan.ID]string{}
	for i, a := range group {
		if ref, ok := a.Value.(plan.Ref); ok {
			keys[ref.ID] = names[i]
		}
	}
	return keys
}

// groupBy groups by so many first columns.
func groupBy(n int) string {
	if n == 0 {
		return ""
	}
	numbers := make([]string, n)
	for i := range numbers {
		numbers[i] = strconv.Itoa(i + 1)
	}
	return "\nGROUP BY " + strings.Join(numbers, ", ")
}

func (p *program) window(step *plan.Step, op plan.Window, in []*plan.Step) (string, error) {
	scope := p.scope(in)
	var parts []string
	if len(op.Over) > 0 {
		over, err := scope.all(op.Over)
		if err != nil {
			return "", err
		}
		parts = append(parts, "PARTITION BY "+strings.Join(over, ", "))
	}
	if len(op.Order) > 0 {
		order, err := scope.order(op.Order, false)
		if err != nil {
			return "", err
		}
		parts = append(parts, "ORDER BY "+order)
	}
	if f := op.Frame; f != nil {
		parts = append(parts, "ROWS BETWEEN "+bound(f.Start, "PRECEDING")+" AND "+bound(f.End, "FOLLOWING"))
	}
	scope.over, scope.apart = "OVER w", &apart{}
	set, err := scope.settings(step, op.Set)
	if err != nil {
		return "", err
	}
	clause := "\nWINDOW w AS (" + strings.Join(parts, " ") + ")"
	if len(scope.apart.columns) == 0 {
		return p.replaced(step, in[0], set) + clause, nil
	}
	*scope.apart = apart{}
	for _, a := range op.Set {
		if set[made(step, a.Name, false).ID], err = scope.typed(a.Value); err != nil {
			return "", err
		}
	}
	return p.rewritten(step, in[0], set, scope.apart.star(), scope.apart.below(p.names[in[0].Name], clause)), nil
}

func bound(b plan.Bound, unbounded string) string {
	switch {
	case b.Unbounded:
		return "UNBOUNDED " + unbounded
	case b.Rows < 0:
		return fmt.Sprintf("%d PRECEDING", -b.Rows)
	case b.Rows > 0:
		return fmt.Sprintf("%d FOLLOWING", b.Rows)
	}
	return "CURRENT ROW"
}

func (p *program) rank(step *plan.Step, op plan.Rank, in []*plan.Step) (string, error) {
	order, err := p.order(op.Order, in, false)
	if err != nil {
		return "", err
	}
	name := "rank"
	if op.Dense {
		name = "dense_rank"
	}
	return p.replaced(step, in[0], map[plan.ID]string{made(step, op.Name, false).ID: name + "() OVER (ORDER BY " + order + ")"}), nil
}

// pivot aggregates by group and key first, and then puts each result in the
// column of its key: so any aggregate will do.
func (p *program) pivot(step *plan.Step, op plan.Pivot, in []*plan.Step) (string, error) {
	scope := p.scope(in)
	key := plan.Assignment{Value: op.Key}
	group, err := scope.values(append(append([]plan.Assignment{}, op.Group...), key))
	if err != nil {
		return "", err
	}
	from := p.names[in[0].Name]
	if byOrder(op.Aggregates) {
		scope.row, from = rowNumber, p.numbered(in[0])
	}
	scope.apart = &apart{}
	aggregates, err := scope.all(op.Aggregates)
	if err != nil {
		return "", err
	}
	var inner, outer []string
	for i, text := range group {
		name := "g" + strconv.Itoa(i+1)
		inner = append(inner, text+" AS "+name)
		if i < len(op.Group) {
			outer = append(outer, name+" AS "+p.columns[step.Columns[i].ID])
		}
	}
	inner = append(inner, scope.apart.columns...)
	keyName := "g" + strconv.Itoa(len(group))
	for _, at := range pivotOrder(op) {
		value, err := literal(op.Values[at[0]].Value)
		if err != nil {
			return "", err
		}
		name := p.columns[step.Columns[len(outer)].ID]
		outer = append(outer, fmt.Sprintf("any_value(%s) FILTER (%s IS NOT DISTINCT FROM %s) AS %s", aggregates[at[1]], keyName, value, name))
	}
	text := selection(inner) + "\nFROM " + from + groupBy(len(group))
	return selection(outer) + "\nFROM (\n" + indent(text) + "\n)" + groupBy(len(op.Group)), nil
}

// pivotOrder lists value and aggregate of each column.
func pivotOrder(op plan.Pivot) [][2]int {
	var list [][2]int
	if op.Lateral {
		for v := range op.Values {
			for a := range op.Aggregates {
				list = append(list, [2]int{v, a})
			}
		}
		return list
	}
	for a := range op.Aggregates {
		for v := range op.Values {
			list = append(list, [2]int{v, a})
		}
	}
	return list
}

func (p *program) unpivot(step *plan.Step, op plan.Unpivot, in []*plan.Step) (string, error) {
	from := in[0]
	rows := make([]string, len(op.Columns))
	for i, id := range op.Columns {
		column := from.Column(id)
		name := plan.Literal{Value: column.Name, Of: schema.String}
		if len(op.Names) > 0 {
			name = op.Names[i]
		}
		key, err := literal(name)
		if err != nil {
			return "", err
		}
		key = convertSQL(key, name.Of, op.KeyType, 0)
		value := convertSQL(p.columns[id], column.Type, op.ValueType, 0)
		rows[i] = "{'k': " + key + ", 'v': " + value + "}"
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("lower unpivot: no columns")
	}
	var inner, outer []string
	for i, id := range op.Keep {
		inner = append(inner, p.columns[id])
		outer = append(outer, as(p.columns[id], p.columns[step.Columns[i].ID]))
	}
	n := len(outer)
	outer = append(outer, "u.k AS "+p.columns[step.Columns[n].ID], "u.v AS "+p.columns[step.Columns[n+1].ID])
	inner = append(inner, "unnest(["+strings.Join(rows, ", ")+"]) AS u")
	text := selection(outer) + "\nFROM (\n" + indent(selection(inner)+"\nFROM "+p.names[from.Name]) + "\n)"
	if op.IgnoreNullValues {
		text += "\nWHERE u.v IS NOT NULL"
	}
	return text, nil
}

// flatten unrolls one array after another, each into a column of its own.
func (p *program) flatten(step *plan.Step, op plan.Flatten, in []*plan.Step) (string, error) {
	scope := p.scope(in)
	from := p.names[in[0].Name]
	for _, u := range op.Unroll {
		array, err := scope.typed(u.Of)
		if err != nil {
			return "", err
		}
		if !u.Required {
			array = "CASE WHEN len(" + array + ") > 0 THEN " + array + " ELSE [NULL] END"
		}
		from = "(\n" + indent("SELECT *, unnest("+array+") AS "+dialect.Name(u.Bind)+"\nFROM "+from) + "\n)"
	}
	set, err := scope.values(op.Take)
	if err != nil {
		return "", err
	}
	return selection(p.listed(step.Columns, set)) + "\nFROM " + from, nil
}
