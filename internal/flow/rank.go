package flow

import (
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/expression"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// window binds values over the rows of a group.
func (sc *scope) window(st *syntax.Statement) plan.Op {
	op := plan.Window{Order: sc.orders(st)}
	if c := clauseOf(st, "over"); c != nil {
		for _, a := range c.Args.List {
			switch n := a.Node.(type) {
			case *syntax.Value:
				op.Over = sc.also(op.Over, n.X)
			case *syntax.Assign:
				op.Over = sc.also(op.Over, n.Value)
			default:
				sc.Odd(a)
			}
		}
	}
	start, end := optionOf(st, "startRowOffset"), optionOf(st, "endRowOffset")
	if start != nil || end != nil {
		op.Frame = &plan.Frame{Start: plan.Bound{Unbounded: start == nil, Rows: sc.whole(st, "startRowOffset", 0)}, End: plan.Bound{Unbounded: end == nil, Rows: sc.whole(st, "endRowOffset", 0)}}
	}
	sc.Gathers, sc.Windows = true, true
	op.Set = sc.set(st)
	return op
}

// also adds an expression to a list.
func (sc *scope) also(list []plan.Expr, x syntax.Expr) []plan.Expr {
	if e, ok := sc.Expr(x); ok {
		return append(list, e)
	}
	return list
}

// declared is the name of the only column that a transformation declares.
func (sc *scope) declared(st *syntax.Statement) string {
	for _, a := range st.Args.List {
		s, ok := a.Node.(*syntax.Schema)
		if !ok || len(s.Columns) != 1 {
			continue
		}
		f := s.Columns[0]
		if t, known := expression.TypeOf(f.Type); f.Type != nil && (!known || t != schema.Long) {
			sc.b.Add(diag.FlowType, f.At, "declare it as in: output("+f.Name.String()+" as long), and convert it behind", "%s: found numbers of %s, want long", sc.Where, f.Type)
		}
		return f.Name.Text
	}
	sc.b.Add(diag.FlowSyntax, st.Verb.At, "name it as in: output(place as long)", "%s: found no column for the numbers, want one", sc.Where)
	return ""
}

// whole is a setting that is a whole number, which may have a sign.
func (sc *scope) whole(st *syntax.Statement, name string, otherwise int64) int64 {
	x := optionOf(st, name)
	if x == nil {
		return otherwise
	}
	if e, ok := sc.Outside().Expr(x); ok {
		if n, known := constant.Of(e); known {
			if v, isWhole := n.(int64); isWhole {
				return v
			}
		}
	}
	sc.b.Add(diag.FlowType, x.Pos(), "write a number such as 7 or -7L", "%s: %s: found something else, want a whole number", sc.Where, name)
	return otherwise
}

// lookupRows binds a lookup of the rows of the second input.
func (sc *scope) lookupRows(st *syntax.Statement) plan.Op {
	on, ok := sc.condition(st)
	if !ok {
		return nil
	}
	op := plan.Lookup{On: on, Order: sc.matchOrder(st)}
	if strings.Contains(sc.b.File.Text, "isMatch") {
		op.Matched = expression.MatchColumn
	}
	pick, picks := sc.textOption(st, "pickup")
	kinds := map[string]plan.Pick{"any": plan.PickAny, "first": plan.PickFirst, "last": plan.PickLast}
	k, known := kinds[pick]
	if picks && !known {
		sc.b.Add(diag.FlowName, optionOf(st, "pickup").Pos(), "picks are 'any', 'first' and 'last'", "%s: found pickup %s, want one of the matches", sc.Where, diag.Quote(pick))
	}
	if sc.once(st, "multiple") {
		return op
	}
	op.Pick = plan.PickAny
	if known {
		op.Pick = k
	}
	return op
}

// matchOrder sorts the matches of a lookup, by columns of the second input.
func (sc *scope) matchOrder(st *syntax.Statement) []plan.Order {
	second := *sc
	second.In = []*plan.Step{{}, sc.In[1]}
	return second.orders(st)
}

// conversions binds a cast: columns with the types that they are to have.
func (sc *scope) conversions(st *syntax.Statement) plan.Op {
	op := plan.Cast{}
	if sc.flag(st, "errors") {
		op.Errors = expression.ErrorsColumn
	}
	for _, a := range st.Args.List {
		s, ok := a.Node.(*syntax.Schema)
		if !ok {
			continue
		}
		for _, f := range s.Columns {
			if c, ok := sc.conversion(f); ok {
				op.Columns = append(op.Columns, c)
			}
		}
	}
	return op
}

func (sc *scope) conversion(f syntax.Field) (plan.Conversion, bool) {
	t, known := expression.TypeOf(f.Type)
	if f.Type == nil || !known || nested(t) {
		sc.b.Add(diag.FlowRefused, f.At, "types are boolean, the numbers, string, date, timestamp and binary", "%s: found a conversion of %s that does not run here", sc.Where, diag.Quote(f.Name.Text))
		return plan.Conversion{}, false
	}
	e, ok := sc.Column(&syntax.Column{Name: f.Name})
	if !ok {
		return plan.Conversion{}, false
	}
	ref, isColumn := e.(plan.Ref)
	if !isColumn || nested(ref.Of) {
		sc.b.Add(diag.FlowRefused, f.At, "derive a part of it", "%s: found a conversion of %s, want a column of a simple type", sc.Where, diag.Quote(f.Name.Text))
		return plan.Conversion{}, false
	}
	out := plan.Conversion{Column: ref.ID, To: t}
	if f.Format != nil {
		out.By, ok = sc.formatted(declared{at: f.At, name: f.Name.Text, format: f.Format}, ref, t)
	}
	return out, ok
}

// formatted converts a value by a pattern, as the conversion functions do.
func (sc *scope) formatted(d declared, ref plan.Expr, t schema.Type) (plan.Expr, bool) {
	pattern, ok := sc.Outside().Expr(d.format)
	if !ok {
		return nil, false
	}
	args := []plan.Expr{ref, pattern}
	name := "to" + strings.ToUpper(expression.TypeName(t)[:1]) + expression.TypeName(t)[1:]
	if size, decimal := t.(schema.Decimal); decimal {
		digits := func(n int) plan.Expr { return plan.Literal{Value: int64(n), Of: schema.Integer} }
		args = []plan.Expr{ref, digits(size.Precision), digits(size.Scale), pattern}
	}
	e, ok := sc.Apply(d.at, name, args)
	if ok && !plan.Same(e.Type(), t) {
		e = plan.To(e, t)
	}
	return e, ok
}

// nested tells whether a type has parts.
func nested(t schema.Type) bool {
	switch t.(type) {
	case schema.Struct, schema.Array, schema.Map:
		return true
	}
	return false
}
