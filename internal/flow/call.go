package flow

import (
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// derive binds derived columns; unfold in one of them makes rows.
func (sc *scope) derive(st *syntax.Statement) plan.Op {
	var unfolds []plan.Unroll
	sc.Unfolds = &unfolds
	set := sc.set(st)
	if len(unfolds) == 0 {
		return plan.Derive{Set: set}
	}
	op := plan.Flatten{Unroll: unfolds}
	used := map[string]bool{}
	for _, c := range sc.In[0].Columns {
		one := plan.Assignment{Name: c.Name, Value: plan.Ref{ID: c.ID, Of: c.Type}, Hidden: c.Hidden}
		for _, a := range set {
			if !c.Hidden && schema.Fold(a.Name) == schema.Fold(c.Name) {
				one, used[a.Name] = a, true
			}
		}
		op.Take = append(op.Take, one)
	}
	for _, a := range set {
		if !used[a.Name] {
			op.Take = append(op.Take, a)
		}
	}
	return op
}
