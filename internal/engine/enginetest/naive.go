package enginetest

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/engine"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// cell is a value of the naive engine: nil, bool, int64, string, or *big.Rat
// of a decimal.
type cell = any

// row holds the values of one row by the ids of the columns.
type row map[plan.ID]cell

// naive runs plans of a few kinds of steps in the plainest way there is, on
// integers, text, decimals and booleans.
type naive struct {
	plan *plan.Plan
	rows map[string][]row
}

// run returns the rows of the last step as texts.
func (n *naive) run() []string {
	var last *plan.Step
	for i := range n.plan.Steps {
		last = &n.plan.Steps[i]
		if _, source := last.Op.(plan.Source); !source {
			n.rows[last.Name] = n.step(last)
		}
	}
	var out []string
	for _, r := range n.rows[last.Name] {
		var texts []engine.Value
		for _, c := range last.Visible() {
			texts = append(texts, shown(r[c.ID], c.Type))
		}
		out = append(out, rowText(texts))
	}
	return out
}

func shown(v cell, t schema.Type) engine.Value {
	if r, ok := v.(*big.Rat); ok {
		d, _ := t.(schema.Decimal)
		return engine.Number(r.FloatString(d.Scale))
	}
	return v
}

func (n *naive) step(s *plan.Step) []row {
	in := n.rows[s.Inputs[0]]
	switch op := s.Op.(type) {
	case plan.Filter:
		var out []row
		for _, r := range in {
			if eval(op.Keep, r) == true {
				out = append(out, n.passed(s, r))
			}
		}
		return out
	case plan.Derive:
		var out []row
		for _, r := range in {
			next := n.passed(s, r)
			n.assign(s, op.Set, next, func(e plan.Expr) cell { return eval(e, r) })
			out = append(out, next)
		}
		return out
	case plan.Sort:
		sorted := slices.Clone(in)
		slices.SortStableFunc(sorted, func(a, b row) int { return byOrder(op.By, a, b) })
		var out []row
		for _, r := range sorted {
			out = append(out, n.passed(s, r))
		}
		return out
	case plan.Aggregate:
		return n.aggregate(s, op, in)
	case plan.Join:
		return n.join(s, op)
	case plan.Union:
		return n.union(s)
	case plan.Window:
		return n.window(s, op, in)
	case plan.Alias:
		return n.each(s, in, func(_, _ row) {})
	}
	return n.more(s, in)
}

// passed copies what a step keeps of a row.
func (n *naive) passed(s *plan.Step, r row) row {
	out := row{}
	for _, c := range s.Columns {
		for _, from := range c.From {
			if v, ok := r[from]; ok && c.Change != plan.Added && c.Change != plan.Changed {
				out[c.ID] = v
			}
		}
	}
	return out
}

func (n *naive) assign(s *plan.Step, list []plan.Assignment, to row, value func(plan.Expr) cell) {
	for _, a := range list {
		for _, c := range s.Columns {
			if c.Name == a.Name && (c.Change == plan.Added || c.Change == plan.Changed) {
				to[c.ID] = value(a.Value)
			}
		}
	}
}

func (n *naive) aggregate(s *plan.Step, op plan.Aggregate, in []row) []row {
	var keys []string
	groups := map[string][]row{}
	for _, r := range in {
		key := ""
		for _, g := range op.Group {
			key += fmt.Sprintf("%v|", token(eval(g.Value, r)))
		}
		if groups[key] == nil {
			keys = append(keys, key)
		}
		groups[key] = append(groups[key], r)
	}
	if len(op.Group) == 0 && len(in) == 0 {
		keys = []string{""}
	}
	var out []row
	for _, key := range keys {
		next := row{}
		for i, g := range op.Group {
			next[s.Columns[i].ID] = eval(g.Value, groups[key][0])
		}
		for i, v := range op.Values {
			fold, _ := v.Value.(plan.Fold)
			next[s.Columns[len(op.Group)+i].ID] = folded(fold, groups[key])
		}
		out = append(out, next)
	}
	return out
}

func token(v cell) string {
	if r, ok := v.(*big.Rat); ok {
		return r.RatString()
	}
	return fmt.Sprintf("%T%v", v, v)
}

func (n *naive) join(s *plan.Step, op plan.Join) []row {
	left, right := n.rows[s.Inputs[0]], n.rows[s.Inputs[1]]
	width := len(n.plan.Step(s.Inputs[0]).Columns)
	pair := func(l, r row) row {
		out := row{}
		for i, c := range s.Columns {
			if from := l; i >= width {
				out[c.ID] = r[c.From[0]]
			} else {
				out[c.ID] = from[c.From[0]]
			}
		}
		return out
	}
	var out []row
	used := map[int]bool{}
	for _, l := range left {
		matched := false
		for i, r := range right {
			if evalBoth(op.On, l, r) == true {
				out = append(out, pair(l, r))
				matched, used[i] = true, true
			}
		}
		if !matched && (op.Kind == plan.LeftOuter || op.Kind == plan.FullOuter) {
			out = append(out, pair(l, row{}))
		}
	}
	for i, r := range right {
		if !used[i] && (op.Kind == plan.RightOuter || op.Kind == plan.FullOuter) {
			out = append(out, pair(row{}, r))
		}
	}
	return out
}

func (n *naive) union(s *plan.Step) []row {
	var out []row
	for _, name := range s.Inputs {
		for _, r := range n.rows[name] {
			next := row{}
			for _, c := range s.Columns {
				for _, from := range c.From {
					if v, ok := r[from]; ok {
						next[c.ID] = convert(v, c.Type)
					}
				}
			}
			out = append(out, next)
		}
	}
	return out
}

func (n *naive) window(s *plan.Step, op plan.Window, in []row) []row {
	same := func(a, b row) bool {
		return !slices.ContainsFunc(op.Over, func(e plan.Expr) bool { return token(eval(e, a)) != token(eval(e, b)) })
	}
	var out []row
	for _, r := range in {
		group := slices.DeleteFunc(slices.Clone(in), func(o row) bool { return !same(r, o) })
		slices.SortStableFunc(group, func(a, b row) int { return byOrder(op.Order, a, b) })
		if len(op.Order) > 0 && op.Frame == nil {
			group = slices.DeleteFunc(group, func(o row) bool { return byOrder(op.Order, o, r) > 0 })
		}
		if f := op.Frame; f != nil {
			at := slices.IndexFunc(group, func(o row) bool { return byOrder(op.Order, o, r) == 0 })
			group = group[max(0, at+int(f.Start.Rows)):min(len(group), at+int(f.End.Rows)+1)]
		}
		next := n.passed(s, r)
		n.assign(s, op.Set, next, func(e plan.Expr) cell {
			fold, _ := e.(plan.Fold)
			return folded(fold, group)
		})
		out = append(out, next)
	}
	return out
}

// byOrder compares two rows by keys.
func byOrder(keys []plan.Order, a, b row) int {
	for _, k := range keys {
		x, y := eval(k.By, a), eval(k.By, b)
		c := 0
		switch {
		case x == nil && y == nil:
			continue
		case x == nil || y == nil:
			if c = 1; (x == nil) == k.NullsFirst {
				c = -1
			}
			return c
		default:
			c = compare(x, y)
		}
		if k.Descending {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func compare(a, b cell) int {
	switch a := a.(type) {
	case int64:
		b, _ := b.(int64)
		return cmp.Compare(a, b)
	case string:
		b, _ := b.(string)
		return strings.Compare(a, b)
	case *big.Rat:
		b, _ := b.(*big.Rat)
		return a.Cmp(b)
	case bool:
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	}
	panic(fmt.Sprintf("naive: %T", a))
}

// folded is an aggregate of rows.
func folded(f plan.Fold, rows []row) cell {
	var values []cell
	for _, r := range rows {
		v := cell(int64(1))
		if f.Arg != nil {
			v = eval(f.Arg, r)
		}
		if v != nil || !f.IgnoreNulls && (f.Kind == plan.First || f.Kind == plan.Last) {
			values = append(values, v)
		}
	}
	if f.Kind == plan.Count {
		return int64(len(values))
	}
	if len(values) == 0 {
		return nil
	}
	switch f.Kind {
	case plan.First:
		return values[0]
	case plan.Last:
		return values[len(values)-1]
	case plan.Min:
		return slices.MinFunc(values, compare)
	case plan.Max:
		return slices.MaxFunc(values, compare)
	}
	sum := new(big.Rat)
	for _, v := range values {
		sum.Add(sum, rational(v))
	}
	if f.Kind == plan.Average {
		sum.Quo(sum, new(big.Rat).SetInt64(int64(len(values))))
	}
	return fitted(sum, f.Of)
}

func rational(v cell) *big.Rat {
	switch v := v.(type) {
	case int64:
		return new(big.Rat).SetInt64(v)
	case *big.Rat:
		return v
	}
	panic(fmt.Sprintf("naive: %T", v))
}

// fitted rounds a number half away from zero to the digits of a type; nil if it
// does not fit.
func fitted(n *big.Rat, t schema.Type) cell {
	if d, ok := t.(schema.Decimal); ok {
		out, _ := new(big.Rat).SetString(n.FloatString(d.Scale))
		limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Precision-d.Scale)), nil))
		if new(big.Rat).Abs(out).Cmp(limit) >= 0 {
			return nil
		}
		return out
	}
	bits := map[schema.Type]int{schema.Integer: 32, schema.Long: 64}[t]
	if !n.Num().IsInt64() || bits == 0 {
		return nil
	}
	v := n.Num().Int64()
	if v>>(bits-1) != v>>63 {
		return nil
	}
	return v
}

func eval(e plan.Expr, r row) cell { return evalBoth(e, r, nil) }

// evalBoth is the value of an expression over rows of two inputs.
func evalBoth(e plan.Expr, l, r row) cell {
	switch e := e.(type) {
	case plan.Literal:
		if d, ok := e.Of.(schema.Decimal); ok && e.Value != nil {
			text, _ := e.Value.(string)
			return convert(text, d)
		}
		return e.Value
	case plan.Ref:
		if e.Input == 1 {
			return r[e.ID]
		}
		return l[e.ID]
	case plan.Convert:
		return convert(evalBoth(e.From, l, r), e.To)
	case plan.Case:
		for _, w := range e.Whens {
			if evalBoth(w.If, l, r) == true {
				return evalBoth(w.Then, l, r)
			}
		}
		if e.Else == nil {
			return nil
		}
		return evalBoth(e.Else, l, r)
	case plan.Items:
		items := make([]cell, len(e.Values))
		for i, v := range e.Values {
			items[i] = evalBoth(v, l, r)
		}
		return items
	case plan.Operation:
		args := make([]cell, len(e.Args))
		for i, a := range e.Args {
			args[i] = evalBoth(a, l, r)
		}
		return operate(e, args)
	}
	panic(fmt.Sprintf("naive: %T", e))
}

func convert(v cell, t schema.Type) cell {
	switch v := v.(type) {
	case int64:
		if t == schema.String {
			return strconv.FormatInt(v, 10)
		}
		return fitted(rational(v), t)
	case *big.Rat:
		if t == schema.Integer || t == schema.Long {
			return fitted(new(big.Rat).SetInt(new(big.Int).Quo(v.Num(), v.Denom())), t)
		}
		return fitted(v, t)
	case string:
		if t == schema.String {
			return v
		}
		n, ok := new(big.Rat).SetString(strings.TrimSpace(v))
		if _, decimal := t.(schema.Decimal); !ok || strings.Contains(v, "/") || !decimal && strings.Contains(v, ".") {
			return nil
		}
		return fitted(n, t)
	}
	return v
}

// operate applies an operator.
func operate(e plan.Operation, args []cell) cell {
	switch e.Op {
	case plan.IsNull:
		return args[0] == nil
	case plan.Coalesce:
		for _, a := range args {
			if a != nil {
				return a
			}
		}
		return nil
	case plan.SameAs:
		return token(args[0]) == token(args[1])
	case plan.And, plan.Or:
		decides := e.Op == plan.Or
		if slices.Contains(args, cell(decides)) {
			return decides
		}
		if slices.Contains(args, nil) {
			return nil
		}
		return !decides
	}
	if slices.Contains(args, nil) {
		return nil
	}
	switch e.Op {
	case plan.Not:
		return args[0] != true
	case plan.Concat:
		return fmt.Sprint(args[0], args[1])
	case plan.Equal:
		return compare(args[0], args[1]) == 0
	case plan.NotEqual:
		return compare(args[0], args[1]) != 0
	case plan.Less:
		return compare(args[0], args[1]) < 0
	case plan.GreaterEqual:
		return compare(args[0], args[1]) >= 0
	}
	return compute(e, rational(args[0]), rational(args[1]))
}

func compute(e plan.Operation, x, y *big.Rat) cell {
	out := new(big.Rat)
	switch e.Op {
	case plan.Add:
		return fitted(out.Add(x, y), e.Of)
	case plan.Subtract:
		return fitted(out.Sub(x, y), e.Of)
	case plan.Multiply:
		return fitted(out.Mul(x, y), e.Of)
	}
	if y.Sign() == 0 {
		return nil
	}
	out.Quo(x, y)
	if e.Op == plan.Divide {
		return fitted(out, e.Of)
	}
	out.SetInt(new(big.Int).Quo(out.Num(), out.Denom()))
	if e.Op == plan.Modulo {
		out.Sub(x, out.Mul(out, y))
	}
	return fitted(out, e.Of)
}
