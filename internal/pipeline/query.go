package pipeline

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/function"
	"landfall/internal/sparksql/translate"
	"landfall/internal/sqlpipe"
)

func itoa(n int) string { return strconv.Itoa(n) }

// quote writes a name for the engine.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// literal writes a text for the engine.
func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// moment writes a time for the engine.
func moment(t time.Time) string {
	return "TIMESTAMPTZ '" + t.UTC().Format("2006-01-02 15:04:05.000000") + "+00'"
}

// compiled is a flow's query as the engine runs it, with the rules of its dataset.
type compiled struct {
	*translate.Result
	columns []outColumn
	rules   []rule
	// fresh are rules about the newest value of the table.
	fresh []rule
	// text is the query in one layout, by which a change of it is known.
	text string
}

// rule is an expectation as the engine evaluates it: sql is true, false or null for a row.
type rule struct {
	sqlpipe.Rule
	sql   string
	names []string
}

// compile translates the query of a flow and the rules of its dataset. The error has all
// that is wrong.
func (r *runner) compile(f sqlpipe.Flow, in *inputs) (*compiled, error) {
	o := translate.Options{Now: moment(r.Now()), Params: r.Params, Probes: true}
	q, err := translate.Query(f.File, f.Query, catalog{r, in, o}, o)
	if err != nil {
		return nil, err
	}
	c := &compiled{Result: q, text: sparksql.Print(f.Query)}
	var problems diag.List
	problems.Merge(r.streams(f, q))
	problems.Merge(r.columnsOf(f, c))
	problems.Merge(r.rules(c, in, o))
	return c, problems.Err()
}

// streams refuses what needs more than the new rows of a stream.
func (r *runner) streams(f sqlpipe.Flow, q *translate.Result) error {
	if r.dataset.Kind != sqlpipe.StreamingTable {
		return nil
	}
	var problems diag.List
	for _, s := range q.Stateful {
		problems.Add(f.File.Problem(diag.PipelineStream, s.At.At, "%s over a stream: rows that come later would change rows that are written", s.What).
			Hinted("create a MATERIALIZED VIEW, which is computed again when something changed, or take %s out of the query", s.What))
	}
	return problems.Err()
}

// columnsOf are the columns of the dataset: those of the query, or those that are declared.
func (r *runner) columnsOf(f sqlpipe.Flow, c *compiled) error {
	var problems diag.List
	seen := map[string]bool{}
	for _, col := range c.Columns {
		at := col.At.At
		switch {
		case !col.Named:
			problems.Add(f.File.Problem(diag.SQLName, at, "column %s has no name, and a table needs one", diag.Quote(col.Name)).Hinted("write AS and a name behind it"))
		case seen[schema.Fold(col.Name)]:
			problems.Add(f.File.Problem(diag.SQLName, at, "column %s: stands twice, and a table tells no casings apart", col.Name).Hinted("give one of them another name with AS, or leave it out: * EXCEPT (%s)", col.Name))
		case strings.HasPrefix(schema.Fold(col.Name), "_landfall_"):
			problems.Add(f.File.Problem(diag.SQLName, at, "column %s: names that begin with _landfall_ are for what is kept beside", col.Name).Hinted("give it another name with AS"))
		case schema.CleanName(col.Name) != col.Name:
			problems.Add(f.File.Problem(diag.SQLName, at, "column %s: a table takes no space or one of ,;{}()= in a name", diag.Quote(col.Name)).Hinted("give it another name: AS %s", schema.CleanName(col.Name)))
		case !storable(col.Type):
			problems.Add(f.File.Problem(diag.SQLType, at, "column %s: found the type %s, which no table holds", col.Name, col.Type).Hinted("convert it: CAST(… AS STRING)"))
		}
		seen[schema.Fold(col.Name)] = true
		c.columns = append(c.columns, outColumn{name: col.Name, typ: col.Type, sql: quote(col.Name), at: col.At})
	}
	if len(problems) == 0 && len(r.dataset.Columns) > 0 {
		problems.Merge(r.declared(f, c))
	}
	return problems.Err()
}

func storable(t schema.Type) bool {
	_, ok := schema.Storable(t)
	_, interval := t.(function.Interval)
	return ok && !interval && t != schema.Unknown
}

// declared brings the columns of the query into the order and the types of those that the
// statement lists; what the query lacks is null.
func (r *runner) declared(f sqlpipe.Flow, c *compiled) error {
	var problems diag.List
	used := map[string]bool{}
	out := make([]outColumn, 0, len(r.dataset.Columns))
	for _, d := range r.dataset.Columns {
		name := d.Name.Name
		used[schema.Fold(name)] = true
		i := indexOf(c.columns, name)
		if i < 0 {
			if d.Type == nil {
				problems.Add(r.dataset.File.Problem(diag.SQLName, d.Name.At, "column %s: the query gives none of that name", name).Hinted("give it a type, and it is null; or take it out of the list"))
				continue
			}
			out = append(out, outColumn{name: name, typ: d.Type, sql: "CAST(NULL AS " + function.TypeSQL(d.Type) + ")", at: d.Name.Range})
			continue
		}
		col := c.columns[i]
		if d.Type != nil && d.Type.String() != col.typ.String() {
			sql, err := function.Cast(function.Argument{SQL: col.sql, Type: col.typ}, d.Type, false)
			if err != nil {
				problems.Add(r.dataset.File.Problem(diag.SQLType, d.Name.At, "column %s: found %s in the query, want %s", name, col.typ, d.Type).Hinted("convert it in the query"))
			}
			col.sql, col.typ = sql, d.Type
		}
		col.name = name
		out = append(out, col)
	}
	for _, col := range c.columns {
		if !used[schema.Fold(col.name)] {
			problems.Add(f.File.Problem(diag.SQLName, col.at.At, "column %s: the list of columns of %s has none of that name", col.name, r.dataset.Name).Hinted("add it to the list, or leave it out of the query"))
		}
	}
	c.columns = out
	return problems.Err()
}

func indexOf(columns []outColumn, name string) int {
	for i, c := range columns {
		if schema.Fold(c.name) == schema.Fold(name) {
			return i
		}
	}
	return -1
}

// rules translates the expectations, and adds that nothing was rescued where a table is
// read that would say so.
func (r *runner) rules(c *compiled, in *inputs, o translate.Options) error {
	var problems diag.List
	columns := fields(c.columns)
	watched := false
	for _, d := range r.dataset.Rules {
		one := rule{Rule: d}
		var err error
		switch d.Kind {
		case sqlpipe.Condition:
			one.sql, one.names, err = translate.Condition(r.dataset.File, d.Expr, columns, o)
		case sqlpipe.Fresh: // of the table, not of rows
			one, err = r.freshRule(d, columns, o)
			problems.Merge(err)
			c.fresh = append(c.fresh, one)
			continue
		case sqlpipe.Unique: // once all others are known
		case sqlpipe.References:
			err = r.references(&one, c, in)
		}
		problems.Merge(err)
		for _, n := range one.names {
			watched = watched || schema.Fold(n) == "_rescued_data"
		}
		watched = watched || d.Name == nothingRescued
		c.rules = append(c.rules, one)
	}
	for i := range c.rules {
		if c.rules[i].Kind == sqlpipe.Unique {
			problems.Merge(r.unique(&c.rules[i], c))
		}
	}
	for _, d := range r.dataset.Columns {
		if d.NotNull {
			c.rules = append(c.rules, rule{Rule: sqlpipe.Rule{Name: d.Name.Name + " NOT NULL", Action: sqlpipe.Fail, Text: d.Name.Name + " IS NOT NULL", At: d.Name.Range}, sql: quote(d.Name.Name) + " IS NOT NULL", names: []string{d.Name.Name}})
		}
	}
	if sql := r.rescuedOf(c, in); sql != "" && !watched {
		c.rules = append(c.rules, rule{Rule: sqlpipe.Rule{Name: nothingRescued, Text: "_rescued_data IS NULL"}, sql: sql + " IS NULL", names: []string{"_rescued_data"}})
	}
	return problems.Err()
}

// nothingRescued is the expectation that every dataset has that reads what was rescued.
const nothingRescued = "nothing_rescued"

// rescuedOf is the text of what was rescued of a row, "" if nothing is known of it. Where
// the query leaves it out, the first dataset behind a landing looks at it, and those behind
// that do not tell of it again.
func (r *runner) rescuedOf(c *compiled, in *inputs) string {
	if i := indexOf(c.columns, "_rescued_data"); i >= 0 && c.columns[i].typ == schema.String {
		return quote(c.columns[i].name)
	}
	landed := slices.ContainsFunc(in.list, func(i *input) bool {
		return i.stream && r.Pipeline.Find(i.name) == nil && i.snap.Schema.Lookup("_rescued_data") >= 0
	})
	for _, h := range c.Hidden {
		if h.Name == rescuedColumn && landed {
			return rescuedColumn
		}
	}
	return ""
}

// keys are the columns of a rule as the engine names them.
func (r *runner) keys(one *rule, c *compiled) ([]string, error) {
	var problems diag.List
	var out []string
	for _, k := range one.Columns {
		i := indexOf(c.columns, k.Name)
		if i < 0 {
			names := make([]string, len(c.columns))
			for n, col := range c.columns {
				names[n] = col.name
			}
			d := r.dataset.File.Problem(diag.SQLName, k.At, "column %s: there is none of that name in %s", k.Name, r.dataset.Name)
			d.Hint = "there are " + strings.Join(names[:min(8, len(names))], ", ")
			if near := diag.Nearest(k.Name, names); near != "" {
				d.Hint = "did you mean " + near + "?"
			}
			problems.Add(d)
			continue
		}
		out = append(out, quote(c.columns[i].name))
		one.names = append(one.names, c.columns[i].name)
	}
	return out, problems.Err()
}

// unique says whether a row is the first with its key: of those of the batch, in which rows
// that other rules drop come last, and of the rows that the table holds already.
func (r *runner) unique(one *rule, c *compiled) error {
	keys, err := r.keys(one, c)
	if err != nil {
		return err
	}
	same := make([]string, len(keys))
	for i, k := range keys {
		same[i] = "held." + k + " = q." + k
	}
	one.sql = "CASE WHEN " + strings.Join(keys, " IS NULL OR ") + " IS NULL THEN NULL ELSE row_number() OVER (PARTITION BY " + strings.Join(keys, ", ") + c.first() +
		") = 1 AND NOT EXISTS (SELECT 1 FROM " + quote(heldView) + " AS held WHERE " + strings.Join(same, " AND ") + ") END"
	return nil
}

// first orders the rows of a key by which of them is the one to keep.
func (c *compiled) first() string {
	var order, drops []string
	for _, r := range c.rules {
		if r.Action == sqlpipe.Drop && r.Kind != sqlpipe.Unique && r.sql != "" {
			drops = append(drops, "("+r.sql+") IS NOT TRUE")
		}
	}
	if len(drops) > 0 {
		order = append(order, "("+strings.Join(drops, " OR ")+")")
	}
	if c.rowwise() {
		order = append(order, sourceColumn, engine.FileNumber, engine.RowNumber)
	}
	if len(order) == 0 {
		return ""
	}
	return " ORDER BY " + strings.Join(order, ", ")
}

// references says whether another table has a row with the same values.
func (r *runner) references(one *rule, c *compiled, in *inputs) error {
	keys, err := r.keys(one, c)
	if err != nil {
		return err
	}
	s := sqlpipe.Source{}
	for _, n := range one.Table {
		s.Name = append(s.Name, n.Name)
	}
	i := in.byName[inputKey(r.label(s), false)]
	var problems diag.List
	same := make([]string, len(keys))
	for n, k := range keys {
		other := one.Other[n]
		at := i.snap.Schema.Lookup(other.Name)
		if at < 0 {
			problems.Add(r.dataset.File.Problem(diag.SQLName, other.At, "column %s: there is none of that name in %s", other.Name, i.name).Hinted("name a column of %s", i.name))
			continue
		}
		same[n] = "other." + quote(i.snap.Schema.Fields[at].Name) + " = q." + k
	}
	one.sql = "CASE WHEN " + strings.Join(keys, " IS NULL OR ") + " IS NULL THEN NULL ELSE EXISTS (SELECT 1 FROM " + quote(i.view) + " AS other WHERE " + strings.Join(same, " AND ") + ") END"
	return problems.Err()
}
