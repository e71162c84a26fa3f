package flow

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// mostPivoted is how many values a pivot makes columns of when it lists none, as in Spark.
const mostPivoted = 10_000

// pivot binds a pivot; where the script lists no values the data tells which there are.
func (sc *scope) pivot(st *syntax.Statement) plan.Op {
	op := plan.Pivot{Lateral: sc.flag(st, "lateral"), Group: sc.groups(st)}
	key, by, ok := sc.pivotKey(st)
	if !ok {
		return nil
	}
	op.Key = key
	values, ok := sc.listed(by, key.Type())
	if len(by) == 0 {
		values, ok = sc.met(st, key)
		op.Drifted = true
	}
	gathers := *sc
	gathers.Gathers = true
	aggregates := gathers.set(st)
	if !ok {
		return nil
	}
	naming, given := sc.textOption(st, "columnNaming")
	if !given {
		naming = "$N$V"
	}
	names := map[string]bool{}
	for _, a := range aggregates {
		op.Aggregates = append(op.Aggregates, a.Value)
	}
	for _, v := range values {
		one := plan.PivotValue{Value: v.literal}
		for _, a := range aggregates {
			name := strings.NewReplacer("$N", a.Name, "$V", v.text).Replace(naming)
			if names[schema.Fold(name)] {
				sc.b.Add(diag.FlowInput, st.Verb.At, "put both into the name: columnNaming: '$V_$N'", "%s: found two columns %s, want a name for each value and aggregate", sc.Where, diag.Quote(name))
				return nil
			}
			names[schema.Fold(name)] = true
			one.Columns = append(one.Columns, name)
		}
		op.Values = append(op.Values, one)
	}
	return op
}

// pivotKey is the key of a pivot, and the expressions of its values.
func (sc *scope) pivotKey(st *syntax.Statement) (key plan.Expr, values []syntax.Expr, ok bool) {
	c := clauseOf(st, "pivotBy")
	if c == nil || len(c.Args.List) < 1 || len(c.Args.List) > 2 {
		sc.b.Add(diag.FlowSyntax, st.Verb.At, "as in: pivotBy(country, ['GB', 'FR'])", "%s: found no key, want a column and perhaps an array of its values", sc.Where)
		return nil, nil, false
	}
	first := c.Args.List[0]
	switch n := first.Node.(type) {
	case *syntax.Value:
		key, ok = sc.Expr(n.X)
	case *syntax.Assign:
		key, ok = sc.Expr(n.Value)
	default:
		sc.Odd(first)
	}
	rest := sc.clauseValues(&syntax.Clause{Args: syntax.Args{List: c.Args.List[1:]}})
	return key, rest, ok && len(rest) == len(c.Args.List)-1
}

// pivoted is a value of a pivot's key, and what stands for it in names.
type pivoted struct {
	literal plan.Literal
	text    string
}

// listed are the values that a script lists: in an array, or in a parameter.
func (sc *scope) listed(by []syntax.Expr, of schema.Type) ([]pivoted, bool) {
	if len(by) == 0 {
		return nil, true
	}
	e, ok := sc.Outside().Expr(by[0])
	if !ok {
		return nil, false
	}
	items, ok := e.(plan.Items)
	if !ok {
		sc.b.Add(diag.FlowType, by[0].Pos(), "list them, as in: ['GB', 'FR']", "%s: found %s, want the values of the key in an array", sc.Where, e.Type())
		return nil, false
	}
	var out []pivoted
	for _, x := range items.Values {
		v, ok := keyValue(x, of)
		if !ok {
			sc.b.Add(diag.FlowType, by[0].Pos(), "write constants of the key's type, "+of.String(), "%s: found a value of %s, want one of the key, %s", sc.Where, x.Type(), of)
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// keyValue is a constant as a value of a pivot's key.
func keyValue(e plan.Expr, of schema.Type) (pivoted, bool) {
	if call, ok := e.(plan.Call); ok && len(call.Args) == 1 && plan.Same(call.Of, of) {
		if text, ok := constant.Text(call.Args[0]); ok {
			return parsed(text, of)
		}
	}
	v, ok := constant.Of(e)
	switch {
	case !ok:
		return pivoted{}, false
	case v == nil:
		return pivoted{plan.Literal{Of: of}, "null"}, true
	case plan.Same(e.Type(), of):
		text, _ := v.(string)
		if of != schema.String {
			text = plan.Literal{Value: v, Of: of}.String()
		}
		return pivoted{plan.Literal{Value: v, Of: of}, text}, true
	}
	if n, whole := v.(int64); whole {
		return parsed(strconv.FormatInt(n, 10), of)
	}
	return pivoted{}, false
}

// parsed is a text as a value of a type.
func parsed(text string, of schema.Type) (pivoted, bool) {
	var v any
	var err error
	_, decimal := of.(schema.Decimal)
	switch {
	case of == schema.String || decimal:
		v = text
	case of == schema.Boolean:
		v, err = strconv.ParseBool(text)
	case plan.Integral(of):
		v, err = strconv.ParseInt(text, 10, 64)
	case of == schema.Float || of == schema.Double:
		v, err = strconv.ParseFloat(text, 64)
	case of == schema.Date:
		v, err = time.Parse(time.DateOnly, text)
	case of == schema.Timestamp || of == schema.TimestampNTZ:
		v, err = time.Parse(time.DateTime, text)
	default:
		err = errors.ErrUnsupported
	}
	return pivoted{plan.Literal{Value: v, Of: of}, text}, err == nil
}

// met are the values of the key in the data, in order, those that are not null. The
// first time nobody knows them: then the plan says how to find out.
func (sc *scope) met(st *syntax.Statement, key plan.Expr) ([]pivoted, bool) {
	name := st.Output.Text
	texts, known := sc.b.options.Values[name]
	if !known {
		sc.askKeys(st, key)
		return nil, false
	}
	if len(texts) > mostPivoted {
		sc.b.Add(diag.FlowInput, st.Verb.At, "list the values that are wanted: pivotBy(key, ['a', 'b'])", "%s: found %d values of the key, want at most %d", sc.Where, len(texts), mostPivoted)
		return nil, false
	}
	var out []pivoted
	for _, text := range texts {
		v, ok := parsed(text, key.Type())
		if !ok {
			sc.b.Add(diag.FlowType, st.Verb.At, "pivot by a text: pivotBy(toString(key))", "%s: found a key of %s, want one of text, numbers or dates", sc.Where, key.Type())
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// askKeys adds the steps that find the values of a key.
func (sc *scope) askKeys(st *syntax.Statement, key plan.Expr) {
	name, at := st.Output.Text, sc.b.File.Place(st.At)
	inputs, step := sc.inputs(), sc.In[0]
	add := func(suffix string, op plan.Op) bool {
		made, err := sc.b.Builder.Add(name+"@"+suffix, at, op, inputs...)
		if err != nil {
			sc.unfit(st, err)
			return false
		}
		step, inputs = made, []string{made.Name}
		return true
	}
	found := func() plan.Expr { return plan.Ref{ID: step.Columns[0].ID, Of: step.Columns[0].Type} }
	if !add("keys", plan.Aggregate{Group: []plan.Assignment{{Name: "key", Value: key}}}) {
		return
	}
	there := plan.Operation{Op: plan.IsNull, Args: []plan.Expr{found()}, Of: schema.Boolean}
	if !add("there", plan.Filter{Keep: plan.Operation{Op: plan.Not, Args: []plan.Expr{there}, Of: schema.Boolean}}) ||
		!add("sorted", plan.Sort{By: []plan.Order{{By: found()}}}) {
		return
	}
	written, ok := sc.Apply(st.Verb.At, "toString", []plan.Expr{found()})
	if ok && add("values", plan.Select{Take: []plan.Assignment{{Name: "value", Value: written}}}) {
		sc.b.ask(name, name+"@values")
	}
}
