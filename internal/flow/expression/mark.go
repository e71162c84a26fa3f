package expression

import (
	"fmt"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// Hidden columns of what steps said of a row: the rules that it broke, with their
// messages, and whether a lookup found something for it.
const (
	ErrorsColumn = "_errors"
	MatchColumn  = "_match"
)

// marked is a function over the map of the rules that a row broke.
type marked string

const (
	anyFailed marked = "isError"
	oneFailed marked = "hasError"
)

// Name is how a script spells it.
func (m marked) Name() string { return string(m) }

// SQL writes it. A row that no assert has seen broke no rule.
func (m marked) SQL(engine string, args []string) (string, error) {
	form := map[string]string{
		"duckdb isError": "coalesce(cardinality(%s) > 0, false)", "duckdb hasError": "coalesce(list_contains(map_keys(%s), %s), false)",
		"spark isError": "coalesce(size(%s) > 0, false)", "spark hasError": "coalesce(map_contains_key(%s, %s), false)",
	}[engine+" "+string(m)]
	if form == "" || strings.Count(form, "%s") != len(args) {
		return "", fmt.Errorf("%s: found no text for %s", m, engine)
	}
	list := make([]any, len(args))
	for i, a := range args {
		list[i] = a
	}
	return fmt.Sprintf(form, list...), nil
}

// marks binds the functions that read what earlier steps said of a row; done is false for
// any other function.
func (sc *Scope) marks(n *syntax.Call) (e plan.Expr, ok, done bool) {
	switch n.Name.Text {
	case "isMatch":
		e, ok = sc.isMatch(n)
	case "isError", "hasError", "assertErrorMessages":
		e, ok = sc.failed(n)
	case "isInsert", "isUpdate", "isUpsert", "isDelete", "isIgnore":
		// Nothing that runs marks a row, and one without a mark is to be inserted.
		_, ok = sc.marking(n, "")
		e = plan.Literal{Value: n.Name.Text == "isInsert", Of: schema.Boolean}
	default:
		return nil, false, false
	}
	return e, ok, true
}

// marking are the hidden columns of a name, of one input if the call names it.
func (sc *Scope) marking(n *syntax.Call, name string) (out []plan.Expr, ok bool) {
	from, to := 0, len(sc.In)
	if n.Name.Text != "hasError" && len(n.Args) == 1 {
		e, ok := sc.Outside().Expr(n.Args[0])
		if !ok {
			return nil, false
		}
		v, _ := constant.Of(e)
		at, _ := v.(int64)
		if at < 1 || at > int64(len(sc.In)) {
			sc.Script.Add(diag.FlowType, n.Args[0].Pos(), "1 is the first stream, 2 the second", "%s: %s: found no input of that number, want one from 1 on", sc.Where, n.Name.Text)
			return nil, false
		}
		from, to = int(at)-1, int(at)
	}
	for i := from; i < to; i++ {
		for _, c := range sc.In[i].Columns {
			if c.Hidden && c.Name == name {
				out = append(out, plan.Ref{Input: i, ID: c.ID, Of: c.Type})
			}
		}
	}
	return out, true
}

func (sc *Scope) isMatch(n *syntax.Call) (plan.Expr, bool) {
	found, ok := sc.marking(n, MatchColumn)
	if !ok {
		return nil, false
	}
	if len(found) != 1 || len(n.Args) > 1 {
		sc.Script.Add(diag.FlowColumn, n.Pos(), "use it behind a lookup, before an aggregate or a pivot", "%s: isMatch: found %d lookups before it, want one", sc.Where, len(found))
		return nil, false
	}
	none := plan.Literal{Value: false, Of: schema.Boolean} // of rows that a union or a join put beside them
	return plan.Operation{Op: plan.Coalesce, Args: []plan.Expr{found[0], none}, Of: schema.Boolean}, true
}

// failed binds isError, hasError and assertErrorMessages.
func (sc *Scope) failed(n *syntax.Call) (plan.Expr, bool) {
	found, ok := sc.marking(n, ErrorsColumn)
	if !ok {
		return nil, false
	}
	if len(n.Args) > 1 || len(n.Args) == 1 && n.Name.Text == "assertErrorMessages" {
		sc.Script.Add(diag.FlowType, n.Pos(), "as in: isError(), hasError('id'), assertErrorMessages()", "%s: %s: found %d arguments, want fewer", sc.Where, n.Name.Text, len(n.Args))
		return nil, false
	}
	if n.Name.Text == "assertErrorMessages" {
		if len(found) == 0 {
			return sc.Apply(n.Pos(), "associate", nil)
		}
		return found[0], true
	}
	fn, args := anyFailed, []plan.Expr{}
	if n.Name.Text == "hasError" && len(n.Args) == 1 {
		id, ok := sc.Outside().Expr(n.Args[0])
		if !ok {
			return nil, false
		}
		fn, args = oneFailed, []plan.Expr{id}
	}
	out := plan.Expr(plan.Literal{Value: false, Of: schema.Boolean})
	for i, ref := range found {
		one := plan.Call{Fn: fn, Args: append([]plan.Expr{ref}, args...), Of: schema.Boolean}
		if out = plan.Expr(one); i > 0 {
			out = plan.Operation{Op: plan.Or, Args: []plan.Expr{out, one}, Of: schema.Boolean}
		}
	}
	return out, true
}
