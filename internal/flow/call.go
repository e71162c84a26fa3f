package flow

import (
	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// call binds a function: one that speaks of columns, or one of the table.
func (sc *scope) call(n *syntax.Call) (plan.Expr, bool) {
	if n.Cache.Text != "" {
		sc.b.add(diag.FlowRefused, n.Pos(), "join the rows of the sink's input instead", "%s: found a cached lookup, which does not run here", sc.where)
		return nil, false
	}
	switch n.Name.Text {
	case "true", "false":
		if len(n.Args) == 0 {
			return plan.Literal{Value: n.Name.Text == "true", Of: schema.Boolean}, true
		}
	case "null":
		if len(n.Args) == 0 {
			return plan.Literal{Of: schema.Unknown}, true
		}
	case "syntax":
		if len(n.Args) == 1 {
			return sc.expr(n.Args[0])
		}
	case "byName", "hasColumn":
		return sc.late(n)
	case "byPosition":
		return sc.byPosition(n)
	}
	var args []plan.Expr
	var given []function.Argument
	for i, x := range n.Args {
		e, ok := sc.argument(n.Name.Text, i, given, x)
		if !ok {
			return nil, false
		}
		args, given = append(args, e), append(given, argument(e))
	}
	return sc.apply(n.Pos(), n.Name.Text, args)
}

// argument binds an argument, which is a lambda where the table says so.
func (sc *scope) argument(name string, i int, before []function.Argument, x syntax.Expr) (plan.Expr, bool) {
	sees := sc.b.table.Lambda(name, i, before)
	if len(sees) == 0 {
		return sc.expr(x)
	}
	inner := *sc
	inner.nest++
	out := plan.Lambda{}
	for _, v := range sees {
		local := plan.Local{Name: variableName(v.Name, sc.nest), Of: v.Type}
		inner.variables = append(inner.variables, local)
		out.Params = append(out.Params, local.Name)
	}
	body, ok := inner.expr(x)
	out.Body = body
	return out, ok
}

// variableName is the name that the table gives to a variable of a lambda: the text of
// one whose text is nothing else.
func variableName(name string, nest int) string {
	const plain = "item"
	sample := function.Local(plain, nest)
	return "_" + name + sample[len("_"+plain):]
}

// late binds byName and hasColumn, whose column is looked up among all there are.
func (sc *scope) late(n *syntax.Call) (plan.Expr, bool) {
	var texts []string
	for _, x := range n.Args {
		e, ok := sc.expr(x)
		if !ok {
			return nil, false
		}
		s, ok := constant.Text(e)
		if !ok {
			sc.b.add(diag.FlowType, x.Pos(), "write a text or a parameter", "%s: found a name that rows decide, want a constant (DF-Executor-StringValueNotInQuotes)", sc.where)
			return nil, false
		}
		texts = append(texts, s)
	}
	if len(texts) < 1 || len(texts) > 2 {
		sc.b.add(diag.FlowType, n.Pos(), "as in: toString("+n.Name.Text+"('x'))", "%s: %s: found %d arguments, want a name and perhaps a stream", sc.where, n.Name.Text, len(texts))
		return nil, false
	}
	ref, ok := sc.lookup(texts)
	if n.Name.Text == "hasColumn" {
		return plan.Literal{Value: ok, Of: schema.Boolean}, true
	}
	if !ok {
		return plan.Literal{Of: schema.Unknown}, true
	}
	return ref, true
}

// lookup is the first column of a name, also a drifted one, that came through a stream if
// one is named.
func (sc *scope) lookup(texts []string) (plan.Expr, bool) {
	for i, step := range sc.in {
		for _, c := range step.Named(texts[0]) {
			if len(texts) == 1 || sc.b.builder.Plan().Through(step, c.ID, texts[1]) {
				return plan.Ref{Input: i, ID: c.ID, Of: c.Type}, true
			}
		}
	}
	return nil, false
}

func (sc *scope) byPosition(n *syntax.Call) (plan.Expr, bool) {
	if len(n.Args) == 1 && len(sc.in) > 0 {
		e, ok := sc.expr(n.Args[0])
		if !ok {
			return nil, false
		}
		if v, known := constant.Of(e); known {
			columns := sc.in[0].Visible()
			at, isNumber := v.(int64)
			if isNumber && at >= 1 && at <= int64(len(columns)) {
				c := columns[at-1]
				return plan.Ref{ID: c.ID, Of: c.Type}, true
			}
			if isNumber {
				return plan.Literal{Of: schema.Unknown}, true
			}
		}
	}
	sc.b.add(diag.FlowType, n.Pos(), "as in: toString(byPosition(2))", "%s: byPosition: found something else, want a position as a number", sc.where)
	return nil, false
}
