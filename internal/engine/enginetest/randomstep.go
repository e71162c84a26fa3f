package enginetest

import (
	"fmt"

	"pgregory.net/rapid"

	"landfall/internal/plan"
	"landfall/internal/schema"
)

// other adds a step of those that change the shape of rows, or look at others, and
// returns its name.
func (d *drawer) other(name, last string) string {
	kept := d.arrival[last]
	switch rapid.IntRange(0, 9).Draw(d.T, "other") {
	case 0:
		d.add(name, false, plan.Rank{Order: []plan.Order{d.order(last)}, Name: name + "r", Dense: rapid.Bool().Draw(d.T, "dense")}, last)
	case 1:
		if !kept {
			d.add(name, kept, plan.Alias{}, last)
			break
		}
		d.add(name, true, plan.Key{Name: name + "n", Start: rapid.Int64Range(-2, 2).Draw(d.T, "start"), Step: rapid.Int64Range(1, 3).Draw(d.T, "step")}, last)
	case 2:
		d.cast(name, last)
	case 3:
		rule := plan.Rule{ID: "r", On: d.test(last), IgnoreNulls: rapid.Bool().Draw(d.T, "ignore nulls")}
		d.add(name, kept, plan.Assert{Rules: []plan.Rule{rule}, Errors: "errors"}, last)
	case 4:
		return d.split(name, last)
	case 5, 6:
		return d.match(name, last)
	case 7:
		d.flatten(name, last)
	case 8:
		d.unpivot(name, last)
	default:
		d.pivot(name, last)
	}
	return name
}

func (d *drawer) cast(name, last string) {
	from, _ := d.column(last, nil).(plan.Ref)
	types := []schema.Type{schema.Integer, schema.Long, schema.Decimal{Precision: 8, Scale: 3}}
	switch {
	case from.Of == schema.Boolean:
		types = []schema.Type{schema.Boolean}
	case from.Of == schema.String || plan.Integral(from.Of):
		types = append(types, schema.String)
	}
	to := rapid.SampledFrom(types).Draw(d.T, "to")
	d.add(name, d.arrival[last], plan.Cast{Columns: []plan.Conversion{{Column: from.ID, To: to}}, Errors: rapid.SampledFrom([]string{"", "errors"}).Draw(d.T, "errors")}, last)
}

func (d *drawer) split(name, last string) string {
	op := plan.Split{Conditions: []plan.Expr{d.test(last), d.test(last)}, All: rapid.Bool().Draw(d.T, "all"), Outputs: []string{"a", "b", "c"}}
	d.add(name, d.arrival[last], op, last)
	number := rapid.IntRange(0, 2).Draw(d.T, "output")
	out := name + "@" + op.Outputs[number]
	for i, o := range op.Outputs {
		d.add(name+"@"+o, d.arrival[last], plan.Output{Number: i}, name)
	}
	// The last step is the one that is run.
	d.add(name+"out", d.arrival[last], plan.Alias{}, out)
	return name + "out"
}

// match looks rows up in the second table, or asks whether there are any.
func (d *drawer) match(name, last string) string {
	left := d.column(last, nil)
	right, _ := d.column("two", left.Type()).(plan.Ref)
	if right.ID == 0 {
		d.add(name, d.arrival[last], plan.Alias{}, last)
		return name
	}
	right.Input = 1
	on := d.b.op(rapid.SampledFrom([]plan.Operator{plan.Equal, plan.SameAs, plan.Less}).Draw(d.T, "on"), left, right)
	if rapid.Bool().Draw(d.T, "exists") {
		d.add(name, false, plan.Exists{On: on, Negate: rapid.Bool().Draw(d.T, "negate")}, last, "two")
		return name
	}
	op := plan.Lookup{On: on, Pick: rapid.SampledFrom([]plan.Pick{plan.PickAll, plan.PickAny, plan.PickFirst, plan.PickLast}).Draw(d.T, "pick")}
	if op.Pick == plan.PickFirst || op.Pick == plan.PickLast {
		order := d.order("two")
		by, _ := order.By.(plan.Ref)
		by.Input = 1
		order.By = by
		op.Order = []plan.Order{order}
	}
	d.add(name, false, op, last, "two")
	return name
}

// flatten makes rows of an array of two columns, which is null where a test fails.
func (d *drawer) flatten(name, last string) {
	a := d.column(last, nil)
	array := schema.Array{Element: a.Type(), ContainsNull: true}
	items := plan.Case{Whens: []plan.When{{If: d.test(last), Then: plan.Items{Values: []plan.Expr{a, d.column(last, a.Type())}, Of: array}}}, Of: array}
	op := plan.Flatten{Unroll: []plan.Unroll{{Of: items, Bind: "item", Required: rapid.Bool().Draw(d.T, "required")}}}
	for i, c := range d.b.Plan().Step(last).Visible() {
		op.Take = append(op.Take, set(fmt.Sprintf("%s_%d", name, i), plan.Ref{ID: c.ID, Of: c.Type}))
	}
	op.Take = append(op.Take, set(name+"item", plan.Local{Name: "item", Of: a.Type()}))
	d.add(name, false, op, last)
}

// unpivot makes rows of all columns of a type.
func (d *drawer) unpivot(name, last string) {
	typ := d.column(last, nil).Type()
	op := plan.Unpivot{Key: name + "k", Value: name + "v", KeyType: schema.String, ValueType: typ, IgnoreNullValues: rapid.Bool().Draw(d.T, "ignore nulls")}
	for _, c := range d.b.Plan().Step(last).Visible() {
		if plan.Same(c.Type, typ) {
			op.Columns = append(op.Columns, c.ID)
		} else {
			op.Keep = append(op.Keep, c.ID)
		}
	}
	d.add(name, false, op, last)
}

// pivot makes columns of some values of a key.
func (d *drawer) pivot(name, last string) {
	key := d.column(last, schema.Integer)
	values := []any{int64(1), int64(2), nil}
	if key == nil {
		if key = d.column(last, schema.String); key == nil {
			d.add(name, d.arrival[last], plan.Alias{}, last)
			return
		}
		values = []any{"a", "", nil}
	}
	op := plan.Pivot{Key: key, Lateral: rapid.Bool().Draw(d.T, "lateral"), Group: []plan.Assignment{set(name+"g", d.column(last, nil))}}
	for range rapid.IntRange(1, 2).Draw(d.T, "aggregates") {
		op.Aggregates = append(op.Aggregates, d.fold(last))
	}
	for i, v := range values[:rapid.IntRange(1, 3).Draw(d.T, "values")] {
		value := plan.PivotValue{Value: plan.Literal{Value: v, Of: key.Type()}}
		for a := range op.Aggregates {
			value.Columns = append(value.Columns, fmt.Sprintf("%s_%d_%d", name, i, a))
		}
		op.Values = append(op.Values, value)
	}
	d.add(name, false, op, last)
}
