package enginetest

import (
	"fmt"
	"slices"

	"landfall/internal/plan"
)

// more runs the steps that change the shape of rows, or look at others.
func (n *naive) more(s *plan.Step, in []row) []row {
	switch op := s.Op.(type) {
	case plan.Rank:
		return n.each(s, in, func(r, next row) {
			place := int64(1)
			before := map[string]bool{}
			for _, o := range in {
				if c := byOrder(op.Order, o, r); c < 0 && op.Dense {
					before[token(eval(op.Order[0].By, o))] = true
				} else if c < 0 {
					place++
				}
			}
			n.assign(s, []plan.Assignment{{Name: op.Name}}, next, func(plan.Expr) cell { return place + int64(len(before)) })
		})
	case plan.Key:
		at := op.Start - op.Step
		return n.each(s, in, func(_, next row) {
			at += op.Step
			n.assign(s, []plan.Assignment{{Name: op.Name}}, next, func(plan.Expr) cell { return at })
		})
	case plan.Cast:
		return n.each(s, in, func(r, next row) {
			for _, c := range op.Columns {
				i := slices.IndexFunc(s.Columns, func(out plan.Column) bool { return len(out.From) > 0 && out.From[0] == c.Column })
				next[s.Columns[i].ID] = nil
				if v := r[c.Column]; v != nil {
					next[s.Columns[i].ID] = convert(v, c.To)
				}
			}
		})
	case plan.Assert, plan.Split:
		return n.each(s, in, func(_, _ row) {})
	case plan.Output:
		return n.output(s, op, in)
	case plan.Exists:
		return n.kept(s, in, func(r row) bool {
			return op.Negate != slices.ContainsFunc(n.rows[s.Inputs[1]], func(o row) bool { return evalBoth(op.On, r, o) == true })
		})
	case plan.Lookup:
		return n.lookup(s, op, in)
	case plan.Flatten:
		return n.flatten(s, op, in)
	case plan.Unpivot:
		return n.unpivot(s, op, in)
	case plan.Pivot:
		return n.pivot(s, op, in)
	}
	panic(fmt.Sprintf("naive: %T", s.Op))
}

// each hands all rows on, changed.
func (n *naive) each(s *plan.Step, in []row, change func(r, next row)) []row {
	var out []row
	for _, r := range in {
		next := n.passed(s, r)
		change(r, next)
		out = append(out, next)
	}
	return out
}

// kept hands some rows on.
func (n *naive) kept(s *plan.Step, in []row, keep func(row) bool) []row {
	var out []row
	for _, r := range in {
		if keep(r) {
			out = append(out, n.passed(s, r))
		}
	}
	return out
}

// output is the rows of a split that none of the outputs before takes. The conditions
// speak of what the split reads.
func (n *naive) output(s *plan.Step, op plan.Output, in []row) []row {
	split := n.plan.Step(s.Inputs[0])
	what, _ := split.Op.(plan.Split)
	read := n.rows[split.Inputs[0]]
	var out []row
	for i, r := range in {
		met := func(e plan.Expr) bool { return eval(e, read[i]) == true }
		first := slices.IndexFunc(what.Conditions, met)
		if first < 0 {
			first = len(what.Conditions)
		}
		if first == op.Number || what.All && op.Number < len(what.Conditions) && met(what.Conditions[op.Number]) {
			out = append(out, n.passed(s, r))
		}
	}
	return out
}

func (n *naive) lookup(s *plan.Step, op plan.Lookup, in []row) []row {
	width := len(n.plan.Step(s.Inputs[0]).Columns)
	var out []row
	for _, l := range in {
		var found []row
		for _, r := range n.rows[s.Inputs[1]] {
			if evalBoth(op.On, l, r) == true {
				found = append(found, r)
			}
		}
		order := slices.Clone(op.Order)
		for i := range order {
			if op.Pick == plan.PickLast {
				order[i].Descending, order[i].NullsFirst = !order[i].Descending, !order[i].NullsFirst
			}
			ref, _ := order[i].By.(plan.Ref)
			order[i].By = plan.Ref{ID: ref.ID, Of: ref.Of}
		}
		slices.SortStableFunc(found, func(a, b row) int { return byOrder(order, a, b) })
		if len(found) == 0 {
			found = []row{{}}
		}
		if op.Pick != plan.PickAll {
			found = found[:1]
		}
		for _, r := range found {
			next := row{}
			for i, c := range s.Columns {
				if from := l; i < width {
					next[c.ID] = from[c.From[0]]
				} else {
					next[c.ID] = r[c.From[0]]
				}
			}
			out = append(out, next)
		}
	}
	return out
}

// flatten unrolls one array of constants and columns.
func (n *naive) flatten(s *plan.Step, op plan.Flatten, in []row) []row {
	var out []row
	for _, r := range in {
		items, _ := eval(op.Unroll[0].Of, r).([]cell)
		if len(items) == 0 && !op.Unroll[0].Required {
			items = []cell{nil}
		}
		for _, item := range items {
			next := row{}
			for i, a := range op.Take {
				if _, local := a.Value.(plan.Local); local {
					next[s.Columns[i].ID] = item
				} else {
					next[s.Columns[i].ID] = eval(a.Value, r)
				}
			}
			out = append(out, next)
		}
	}
	return out
}

func (n *naive) unpivot(s *plan.Step, op plan.Unpivot, in []row) []row {
	from := n.plan.Step(s.Inputs[0])
	var out []row
	for _, r := range in {
		for _, id := range op.Columns {
			if op.IgnoreNullValues && r[id] == nil {
				continue
			}
			next := row{}
			for i, keep := range op.Keep {
				next[s.Columns[i].ID] = r[keep]
			}
			next[s.Columns[len(op.Keep)].ID] = from.Column(id).Name
			next[s.Columns[len(op.Keep)+1].ID] = r[id]
			out = append(out, next)
		}
	}
	return out
}

func (n *naive) pivot(s *plan.Step, op plan.Pivot, in []row) []row {
	var keys []string
	groups := map[string][]row{}
	for _, r := range in {
		key := ""
		for _, g := range op.Group {
			key += token(eval(g.Value, r)) + "|"
		}
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], r)
	}
	var out []row
	for _, key := range keys {
		next := row{}
		for i, g := range op.Group {
			next[s.Columns[i].ID] = eval(g.Value, groups[key][0])
		}
		for v, value := range op.Values {
			rows := slices.DeleteFunc(slices.Clone(groups[key]), func(r row) bool { return token(eval(op.Key, r)) != token(value.Value.Value) })
			for a, aggregate := range op.Aggregates {
				at := a*len(op.Values) + v
				if op.Lateral {
					at = v*len(op.Aggregates) + a
				}
				fold, _ := aggregate.(plan.Fold)
				if len(rows) > 0 {
					next[s.Columns[len(op.Group)+at].ID] = folded(fold, rows)
				}
			}
		}
		out = append(out, next)
	}
	return out
}
