package flow

import (
	"fmt"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// Hidden columns of what steps said of a row: the rules that it broke, with their
// messages, and whether a lookup found something for it.
const (
	errorsColumn = "_errors"
	matchColumn  = "_match"
)

// assert binds the rules of an assert.
func (sc *scope) assert(st *syntax.Statement) plan.Op {
	op := plan.Assert{Abort: sc.flag(st, "abort"), Errors: errorsColumn}
	if len(sc.in) > 2 {
		sc.b.add(diag.FlowRefused, st.Verb.At, "assert one reference at a time, in asserts behind each other", "%s: found %d inputs, want one or two", sc.where, len(sc.in))
		return nil
	}
	before := len(sc.b.problems)
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
			sc.b.add(diag.FlowGraph, c.Name.At, "give it another id", "%s: found rule %s a second time, want each id once", sc.where, diag.Quote(r.ID))
		}
		if ok {
			ids[r.ID] = true
			op.Rules = append(op.Rules, r)
		}
	}
	if len(op.Rules) == 0 && len(sc.b.problems) == before {
		sc.b.add(diag.FlowSyntax, st.Verb.At, "as in: assert(expectTrue(price > 0, false, 'price', null, 'no price'))", "%s: found no rule, want one", sc.where)
	}
	return op
}

// demand is one rule: what is expected, whether nulls pass, its id, which rows are asked,
// and what to say of one that fails. All but what is expected see the first input alone.
func (sc *scope) demand(kind plan.RuleKind, c *syntax.Clause) (plan.Rule, bool) {
	values := sc.clauseValues(c)
	before := len(sc.b.problems)
	r := plan.Rule{Kind: kind, ID: c.Name.Text}
	if len(values) < 1 || len(values) > 5 {
		sc.b.add(diag.FlowSyntax, c.Name.At, "as in: "+c.Name.Text+"(price > 0, false, 'price', null, 'no price')", "%s: %s: found %d arguments, want 1 to 5", sc.where, c.Name.Text, len(values))
		return r, false
	}
	first := *sc
	first.in = sc.in[:1]
	switch {
	case kind == plan.ExpectUnique:
		r.On, _ = first.expr(values[0])
	case kind == plan.ExpectTrue:
		r.On, _ = first.boolean(values[0])
	case len(sc.in) < 2:
		sc.b.add(diag.FlowGraph, c.Name.At, "name the stream to look in: A, B assert(expectExists(A@id == B@id, …))", "%s: expectExists: found one input, want two", sc.where)
	default:
		r.On, _ = sc.boolean(values[0])
	}
	if len(values) > 1 {
		r.IgnoreNulls = sc.truth(values[1], c.Name.Text)
	}
	if len(values) > 2 {
		e, ok := sc.outside().expr(values[2])
		if r.ID, ok = textOf(e, ok); !ok {
			sc.b.add(diag.FlowType, values[2].Pos(), "write a text: 'price'", "%s: %s: found no id, want a text", sc.where, c.Name.Text)
		}
	}
	if len(values) > 3 && !isNull(values[3]) {
		r.Filter, _ = first.boolean(values[3])
	}
	if len(values) > 4 && !isNull(values[4]) {
		r.Message = first.message(values[4])
	}
	ok := len(sc.b.problems) == before
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
	e, ok := sc.expr(x)
	if ok && !plan.Same(e.Type(), schema.String) {
		e, _ = sc.apply(x.Pos(), "toString", []plan.Expr{e})
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

// marked is a function over the map of the rules that a row broke.
type marked string

const (
	anyFailed marked = "isError"
	oneFailed marked = "hasError"
)

// Name is how a script spells it.
func (m marked) Name() string { return string(m) }

// SQL writes it. A row that no assert has seen broke no rule.
func (m marked) SQL(engine string, args []string) (string, error) {
	form := map[string]string{
		"duckdb isError": "coalesce(cardinality(%s) > 0, false)", "duckdb hasError": "coalesce(list_contains(map_keys(%s), %s), false)",
		"spark isError": "coalesce(size(%s) > 0, false)", "spark hasError": "coalesce(map_contains_key(%s, %s), false)",
	}[engine+" "+string(m)]
	if form == "" || strings.Count(form, "%s") != len(args) {
		return "", fmt.Errorf("%s: found no text for %s", m, engine)
	}
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
	}
	return fmt.Sprintf(form, list...), nil
}

// marks binds the functions that read what earlier steps said of a row; done is false for
// any other function.
func (sc *scope) marks(n *syntax.Call) (e plan.Expr, ok, done bool) {
	switch n.Name.Text {
	case "isMatch":
		e, ok = sc.isMatch(n)
	case "isError", "hasError", "assertErrorMessages":
		e, ok = sc.failed(n)
	case "isInsert", "isUpdate", "isUpsert", "isDelete", "isIgnore":
		sc.b.add(diag.FlowRefused, n.Pos(), "keep what a row is marked for in a column of its own", "%s: found %s, which does not run here", sc.where, n.Name.Text)
	default:
		return nil, false, false
	}
	return e, ok, true
}

// marking are the hidden columns of a name, of one input if the call names it.
func (sc *scope) marking(n *syntax.Call, name string) (out []plan.Expr, ok bool) {
	from, to := 0, len(sc.in)
	if n.Name.Text != "hasError" && len(n.Args) == 1 {
		e, ok := sc.outside().expr(n.Args[0])
		if !ok {
			return nil, false
		}
		v, _ := constant.Of(e)
		at, _ := v.(int64)
		if at < 1 || at > int64(len(sc.in)) {
			sc.b.add(diag.FlowType, n.Args[0].Pos(), "1 is the first stream, 2 the second", "%s: %s: found no input of that number, want one from 1 on", sc.where, n.Name.Text)
			return nil, false
		}
		from, to = int(at)-1, int(at)
	}
	for i := from; i < to; i++ {
		for _, c := range sc.in[i].Columns {
			if c.Hidden && c.Name == name {
				out = append(out, plan.Ref{Input: i, ID: c.ID, Of: c.Type})
			}
		}
	}
	return out, true
}

func (sc *scope) isMatch(n *syntax.Call) (plan.Expr, bool) {
	found, ok := sc.marking(n, matchColumn)
	if !ok {
		return nil, false
	}
	if len(found) != 1 || len(n.Args) > 1 {
		sc.b.add(diag.FlowColumn, n.Pos(), "use it behind a lookup, before an aggregate or a pivot", "%s: isMatch: found %d lookups before it, want one", sc.where, len(found))
		return nil, false
	}
	return found[0], true
}

// failed binds isError, hasError and assertErrorMessages.
func (sc *scope) failed(n *syntax.Call) (plan.Expr, bool) {
	found, ok := sc.marking(n, errorsColumn)
	if !ok {
		return nil, false
	}
	if len(n.Args) > 1 || len(n.Args) == 1 && n.Name.Text == "assertErrorMessages" {
		sc.b.add(diag.FlowType, n.Pos(), "as in: isError(), hasError('id'), assertErrorMessages()", "%s: %s: found %d arguments, want fewer", sc.where, n.Name.Text, len(n.Args))
		return nil, false
	}
	if n.Name.Text == "assertErrorMessages" {
		if len(found) == 0 {
			return sc.apply(n.Pos(), "associate", nil)
		}
		return found[0], true
	}
	fn, args := anyFailed, []plan.Expr{}
	if n.Name.Text == "hasError" && len(n.Args) == 1 {
		id, ok := sc.outside().expr(n.Args[0])
		if !ok {
			return nil, false
		}
		fn, args = oneFailed, []plan.Expr{id}
	}
	out := plan.Expr(plan.Literal{Value: false, Of: schema.Boolean})
	for i, ref := range found {
		one := plan.Call{Fn: fn, Args: append([]plan.Expr{ref}, args...), Of: schema.Boolean}
		if out = plan.Expr(one); i > 0 {
			out = plan.Operation{Op: plan.Or, Args: []plan.Expr{out, one}, Of: schema.Boolean}
		}
	}
	return out, true
}
