package expression

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// meta binds the functions that speak of columns, of which nothing is left in the plan;
// done is false for any other function.
func (sc *Scope) meta(n *syntax.Call) (e plan.Expr, ok, done bool) {
	switch n.Name.Text {
	case "byName", "byOrigin", "hasColumn":
		e, ok = sc.late(n)
	case "byPosition":
		e, ok = sc.byPosition(n)
	case "byPath", "hasPath":
		e, ok = sc.byPath(n)
	case "byItem":
		e, ok = sc.byItem(n)
	case "columnNames":
		e, ok = sc.columnNames(n)
	case "typeMatch":
		e, ok = sc.typeMatch(n)
	case "expr":
		e, ok = sc.evaluated(n)
	case "byNames", "byOrigins", "columns", "originColumns":
		sc.Script.Add(diag.FlowType, n.Pos(), "let them be the arguments of a function, as in: md5("+n.Name.Text+"(…)), or make an array: "+n.Name.Text+"(…) ? string[]",
			"%s: %s: found several columns where one value stands", sc.Where, n.Name.Text)
	default:
		return nil, false, false
	}
	return e, ok, true
}

// names are the arguments of a call that are texts known before the run, from least to
// most of them.
func (sc *Scope) names(n *syntax.Call, least, most int) ([]string, bool) {
	if len(n.Args) < least || len(n.Args) > most {
		sc.Script.Add(diag.FlowType, n.Pos(), "as in: toString(byName('x')), hasColumn('x', 'Orders')", "%s: %s: found %d arguments, want %d to %d", sc.Where, n.Name.Text, len(n.Args), least, most)
		return nil, false
	}
	var out []string
	for _, x := range n.Args {
		e, ok := sc.Expr(x)
		if !ok {
			return nil, false
		}
		text, ok := constant.Text(e)
		if !ok {
			sc.Script.Add(diag.FlowType, x.Pos(), "write a text or a parameter", "%s: %s: found a name that rows decide, want a constant (DF-Executor-StringValueNotInQuotes)", sc.Where, n.Name.Text)
			return nil, false
		}
		out = append(out, text)
	}
	return out, true
}

// late binds byName, byOrigin and hasColumn, whose column is looked up among all there are.
func (sc *Scope) late(n *syntax.Call) (plan.Expr, bool) {
	texts, ok := sc.names(n, 1, 2)
	if !ok {
		return nil, false
	}
	stream := append(texts, "")[1]
	ref, ok := sc.lookup(texts[0], stream, n.Name.Text == "byOrigin")
	if n.Name.Text == "hasColumn" {
		return plan.Literal{Value: ok, Of: schema.Boolean}, true
	}
	if !ok {
		return plan.Literal{Of: schema.Unknown}, true
	}
	return ref, true
}

// order are the inputs in the order in which names are looked up: in a comparison of two
// streams each side sees its own first.
func (sc *Scope) order() []int {
	out := make([]int, len(sc.In))
	for i := range out {
		out[i] = i
	}
	if sc.second && len(out) == 2 {
		slices.Reverse(out)
	}
	return out
}

// lookup is the first column of a name, also a drifted one, that came through a stream if
// one is named, or that was made there.
func (sc *Scope) lookup(name, stream string, origin bool) (plan.Expr, bool) {
	for _, i := range sc.order() {
		for _, c := range sc.In[i].Named(name) {
			if sc.from(i, c, stream, origin) {
				return plan.Ref{Input: i, ID: c.ID, Of: c.Type}, true
			}
		}
	}
	return nil, false
}

// from tells whether a column came through a stream, or was made there; "" is any.
func (sc *Scope) from(input int, c plan.Column, stream string, origin bool) bool {
	if stream == "" {
		return true
	}
	if origin {
		return c.Origin.Stream == stream
	}
	return sc.Script.Builder.Plan().Through(sc.In[input], c.ID, stream)
}

func (sc *Scope) byPosition(n *syntax.Call) (plan.Expr, bool) {
	if len(n.Args) == 1 && len(sc.In) > 0 {
		e, ok := sc.Expr(n.Args[0])
		if !ok {
			return nil, false
		}
		v, _ := constant.Of(e)
		if at, isNumber := v.(int64); isNumber {
			columns := sc.In[0].Visible()
			if at < 1 || at > int64(len(columns)) {
				return plan.Literal{Of: schema.Unknown}, true
			}
			c := columns[at-1]
			return plan.Ref{ID: c.ID, Of: c.Type}, true
		}
	}
	sc.Script.Add(diag.FlowType, n.Pos(), "as in: toString(byPosition(2))", "%s: byPosition: found something else, want a position as a number", sc.Where)
	return nil, false
}

// columnNames binds the names of the columns that come in, or of those that came through a
// stream, perhaps of the drifted ones alone.
func (sc *Scope) columnNames(n *syntax.Call) (plan.Expr, bool) {
	if len(n.Args) > 2 {
		sc.Script.Add(diag.FlowType, n.Pos(), "as in: columnNames('', true())", "%s: columnNames: found %d arguments, want at most 2", sc.Where, len(n.Args))
		return nil, false
	}
	stream, drifted := "", false
	if len(n.Args) > 0 {
		texts, ok := sc.names(&syntax.Call{Name: n.Name, Args: n.Args[:1]}, 1, 1)
		if !ok {
			return nil, false
		}
		stream = texts[0]
	}
	if len(n.Args) > 1 {
		drifted = sc.Truth(n.Args[1], "columnNames")
	}
	out := plan.Items{Of: schema.Array{Element: schema.String, ContainsNull: true}}
	for _, c := range sc.all(stream, false) {
		if c.column.Drifted || !drifted {
			out.Values = append(out.Values, Text(c.column.Name))
		}
	}
	return out, true
}

// all are the visible columns of the inputs, or those of them that came through a stream
// or were made there.
func (sc *Scope) all(stream string, origin bool) []found {
	var out []found
	for i, in := range sc.In {
		for _, c := range in.Visible() {
			if sc.from(i, c, stream, origin) {
				out = append(out, found{i, c})
			}
		}
	}
	return out
}

// typeMatch tells whether a type belongs to a family.
func (sc *Scope) typeMatch(n *syntax.Call) (plan.Expr, bool) {
	texts, ok := sc.names(n, 2, 2)
	if !ok {
		return nil, false
	}
	whole, part := []string{"byte", "short", "integer", "long"}, []string{"float", "double", "decimal"}
	families := map[string][]string{"integral": whole, "fractional": part, "number": slices.Concat(whole, part), "datetime": {"date", "timestamp"}}
	family, known := families[texts[1]]
	if !known {
		sc.Script.Add(diag.FlowName, n.Pos(), "families are number, integral, fractional and datetime", "%s: typeMatch: found %s, want a family of types", sc.Where, diag.Quote(texts[1]))
		return nil, false
	}
	return plan.Literal{Value: slices.Contains(family, texts[0]), Of: schema.Boolean}, true
}

// evaluated binds expr: the expression that stands in a text.
func (sc *Scope) evaluated(n *syntax.Call) (plan.Expr, bool) {
	const deepest = 20
	texts, ok := sc.names(n, 1, 1)
	if !ok {
		return nil, false
	}
	if sc.depth >= deepest {
		sc.Script.Add(diag.FlowType, n.Pos(), "write the expression itself", "%s: expr: found an expression that holds itself", sc.Where)
		return nil, false
	}
	inner := *sc
	inner.depth++
	return inner.Foreign("expression of "+sc.Where, texts[0], "DF-Executor-ExpressionParseError")
}

// Foreign binds an expression that stands in a text of its own, under a name for
// messages; code is the service's for one that cannot be read.
func (sc *Scope) Foreign(name, source, code string) (plan.Expr, bool) {
	f := syntax.NewFile(name, source)
	x, err := syntax.ParseExpr(f)
	if err != nil {
		before := len(sc.Script.Problems)
		sc.Script.Problems.Merge(err)
		for _, d := range sc.Script.Problems[before:] {
			d.Message += " (" + code + ")"
		}
		return nil, false
	}
	script := sc.Script.File
	sc.Script.File = f
	defer func() { sc.Script.File = script }()
	return sc.Expr(x)
}

// several binds the functions that stand for many columns, as arguments or items; done is
// false for any other expression. A column that is missing makes all of them one null.
func (sc *Scope) several(x syntax.Expr) (list []plan.Expr, ok, done bool) {
	n, isCall := x.(*syntax.Call)
	if !isCall || n.Cache.Text != "" {
		return nil, false, false
	}
	switch n.Name.Text {
	case "columns", "originColumns":
		texts, ok := sc.names(n, 0, 1)
		if !ok {
			return nil, false, true
		}
		for _, c := range sc.all(append(texts, "")[0], n.Name.Text == "originColumns") {
			list = append(list, plan.Ref{Input: c.input, ID: c.column.ID, Of: c.column.Type})
		}
		return list, true, true
	case "byNames", "byOrigins":
		list, ok = sc.byNames(n)
		return list, ok, true
	}
	return nil, false, false
}

func (sc *Scope) byNames(n *syntax.Call) ([]plan.Expr, bool) {
	if len(n.Args) < 1 || len(n.Args) > 2 {
		sc.Script.Add(diag.FlowType, n.Pos(), "as in: md5(byNames(['a', 'b']))", "%s: %s: found %d arguments, want an array of names and perhaps a stream", sc.Where, n.Name.Text, len(n.Args))
		return nil, false
	}
	e, ok := sc.Expr(n.Args[0])
	if !ok {
		return nil, false
	}
	v, _ := constant.Of(e)
	names, ok := v.([]any)
	if !ok {
		sc.Script.Add(diag.FlowType, n.Args[0].Pos(), "write an array of texts, or a parameter of type string[]", "%s: %s: found %s, want names (DF-Executor-StringValueNotInQuotes)", sc.Where, n.Name.Text, e.Type())
		return nil, false
	}
	stream, ok := sc.names(&syntax.Call{Name: n.Name, Args: n.Args[1:]}, 0, 1)
	if !ok {
		return nil, false
	}
	var out []plan.Expr
	for _, name := range names {
		s, _ := name.(string)
		ref, ok := sc.lookup(s, append(stream, "")[0], n.Name.Text == "byOrigins")
		if !ok {
			return []plan.Expr{plan.Literal{Of: schema.Unknown}}, true
		}
		out = append(out, ref)
	}
	return out, true
}
