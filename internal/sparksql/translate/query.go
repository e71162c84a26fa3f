package translate

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/function"
)

// result is a query as it was translated.
type result struct {
	sql string
	// columns are named as the text of DuckDB names them; sql is that name in quotes.
	columns   []column
	stream    bool
	watermark bool
	stateful  []Stateful
}

// visible are the columns that a query can name.
func (r *result) visible() []column {
	var out []column
	for _, c := range r.columns {
		if !c.hidden {
			out = append(out, c)
		}
	}
	return out
}

// keepsState notes that something needs more than new rows, if there is a stream.
func (r *result) keepsState(what string, at sparksql.Range) {
	if r.stream {
		r.stateful = append(r.stateful, Stateful{What: what, At: at, Watermark: r.watermark})
	}
}

// query translates a query in a scope, which is that around it.
func (t *translator) query(q *sparksql.Query, outer *scope) *result {
	s := &scope{outer: outer, ctes: map[string]*result{}}
	with := make([]string, 0, len(q.With))
	for _, c := range q.With {
		r := t.query(c.Query, s)
		name := t.fresh("w")
		with = append(with, name+" AS ("+r.sql+")")
		t.rename(r, c.Columns, c.Name.Range)
		inlined := *r
		inlined.sql = name
		s.ctes[schema.Fold(c.Name.Name)] = &inlined
	}
	r := t.body(q.Body, s, q)
	if len(with) > 0 {
		r.sql = "WITH " + strings.Join(with, ", ") + " " + r.sql
	}
	return r
}

// rename gives the visible columns other names; the text keeps its own.
func (t *translator) rename(r *result, names []sparksql.Ident, at sparksql.Range) {
	if len(names) == 0 {
		return
	}
	if n := len(r.visible()); n != len(names) {
		t.problem(diag.SQLName, at, "found %d names for %d columns", len(names), n).Hint = "name each column"
		return
	}
	i := 0
	for n := range r.columns {
		if !r.columns[n].hidden {
			r.columns[n].name, r.columns[n].named = names[i].Name, true
			i++
		}
	}
}

// body translates the body of a query with its order and limits, of q.
func (t *translator) body(b sparksql.Body, s *scope, q *sparksql.Query) *result {
	switch b := b.(type) {
	case *sparksql.Select:
		return t.selects(b, s, q)
	case *sparksql.Query:
		r := t.query(b, s)
		if q == nil || q.Order == nil && q.Limit == nil && q.Offset == nil {
			return r
		}
		r.sql = "SELECT * FROM (" + r.sql + ")"
		return t.tail(r, q)
	case *sparksql.Values:
		return t.tail(t.values(b, s), q)
	case *sparksql.Set:
		return t.tail(t.set(b, s), q)
	}
	return &result{}
}

// tail adds order and limits to a result whose columns are all that they may name.
func (t *translator) tail(r *result, q *sparksql.Query) *result {
	if q == nil {
		return r
	}
	rel := &relation{}
	for _, c := range r.columns {
		c.sql = quote(c.sql)
		rel.columns = append(rel.columns, c)
	}
	e := &expressions{translator: t, scope: &scope{relations: []*relation{rel}}, place: "ORDER BY"}
	if len(q.Order) > 0 {
		texts := make([]string, len(q.Order))
		for i, o := range q.Order {
			texts[i] = e.ordinal(o.Expr, len(r.visible())) + direction(o)
			if texts[i] == direction(o) {
				texts[i] = e.expr(o.Expr).sql + direction(o)
			}
		}
		r.sql += " ORDER BY " + strings.Join(texts, ", ")
	}
	t.limits(r, q)
	return r
}

// ordinal is the place of a column that a whole number names, "" for others.
func (e *expressions) ordinal(x sparksql.Expr, columns int) string {
	l, ok := x.(*sparksql.Literal)
	if !ok || l.Class != sparksql.Whole || l.Keyword != "" {
		return ""
	}
	if n := len(l.Text); n > 4 || atoi(l.Text) < 1 || atoi(l.Text) > columns {
		e.problem(diag.SQLName, l.Range, "column %s: there are %d", l.Text, columns).Hint = "columns count from 1"
	}
	return l.Text
}

func atoi(digits string) int {
	n := 0
	for _, d := range digits {
		n = n*10 + int(d-'0')
	}
	return n
}

func (t *translator) limits(r *result, q *sparksql.Query) {
	e := &expressions{translator: t, scope: &scope{}, place: "LIMIT"}
	for _, l := range []struct {
		word string
		x    sparksql.Expr
	}{{" LIMIT ", q.Limit}, {" OFFSET ", q.Offset}} {
		if l.x == nil {
			continue
		}
		v := e.cast(l.x, schema.Long, false, l.x.Span())
		r.sql += l.word + v.sql
		r.keepsState(strings.TrimSpace(l.word), l.x.Span())
		r.strip()
	}
}

// strip takes hidden columns out of a text that is whole already: rows are no longer
// those of one row of a stream.
func (r *result) strip() {
	if len(r.visible()) == len(r.columns) {
		return
	}
	names := make([]string, 0, len(r.columns))
	for _, c := range r.visible() {
		names = append(names, quote(c.sql))
	}
	r.sql = "SELECT " + strings.Join(names, ", ") + " FROM (" + r.sql + ")"
	r.columns = r.visible()
}

func (t *translator) values(v *sparksql.Values, s *scope) *result {
	e := &expressions{translator: t, scope: s, place: "VALUES"}
	width := 0
	for _, row := range v.Rows {
		width = max(width, len(row))
	}
	columns := make([][]value, width)
	for _, row := range v.Rows {
		if len(row) != width {
			t.problem(diag.SQLType, v.Range, "VALUES: found rows of %d and of %d columns", len(row), width).Hint = "give every row as many values"
			return &result{}
		}
		for i, x := range row {
			columns[i] = append(columns[i], e.expr(x))
		}
	}
	r := &result{}
	rows := make([][]string, len(v.Rows))
	for i, list := range columns {
		list, to := e.brought(v.Range, list)
		if to == nil {
			return r
		}
		name := "col" + itoa(i+1)
		r.columns = append(r.columns, column{name: name, typ: to, sql: name, named: true, at: v.Range})
		for n, x := range list {
			rows[n] = append(rows[n], x.sql)
		}
	}
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = "(" + strings.Join(row, ", ") + ")"
	}
	names := make([]string, width)
	for i := range names {
		names[i] = "col" + itoa(i+1)
	}
	r.sql = "SELECT * FROM (VALUES " + strings.Join(texts, ", ") + ") AS v(" + strings.Join(names, ", ") + ")"
	return r
}

// set translates UNION, INTERSECT and EXCEPT: columns by place, of the types that both
// sides have in common.
func (t *translator) set(b *sparksql.Set, s *scope) *result {
	left, right := t.body(b.Left, s, nil), t.body(b.Right, s, nil)
	if b.ByName {
		byName(left, right)
	}
	a, c := left.visible(), right.visible()
	if len(a) != len(c) {
		if len(t.problems) == 0 {
			t.problem(diag.SQLType, b.Range, "%s: found %d and %d columns, want as many on both sides", b.Op, len(a), len(c)).Hint = "name the columns of both sides, or write UNION ALL BY NAME"
		}
		return left
	}
	out := &result{stream: left.stream || right.stream, stateful: append(left.stateful, right.stateful...), watermark: left.watermark && right.watermark}
	var lefts, rights []string
	for i := range a {
		l, r, col := t.pair(a[i], c[i], b)
		lefts, rights = append(lefts, l), append(rights, r)
		out.columns = append(out.columns, col)
	}
	all := b.Op == "UNION" && b.All
	if all {
		hidden := sharedHidden(left, right)
		for _, h := range hidden {
			lefts, rights = append(lefts, quote(h.sql)), append(rights, quote(h.sql))
		}
		out.columns = append(out.columns, hidden...)
	}
	op := " " + b.Op + " "
	if b.All {
		op += "ALL "
	}
	out.sql = "SELECT " + strings.Join(lefts, ", ") + " FROM (" + left.sql + ")" + op + "SELECT " + strings.Join(rights, ", ") + " FROM (" + right.sql + ")"
	out.sql = "SELECT * FROM (" + out.sql + ")"
	if !all {
		out.keepsState(b.Op, b.Range)
	}
	return out
}

// sharedHidden are the hidden columns that both sides have.
func sharedHidden(left, right *result) []column {
	var out []column
	for _, c := range left.columns {
		for _, d := range right.columns {
			if c.hidden && d.hidden && c.name == d.name {
				out = append(out, c)
			}
		}
	}
	return out
}

// pair is a column of both sides, cast to the type that they have in common.
func (t *translator) pair(a, b column, set *sparksql.Set) (left, right string, out column) {
	e := &expressions{translator: t, scope: &scope{}}
	values, to := e.brought(set.Range, []value{{sql: quote(a.sql), typ: a.typ}, {sql: quote(b.sql), typ: b.typ}})
	if to == nil {
		return "NULL", "NULL", a
	}
	out = a
	out.typ, out.origins = to, union(a.origins, b.origins)
	return values[0].sql + " AS " + quote(a.sql), values[1].sql + " AS " + quote(a.sql), out
}

// byName brings the columns of the right side into the order of the left one. What a
// side lacks is null there.
func byName(left, right *result) {
	fill := func(r *result, other []column) []column {
		names := make([]string, 0, len(other))
		var out []column
		have := r.visible()
		for _, o := range other {
			i := indexOf(have, o.name)
			if i < 0 {
				o.origins = nil
				names = append(names, "CAST(NULL AS "+function.TypeSQL(o.typ)+") AS "+quote(o.sql))
				out = append(out, o)
				continue
			}
			names = append(names, quote(have[i].sql))
			out = append(out, have[i])
		}
		r.sql = "SELECT " + strings.Join(names, ", ") + " FROM (" + r.sql + ")"
		r.columns = out
		return out
	}
	all := left.visible()
	for _, c := range right.visible() {
		if indexOf(all, c.name) < 0 {
			all = append(all, c)
		}
	}
	fill(left, all)
	fill(right, all)
}

func indexOf(list []column, name string) int {
	for i, c := range list {
		if schema.Fold(c.name) == schema.Fold(name) {
			return i
		}
	}
	return -1
}

// inner translates a query within an expression.
func (e *expressions) inner(q *sparksql.Query) *result {
	r := e.query(q, e.scope)
	if r.stream {
		e.problem(diag.SQLRefused, q.Range, "a stream stands within an expression").Hint = "join it in FROM"
	}
	r.strip()
	return r
}

func (e *expressions) subquery(x *sparksql.Subquery) value {
	r := e.inner(x.Query)
	if len(r.columns) != 1 {
		if len(e.problems) == 0 {
			e.problem(diag.SQLType, x.Range, "found a query of %d columns, want one", len(r.columns)).Hint = "select the one that is wanted"
		}
		return value{}
	}
	return value{sql: "(" + r.sql + ")", typ: r.columns[0].typ, origins: r.columns[0].origins}
}

func (e *expressions) inQuery(x *sparksql.In) value {
	r := e.inner(x.Query)
	items := []sparksql.Expr{x.X}
	if row, ok := x.X.(*sparksql.Row); ok {
		items = row.Items
	}
	if len(r.columns) != len(items) {
		if len(e.problems) == 0 {
			e.problem(diag.SQLType, x.Range, "IN: found %d values for a query of %d columns", len(items), len(r.columns)).Hint = "select as many columns as are compared"
		}
		return value{}
	}
	var lefts, rights []string
	var parts []value
	for i, item := range items {
		v := e.expr(item)
		pair, to := e.brought(x.Range, []value{v, {sql: quote(r.columns[i].sql), typ: r.columns[i].typ, origins: r.columns[i].origins}})
		if to == nil {
			return value{}
		}
		lefts, rights = append(lefts, pair[0].sql), append(rights, pair[1].sql)
		parts = append(parts, pair...)
	}
	left := lefts[0]
	if len(lefts) > 1 {
		left = "(" + strings.Join(lefts, ", ") + ")"
	}
	sql := "(" + left + " IN (SELECT " + strings.Join(rights, ", ") + " FROM (" + r.sql + ")))"
	out := e.negated(x.Not, of(function.Result{SQL: sql, Type: schema.Boolean}, parts...))
	if e.place == "" {
		// Where it is no filter, Spark knows no null of it.
		out.sql = "coalesce(" + out.sql + ", false)"
	}
	return out
}
