package enginetest

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// RunRandom runs random plans over random small tables, and holds the rows
// against those of an engine that is as plain as can be.
func RunRandom(t *testing.T, runner engine.Runner) {
	t.Helper()
	rapid.Check(t, func(r *rapid.T) {
		d := &drawer{T: r, b: &builder{t: t}, arrival: map[string]bool{}}
		x := example{in: map[string]string{}}
		first, second := d.table("one"), d.table("two")
		x.in["one"], x.in["two"] = first.text, second.text
		x.plan = func(b *builder) {
			d.b = b
			d.steps()
		}
		job := x.job(t)
		plain := naive{job.Plan, map[string][]row{"one": first.rows(job, "one"), "two": second.rows(job, "two")}}
		want := plain.run()
		var got []string
		err := runner.Run(t.Context(), job, func(res engine.Result) error {
			for cells, err := range res.Rows {
				if err != nil {
					return err
				}
				got = append(got, rowText(cells))
			}
			return nil
		})
		if err != nil {
			r.Fatalf("%v\n%s\n%s", err, job.Plan, program(runner, job))
		}
		if !d.sorted {
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) {
			r.Fatalf("got\n%s\nwant\n%s\n%s\n%s\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), first.text, second.text, job.Plan, program(runner, job))
		}
	})
}

// drawn is a random table: id counts its rows.
type drawn struct {
	text  string
	cells [][]cell
}

const drawnColumns = "id int, i int, n bigint, s string, d decimal(6,2), e decimal(30,12)"

func (d drawn) rows(job engine.Job, name string) []row {
	var out []row
	for _, cells := range d.cells {
		r := row{}
		for i, c := range job.Plan.Step(name).Columns {
			r[c.ID] = cells[i]
		}
		out = append(out, r)
	}
	return out
}

// drawer draws tables, steps and expressions.
type drawer struct {
	*rapid.T
	b *builder
	// arrival says of which streams the order of rows is known.
	arrival map[string]bool
	sorted  bool
}

func (d *drawer) table(name string) drawn {
	var out drawn
	d.arrival[name] = true
	out.text = drawnColumns
	for id := range rapid.IntRange(0, 8).Draw(d.T, name) {
		cells := []cell{
			int64(id), d.maybe(rapid.SampledFrom([]int64{0, 1, 1, 2, -3, 7, 2147483647, -2147483648}).Draw(d.T, "i")),
			d.maybe(rapid.SampledFrom([]int64{0, 1, 2, -5, 9223372036854775807}).Draw(d.T, "n")),
			d.maybe(rapid.SampledFrom([]string{"a", "b", "B", "", "ä", "12", "3.7", "it's"}).Draw(d.T, "s")),
			d.maybe(d.decimal("0.00", "1.50", "1.50", "-2.25", "9999.99")),
			d.maybe(d.decimal("0", "0.333333333333", "-123456789012345678.000000000001", "2")),
		}
		var texts []string
		for i, c := range cells {
			t := declaredType(i)
			text := rowText([]engine.Value{shown(c, t)})
			texts = append(texts, text)
		}
		out.cells = append(out.cells, cells)
		out.text += "\n" + strings.Join(texts, "|")
	}
	return out
}

func declaredType(i int) schema.Type {
	return []schema.Type{
		schema.Integer, schema.Integer, schema.Long, schema.String,
		schema.Decimal{Precision: 6, Scale: 2},
		schema.Decimal{Precision: 30, Scale: 12},
	}[i]
}

func (d *drawer) decimal(texts ...string) *big.Rat {
	n, _ := new(big.Rat).SetString(rapid.SampledFrom(texts).Draw(d.T, "decimal"))
	return n
}

// maybe is a value or, at times, null.
func (d *drawer) maybe(v cell) cell {
	if rapid.IntRange(0, 4).Draw(d.T, "null") == 0 {
		return nil
	}
	return v
}

// steps adds a few steps behind the sources.
func (d *drawer) steps() {
	last := "one"
	for i := range rapid.IntRange(1, 4).Draw(d.T, "steps") {
		name := fmt.Sprintf("step%d", i+1)
		d.sorted = false
		last = d.step(name, last)
	}
}

// step adds a step and returns its name.
func (d *drawer) step(name, last string) string {
	kept := d.arrival[last]
	switch rapid.IntRange(0, 13).Draw(d.T, "step") {
	case 0:
		d.add(name, kept, plan.Filter{Keep: d.test(last)}, last)
	case 1, 2:
		set := []plan.Assignment{set(rapid.SampledFrom([]string{"x", "i", "S"}).Draw(d.T, "name"), d.expr(last, 2))}
		d.add(name, kept, plan.Derive{Set: set}, last)
	case 3:
		op := plan.Aggregate{Values: []plan.Assignment{set("f1", d.fold(last)), set("f2", d.fold(last))}}
		for i := range rapid.IntRange(0, 2).Draw(d.T, "keys") {
			op.Group = append(op.Group, set(fmt.Sprintf("k%d", i), d.column(last, nil)))
		}
		d.add(name, false, op, last)
	case 4:
		kind := rapid.SampledFrom([]plan.JoinKind{plan.Inner, plan.LeftOuter, plan.RightOuter, plan.FullOuter}).Draw(d.T, "kind")
		left := d.column(last, nil)
		right := d.column("two", left.Type())
		if right == nil {
			d.add(name, kept, plan.Filter{Keep: d.test(last)}, last)
			return name
		}
		ref, _ := right.(plan.Ref)
		ref.Input = 1
		op := rapid.SampledFrom([]plan.Operator{plan.Equal, plan.SameAs}).Draw(d.T, "on")
		d.add(name, false, plan.Join{Kind: kind, On: d.b.op(op, left, ref)}, last, "two")
	case 5:
		d.union(name, last)
	case 6:
		d.window(name, last)
	case 7:
		d.sort(name, last)
	default:
		return d.other(name, last)
	}
	return name
}

func (d *drawer) add(name string, arrival bool, op plan.Op, inputs ...string) {
	if _, err := d.b.Add(name, diag.Place{}, op, inputs...); err != nil {
		d.Fatalf("%s: %v", name, err)
	}
	d.arrival[name] = arrival
}

// union unites with the second table, or with the stream itself where their
// columns have no types in common.
func (d *drawer) union(name, last string) {
	if _, err := d.b.Add(name, diag.Place{}, plan.Union{ByName: true}, last, "two"); err == nil {
		return
	}
	d.add(name, false, plan.Union{}, last, last)
}

func (d *drawer) window(name, last string) {
	op := plan.Window{Set: []plan.Assignment{set("w", d.fold(last))}}
	fold, _ := op.Set[0].Value.(plan.Fold)
	if fold.Kind == plan.First || fold.Kind == plan.Last {
		fold = d.b.fold(plan.Count, nil)
	}
	op.Set[0].Value = fold
	for range rapid.IntRange(0, 1).Draw(d.T, "over") {
		op.Over = append(op.Over, d.column(last, nil))
	}
	for range rapid.IntRange(0, 1).Draw(d.T, "order") {
		op.Order = append(op.Order, d.order(last))
	}
	d.add(name, false, op, last)
}

// sort sorts by all columns, so that equal rows alone may change places.
func (d *drawer) sort(name, last string) {
	var keys []plan.Order
	for _, c := range d.b.Plan().Step(last).Visible() {
		keys = append(keys, plan.Order{
			By:         plan.Ref{ID: c.ID, Of: c.Type},
			Descending: rapid.Bool().Draw(d.T, "descending"), NullsFirst: rapid.Bool().Draw(d.T, "nulls first"),
		})
	}
	d.add(name, true, plan.Sort{By: rapid.Permutation(keys).Draw(d.T, "keys")}, last)
	d.sorted = true
}

func (d *drawer) order(step string) plan.Order {
	return plan.Order{
		By: d.column(step, nil), Descending: rapid.Bool().Draw(d.T, "descending"), NullsFirst: rapid.Bool().Draw(d.T, "nulls first"),
	}
}

// column refers to any column of a type, nil if there is none.
func (d *drawer) column(step string, t schema.Type) plan.Expr {
	var found []plan.Expr
	for _, c := range d.b.Plan().Step(step).Visible() {
		if t == nil || plan.Same(c.Type, t) {
			found = append(found, plan.Ref{ID: c.ID, Of: c.Type})
		}
	}
	if len(found) == 0 {
		return nil
	}
	return rapid.SampledFrom(found).Draw(d.T, "column")
}

// fold draws an aggregate that the stream has an argument for.
func (d *drawer) fold(step string) plan.Expr {
	kinds := []plan.FoldKind{plan.Count, plan.Sum, plan.Min, plan.Max, plan.Average}
	if d.arrival[step] {
		kinds = append(kinds, plan.First, plan.Last)
	}
	kind := rapid.SampledFrom(kinds).Draw(d.T, "fold")
	arg := d.column(step, nil)
	_, decimal := arg.Type().(schema.Decimal)
	if kind == plan.Average && !decimal || kind == plan.Sum && !plan.Numeric(arg.Type()) {
		kind = plan.Count
	}
	fold := d.b.fold(kind, arg)
	fold.IgnoreNulls = (kind == plan.First || kind == plan.Last) && rapid.Bool().Draw(d.T, "ignore nulls")
	return fold
}

// test draws a condition.
func (d *drawer) test(step string) plan.Expr {
	a := d.column(step, nil)
	if a.Type() == schema.Boolean {
		return a
	}
	b := d.column(step, a.Type())
	op := rapid.SampledFrom([]plan.Operator{plan.Equal, plan.NotEqual, plan.Less, plan.GreaterEqual, plan.SameAs}).Draw(d.T, "test")
	e := d.b.op(op, a, b)
	switch rapid.IntRange(0, 3).Draw(d.T, "around") {
	case 0:
		return d.b.op(plan.Not, e)
	case 1:
		return d.b.op(plan.Or, e, d.b.op(plan.IsNull, d.column(step, nil)))
	case 2:
		return d.b.op(plan.And, e, d.b.op(plan.Not, d.b.op(plan.IsNull, d.column(step, nil))))
	}
	return e
}

// expr draws a value.
func (d *drawer) expr(step string, depth int) plan.Expr {
	a := d.column(step, nil)
	if depth == 0 {
		return a
	}
	switch rapid.IntRange(0, 3).Draw(d.T, "expr") {
	case 0:
		then := d.expr(step, depth-1)
		return plan.Case{Whens: []plan.When{{If: d.test(step), Then: then}}, Else: d.column(step, then.Type()), Of: then.Type()}
	case 1:
		b := d.column(step, a.Type())
		return d.b.op(plan.Coalesce, a, b)
	case 2:
		if !plan.Integral(a.Type()) {
			break
		}
		to := rapid.SampledFrom([]schema.Type{schema.String, schema.Integer, schema.Decimal{Precision: 8, Scale: 3}}).Draw(d.T, "to")
		return plan.To(a, to)
	}
	return d.arithmetic(a, d.expr(step, depth-1))
}

func (d *drawer) arithmetic(a, b plan.Expr) plan.Expr {
	if a.Type() == schema.String && b.Type() == schema.String {
		return d.b.op(plan.Concat, a, b)
	}
	if !plan.Numeric(a.Type()) || !plan.Numeric(b.Type()) {
		return a
	}
	ops := []plan.Operator{plan.Add, plan.Subtract, plan.Multiply, plan.IntDivide, plan.Modulo}
	if !plan.Integral(a.Type()) || !plan.Integral(b.Type()) {
		ops = append(ops, plan.Divide)
	}
	return d.b.op(rapid.SampledFrom(ops).Draw(d.T, "operator"), a, b)
}
