package flow

import (
	"fmt"
	"strings"

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
	paths := sc.clauseValues(st, "unroll")
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

// clauseValues are the expressions in a group of settings.
func (sc *scope) clauseValues(st *syntax.Statement, name string) []syntax.Expr {
	c := clauseOf(st, name)
	if c == nil {
		return nil
	}
	var out []syntax.Expr
	for _, a := range c.Args.List {
		if v, ok := a.Node.(*syntax.Value); ok {
			out = append(out, v.X)
		}
	}
	return out
}

// pivot binds a pivot whose values the script lists.
func (sc *scope) pivot(st *syntax.Statement) plan.Op {
	by := sc.clauseValues(st, "pivotBy")
	var listed *syntax.Array
	if len(by) == 2 {
		listed, _ = by[1].(*syntax.Array)
	}
	if listed == nil {
		sc.b.add(diag.FlowRefused, st.Verb.At, "list the values: pivotBy(key, ['a', 'b'])", "%s: found a pivot without a list of values, which does not run here", sc.where)
		return nil
	}
	op := plan.Pivot{Lateral: sc.flag(st, "lateral"), Group: sc.groups(st)}
	key, ok := sc.expr(by[0])
	if !ok {
		return nil
	}
	op.Key = key
	sc.gathers = true
	aggregates := sc.assignments(st.Args)
	naming := "$N$V"
	if t, ok := optionOf(st, "columnNaming").(*syntax.Text); ok {
		naming = t.Value()
	}
	for _, a := range aggregates {
		op.Aggregates = append(op.Aggregates, a.Value)
	}
	for _, x := range listed.Items {
		v, ok := sc.keyValue(x, key.Type())
		if !ok {
			return nil
		}
		one := plan.PivotValue{Value: v}
		for _, a := range aggregates {
			one.Columns = append(one.Columns, strings.NewReplacer("$N", a.Name, "$V", fmt.Sprint(v.Value)).Replace(naming))
		}
		op.Values = append(op.Values, one)
	}
	return op
}

// keyValue is a constant of the type of a pivot's key.
func (sc *scope) keyValue(x syntax.Expr, of schema.Type) (plan.Literal, bool) {
	e, ok := sc.expr(x)
	if !ok {
		return plan.Literal{}, false
	}
	l, constant := e.(plan.Literal)
	if constant && (plan.Same(l.Of, of) || plan.Integral(l.Of) && plan.Integral(of)) {
		return plan.Literal{Value: l.Value, Of: of}, true
	}
	sc.b.add(diag.FlowType, x.Pos(), "write a constant of the key's type, "+of.String(), "%s: found %s, want a value of the key", sc.where, e.Type())
	return plan.Literal{}, false
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
