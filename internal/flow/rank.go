package flow

import (
	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// window binds values over the rows of a group.
func (sc *scope) window(st *syntax.Statement) plan.Op {
	op := plan.Window{Order: sc.orders(st)}
	if c := clauseOf(st, "over"); c != nil {
		for _, a := range c.Args.List {
			switch n := a.Node.(type) {
			case *syntax.Value:
				op.Over = sc.also(op.Over, n.X)
			case *syntax.Assign:
				op.Over = sc.also(op.Over, n.Value)
			default:
				sc.odd(a)
			}
		}
	}
	start, end := optionOf(st, "startRowOffset"), optionOf(st, "endRowOffset")
	if start != nil || end != nil {
		op.Frame = &plan.Frame{Start: plan.Bound{Unbounded: start == nil, Rows: sc.whole(st, "startRowOffset", 0)}, End: plan.Bound{Unbounded: end == nil, Rows: sc.whole(st, "endRowOffset", 0)}}
	}
	sc.gathers = true
	op.Set = sc.set(st)
	return op
}

// also adds an expression to a list.
func (sc *scope) also(list []plan.Expr, x syntax.Expr) []plan.Expr {
	if e, ok := sc.expr(x); ok {
		return append(list, e)
	}
	return list
}

// declared is the name of the only column that a transformation declares.
func (sc *scope) declared(st *syntax.Statement) string {
	for _, a := range st.Args.List {
		if s, ok := a.Node.(*syntax.Schema); ok && len(s.Columns) == 1 {
			return s.Columns[0].Name.Text
		}
	}
	sc.b.add(diag.FlowSyntax, st.Verb.At, "name it as in: output(place as long)", "%s: found no column for the numbers, want one", sc.where)
	return ""
}

// whole is a setting that is a whole number, which may have a sign.
func (sc *scope) whole(st *syntax.Statement, name string, otherwise int64) int64 {
	x := optionOf(st, name)
	if x == nil {
		return otherwise
	}
	if e, ok := sc.outside().expr(x); ok {
		if n, known := constant.Of(e); known {
			if v, isWhole := n.(int64); isWhole {
				return v
			}
		}
	}
	sc.b.add(diag.FlowType, x.Pos(), "write a number such as 7 or -7L", "%s: %s: found something else, want a whole number", sc.where, name)
	return otherwise
}

// lookupRows binds a lookup of the rows of the second input.
func (sc *scope) lookupRows(st *syntax.Statement) plan.Op {
	on, ok := sc.condition(st)
	if !ok {
		return nil
	}
	op := plan.Lookup{On: on, Order: sc.orders(st)}
	pick, picks := sc.textOption(st, "pickup")
	kinds := map[string]plan.Pick{"any": plan.PickAny, "first": plan.PickFirst, "last": plan.PickLast}
	k, known := kinds[pick]
	if picks && !known {
		sc.b.add(diag.FlowName, optionOf(st, "pickup").Pos(), "picks are 'any', 'first' and 'last'", "%s: found pickup %s, want one of the matches", sc.where, diag.Quote(pick))
	}
	if sc.once(st, "multiple") {
		return op
	}
	op.Pick = plan.PickAny
	if known {
		op.Pick = k
	}
	return op
}

// conversions binds a cast: columns with the types that they are to have.
func (sc *scope) conversions(st *syntax.Statement) plan.Op {
	op := plan.Cast{}
	if sc.flag(st, "errors") {
		op.Errors = "_errors"
	}
	for _, a := range st.Args.List {
		s, ok := a.Node.(*syntax.Schema)
		if !ok {
			continue
		}
		for _, f := range s.Columns {
			if c, ok := sc.conversion(f); ok {
				op.Columns = append(op.Columns, c)
			}
		}
	}
	return op
}

func (sc *scope) conversion(f syntax.Field) (plan.Conversion, bool) {
	t, known := typeOf(f.Type)
	if !known || f.Format != nil {
		sc.b.add(diag.FlowRefused, f.At, "derive the column instead, as in: toDate(x, 'yyyy-MM-dd')", "%s: found a conversion that does not run here", sc.where)
		return plan.Conversion{}, false
	}
	found := sc.named(&syntax.Column{Name: f.Name})
	if len(found) == 0 {
		sc.lost(&syntax.Column{Name: f.Name})
		return plan.Conversion{}, false
	}
	return plan.Conversion{Column: found[0].column.ID, To: t}, true
}

// array binds [a, b], whose items have one type.
func (sc *scope) array(n *syntax.Array) (plan.Expr, bool) {
	var items []plan.Expr
	of := schema.Type(schema.Unknown)
	for _, x := range n.Items {
		e, ok := sc.expr(x)
		if !ok {
			return nil, false
		}
		joined, lossless := schema.Join(of, e.Type())
		if !lossless {
			sc.b.add(diag.FlowType, x.Pos(), "convert the items to one type", "%s: found %s among items of %s, want one type", sc.where, e.Type(), of)
			return nil, false
		}
		items, of = append(items, e), joined
	}
	for i := range items {
		items[i] = plan.To(items[i], of)
	}
	return plan.Items{Values: items, Of: schema.Array{Element: of, ContainsNull: true}}, true
}

// object binds @(a = 1, b = 2).
func (sc *scope) object(n *syntax.Struct) (plan.Expr, bool) {
	var out plan.Object
	before := len(sc.b.problems)
	for _, a := range sc.assignments(n.Args) {
		out.Names, out.Values = append(out.Names, a.Name), append(out.Values, a.Value)
	}
	return out, len(sc.b.problems) == before
}
