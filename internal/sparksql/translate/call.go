package translate

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
	"landfall/internal/sparksql/function"
)

// function calls one by its name, with plain arguments.
func (e *expressions) function(name string, at sparksql.Range, args ...sparksql.Expr) value {
	c := &sparksql.Call{Range: at, Name: name}
	for _, a := range args {
		c.Args = append(c.Args, sparksql.Arg{Expr: a})
	}
	return e.call(c)
}

// castNames are the types that may be called like functions.
func castName(name string) (schema.Type, bool) {
	switch name {
	case "boolean":
		return schema.Boolean, true
	case "tinyint":
		return schema.Byte, true
	case "smallint":
		return schema.Short, true
	case "int":
		return schema.Integer, true
	case "bigint":
		return schema.Long, true
	case "float":
		return schema.Float, true
	case "double":
		return schema.Double, true
	case "decimal":
		return schema.Decimal{Precision: 10}, true
	case "date":
		return schema.Date, true
	case "timestamp":
		return schema.Timestamp, true
	case "binary":
		return schema.Binary, true
	case "string":
		return schema.String, true
	}
	return nil, false
}

// call translates a call of a function.
func (e *expressions) call(c *sparksql.Call) value {
	if to, ok := castName(c.Name); ok && len(c.Args) == 1 {
		return e.cast(c.Args[0].Expr, to, false, c.Range)
	}
	switch c.Name {
	case "struct":
		return e.structure(c)
	case "input_file_name":
		e.problem(diag.SQLRefused, c.Range, "input_file_name() is not understood").Hint = "select _metadata.file_path, or the column _source_file of a table that was landed"
		return value{}
	}
	f, ok := function.Lookup(c.Name)
	if !ok {
		d := e.problem(diag.SQLName, c.Range, "function %s: there is none of that name", c.Name)
		d.Hint = "docs/sql-functions.md lists those that there are"
		if near := diag.Nearest(c.Name, function.Names()); near != "" {
			d.Hint = "did you mean " + near + "?"
		}
		return value{}
	}
	if why := f.Refused(); why != "" {
		e.problem(diag.SQLRefused, c.Range, "%s() is not understood", c.Name).Hint = why
		return value{}
	}
	return e.apply(f, c)
}

// apply writes a call of a function that there is.
func (e *expressions) apply(f *function.Function, c *sparksql.Call) value {
	if !e.stands(f, c) {
		return value{}
	}
	call := function.Call{Distinct: c.Distinct, IgnoreNulls: c.IgnoreNulls, Now: e.options.Now}
	inner := *e
	if f.Kind() == function.Aggregate && c.Over == nil {
		inner.within = true
		inner.place = "a function of a group"
	}
	parts, ok := inner.arguments(f, c, &call)
	if !ok {
		return value{}
	}
	if c.Filter != nil {
		v := inner.boolean(c.Filter)
		call.Filter, parts = v.sql, append(parts, v)
	}
	if c.Within != nil {
		order, values := inner.orders(c.Within)
		call.Order, parts = order, append(parts, values...)
	}
	if c.Over != nil {
		over, values := e.over(c.Over)
		call.Over, parts = over, append(parts, values...)
	}
	if bad(parts...) {
		return value{}
	}
	r, err := f.Write(call)
	if err != nil {
		exprs := make([]sparksql.Expr, len(c.Args))
		for i, a := range c.Args {
			exprs[i] = a.Expr
		}
		return e.misuse(err, c.Range, exprs...)
	}
	e.note(f)
	v := of(r, parts...)
	v.aggregate = v.aggregate && c.Over == nil || f.Kind() == function.Aggregate && c.Over == nil
	return v
}

// note remembers functions whose value differs from run to run.
func (e *expressions) note(f *function.Function) {
	switch f.Name() {
	case "current_timestamp", "current_date", "rand", "randn", "uuid", "now", "localtimestamp", "unix_timestamp":
		e.varies = f.Name()
	}
}

// stands tells whether a function may stand at the place.
func (e *expressions) stands(f *function.Function, c *sparksql.Call) bool {
	switch {
	case f.Kind() == function.Aggregate && c.Over == nil && e.place != "":
		e.problem(diag.SQLRefused, c.Range, "%s() is a function of a group and stands in %s", c.Name, e.place).
			Hint = "compute it in a query of its own, and compare with its column"
	case f.Kind() == function.Window && c.Over == nil:
		e.problem(diag.SQLSyntax, c.Range, "%s() has no window, want OVER (…) behind it", c.Name).Hint = "as in " + c.Name + "() OVER (PARTITION BY … ORDER BY …)"
	case c.Over != nil && e.place != "":
		e.problem(diag.SQLRefused, c.Range, "a window stands in %s", e.place).Hint = "compute it in a query of its own, or filter by QUALIFY"
	case f.Kind() == function.Generator:
		e.problem(diag.SQLRefused, c.Range, "%s() makes rows, and stands within an expression", c.Name).Hint = "write it as a column of its own, or behind LATERAL VIEW"
	default:
		return true
	}
	return false
}

// arguments translates the arguments of a call: first those that are no lambdas, whose
// types say what the parameters of lambdas are.
func (e *expressions) arguments(f *function.Function, c *sparksql.Call, call *function.Call) ([]value, bool) {
	var types []schema.Type
	var parts []value
	call.Args = make([]function.Argument, len(c.Args))
	for i, a := range c.Args {
		if _, lambda := a.Expr.(*sparksql.Lambda); lambda {
			continue
		}
		if star, ok := a.Expr.(*sparksql.Star); ok && c.Name == "count" && len(star.Of) == 0 {
			call.Star, call.Args = true, nil
			return nil, true
		}
		if a.Name.Name != "" {
			e.problem(diag.SQLRefused, a.Name.Range, "%s(): arguments by name are not understood", c.Name).Hint = "give the arguments in order"
			return nil, false
		}
		v := e.unit(c, i)
		if v.typ == nil {
			v = e.expr(a.Expr)
		}
		if v.typ == nil {
			return nil, false
		}
		call.Args[i] = v.argument()
		types, parts = append(types, v.typ), append(parts, v)
	}
	for i, a := range c.Args {
		if l, ok := a.Expr.(*sparksql.Lambda); ok {
			v, ok := e.lambda(f, i, l, types, call)
			if !ok {
				return nil, false
			}
			parts = append(parts, v)
		}
	}
	return parts, true
}

// unit is the first argument of functions that take a unit of time as a bare word.
func (e *expressions) unit(c *sparksql.Call, i int) value {
	switch c.Name {
	case "timestampdiff", "timestampadd", "dateadd", "date_add", "datediff", "date_diff":
	default:
		return value{}
	}
	col, ok := c.Args[i].Expr.(*sparksql.Column)
	if i > 0 || len(c.Args) != 3 || !ok || len(col.Parts) != 1 {
		return value{}
	}
	unit, ok := sparksql.Unit(col.Parts[0].Name)
	if !ok {
		return value{}
	}
	return value{sql: text(unit), typ: schema.String, literal: &unit}
}

func (e *expressions) lambda(f *function.Function, i int, l *sparksql.Lambda, before []schema.Type, call *function.Call) (value, bool) {
	params, ok := f.Lambda(i, before)
	if !ok || len(l.Params) > len(params) {
		e.problem(diag.SQLType, l.Range, "%s(): found a lambda of %d parameters, want %d at most", f.Name(), len(l.Params), len(params)).Hint = "see docs/sql-functions.md"
		return value{}, false
	}
	inner := *e
	s := *e.scope
	s.params = append([]column(nil), s.params...)
	names := make([]string, len(l.Params))
	for n, p := range l.Params {
		names[n] = e.fresh("_p")
		s.params = append(s.params, column{name: p.Name, typ: params[n], sql: names[n]})
	}
	inner.scope = &s
	v := inner.expr(l.Body)
	if v.typ == nil {
		return v, false
	}
	call.Args[i] = function.Argument{SQL: v.sql, Type: v.typ, Params: names}
	return v, true
}

// structure is struct(a, b AS c): its fields bear the names of columns.
func (e *expressions) structure(c *sparksql.Call) value {
	named := &sparksql.Call{Range: c.Range, Name: "named_struct"}
	for i, a := range c.Args {
		name := "col" + itoa(i+1)
		switch x := a.Expr.(type) {
		case *sparksql.Column:
			name = x.Parts[len(x.Parts)-1].Name
		case *sparksql.Member:
			name = x.Name.Name
		case *sparksql.Star:
			for _, col := range e.scope.columns() {
				id := sparksql.Ident{Range: x.Range, Name: col.name}
				named.Args = append(named.Args, sparksql.Arg{Expr: &sparksql.Literal{Range: x.Range, Class: sparksql.Text, Text: col.name}},
					sparksql.Arg{Expr: &sparksql.Column{Range: x.Range, Parts: []sparksql.Ident{id}}})
			}
			continue
		}
		if a.Alias.Name != "" {
			name = a.Alias.Name
		}
		named.Args = append(named.Args, sparksql.Arg{Expr: &sparksql.Literal{Range: a.Expr.Span(), Class: sparksql.Text, Text: name}}, sparksql.Arg{Expr: a.Expr})
	}
	return e.call(named)
}

// orders writes what follows ORDER BY. Spark has nulls first where order ascends.
func (e *expressions) orders(list []sparksql.Order) (string, []value) {
	texts := make([]string, len(list))
	values := make([]value, len(list))
	for i, o := range list {
		values[i] = e.expr(o.Expr)
		texts[i] = values[i].sql + direction(o)
	}
	return strings.Join(texts, ", "), values
}

func direction(o sparksql.Order) string {
	way, nulls := " ASC", " NULLS FIRST"
	if o.Desc {
		way, nulls = " DESC", " NULLS LAST"
	}
	if o.Nulls != "" {
		nulls = " NULLS " + o.Nulls
	}
	return way + nulls
}

// over writes a window.
func (e *expressions) over(w *sparksql.Window) (string, []value) {
	if w.Name.Name != "" {
		base, ok := e.windows[schema.Fold(w.Name.Name)]
		if !ok {
			e.problem(diag.SQLName, w.Name.Range, "window %s: there is none of that name", w.Name.Name).Hint = "define it behind WINDOW"
			return "", []value{{}}
		}
		merged := *base
		if len(w.Order) > 0 {
			merged.Order = w.Order
		}
		if w.Frame != nil {
			merged.Frame = w.Frame
		}
		merged.Name = sparksql.Ident{}
		w = &merged
	}
	var parts []string
	var values []value
	if len(w.Partition) > 0 {
		texts := make([]string, len(w.Partition))
		for i, p := range w.Partition {
			v := e.expr(p)
			texts[i], values = v.sql, append(values, v)
		}
		parts = append(parts, "PARTITION BY "+strings.Join(texts, ", "))
	}
	if len(w.Order) > 0 {
		order, more := e.orders(w.Order)
		parts, values = append(parts, "ORDER BY "+order), append(values, more...)
	}
	if w.Frame != nil {
		start, end := e.bound(w.Frame.Start), e.bound(w.Frame.End)
		parts = append(parts, w.Frame.Unit+" BETWEEN "+start+" AND "+end)
	}
	return " OVER (" + strings.Join(parts, " ") + ")", values
}

func (e *expressions) bound(b sparksql.Bound) string {
	if b.By == nil {
		return b.What
	}
	return e.expr(b.By).sql + " " + b.What
}
