package flow

import (
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// sink binds what a sink writes, in which order, and how its rows are divided.
func (sc *scope) sink(st *syntax.Statement) plan.Op {
	op := plan.Sink{Order: int(sc.whole(st, "saveOrder", 0))}
	if store, ok := sc.textOption(st, "store"); ok && store == "cache" {
		op.Cache = true
	}
	target, known := sc.projection(st, "input")
	if sc.flag(st, "validateSchema") && known {
		sc.matching(st, target)
	}
	if c := clauseOf(st, "mapColumn"); c != nil {
		op.Take = sc.mapping(st, c.Args)
	} else {
		drift := sc.flag(st, "allowSchemaDrift") || op.Cache // of a cached sink the service does not ask
		op.Take = sc.automatic(st, target, known, drift)
	}
	if op.Take != nil && len(op.Take) == 0 {
		sc.b.Add(diag.FlowInput, st.Output.At, "map at least one column", "%s: found a mapping that lets no column through (DF-Executor-InvalidOutputColumns)", sc.Where)
	}
	return op
}

// automatic is what a sink without a mapping takes: all columns, the first of a name, and
// none beyond the target's where drift is not allowed. nil is all of the input.
func (sc *scope) automatic(st *syntax.Statement, target []declared, known, drift bool) []plan.Assignment {
	once := sc.once(st, "skipDuplicateMapOutputs")
	seen := map[string]bool{}
	out := []plan.Assignment{}
	columns := sc.In[0].Visible()
	for _, c := range columns {
		beyond := c.Drifted
		if known {
			beyond = !slices.ContainsFunc(target, func(d declared) bool { return schema.Fold(d.name) == schema.Fold(c.Name) })
		}
		if beyond && !drift || once && seen[schema.Fold(c.Name)] {
			continue
		}
		seen[schema.Fold(c.Name)] = true
		out = append(out, plan.Assignment{Name: c.Name, Value: plan.Ref{ID: c.ID, Of: c.Type}})
	}
	if len(out) == len(columns) && len(out) > 0 {
		return nil
	}
	return out
}

// matching tells of every column that comes in and that the target's schema does not
// have, or has with another type.
func (sc *scope) matching(st *syntax.Statement, target []declared) {
	at := optionOf(st, "validateSchema").Pos()
	for _, c := range sc.In[0].Visible() {
		i := slices.IndexFunc(target, func(d declared) bool { return schema.Fold(d.name) == schema.Fold(c.Name) })
		switch {
		case i < 0:
			sc.b.Add(diag.FlowInput, at, "clear Validate schema, or drop the column before the sink",
				"%s: found column %s %s, which the schema of the sink does not have, and validateSchema is true", sc.Where, diag.Quote(c.Name), c.Type)
		case target[i].kind != nil && !plan.Same(target[i].kind, c.Type):
			sc.b.Add(diag.FlowInput, target[i].at, "clear Validate schema, or convert the column before the sink",
				"%s: column %s: found %s, want %s as in the schema of the sink, and validateSchema is true", sc.Where, diag.Quote(c.Name), c.Type, target[i].kind)
		}
	}
}

// partition binds how the rows that leave a step are divided. It says where rows lie and
// changes none, so nobody but the writer of a sink does anything with it.
func (b *binder) partition(st *syntax.Statement, step *plan.Step) *plan.Partition {
	c := clauseOf(st, "partitionBy")
	if c == nil {
		return nil
	}
	sc := b.scope(st)
	sc.In = []*plan.Step{step}
	kinds := map[string]plan.PartitionKind{"hash": plan.ByHash, "roundRobin": plan.RoundRobin, "key": plan.ByKey}
	kind, _ := sc.constantArg(c, 0).(string)
	if kind == "external" && st.Verb.Text == "source" {
		return nil
	}
	k, known := kinds[kind]
	if !known {
		b.Add(diag.FlowRefused, c.Name.At, "kinds that run are 'hash', 'roundRobin' and 'key'", "%s: partitionBy: found kind %s, which does not run here", sc.Where, diag.Quote(kind))
		return nil
	}
	n, _ := sc.constantArg(c, 1).(int64)
	if n < 1 && k != plan.ByKey {
		b.Add(diag.FlowType, c.Name.At, "as in: partitionBy('"+kind+"', 4)", "%s: partitionBy: found no number of parts, want one from 1 on", sc.Where)
		return nil
	}
	before := len(b.Problems)
	out := &plan.Partition{Kind: k, Count: int(n)}
	for _, x := range sc.clauseValues(c)[min(2, len(c.Args.List)):] {
		if name, ok := sc.partColumn(x); ok {
			out.By = append(out.By, name)
		}
	}
	if len(out.By) == 0 && k == plan.ByKey && len(b.Problems) == before {
		b.Add(diag.FlowType, c.Name.At, "as in: partitionBy('key', 0, country)", "%s: partitionBy: found no column, want one whose values divide the rows", sc.Where)
	}
	return out
}

// partColumn is the name of a column that divides rows.
func (sc *scope) partColumn(x syntax.Expr) (string, bool) {
	e, ok := sc.Expr(x)
	if !ok {
		return "", false
	}
	ref, isColumn := e.(plan.Ref)
	if l, ok := e.(plan.Literal); ok && l.Value == nil {
		sc.b.Add(diag.FlowColumn, x.Pos(), "name a column that is there", "%s: partitionBy: found a column that is not there (DF-Executor-ColumnNotFound)", sc.Where)
		return "", false
	}
	if !isColumn {
		sc.b.Add(diag.FlowType, x.Pos(), "derive a column of it, and name that", "%s: partitionBy: found a value, want a column", sc.Where)
		return "", false
	}
	return sc.In[0].Column(ref.ID).Name, true
}

// constantArg is an argument of a group that is known before the run, nil if it is not.
func (sc *scope) constantArg(c *syntax.Clause, i int) any {
	values := sc.clauseValues(c)
	if i >= len(values) {
		return nil
	}
	e, ok := sc.Outside().Expr(values[i])
	if !ok {
		return nil
	}
	n, _ := constant.Of(e)
	return n
}
