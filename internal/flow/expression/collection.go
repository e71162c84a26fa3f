package expression

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// array binds [a, b], whose items have one type.
func (sc *Scope) array(n *syntax.Array) (plan.Expr, bool) {
	var items []plan.Expr
	of := schema.Type(schema.Unknown)
	for _, x := range n.Items {
		many, ok, done := sc.several(x)
		if !done {
			many = make([]plan.Expr, 1)
			many[0], ok = sc.Expr(x)
		}
		if !ok {
			return nil, false
		}
		if items, of, ok = sc.alike(x, items, many, of); !ok {
			return nil, false
		}
	}
	for i := range items {
		items[i] = plan.To(items[i], of)
	}
	return plan.Items{Values: items, Of: schema.Array{Element: of, ContainsNull: true}}, true
}

// alike adds items of a type that also holds those before them.
func (sc *Scope) alike(x syntax.Expr, items, more []plan.Expr, of schema.Type) ([]plan.Expr, schema.Type, bool) {
	for _, e := range more {
		joined, lossless := schema.Join(of, e.Type())
		if !lossless {
			sc.Script.Add(diag.FlowType, x.Pos(), "convert the items to one type", "%s: found %s among items of %s, want one type", sc.Where, e.Type(), of)
			return nil, nil, false
		}
		items, of = append(items, e), joined
	}
	return items, of, true
}

// pair is what stands on both sides of an arrow, nil for anything else.
func pair(x syntax.Expr) *syntax.Binary {
	switch n := x.(type) {
	case *syntax.Binary:
		if n.Op == "->" {
			return n
		}
	case *syntax.Noted:
		return pair(n.X)
	}
	return nil
}

// entriesOf binds ['k' -> v], a map.
func (sc *Scope) entriesOf(n *syntax.Array) (plan.Expr, bool) {
	var args []plan.Expr
	fits := true
	for _, x := range n.Items {
		p := pair(x)
		if p == nil {
			sc.Script.Add(diag.FlowType, x.Pos(), "write a key and a value: 'k' -> 1", "%s: found an item among the entries of a map, want an entry", sc.Where)
			fits = false
			continue
		}
		for _, side := range []syntax.Expr{p.X, p.Y} {
			e, ok := sc.Expr(side)
			args, fits = append(args, e), fits && ok
		}
	}
	if !fits {
		return nil, false
	}
	return sc.Apply(n.At, "associate", args)
}

// object binds @(a = 1, b = 2).
func (sc *Scope) object(n *syntax.Struct) (plan.Expr, bool) {
	var out plan.Object
	before := len(sc.Script.Problems)
	for _, a := range n.Args.List {
		one, ok := a.Node.(*syntax.Assign)
		if !ok {
			sc.Odd(a)
			continue
		}
		name, named := sc.Target(one.Target)
		value, ok := sc.Expr(one.Value)
		if !named || !ok {
			continue
		}
		text, known := constant.Text(name)
		switch at := slices.Index(out.Names, text); {
		case !known:
			sc.NotConstant(one.Target)
		case at >= 0:
			out.Values[at] = value
		default:
			out.Names, out.Values = append(out.Names, text), append(out.Values, value)
		}
	}
	return out, len(sc.Script.Problems) == before
}
