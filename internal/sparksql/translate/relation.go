package translate

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/function"
)

// from is what FROM says: its text, and what it adds to a scope.
type from struct {
	sql       string
	relations []*relation
	stateful  []Stateful
	// broken tells that a part was not found, so that names may well be of it.
	broken bool
}

func (f *from) stream() bool {
	for _, r := range f.relations {
		if r.stream {
			return true
		}
	}
	return false
}

// relation translates a part of FROM in a scope, whose relations LATERAL may name.
func (t *translator) relation(r sparksql.Relation, s *scope) *from {
	switch r := r.(type) {
	case *sparksql.Table:
		return t.table(r, s)
	case *sparksql.TableCall:
		return t.tableCall(r, s)
	case *sparksql.Derived:
		return t.derived(r, s)
	case *sparksql.Lateral:
		return t.lateralView(r, s)
	case *sparksql.Join:
		return t.join(r, s)
	}
	return &from{broken: true}
}

// name is the name of a table, as it is written or as IDENTIFIER computes it.
func (t *translator) name(r *sparksql.Table, s *scope) []string {
	if r.Named == nil {
		out := make([]string, len(r.Name))
		for i, p := range r.Name {
			out[i] = p.Name
		}
		return out
	}
	v, ok := t.constant(r.Named, s)
	if !ok {
		return nil
	}
	names, err := schema.ParsePath(v)
	if err != nil {
		t.problem(diag.SQLName, r.Range, "IDENTIFIER: found %s, want the name of a table", diag.Quote(v)).Hint = "names stand between points: 'bronze.orders'"
		return nil
	}
	return names
}

// constant is the value of an expression that is known before anything runs: texts,
// numbers, parameters, and texts put together.
func (t *translator) constant(x sparksql.Expr, s *scope) (string, bool) {
	switch x := x.(type) {
	case *sparksql.Literal:
		return x.Text, true
	case *sparksql.Param:
		v, ok := t.options.Params[x.Name]
		if !ok {
			e := &expressions{translator: t, scope: s}
			e.param(x)
		}
		return v, ok
	case *sparksql.Binary:
		if x.Op == "||" {
			a, okA := t.constant(x.X, s)
			b, okB := t.constant(x.Y, s)
			return a + b, okA && okB
		}
	case *sparksql.Call:
		if x.Name == "concat" {
			out := ""
			for _, a := range x.Args {
				v, ok := t.constant(a.Expr, s)
				if !ok {
					return "", false
				}
				out += v
			}
			return out, true
		}
	}
	t.problem(diag.SQLRefused, x.Span(), "found an expression, want a value that is known before the run").Hint = "write a text, or a parameter :name"
	return "", false
}

func (t *translator) table(r *sparksql.Table, s *scope) *from {
	name := t.name(r, s)
	if name == nil {
		return &from{broken: true}
	}
	if cte := s.cte(name[0]); cte != nil && len(name) == 1 && !r.Stream {
		return t.placed(cte, name, r.Alias, r.Watermark, r.Range)
	}
	src, d := t.catalog.Table(r, name)
	if d != nil {
		t.told(d, r.Range)
		return &from{broken: true}
	}
	return t.source(src, name, r.Alias, r.Watermark, r.Range)
}

func (t *translator) tableCall(r *sparksql.TableCall, s *scope) *from {
	args, ok := t.constants(r, s)
	if !ok {
		return &from{broken: true}
	}
	src, d := t.catalog.Call(r, args)
	if d != nil {
		t.told(d, r.Range)
		return &from{broken: true}
	}
	return t.source(src, []string{r.Name.Name}, r.Alias, r.Watermark, r.Range)
}

// source is a relation that the catalog found.
func (t *translator) source(src *Source, name []string, a sparksql.Alias, w *sparksql.Watermark, at sparksql.Range) *from {
	r := &result{sql: src.SQL, stream: src.Stream, stateful: src.Stateful}
	for i, f := range src.Columns {
		c := column{name: f.Name, typ: f.Type, sql: f.Name, named: true, at: at}
		if src.Origins != nil {
			c.origins = src.Origins[i]
		} else {
			c.origins = []Origin{{Table: src.Table, Column: f.Name}}
		}
		r.columns = append(r.columns, c)
	}
	for _, f := range src.Beside {
		r.columns = append(r.columns, column{name: f.Name, typ: f.Type, sql: f.Name, named: true, beside: true, at: at, origins: []Origin{{Table: src.Table, Column: f.Name}}})
	}
	for _, f := range src.Hidden {
		r.columns = append(r.columns, column{name: f.Name, typ: f.Type, sql: f.Name, hidden: true})
	}
	t.seen(src.Table)
	return t.placed(r, name, a, w, at)
}

func (t *translator) seen(table string) {
	if table == "" {
		return
	}
	for _, n := range t.tables {
		if n == table {
			return
		}
	}
	t.tables = append(t.tables, table)
}

// placed is a result as a relation of FROM, under a name of its own.
func (t *translator) placed(r *result, name []string, a sparksql.Alias, w *sparksql.Watermark, at sparksql.Range) *from {
	renamed := *r
	renamed.columns = append([]column(nil), r.columns...)
	t.rename(&renamed, a.Columns, at)
	if a.Name.Name != "" {
		name = []string{a.Name.Name}
	}
	as := t.fresh("r")
	rel := &relation{parts: name, stream: r.stream, watermark: r.watermark || w != nil}
	for _, c := range renamed.columns {
		c.sql = as + "." + quote(c.sql)
		rel.columns = append(rel.columns, c)
	}
	sql := r.sql
	if !simpleName(sql) {
		sql = "(" + sql + ")"
	}
	f := &from{sql: sql + " AS " + as, relations: []*relation{rel}, stateful: r.stateful}
	if w != nil {
		t.watermark(f, w)
	}
	return f
}

// watermark adds the column that a watermark makes, if it makes one.
func (t *translator) watermark(f *from, w *sparksql.Watermark) {
	e := &expressions{translator: t, scope: &scope{relations: f.relations}, place: "WATERMARK"}
	v, delay := e.expr(w.Expr), e.expr(w.Delay)
	if bad(v, delay) {
		return
	}
	if v.typ != schema.Timestamp && v.typ != schema.TimestampNTZ {
		t.problem(diag.SQLType, w.Range, "WATERMARK: found a value of type %s, want a timestamp", v.typ).Hint = "convert it with CAST"
	}
	if w.Alias.Name != "" {
		f.relations[0].columns = append(f.relations[0].columns, column{name: w.Alias.Name, typ: v.typ, sql: v.sql, origins: v.origins, named: true, at: w.Range})
	}
}

// simpleName reports whether a text is a name, which needs no parentheses behind FROM.
func simpleName(sql string) bool {
	if strings.HasPrefix(sql, `"`) {
		return strings.HasSuffix(sql, `"`) && !strings.Contains(strings.ReplaceAll(sql[1:len(sql)-1], `""`, ""), `"`)
	}
	return !strings.ContainsAny(sql, " (")
}

func (t *translator) derived(r *sparksql.Derived, s *scope) *from {
	outer := &scope{outer: s.outer, ctes: s.ctes}
	if r.Lateral {
		outer = &scope{outer: s, ctes: s.ctes}
	}
	q := t.query(r.Query, outer)
	f := t.placed(q, nil, r.Alias, nil, r.Range)
	if r.Lateral {
		f.sql = "LATERAL " + f.sql
	}
	return f
}

// lateralView puts the rows of a generator beside those of a relation.
func (t *translator) lateralView(r *sparksql.Lateral, s *scope) *from {
	left := t.relation(r.Left, s)
	inner := *s
	inner.relations = append(append([]*relation(nil), s.relations...), left.relations...)
	inner.broken = left.broken
	e := &expressions{translator: t, scope: &inner, place: "LATERAL VIEW"}
	g := e.generator(r.Call, r.Outer)
	if g == nil {
		left.broken = true
		return left
	}
	names := r.Columns
	if len(names) > 0 && len(names) != len(g.columns) {
		t.problem(diag.SQLName, r.Range, "%s(): found %d names for %d columns", r.Call.Name, len(names), len(g.columns)).Hint = "name each column behind AS"
		return left
	}
	for i, n := range names {
		g.columns[i].name = n.Name
	}
	rel := &relation{parts: []string{r.Table.Name}, columns: g.columns}
	left.sql += g.join
	left.relations = append(left.relations, rel)
	return left
}

// generated are rows that a generator makes: how they are joined, and their columns.
type generated struct {
	join    string
	columns []column
}

// generator writes a call that makes rows. Of none, OUTER makes one of nulls.
func (e *expressions) generator(c *sparksql.Call, outer bool) *generated {
	name := c.Name
	if base, ok := strings.CutSuffix(name, "_outer"); ok {
		name, outer = base, true
	}
	f, ok := function.Lookup(name)
	if !ok || f.Kind() != function.Generator {
		e.problem(diag.SQLType, c.Range, "%s() makes no rows", c.Name).Hint = "as in explode(…), posexplode(…), inline(…), stack(…)"
		return nil
	}
	var call function.Call
	parts, ok := e.arguments(f, c, &call)
	if !ok || bad(parts...) {
		return nil
	}
	r, err := f.Write(call)
	if err != nil {
		exprs := make([]sparksql.Expr, len(c.Args))
		for i, a := range c.Args {
			exprs[i] = a.Expr
		}
		e.misuse(err, c.Range, exprs...)
		return nil
	}
	rows, ok := r.Type.(schema.Array)
	if !ok {
		return nil
	}
	row, ok := rows.Element.(schema.Struct)
	if !ok {
		return nil
	}
	as := e.fresh("g")
	g := &generated{join: " CROSS JOIN LATERAL (SELECT unnest(" + r.SQL + ") AS e) AS " + as}
	if outer {
		g.join = " LEFT JOIN LATERAL (SELECT unnest(" + r.SQL + ") AS e) AS " + as + " ON true"
	}
	v := of(r, parts...)
	for _, field := range row.Fields {
		g.columns = append(g.columns, column{
			name: field.Name, typ: field.Type, named: true, at: c.Range, origins: v.origins,
			sql: "struct_extract(" + as + ".e, " + text(field.Name) + ")",
		})
	}
	return g
}
