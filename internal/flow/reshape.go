package flow

import (
	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// unrolled is an array that a flatten makes rows of: in expressions its path means an item.
type unrolled struct {
	path string
	item plan.Local
}

// flatten binds a flatten of one array.
func (sc *scope) flatten(st *syntax.Statement) plan.Op {
	paths := sc.clauseValues(clauseOf(st, "unroll"))
	mapping := clauseOf(st, "mapColumn")
	if len(paths) == 0 || len(paths) > 2 || mapping == nil {
		sc.b.add(diag.FlowRefused, st.Verb.At, "flatten one array at a time: foldDown(unroll(items), mapColumn(id, item = items))", "%s: found a flatten of another form than unroll(array) and mapColumn(…), which does not run here", sc.where)
		return nil
	}
	of, ok := sc.expr(paths[0])
	if !ok {
		return nil
	}
	list, isList := of.Type().(schema.Array)
	path := syntax.FormatExpr(paths[0])
	if !isList {
		sc.b.add(diag.FlowType, paths[0].Pos(), "name an array", "%s: found %s, want an array", sc.where, of.Type())
		return nil
	}
	if _, deep := list.Element.(schema.Array); deep || len(paths) == 2 && syntax.FormatExpr(paths[1]) != path {
		sc.b.add(diag.FlowRefused, paths[0].Pos(), "flatten the outer array first, then the inner one", "%s: found arrays within an array, or another root, which do not run here", sc.where)
		return nil
	}
	sc.unrolled = &unrolled{path, plan.Local{Name: "item", Of: list.Element}}
	return plan.Flatten{
		Unroll: []plan.Unroll{{Of: of, Required: len(paths) == 2, Bind: "item"}},
		Take:   sc.mapping(st, mapping.Args),
	}
}

// whatUnrolls is the item where an expression is the array that is being unrolled.
func (sc *scope) whatUnrolls(x syntax.Expr) (plan.Expr, bool) {
	if sc.unrolled == nil {
		return nil, false
	}
	switch x.(type) {
	case *syntax.Column, *syntax.Member:
		return sc.unrolled.item, syntax.FormatExpr(x) == sc.unrolled.path
	}
	return nil, false
}
