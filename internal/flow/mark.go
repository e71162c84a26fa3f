package flow

import (
	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/expression"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// assert binds the rules of an assert.
func (sc *scope) assert(st *syntax.Statement) plan.Op {
	op := plan.Assert{Abort: sc.flag(st, "abort"), Errors: expression.ErrorsColumn}
	if len(sc.In) > 2 {
		sc.b.Add(diag.FlowRefused, st.Verb.At, "assert one reference at a time, in asserts behind each other", "%s: found %d inputs, want one or two", sc.Where, len(sc.In))
		return nil
	}
	before := len(sc.b.Problems)
	kinds := map[string]plan.RuleKind{"expectTrue": plan.ExpectTrue, "expectUnique": plan.ExpectUnique, "expectExists": plan.ExpectExists}
	ids := map[string]bool{}
	for _, a := range st.Args.List {
		c, ok := a.Node.(*syntax.Clause)
		if !ok {
			continue
		}
		kind, ok := kinds[c.Name.Text]
		if !ok {
			continue
		}
		r, ok := sc.demand(kind, c)
		if ok && ids[r.ID] {
			sc.b.Add(diag.FlowGraph, c.Name.At, "give it another id", "%s: found rule %s a second time, want each id once", sc.Where, diag.Quote(r.ID))
		}
		if ok {
			ids[r.ID] = true
			op.Rules = append(op.Rules, r)
		}
	}
	if len(op.Rules) == 0 && len(sc.b.Problems) == before {
		sc.b.Add(diag.FlowSyntax, st.Verb.At, "as in: assert(expectTrue(price > 0, false, 'price', null, 'no price'))", "%s: found no rule, want one", sc.Where)
	}
	return op
}

// demand is one rule: what is expected, whether nulls pass, its id, which rows are asked,
// and what to say of one that fails. All but what is expected see the first input alone.
func (sc *scope) demand(kind plan.RuleKind, c *syntax.Clause) (plan.Rule, bool) {
	values := sc.clauseValues(c)
	before := len(sc.b.Problems)
	r := plan.Rule{Kind: kind, ID: c.Name.Text}
	if len(values) < 1 || len(values) > 5 {
		sc.b.Add(diag.FlowSyntax, c.Name.At, "as in: "+c.Name.Text+"(price > 0, false, 'price', null, 'no price')", "%s: %s: found %d arguments, want 1 to 5", sc.Where, c.Name.Text, len(values))
		return r, false
	}
	first := *sc
	first.In = sc.In[:1]
	switch {
	case kind == plan.ExpectUnique:
		r.On, _ = first.Expr(values[0])
	case kind == plan.ExpectTrue:
		r.On, _ = first.Boolean(values[0])
	case len(sc.In) < 2:
		sc.b.Add(diag.FlowGraph, c.Name.At, "name the stream to look in: A, B assert(expectExists(A@id == B@id, …))", "%s: expectExists: found one input, want two", sc.Where)
	default:
		r.On, _ = sc.Boolean(values[0])
	}
	if len(values) > 1 {
		r.IgnoreNulls = sc.Truth(values[1], c.Name.Text)
	}
	if len(values) > 2 {
		e, ok := sc.Outside().Expr(values[2])
		if r.ID, ok = textOf(e, ok); !ok {
			sc.b.Add(diag.FlowType, values[2].Pos(), "write a text: 'price'", "%s: %s: found no id, want a text", sc.Where, c.Name.Text)
		}
	}
	if len(values) > 3 && !isNull(values[3]) {
		r.Filter, _ = first.Boolean(values[3])
	}
	if len(values) > 4 && !isNull(values[4]) {
		r.Message = first.message(values[4])
	}
	ok := len(sc.b.Problems) == before
	if ok && kind == plan.ExpectExists && r.IgnoreNulls {
		r.Filter = present(r.On, r.Filter)
	}
	return r, ok
}

func textOf(e plan.Expr, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	return constant.Text(e)
}

func isNull(x syntax.Expr) bool {
	switch n := x.(type) {
	case *syntax.Column:
		return len(n.Streams) == 0 && n.Name.Text == "null" && !n.Name.Braced
	case *syntax.Call:
		return n.Cache.Text == "" && n.Name.Text == "null" && len(n.Args) == 0
	case *syntax.Noted:
		return isNull(n.X)
	case *syntax.Paren:
		return isNull(n.X)
	}
	return false
}

// message is an expression as text.
func (sc *scope) message(x syntax.Expr) plan.Expr {
	e, ok := sc.Expr(x)
	if ok && !plan.Same(e.Type(), schema.String) {
		e, _ = sc.Apply(x.Pos(), "toString", []plan.Expr{e})
	}
	return e
}

// present adds to a filter that none of the columns that a condition reads of the first
// input is null.
func present(on, filter plan.Expr) plan.Expr {
	all := []plan.Expr{}
	if filter != nil {
		all = append(all, filter)
	}
	plan.Walk(on, func(e plan.Expr) bool {
		if ref, ok := e.(plan.Ref); ok && ref.Input == 0 {
			null := plan.Operation{Op: plan.IsNull, Args: []plan.Expr{ref}, Of: schema.Boolean}
			all = append(all, plan.Operation{Op: plan.Not, Args: []plan.Expr{null}, Of: schema.Boolean})
		}
		return true
	})
	if len(all) == 0 {
		return filter
	}
	return plan.Operation{Op: plan.And, Args: all, Of: schema.Boolean}
}
