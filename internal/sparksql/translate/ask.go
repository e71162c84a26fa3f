package translate

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/function"
)

// test translates the expressions that ask something, and those with queries.
func (e *expressions) test(x sparksql.Expr) value {
	switch x := x.(type) {
	case *sparksql.Between:
		return e.between(x)
	case *sparksql.In:
		return e.in(x)
	case *sparksql.Like:
		return e.like(x)
	case *sparksql.Is:
		return e.is(x)
	case *sparksql.Index:
		return e.index(x)
	case *sparksql.JSONPath:
		path := &sparksql.Literal{Range: x.Range, Class: sparksql.Text, Text: x.Path}
		return e.function("get_json_object", x.Range, x.X, path)
	case *sparksql.Subquery:
		return e.subquery(x)
	case *sparksql.Exists:
		r := e.inner(x.Query)
		return value{sql: "EXISTS (" + r.sql + ")", typ: schema.Boolean}
	case *sparksql.Lambda:
		e.problem(diag.SQLType, x.Range, "found a lambda, want a value").Hint = "lambdas are arguments of functions such as transform and filter"
	case *sparksql.Star:
		e.problem(diag.SQLType, x.Range, "found *, want a value").Hint = "name the columns"
	case *sparksql.Row:
		return e.function("struct", x.Range, x.Items...)
	}
	return value{}
}

func (e *expressions) between(x *sparksql.Between) value {
	low := e.operator(">=", x.Range, x.X, x.Low)
	high := e.operator("<=", x.Range, x.X, x.High)
	if bad(low, high) {
		return value{}
	}
	return e.negated(x.Not, of(function.Result{SQL: "(" + low.sql + " AND " + high.sql + ")", Type: schema.Boolean}, low, high))
}

func (e *expressions) negated(not bool, v value) value {
	if not && v.typ != nil {
		v.sql = "(NOT " + v.sql + ")"
	}
	return v
}

func (e *expressions) in(x *sparksql.In) value {
	if x.Query != nil {
		return e.inQuery(x)
	}
	values := []value{e.row(x.X)}
	for _, item := range x.List {
		values = append(values, e.row(item))
	}
	values, to := e.brought(x.Range, values)
	if to == nil {
		return value{}
	}
	texts := make([]string, 0, len(values))
	for _, v := range values[1:] {
		texts = append(texts, v.sql)
	}
	sql := "(" + values[0].sql + " IN (" + strings.Join(texts, ", ") + "))"
	return e.negated(x.Not, of(function.Result{SQL: sql, Type: schema.Boolean}, values...))
}

// like is one pattern or several; NOT counts for each of them, as Spark has it.
func (e *expressions) like(x *sparksql.Like) value {
	parts := make([]value, len(x.Patterns))
	texts := make([]string, len(x.Patterns))
	for i, p := range x.Patterns {
		parts[i] = e.negated(x.Not, e.oneLike(x, p))
		texts[i] = parts[i].sql
	}
	if bad(parts...) {
		return value{}
	}
	between := " OR "
	if x.Quantity == "ALL" {
		between = " AND "
	}
	return of(function.Result{SQL: "(" + strings.Join(texts, between) + ")", Type: schema.Boolean}, parts...)
}

func (e *expressions) oneLike(x *sparksql.Like, pattern sparksql.Expr) value {
	if x.Escape == nil {
		return e.operator(strings.ToLower(x.Op), x.Range, x.X, pattern)
	}
	a, b, c := e.cast(x.X, schema.String, false, x.Range), e.cast(pattern, schema.String, false, x.Range), e.expr(x.Escape)
	if bad(a, b, c) {
		return value{}
	}
	return of(function.Result{SQL: "(" + a.sql + " " + x.Op + " " + b.sql + " ESCAPE " + c.sql + ")", Type: schema.Boolean}, a, b)
}

func (e *expressions) is(x *sparksql.Is) value {
	if x.What == "DISTINCT" {
		return e.negated(!x.Not, e.operator("<=>", x.Range, x.X, x.Y))
	}
	var v value
	if x.What == "NULL" {
		v = e.expr(x.X)
	} else {
		v = e.boolean(x.X)
	}
	if v.typ == nil {
		return v
	}
	what := x.What
	if what == "UNKNOWN" {
		what = "NULL"
	}
	not := ""
	if x.Not {
		not = "NOT "
	}
	return of(function.Result{SQL: "(" + v.sql + " IS " + not + what + ")", Type: schema.Boolean}, v)
}
