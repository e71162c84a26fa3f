package expression

import (
	"strconv"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// call binds a function: one that speaks of columns, marks or caches, or one of the table.
func (sc *Scope) call(n *syntax.Call) (plan.Expr, bool) {
	if n.Cache.Text != "" {
		return sc.cached(n)
	}
	if e, ok, done := sc.marks(n); done {
		return e, ok
	}
	if e, ok, done := sc.meta(n); done {
		return e, ok
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
			return sc.Expr(n.Args[0])
		}
	case "unfold":
		if sc.Unfolds != nil && len(n.Args) == 1 {
			return sc.unfold(n.Args[0])
		}
	}
	args, places, ok := sc.arguments(n)
	if !ok {
		if sc.Script.Table.Lookup(n.Name.Text) == nil {
			sc.applied(n.Pos(), places, n.Name.Text, args) // tells of the name too
		}
		return nil, false
	}
	return sc.applied(n.Pos(), places, n.Name.Text, args)
}

// arguments binds those of a function, all of them, so that all problems are told, and
// says where they stand.
func (sc *Scope) arguments(n *syntax.Call) (args []plan.Expr, places []syntax.Pos, ok bool) {
	var given []function.Argument
	fits := true
	compares := len(n.Args) == 2 && comparison(n.Name.Text)
	for i, x := range n.Args {
		if many, ok, done := sc.several(x); done {
			fits = fits && ok
			for _, e := range many {
				args, places, given = append(args, e), append(places, x.Pos()), append(given, argument(e))
			}
			continue
		}
		inner := *sc
		inner.second = sc.second || compares && i == 1
		if !fits && len(sc.Script.Table.Lambda(n.Name.Text, len(given), given)) > 0 {
			break // what its variables are hangs on the arguments that do not fit
		}
		e, ok := inner.argument(n.Name.Text, len(given), given, x)
		if !ok {
			fits, e = false, plan.Literal{Of: schema.Unknown}
		}
		args, places, given = append(args, e), append(places, x.Pos()), append(given, argument(e))
	}
	return args, places, fits
}

// comparison tells whether a function or operator compares its two operands.
func comparison(name string) bool {
	switch name {
	case "equals", "notEquals", "equalsIgnoreCase", "greater", "greaterOrEqual", "lesser", "lesserOrEqual", "==", "!=", "===", "<=>", "<", "<=", ">", ">=":
		return true
	}
	return false
}

// argument binds an argument, which is a lambda where the table says so.
func (sc *Scope) argument(name string, i int, before []function.Argument, x syntax.Expr) (plan.Expr, bool) {
	sees := sc.Script.Table.Lambda(name, i, before)
	if len(sees) == 0 {
		return sc.Expr(x)
	}
	inner := *sc
	inner.nest++
	out := plan.Lambda{}
	for _, v := range sees {
		local := plan.Local{Name: variableName(v.Name, sc.nest), Of: v.Type}
		inner.variables = append(inner.variables, local)
		out.Params = append(out.Params, local.Name)
	}
	body, ok := inner.Expr(x)
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

// unfold makes rows of an array: the value is an item. The step becomes a flatten.
func (sc *Scope) unfold(x syntax.Expr) (plan.Expr, bool) {
	of, ok := sc.Expr(x)
	if !ok {
		return nil, false
	}
	list, isList := of.Type().(schema.Array)
	if !isList {
		sc.Script.Add(diag.FlowType, x.Pos(), "name an array", "%s: unfold: found %s, want an array", sc.Where, of.Type())
		return nil, false
	}
	item := plan.Local{Name: "_unrolled" + strconv.Itoa(len(*sc.Unfolds)+1), Of: list.Element}
	*sc.Unfolds = append(*sc.Unfolds, plan.Unroll{Of: of, Bind: item.Name})
	return item, true
}
