package translate

import (
	"errors"
	"fmt"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/function"
)

// value is an expression as DuckDB has it. One without a type was told of already.
type value struct {
	sql     string
	typ     schema.Type
	literal *string
	origins []Origin
	// name is what a column of it is called if the query does not say.
	name string
	// plain tells that it is a column as it stands.
	plain bool
	// aggregate tells that a function of a group is in it.
	aggregate bool
}

func (v value) argument() function.Argument {
	return function.Argument{SQL: v.sql, Type: v.typ, Literal: v.literal}
}

// expressions translates the expressions of one place of a query.
type expressions struct {
	*translator
	scope *scope
	// groups are the texts of what GROUP BY says, where only these and functions of
	// groups may stand; nil elsewhere.
	groups map[string]bool
	// within tells that the place is in a function of a group already.
	within bool
	// having tells that the place is HAVING, where a column that is no group may be one of
	// the result.
	having bool
	// place names where functions of groups may not stand: "WHERE"; "" where they may.
	place string
	// windows are those of the WINDOW clause, by folded name.
	windows map[string]*sparksql.Window
	// probes collects the TRY_CASTs of the expression; nil asks for none.
	probes *[]probed
}

// probed is a TRY_CAST: what tells that it lost its value.
type probed struct {
	sql string
	to  schema.Type
	at  sparksql.Range
}

// of is a value made of others.
func of(r function.Result, parts ...value) value {
	v := value{sql: r.SQL, typ: r.Type}
	lists := make([][]Origin, len(parts))
	for i, p := range parts {
		lists[i] = p.origins
		v.aggregate = v.aggregate || p.aggregate
	}
	v.origins = union(lists...)
	return v
}

// bad reports whether one of some values was told of already.
func bad(parts ...value) bool {
	for _, p := range parts {
		if p.typ == nil {
			return true
		}
	}
	return false
}

// expr translates an expression. Where only groups may stand, an expression that is one
// is taken as a whole.
func (e *expressions) expr(x sparksql.Expr) value {
	if e.groups == nil || e.within {
		return e.node(x)
	}
	if _, literal := x.(*sparksql.Literal); literal {
		return e.node(x)
	}
	free := *e
	free.groups, free.place = nil, ""
	free.translator = e.quiet()
	if v := free.node(x); v.typ != nil && len(free.problems) == 0 && e.groups[v.sql] {
		return v
	}
	return e.node(x)
}

// quiet is a translator to try something with.
func (t *translator) quiet() *translator {
	out := *t
	out.problems = nil
	out.names = map[string]int{}
	for k, v := range t.names {
		out.names[k] = v
	}
	return &out
}

// free tells of a column that is no group, where it has to be one.
func (e *expressions) free(v value, depth int, x *sparksql.Column) {
	if e.groups == nil || e.within || depth > 0 || e.groups[v.sql] {
		return
	}
	e.problem(diag.SQLName, x.Range, "column %s stands neither in GROUP BY nor in a function of a group", path(x.Parts)).
		Hint = "add it to GROUP BY, or write any_value(" + path(x.Parts) + ")"
}

// boolean translates a condition.
func (e *expressions) boolean(x sparksql.Expr) value {
	v := e.expr(x)
	if v.typ == nil || v.typ == schema.Boolean || v.typ == schema.Unknown {
		return v
	}
	e.problem(diag.SQLType, x.Span(), "found a value of type %s, want a condition", v.typ).Hint = "compare it with something: … > 0, … IS NOT NULL"
	return value{}
}

// misuse tells what is wrong with a function or an operator.
func (e *expressions) misuse(err error, at sparksql.Range, args ...sparksql.Expr) value {
	var m *function.Misuse
	if !errors.As(err, &m) {
		e.problems.Merge(err)
		return value{}
	}
	if m.Argument >= 0 && m.Argument < len(args) {
		at = args[m.Argument].Span()
	}
	d := e.problem(diag.SQLType, at, "%s: found %s, want %s", m.Function, m.Found, m.Want)
	d.Hint = m.Hint
	if d.Hint == "" {
		d.Hint = "convert it with CAST, or write another function"
	}
	return value{}
}

func (e *expressions) node(x sparksql.Expr) value {
	switch x := x.(type) {
	case *sparksql.Literal:
		return e.literal(x)
	case *sparksql.Column:
		return e.column(x)
	case *sparksql.Param:
		return e.param(x)
	case *sparksql.Unary:
		return e.unary(x)
	case *sparksql.Binary:
		return e.operator(strings.ToLower(x.Op), x.Range, x.X, x.Y)
	case *sparksql.Cast:
		return e.cast(x.X, x.Type, x.Try, x.Range)
	case *sparksql.Case:
		return e.cases(x)
	case *sparksql.Call:
		return e.call(x)
	case *sparksql.Interval:
		return e.interval(x)
	case *sparksql.Member:
		v := e.expr(x.X)
		if v.typ == nil {
			return v
		}
		return e.member(v, x.Name.Name, x.Range)
	default:
		return e.test(x)
	}
}

func (e *expressions) unary(x *sparksql.Unary) value {
	if l, ok := x.X.(*sparksql.Literal); ok && x.Op == "-" && l.Class != sparksql.Text && l.Class != sparksql.Typed {
		negative := *l
		negative.Text = "-" + l.Text
		return e.literal(&negative)
	}
	if in, ok := x.X.(*sparksql.In); ok && in.Query != nil && x.Op == "NOT" {
		other := *in
		other.Not = !in.Not
		return e.expr(&other)
	}
	v := e.expr(x.X)
	if v.typ == nil || x.Op == "+" {
		return v
	}
	r, err := function.Operator(map[string]string{"-": "neg", "NOT": "not", "~": "bitnot"}[x.Op], v.argument(), function.Argument{})
	if err != nil {
		return e.misuse(err, x.Range, x.X)
	}
	return of(r, v)
}

func (e *expressions) operator(op string, at sparksql.Range, x, y sparksql.Expr) value {
	a, b := e.expr(x), e.expr(y)
	if bad(a, b) {
		return value{}
	}
	r, err := function.Operator(op, a.argument(), b.argument())
	if err != nil {
		return e.misuse(err, at, x, y)
	}
	return of(r, a, b)
}

func (e *expressions) cast(x sparksql.Expr, to schema.Type, try bool, at sparksql.Range) value {
	v := e.expr(x)
	if v.typ == nil {
		return v
	}
	sql, err := function.Cast(v.argument(), to, try)
	if err != nil {
		return e.misuse(err, at, x)
	}
	out := of(function.Result{SQL: sql, Type: to}, v)
	if try && e.probes != nil && !e.within && !out.aggregate && v.literal == nil {
		*e.probes = append(*e.probes, probed{sql: "(" + v.sql + " IS NOT NULL AND " + sql + " IS NULL)", to: to, at: at})
	}
	return out
}

// brought is values cast to the type that they have in common.
func (e *expressions) brought(at sparksql.Range, values []value) ([]value, schema.Type) {
	var to schema.Type = schema.Unknown
	for _, v := range values {
		if v.typ == nil {
			return nil, nil
		}
		t, ok := function.Common(to, v.typ)
		if !ok {
			e.problem(diag.SQLType, at, "found values of type %s and of type %s, want one type", to, v.typ).Hint = "convert one of them with CAST"
			return nil, nil
		}
		to = t
	}
	out := make([]value, len(values))
	for i, v := range values {
		sql, err := function.Cast(v.argument(), to, false)
		if err != nil {
			e.misuse(err, at)
			return nil, nil
		}
		out[i] = of(function.Result{SQL: sql, Type: to}, v)
	}
	return out, to
}

func (e *expressions) cases(x *sparksql.Case) value {
	var results, all []value
	conditions := make([]value, len(x.Whens))
	for i, w := range x.Whens {
		if x.Operand != nil {
			conditions[i] = e.operator("=", w.If.Span(), x.Operand, w.If)
		} else {
			conditions[i] = e.boolean(w.If)
		}
		results = append(results, e.expr(w.Then))
	}
	if x.Else != nil {
		results = append(results, e.expr(x.Else))
	}
	if bad(conditions...) {
		return value{}
	}
	results, to := e.brought(x.Range, results)
	if to == nil {
		return value{}
	}
	var out strings.Builder
	out.WriteString("(CASE")
	for i, c := range conditions {
		fmt.Fprintf(&out, " WHEN %s THEN %s", c.sql, results[i].sql)
	}
	if x.Else != nil {
		out.WriteString(" ELSE " + results[len(results)-1].sql)
	}
	out.WriteString(" END)")
	all = append(append(all, conditions...), results...)
	return of(function.Result{SQL: out.String(), Type: to}, all...)
}

// row is a value of a comparison: of rows in parentheses places count, not names.
func (e *expressions) row(x sparksql.Expr) value {
	r, ok := x.(*sparksql.Row)
	if !ok {
		return e.expr(x)
	}
	var args []sparksql.Expr
	for i, item := range r.Items {
		args = append(args, &sparksql.Literal{Range: item.Span(), Class: sparksql.Text, Text: "col" + itoa(i+1)}, item)
	}
	return e.function("named_struct", r.Range, args...)
}

// index is an element of an array, counted from 0, or the value of a key of a map.
func (e *expressions) index(x *sparksql.Index) value {
	v := e.expr(x.X)
	if v.typ == nil {
		return v
	}
	switch t := v.typ.(type) {
	case schema.Map:
		k := e.cast(x.I, t.Key, false, x.Range)
		if k.typ == nil {
			return k
		}
		return of(function.Result{SQL: "(" + v.sql + ")[" + k.sql + "]", Type: t.Value}, v, k)
	case schema.Array:
		i := e.cast(x.I, schema.Integer, false, x.Range)
		if i.typ == nil {
			return i
		}
		at := "list_transform([{'l': " + v.sql + ", 'i': " + i.sql + "}], lambda " + e.fresh("_i") + ": "
		p := "_i" + itoa(e.names["_i"])
		sql := at + "CASE WHEN " + p + ".l IS NULL OR " + p + ".i IS NULL THEN NULL WHEN " + p + ".i >= 0 AND " + p + ".i < len(" + p + ".l) THEN " + p + ".l[" + p + ".i + 1]" +
			" ELSE error('INVALID_ARRAY_INDEX: found the index ' || " + p + ".i || ' of an array of ' || len(" + p + ".l)) END)[1]"
		return of(function.Result{SQL: sql, Type: t.Element}, v, i)
	}
	e.problem(diag.SQLType, x.Range, "found [ behind a value of type %s, want an array or a map", v.typ).Hint = "a path into a text of JSON is written with a colon: text:a[0]"
	return value{}
}
