package flow

import (
	"fmt"
	"strconv"

	"landfall/internal/flow/constant"
	"landfall/internal/flow/expression"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// NeedsValues is the error of Bind where columns depend on values that only the data can
// tell: a pivot that lists none, a name or a condition of a pattern that a cached lookup
// gives. The caller runs Step of Plan, whose rows have one column of text, puts those
// texts in their order into Options.Values under Key, null as "", and calls Bind again
// with all other options as they were. A script may need several such rounds; nothing is
// asked twice.
type NeedsValues struct {
	Plan *plan.Plan
	Step string
	Key  string
}

// Error says what is asked.
func (e *NeedsValues) Error() string {
	return fmt.Sprintf("found columns of %s that depend on values of the data, want them first", e.Key)
}

// ask remembers the first question that has no answer yet.
func (b *binder) ask(key, step string) {
	b.open++
	if b.needs == nil {
		b.needs = &NeedsValues{Step: step, Key: key}
	}
}

// settle works out expressions before the run: as constants, or, where they look into a
// cached sink, with the answers to what is asked. unknown tells of one that is neither;
// ok is false then, and where answers are missing yet.
func (sc *scope) settle(list []plan.Expr, unknown func(int)) (values []any, ok bool) {
	values = make([]any, len(list))
	var late []int
	for i, e := range list {
		v, known := constant.Of(e)
		switch {
		case known:
			values[i] = v
		case looksUp(e) != "":
			late = append(late, i)
		default:
			unknown(i)
			return nil, false
		}
	}
	if len(late) == 0 {
		return values, true
	}
	sc.b.questions++
	key := sc.Name + "@" + strconv.Itoa(sc.b.questions)
	texts, known := sc.b.options.Values[key]
	if !known || len(texts) != len(late) {
		sc.askRow(key, list, late)
		return nil, false
	}
	for n, i := range late {
		values[i] = answer(texts[n], list[i].Type())
	}
	return values, true
}

// looksUp is the cached sink that an expression looks into and that decides it, with
// constants; "" if something else does.
func looksUp(e plan.Expr) (step string) {
	rows := false
	plan.Walk(e, func(e plan.Expr) bool {
		switch e := e.(type) {
		case plan.Cached:
			step = e.Step
		case plan.Ref, plan.Local:
			rows = true
		}
		return true
	})
	if rows {
		return ""
	}
	return step
}

// answer is a text that the data gave as a value of a type.
func answer(text string, of schema.Type) any {
	if text == "" {
		return nil
	}
	if of == schema.Boolean {
		return text == "true"
	}
	return text
}

// askRow adds the steps that work out expressions over a cached sink: a row for each.
func (sc *scope) askRow(key string, list []plan.Expr, late []int) {
	var items []plan.Expr
	for _, i := range late {
		e, ok := list[i], true
		if !plan.Same(e.Type(), schema.String) {
			e, ok = sc.Apply(0, "toString", []plan.Expr{e})
		}
		if !ok {
			return
		}
		none := plan.Operation{Op: plan.Coalesce, Args: []plan.Expr{e, expression.Text("")}, Of: schema.String}
		items = append(items, none)
	}
	count, err := plan.FoldOf(plan.Count, nil)
	if err != nil {
		return
	}
	one := plan.Aggregate{Values: []plan.Assignment{{Name: "rows", Value: count}}}
	item := plan.Local{Name: "_answer", Of: schema.String}
	each := plan.Flatten{
		Unroll: []plan.Unroll{{Of: plan.Items{Values: items, Of: schema.Array{Element: schema.String, ContainsNull: true}}, Required: true, Bind: item.Name}},
		Take:   []plan.Assignment{{Name: "value", Value: item}},
	}
	at := sc.In[0].At
	_, err = sc.b.Builder.Add(key+"?", at, one, looksUp(list[late[0]]))
	if err == nil {
		_, err = sc.b.Builder.Add(key, at, each, key+"?")
	}
	if err != nil {
		sc.b.Problems.Merge(err)
		return
	}
	sc.b.ask(key, key)
}
