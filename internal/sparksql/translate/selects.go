package translate

import (
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/function"
)

// selecting is one SELECT on its way.
type selecting struct {
	*translator
	in    *sparksql.Select
	scope *scope
	from  *from
	items []item
	out   *result
	// grouped tells that rows are groups.
	grouped bool
	groups  map[string]bool
	groupBy string
	// sets tells of several sets of groups, windowed of a window over groups.
	sets, windowed bool
	windows        map[string]*sparksql.Window
	// results are the columns of the result by what they are made of.
	results []column
}

// item is a column of a SELECT: an expression, or a column as it is.
type item struct {
	expr  sparksql.Expr
	given *column
	name  string
	named bool
	at    sparksql.Range
}

// selects translates a SELECT, with the order and limits of q.
func (t *translator) selects(in *sparksql.Select, outer *scope, q *sparksql.Query) *result {
	s := &selecting{translator: t, in: in, scope: &scope{outer: outer.outer, ctes: outer.ctes}, out: &result{}, from: &from{}}
	s.scope.outer = outer
	if in.From != nil {
		s.from = t.relation(in.From, s.scope)
		s.scope.relations, s.scope.broken = s.from.relations, s.from.broken
	}
	s.out.stateful = s.from.stateful
	for _, r := range s.from.relations {
		s.out.stream = s.out.stream || r.stream
		s.out.watermark = s.out.watermark || r.watermark
	}
	s.windows = map[string]*sparksql.Window{}
	for _, w := range in.Windows {
		s.windows[schema.Fold(w.Name.Name)] = w.Window
	}
	s.collect()
	return s.finish(q)
}

// expressions are those of a place of the SELECT.
func (s *selecting) expressions(place string) *expressions {
	return &expressions{translator: s.translator, scope: s.scope, place: place, windows: s.windows}
}

// collect lists the columns, with stars spelt out and generators joined.
func (s *selecting) collect() {
	for _, it := range s.in.Items {
		if star, ok := it.Expr.(*sparksql.Star); ok {
			s.star(star)
			continue
		}
		if c, ok := it.Expr.(*sparksql.Call); ok && isGenerator(c) {
			s.generate(c, it)
			continue
		}
		name, named := s.nameOf(it)
		s.items = append(s.items, item{expr: it.Expr, name: name, named: named, at: it.Range})
		s.scope.aliases = append(s.scope.aliases, alias{name: it.Alias.Name, expr: it.Expr})
	}
}

// nameOf is what a column is called: as the query says, as the column is called that it
// is, else as its text.
func (s *selecting) nameOf(it sparksql.Item) (string, bool) {
	switch x := it.Expr.(type) {
	case *sparksql.Column:
		if it.Alias.Name == "" {
			return x.Parts[len(x.Parts)-1].Name, true
		}
	case *sparksql.Member:
		if it.Alias.Name == "" {
			return x.Name.Name, true
		}
	}
	if it.Alias.Name != "" {
		return it.Alias.Name, true
	}
	return strings.TrimSpace(s.file.Slice(it.Range)), false
}

func isGenerator(c *sparksql.Call) bool {
	f, ok := function.Lookup(strings.TrimSuffix(c.Name, "_outer"))
	return ok && f.Kind() == function.Generator
}

// generate joins the rows of a generator, and adds its columns.
func (s *selecting) generate(c *sparksql.Call, it sparksql.Item) {
	g := s.expressions("SELECT").generator(c, false)
	if g == nil {
		s.scope.broken = true
		return
	}
	names := it.Aliases
	if it.Alias.Name != "" {
		names = []sparksql.Ident{it.Alias}
	}
	if len(names) > 0 && len(names) != len(g.columns) {
		s.problem(diag.SQLName, it.Range, "%s(): found %d names for %d columns", c.Name, len(names), len(g.columns)).Hint = "name each column: AS (a, b)"
		return
	}
	if s.from.sql == "" {
		s.from.sql = "(SELECT 1) AS " + s.fresh("r")
	}
	s.from.sql += g.join
	for i := range g.columns {
		col := g.columns[i]
		if len(names) > 0 {
			col.name = names[i].Name
		}
		s.items = append(s.items, item{given: &col, name: col.name, named: true, at: it.Range})
	}
}

// star spells out *, t.* and s.* of a struct.
func (s *selecting) star(x *sparksql.Star) {
	columns := s.scope.columns()
	if len(x.Of) > 0 {
		columns = s.starOf(x)
	}
	if s.scope.broken {
		return
	}
	for i, n := range x.Except {
		at := indexOf(columns, n[len(n)-1].Name)
		if at < 0 {
			d := s.problem(diag.SQLName, n[0].Range, "column %s: there is none of that name in the star", path(x.Except[i]))
			d.Hint = nearest(n[len(n)-1].Name, columns)
			continue
		}
		columns = slices.Delete(slices.Clone(columns), at, at+1)
	}
	for _, r := range x.Rename {
		if at := indexOf(columns, r.From.Name); at >= 0 {
			columns = slices.Clone(columns)
			columns[at].name = r.To.Name
		} else {
			s.problem(diag.SQLName, r.From.Range, "column %s: there is none of that name in the star", r.From.Name).Hint = nearest(r.From.Name, columns)
		}
	}
	for i := range columns {
		it := item{given: &columns[i], name: columns[i].name, named: true, at: x.Range}
		for _, r := range x.Replace {
			if schema.Fold(r.Alias.Name) == schema.Fold(columns[i].name) {
				it.given, it.expr, it.at = nil, r.Expr, r.Range
			}
		}
		s.items = append(s.items, it)
	}
}

func nearest(name string, columns []column) string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	if near := diag.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "there are " + strings.Join(names[:min(len(names), 8)], ", ")
}

// starOf is the columns of one relation, or the fields of a struct.
func (s *selecting) starOf(x *sparksql.Star) []column {
	names := make([]string, len(x.Of))
	for i, p := range x.Of {
		names[i] = p.Name
	}
	for _, r := range s.scope.relations {
		if r.answers(names) {
			var merged, others []column
			for _, c := range r.columns {
				switch {
				case c.hidden || c.beside:
				case c.merged:
					merged = append(merged, c)
				default:
					others = append(others, c)
				}
			}
			return append(merged, others...)
		}
	}
	e := s.expressions("")
	v := e.column(&sparksql.Column{Range: x.Range, Parts: x.Of})
	st, ok := v.typ.(schema.Struct)
	if !ok {
		if v.typ != nil {
			s.problem(diag.SQLType, x.Range, "%s.*: found a value of type %s, want a table or a struct", path(x.Of), v.typ).Hint = "name the columns"
		}
		return nil
	}
	out := make([]column, len(st.Fields))
	for i, f := range st.Fields {
		m := e.member(v, f.Name, x.Range)
		out[i] = column{name: f.Name, typ: m.typ, sql: m.sql, origins: m.origins, named: true, at: x.Range}
	}
	return out
}

// finish writes the SELECT.
func (s *selecting) finish(q *sparksql.Query) *result {
	s.group()
	var out strings.Builder
	out.WriteString("SELECT ")
	if s.in.Distinct {
		out.WriteString("DISTINCT ")
		s.out.keepsState("DISTINCT", s.in.Range)
	}
	out.WriteString(strings.Join(s.columns(), ", "))
	if s.from.sql != "" {
		out.WriteString(" FROM " + s.from.sql)
	}
	s.clause(&out, " WHERE ", s.in.Where, "WHERE")
	if s.groupBy != "" {
		out.WriteString(" GROUP BY " + s.groupBy)
	}
	later := s.having(&out)
	s.qualify(&out, later)
	if q != nil && len(q.Order) > 0 {
		out.WriteString(" ORDER BY " + s.order(q.Order))
	}
	s.out.sql = out.String()
	if q != nil {
		s.limits(s.out, q)
	}
	return s.out
}

// having writes HAVING. What DuckDB cannot bind there, a lambda over groups, is returned
// for QUALIFY.
func (s *selecting) having(out *strings.Builder) (later string) {
	var parts []string
	if s.sets {
		// Of no rows, Spark makes no group, not even that of all.
		parts = append(parts, "count(*) > 0")
	}
	if x := s.in.Having; x != nil {
		e := s.expressions("")
		e.groups, e.having = s.groups, true
		v := e.boolean(x)
		if strings.Contains(v.sql, "lambda ") {
			later = v.sql
		} else {
			parts = append(parts, v.sql)
		}
	}
	if len(parts) > 0 {
		out.WriteString(" HAVING " + strings.Join(parts, " AND "))
	}
	if later != "" && s.windowed {
		s.problem(diag.SQLRefused, s.in.Having.Span(), "the condition of HAVING beside a window is not understood").Hint = "compute the groups in a query of its own, and the window over its rows"
	}
	return later
}

// qualify writes QUALIFY, which wants a window.
func (s *selecting) qualify(out *strings.Builder, having string) {
	s.clause(out, " QUALIFY ", s.in.Qualify, "")
	if s.in.Qualify != nil {
		s.out.keepsState("QUALIFY", s.in.Qualify.Span())
	} else if having != "" {
		out.WriteString(" QUALIFY " + having + " AND row_number() OVER () > 0")
	}
}

func (s *selecting) clause(out *strings.Builder, word string, x sparksql.Expr, place string) {
	if x == nil {
		return
	}
	e := s.expressions(place)
	if place == "" {
		e.groups = s.groups
	}
	out.WriteString(word + e.boolean(x).sql)
}

// order writes ORDER BY: columns of the result by name or number, or what else there is.
func (s *selecting) order(list []sparksql.Order) string {
	e := s.expressions("")
	e.groups = s.groups
	inner := *s.scope
	inner.results = s.results
	e.scope = &inner
	texts := make([]string, len(list))
	for i, o := range list {
		texts[i] = e.ordinal(o.Expr, len(s.items))
		if c, ok := o.Expr.(*sparksql.Column); ok && len(c.Parts) == 1 {
			if at := indexOf(s.out.columns, c.Parts[0].Name); at >= 0 && !s.out.columns[at].hidden {
				texts[i] = itoa(at + 1)
			}
		}
		if texts[i] == "" {
			texts[i] = e.expr(o.Expr).sql
		}
		texts[i] += direction(o)
	}
	return strings.Join(texts, ", ")
}
