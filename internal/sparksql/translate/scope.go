package translate

import (
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

func itoa(n int) string { return strconv.Itoa(n) }

// column is a column of a relation, by the text that leads to it.
type column struct {
	name    string
	typ     schema.Type
	sql     string
	origins []Origin
	named   bool
	// hidden columns are named by no query, and stand in no star.
	hidden bool
	// beside tells of a column that stands in no star.
	beside bool
	// merged columns of the right side of USING stand in no star.
	merged bool
	at     sparksql.Range
}

// relation is a part of FROM: its name, and what it has.
type relation struct {
	// parts are the names by which columns of it are qualified, the last one being
	// enough.
	parts   []string
	columns []column
	stream  bool
	// watermark tells that the stream has one.
	watermark bool
}

// answers reports whether a qualifier means the relation.
func (r *relation) answers(qualifier []string) bool {
	if len(qualifier) > len(r.parts) {
		return false
	}
	tail := r.parts[len(r.parts)-len(qualifier):]
	for i, q := range qualifier {
		if schema.Fold(q) != schema.Fold(tail[i]) {
			return false
		}
	}
	return true
}

// scope is what names mean at a place of a query.
type scope struct {
	relations []*relation
	// ctes are the queries of WITH, by folded name.
	ctes map[string]*result
	// outer is the scope around a subquery.
	outer *scope
	// aliases are the columns that stand before in the same SELECT.
	aliases []alias
	// broken tells that a relation was not found, so that names may well be of it.
	broken bool
	// results are the columns of the SELECT, for ORDER BY, which finds them first.
	results []column
	// params are parameters of lambdas, the inner ones last.
	params []column
}

type alias struct {
	name string
	expr sparksql.Expr
	busy bool
}

func (s *scope) cte(name string) *result {
	for ; s != nil; s = s.outer {
		if r, ok := s.ctes[schema.Fold(name)]; ok {
			return r
		}
	}
	return nil
}

// columns are all columns that stand in a star.
func (s *scope) columns() []column {
	var out []column
	for _, r := range s.relations {
		for _, c := range r.columns {
			if !c.hidden && !c.merged && !c.beside {
				out = append(out, c)
			}
		}
	}
	return out
}

// find looks up a name or a path in the relations. rest are the parts that lead into the
// column. More than one column is ambiguous.
func (s *scope) find(parts []string) (found []column, rest []string) {
	for qualifier := min(len(parts)-1, 3); qualifier >= 0; qualifier-- {
		for _, r := range s.relations {
			if qualifier > 0 && !r.answers(parts[:qualifier]) {
				continue
			}
			for _, c := range r.columns {
				if !c.hidden && (!c.merged || qualifier > 0) && schema.Fold(c.name) == schema.Fold(parts[qualifier]) {
					found = append(found, c)
				}
			}
		}
		if len(found) > 0 {
			return found, parts[qualifier+1:]
		}
	}
	return nil, nil
}

// param looks up a parameter of a lambda.
func (s *scope) param(name string) (column, bool) {
	for i := len(s.params) - 1; i >= 0; i-- {
		if schema.Fold(s.params[i].name) == schema.Fold(name) {
			return s.params[i], true
		}
	}
	return column{}, false
}

// near are the names that a misspelt one may mean.
func (s *scope) near() []string {
	var out []string
	for ; s != nil; s = s.outer {
		for _, r := range s.relations {
			for _, c := range r.columns {
				if !c.hidden {
					out = append(out, c.name)
				}
			}
		}
	}
	return out
}

// column resolves a name or a path to a value.
func (e *expressions) column(x *sparksql.Column) value {
	parts := make([]string, len(x.Parts))
	for i, p := range x.Parts {
		parts[i] = p.Name
	}
	if c, ok := e.scope.param(parts[0]); ok {
		return e.into(value{sql: c.sql, typ: c.typ, origins: c.origins}, parts[1:], x.Range)
	}
	if at := indexOf(e.scope.results, parts[0]); at >= 0 && !e.within {
		c := e.scope.results[at]
		return e.into(value{sql: c.sql, typ: c.typ, origins: c.origins}, parts[1:], x.Range)
	}
	for s, depth := e.scope, 0; s != nil; s, depth = s.outer, depth+1 {
		found, rest := s.find(parts)
		switch {
		case len(found) > 1:
			e.problem(diag.SQLName, x.Range, "column %s: found %d columns of that name, want one", path(x.Parts), len(found)).
				Hint = "write the name of its table before it"
			return value{}
		case len(found) == 1:
			c := found[0]
			if depth == 0 && e.having && !e.within && !e.groups[c.sql] {
				if v, ok := e.alias(parts, x); ok {
					return v
				}
			}
			v := value{sql: c.sql, typ: c.typ, origins: c.origins, name: c.name}
			if depth == 0 && len(rest) == 0 {
				v.plain = true
			}
			e.free(v, depth, x)
			return e.into(v, rest, x.Range)
		}
		if depth == 0 {
			if v, ok := e.alias(parts, x); ok {
				return v
			}
		}
	}
	e.unknown(parts, x)
	return value{}
}

func (e *expressions) unknown(parts []string, x *sparksql.Column) {
	for s := e.scope; s != nil; s = s.outer {
		if s.broken {
			return
		}
	}
	names := e.scope.near()
	d := e.problem(diag.SQLName, x.Range, "column %s: there is none of that name", path(x.Parts))
	switch near := diag.Nearest(parts[len(parts)-1], names); {
	case near != "":
		d.Hint = "did you mean " + near + "?"
	case len(names) > 0:
		d.Hint = "there are " + strings.Join(names[:min(len(names), 8)], ", ")
	default:
		d.Hint = "name a table in FROM that has it"
	}
}

// alias is a column that stands before in the same SELECT.
func (e *expressions) alias(parts []string, x *sparksql.Column) (value, bool) {
	for i := len(e.scope.aliases) - 1; i >= 0; i-- {
		a := &e.scope.aliases[i]
		if schema.Fold(a.name) != schema.Fold(parts[0]) || a.busy {
			continue
		}
		a.busy = true
		v := e.expr(a.expr)
		a.busy = false
		v.literal = nil
		return e.into(v, parts[1:], x.Range), true
	}
	return value{}, false
}

// into follows names into structs and maps.
func (e *expressions) into(v value, names []string, at sparksql.Range) value {
	for _, n := range names {
		if v.typ == nil {
			return v
		}
		v = e.member(v, n, at)
	}
	return v
}

// member is a field of a struct, the value of a key of a map, or the fields of the
// elements of an array.
func (e *expressions) member(v value, name string, at sparksql.Range) value {
	out := value{origins: v.origins, name: name, aggregate: v.aggregate}
	switch t := v.typ.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			if schema.Fold(f.Name) == schema.Fold(name) {
				out.sql, out.typ = "struct_extract("+v.sql+", "+text(f.Name)+")", f.Type
				return out
			}
		}
		names := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			names[i] = f.Name
		}
		e.problem(diag.SQLName, at, "field %s: there is none of that name in %s", name, strings.Join(names, ", ")).Hint = "write a field that is there"
		return value{}
	case schema.Map:
		out.sql, out.typ = "("+v.sql+")["+text(name)+"]", t.Value
		return out
	case schema.Array:
		if s, ok := t.Element.(schema.Struct); ok {
			p := e.fresh("_x")
			inner := e.member(value{sql: p, typ: s}, name, at)
			if inner.typ == nil {
				return inner
			}
			out.sql, out.typ = "list_transform("+v.sql+", lambda "+p+": "+inner.sql+")", schema.Array{Element: inner.typ, ContainsNull: true}
			return out
		}
	}
	e.problem(diag.SQLType, at, "%s: found a value of type %s, want a struct", name, v.typ).Hint = "a name behind a point is a field of a struct"
	return value{}
}
