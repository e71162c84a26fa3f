package flow

import (
	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/expression"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
)

// cache is the step of a cached sink, which is bound before who asks, and its keys.
func (b *binder) cache(where string, n *syntax.Call) (*plan.Step, []plan.Column, bool) {
	st := b.statements[n.Cache.Text]
	if st == nil || st.Verb.Text != "sink" {
		var known []string
		for name, other := range b.statements {
			if other.Verb.Text == "sink" {
				known = append(known, name)
			}
		}
		hint := "end the stream with: sink(store: 'cache', format: 'inline', keys: ['id']) ~> " + n.Cache.Text
		if near := diag.Nearest(n.Cache.Text, known); near != "" {
			hint = "did you mean " + near + "#" + n.Name.Text + "?"
		}
		b.Add(diag.FlowName, n.Pos(), hint, "%s: found %s, want a cached sink", where, diag.Quote(n.Cache.Text))
		return nil, nil, false
	}
	if b.state[n.Cache.Text] == begun {
		b.Add(diag.FlowGraph, n.Pos(), "fill the sink from a stream that does not ask it", "%s: found %s#%s, whose rows depend on this step", where, n.Cache.Text, n.Name.Text)
		return nil, nil, false
	}
	if !b.bind(st) {
		return nil, nil, false
	}
	step := b.Builder.Plan().Step(n.Cache.Text)
	if sink, ok := step.Op.(plan.Sink); !ok || !sink.Cache {
		b.Add(diag.FlowType, n.Pos(), "let the sink keep its rows: store: 'cache'", "%s: found sink %s, which is not cached", where, diag.Quote(n.Cache.Text))
		return nil, nil, false
	}
	keys, ok := b.keys(st, step)
	return step, keys, ok
}

// keys are the columns of a cached sink that it is asked by.
func (b *binder) keys(st *syntax.Statement, step *plan.Step) ([]plan.Column, bool) {
	x := optionOf(st, "keys")
	if x == nil {
		return nil, true
	}
	e, ok := (&expression.Scope{Script: &b.Script, Where: "sink " + step.Name}).Expr(x)
	if !ok {
		return nil, false
	}
	v, _ := constant.Of(e)
	names, ok := v.([]any)
	if !ok {
		b.Add(diag.FlowType, x.Pos(), "as in: keys: ['id']", "sink %s: keys: found something else, want names of columns", step.Name)
		return nil, false
	}
	var out []plan.Column
	for _, name := range names {
		text, _ := name.(string)
		found := step.Named(text)
		if len(found) != 1 {
			b.Add(diag.FlowColumn, x.Pos(), "name columns that the sink takes", "sink %s: keys: found %s, want a column of the sink (DF-Executor-ColumnNotFound)", step.Name, diag.Quote(text))
			return nil, false
		}
		out = append(out, found[0])
	}
	return out, true
}
