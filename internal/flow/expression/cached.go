package expression

import (
	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// cached binds a look into the rows of a cached sink: sink#lookup(key), mlookup, output
// and outputs.
func (sc *Scope) cached(n *syntax.Call) (plan.Expr, bool) {
	step, keys, ok := sc.Script.Cache(sc.Where, n)
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
		sc.Script.Add(diag.FlowName, n.Name.At, "functions of a cached sink are lookup, mlookup, output and outputs", "%s: found %s#%s, want a function of a cached sink", sc.Where, n.Cache.Text, n.Name.Text)
		return nil, false
	}
	if all {
		out.All, out.Of = true, schema.Array{Element: row, ContainsNull: true}
	}
	switch {
	case !keyed && len(n.Args) > 0 || keyed && len(n.Args) != len(keys):
		sc.Script.Add(diag.FlowType, n.Pos(), "give it a value for each key of the sink, in their order", "%s: %s#%s: found %d values, want %d, one for each key", sc.Where, n.Cache.Text, n.Name.Text, len(n.Args), len(keys))
		return nil, false
	case keyed && len(keys) == 0:
		sc.Script.Add(diag.FlowType, n.Pos(), "name them in the sink: keys: ['id']", "%s: %s#%s: found a sink without keys, want some", sc.Where, n.Cache.Text, n.Name.Text)
		return nil, false
	case n.Name.Text == "outputs" && len(keys) > 0:
		sc.Script.Add(diag.FlowType, n.Pos(), "take the keys of the sink away, or look up by them", "%s: %s#outputs: found a sink with keys, want one without", sc.Where, n.Cache.Text)
		return nil, false
	}
	return sc.keyed(n, out, keys)
}

// keyed binds the keys of a look up.
func (sc *Scope) keyed(n *syntax.Call, out plan.Cached, keys []plan.Column) (plan.Expr, bool) {
	fits := true
	for i, x := range n.Args {
		e, ok := sc.Expr(x)
		if !ok {
			fits = false
			continue
		}
		if joined, lossless := schema.Join(e.Type(), keys[i].Type); !plan.Same(e.Type(), keys[i].Type) && (!lossless || !plan.Same(joined, keys[i].Type)) {
			sc.Script.Add(diag.FlowType, x.Pos(), "convert it, as in: toString(id)", "%s: %s#%s: found %s, want %s as the key %s (DF-FN-002)", sc.Where, n.Cache.Text, n.Name.Text, e.Type(), keys[i].Type, keys[i].Name)
			fits = false
			continue
		}
		out.On, out.Keys = append(out.On, keys[i].ID), append(out.Keys, plan.To(e, keys[i].Type))
	}
	return out, fits
}
