package flow

import (
	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// cached binds a look into the rows of a cached sink: sink#lookup(key), mlookup, output
// and outputs.
func (sc *scope) cached(n *syntax.Call) (plan.Expr, bool) {
	step, keys, ok := sc.cache(n)
	if !ok {
		return nil, false
	}
	var row schema.Struct
	for _, c := range step.Visible() {
		row.Fields = append(row.Fields, schema.Field{Name: c.Name, Type: c.Type, Nullable: true})
	}
	out := plan.Cached{Step: step.Name, Of: row}
	all, keyed := false, false
	switch n.Name.Text {
	case "lookup":
		keyed = true
	case "mlookup":
		all, keyed = true, true
	case "output":
	case "outputs":
		all = true
	default:
		sc.b.add(diag.FlowName, n.Name.At, "functions of a cached sink are lookup, mlookup, output and outputs", "%s: found %s#%s, want a function of a cached sink", sc.where, n.Cache.Text, n.Name.Text)
		return nil, false
	}
	if all {
		out.All, out.Of = true, schema.Array{Element: row, ContainsNull: true}
	}
	switch {
	case !keyed && len(n.Args) > 0 || keyed && len(n.Args) != len(keys):
		sc.b.add(diag.FlowType, n.Pos(), "give it a value for each key of the sink, in their order", "%s: %s#%s: found %d values, want %d, one for each key", sc.where, n.Cache.Text, n.Name.Text, len(n.Args), len(keys))
		return nil, false
	case keyed && len(keys) == 0:
		sc.b.add(diag.FlowType, n.Pos(), "name them in the sink: keys: ['id']", "%s: %s#%s: found a sink without keys, want some", sc.where, n.Cache.Text, n.Name.Text)
		return nil, false
	case n.Name.Text == "outputs" && len(keys) > 0:
		sc.b.add(diag.FlowType, n.Pos(), "take the keys of the sink away, or look up by them", "%s: %s#outputs: found a sink with keys, want one without", sc.where, n.Cache.Text)
		return nil, false
	}
	return sc.keyed(n, out, keys)
}

// keyed binds the keys of a look up.
func (sc *scope) keyed(n *syntax.Call, out plan.Cached, keys []plan.Column) (plan.Expr, bool) {
	fits := true
	for i, x := range n.Args {
		e, ok := sc.expr(x)
		if !ok {
			fits = false
			continue
		}
		if joined, lossless := schema.Join(e.Type(), keys[i].Type); !plan.Same(e.Type(), keys[i].Type) && (!lossless || !plan.Same(joined, keys[i].Type)) {
			sc.b.add(diag.FlowType, x.Pos(), "convert it, as in: toString(id)", "%s: %s#%s: found %s, want %s as the key %s (DF-FN-002)", sc.where, n.Cache.Text, n.Name.Text, e.Type(), keys[i].Type, keys[i].Name)
			fits = false
			continue
		}
		out.On, out.Keys = append(out.On, keys[i].ID), append(out.Keys, plan.To(e, keys[i].Type))
	}
	return out, fits
}

// cache is the step of a cached sink, which is bound before who asks, and its keys.
func (sc *scope) cache(n *syntax.Call) (*plan.Step, []plan.Column, bool) {
	st := sc.b.statements[n.Cache.Text]
	if st == nil || st.Verb.Text != "sink" {
		var known []string
		for name, other := range sc.b.statements {
			if other.Verb.Text == "sink" {
				known = append(known, name)
			}
		}
		hint := "end the stream with: sink(store: 'cache', format: 'inline', keys: ['id']) ~> " + n.Cache.Text
		if near := diag.Nearest(n.Cache.Text, known); near != "" {
			hint = "did you mean " + near + "#" + n.Name.Text + "?"
		}
		sc.b.add(diag.FlowName, n.Pos(), hint, "%s: found %s, want a cached sink", sc.where, diag.Quote(n.Cache.Text))
		return nil, nil, false
	}
	if sc.b.state[n.Cache.Text] == begun {
		sc.b.add(diag.FlowGraph, n.Pos(), "fill the sink from a stream that does not ask it", "%s: found %s#%s, whose rows depend on this step", sc.where, n.Cache.Text, n.Name.Text)
		return nil, nil, false
	}
	if !sc.b.bind(st) {
		return nil, nil, false
	}
	step := sc.b.builder.Plan().Step(n.Cache.Text)
	if sink, ok := step.Op.(plan.Sink); !ok || !sink.Cache {
		sc.b.add(diag.FlowType, n.Pos(), "let the sink keep its rows: store: 'cache'", "%s: found sink %s, which is not cached", sc.where, diag.Quote(n.Cache.Text))
		return nil, nil, false
	}
	keys, ok := sc.keys(st, step)
	return step, keys, ok
}

// keys are the columns of a cached sink that it is asked by.
func (sc *scope) keys(st *syntax.Statement, step *plan.Step) ([]plan.Column, bool) {
	x := optionOf(st, "keys")
	if x == nil {
		return nil, true
	}
	e, ok := sc.outside().expr(x)
	if !ok {
		return nil, false
	}
	v, _ := constant.Of(e)
	names, ok := v.([]any)
	if !ok {
		sc.b.add(diag.FlowType, x.Pos(), "as in: keys: ['id']", "sink %s: keys: found something else, want names of columns", step.Name)
		return nil, false
	}
	var out []plan.Column
	for _, name := range names {
		text, _ := name.(string)
		found := step.Named(text)
		if len(found) != 1 {
			sc.b.add(diag.FlowColumn, x.Pos(), "name columns that the sink takes", "sink %s: keys: found %s, want a column of the sink (DF-Executor-ColumnNotFound)", step.Name, diag.Quote(text))
			return nil, false
		}
		out = append(out, found[0])
	}
	return out, true
}
