package flow

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// scope is what an expression sees.
type scope struct {
	b *binder
	// in are the steps that go in.
	in []*plan.Step
	// name is the stream, where the transformation for messages.
	name, where string
	// matched is the column that a pattern is at; nil outside of patterns. naming is
	// whether $$ is its name rather than its value.
	matched *match
	naming  bool
	// gathers is whether functions of several rows may stand here.
	gathers bool
	locals  map[string]plan.Expr
	// variables are those of the lambdas around, by name, the innermost last.
	variables []plan.Local
	nest      int
	// unrolled are the arrays that a flatten makes rows of.
	unrolled []unrolled
	// unfolds are the arrays that unfold makes rows of, nil where it may not stand.
	unfolds *[]plan.Unroll
	// second is whether byName looks into the second input first.
	second bool
	// depth counts the texts around that are expressions.
	depth int
}

func text(s string) plan.Expr { return plan.Literal{Value: s, Of: schema.String} }

// expr binds an expression; false after a problem was told.
func (sc *scope) expr(x syntax.Expr) (plan.Expr, bool) {
	if item, ok := sc.whatUnrolls(x); ok {
		return item, true
	}
	switch n := x.(type) {
	case *syntax.Paren:
		return sc.expr(n.X)
	case *syntax.Noted:
		return sc.expr(n.X)
	case *syntax.Text:
		return text(n.Value()), true
	case *syntax.Number:
		return sc.number(n)
	case *syntax.Column:
		return sc.column(n)
	case *syntax.Param:
		if e, ok := sc.b.params[n.Name]; ok {
			return e, true
		}
		sc.b.add(diag.FlowName, n.At, "declare it: parameters{ "+n.Name+" as string }", "%s: found $%s, want a parameter of the script", sc.where, n.Name)
		return nil, false
	case *syntax.Matched:
		return sc.metadata(n)
	case *syntax.Local:
		if e, ok := sc.locals[n.Name]; ok {
			return e, true
		}
		sc.b.add(diag.FlowName, n.At, "set it before it is used", "%s: found :%s, want a local that is set above", sc.where, n.Name)
		return nil, false
	case *syntax.Variable:
		return sc.variable(n)
	}
	return sc.compound(x)
}

// compound binds what has parts.
func (sc *scope) compound(x syntax.Expr) (plan.Expr, bool) {
	switch n := x.(type) {
	case *syntax.Call:
		return sc.call(n)
	case *syntax.Unary:
		return sc.operator(n.At, "unary "+n.Op, n.X)
	case *syntax.Binary:
		return sc.operator(n.Pos(), n.Op, n.X, n.Y)
	case *syntax.Index:
		return sc.operator(n.Pos(), "[]", n.X, n.I)
	case *syntax.Interpolated:
		return sc.interpolated(n)
	case *syntax.Cast:
		return sc.cast(n)
	case *syntax.Member:
		return sc.member(n)
	case *syntax.Array:
		if len(n.Items) > 0 && pair(n.Items[0]) != nil {
			return sc.entriesOf(n)
		}
		return sc.array(n)
	case *syntax.Struct:
		return sc.object(n)
	}
	sc.b.add(diag.FlowRefused, x.Pos(), "write it with the functions of the table", "%s: found %s, which does not run here", sc.where, diag.Quote(syntax.FormatExpr(x)))
	return nil, false
}

func (sc *scope) number(n *syntax.Number) (plan.Expr, bool) {
	lower := strings.ToLower(n.Text)
	hex := strings.HasPrefix(lower, "0x")
	if digits, long := strings.CutSuffix(lower, "l"); long || hex || strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) < 0 {
		base := 10
		if hex {
			digits, base = lower[2:], 16
		}
		v, err := strconv.ParseInt(digits, base, 64)
		if err == nil && !long && v <= math.MaxInt32 {
			return plan.Literal{Value: v, Of: schema.Integer}, true
		}
		if err == nil {
			return plan.Literal{Value: v, Of: schema.Long}, true
		}
	} else if digits, single := strings.CutSuffix(lower, "f"); single {
		if v, err := strconv.ParseFloat(digits, 32); err == nil {
			return plan.Literal{Value: v, Of: schema.Float}, true
		}
	} else if v, err := strconv.ParseFloat(strings.TrimSuffix(lower, "d"), 64); err == nil {
		return plan.Literal{Value: v, Of: schema.Double}, true
	}
	sc.b.add(diag.FlowType, n.At, "write a smaller number", "%s: found %s, want a number of 64 bits", sc.where, n.Text)
	return nil, false
}

// column binds a name: a column, a word of a pattern, or a constant.
func (sc *scope) column(n *syntax.Column) (plan.Expr, bool) {
	plain := len(n.Streams) == 0 && !n.Name.Braced
	if plain && sc.matched != nil && sc.naming {
		if e, ok := sc.word(n.Name.Text); ok {
			return e, true
		}
	}
	found := sc.named(n)
	switch {
	case len(found) == 1 || len(found) > 1 && len(sc.in) == 1 && len(n.Streams) > 0:
		return sc.early(n, found[0])
	case len(found) > 1:
		sc.b.add(diag.FlowColumn, n.Pos(), "say which is meant: "+sc.in[0].Name+"@"+n.Name.String(), "%s: found %d columns %s, want one", sc.where, len(found), diag.Quote(n.Name.Text))
		return nil, false
	}
	if plain {
		if e, ok := sc.word(n.Name.Text); ok {
			return e, true
		}
		switch strings.ToLower(n.Name.Text) {
		case "true", "false":
			return plan.Literal{Value: strings.EqualFold(n.Name.Text, "true"), Of: schema.Boolean}, true
		case "null":
			return plan.Literal{Of: schema.Unknown}, true
		}
	}
	sc.lost(n)
	return nil, false
}

// found is a column of an input.
type found struct {
	input  int
	column plan.Column
}

// named are the columns that a reference may mean. A stream that goes in here is meant
// before one of that name further up.
func (sc *scope) named(n *syntax.Column) []found {
	var out []found
	for i, step := range sc.in {
		for _, c := range step.Named(n.Name.Text) {
			through := true
			for _, s := range n.Streams {
				through = through && sc.b.builder.Plan().Through(step, c.ID, s.Text)
			}
			if through {
				out = append(out, found{i, c})
			}
		}
	}
	direct := slices.DeleteFunc(slices.Clone(out), func(f found) bool {
		return !slices.ContainsFunc(n.Streams, func(s syntax.Name) bool { return s.Text == sc.in[f.input].Name })
	})
	if len(direct) > 0 {
		return direct
	}
	return out
}

// early is the column of a name in an expression, which may not be a drifted one.
func (sc *scope) early(n *syntax.Column, f found) (plan.Expr, bool) {
	if f.column.Drifted {
		sc.b.add(diag.FlowColumn, n.Pos(), sc.byName(n.Name.Text), "%s: found %s, a drifted column, want a column of a projection (DF-Executor-ColumnNotFound)", sc.where, diag.Quote(n.Name.Text))
		return nil, false
	}
	return plan.Ref{Input: f.input, ID: f.column.ID, Of: f.column.Type}, true
}

func (sc *scope) byName(name string) string {
	return "refer to it by name at run time, converted: toString(byName('" + strings.ReplaceAll(name, "'", `\'`) + "'))"
}

// lost tells of a name that no column has.
func (sc *scope) lost(n *syntax.Column) {
	var known []string
	for _, step := range sc.in {
		for _, c := range step.Visible() {
			known = append(known, c.Name)
		}
	}
	hint := sc.byName(n.Name.Text)
	if near := diag.Nearest(n.Name.Text, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	sc.b.add(diag.FlowColumn, n.Pos(), hint, "%s: found %s, which no column is called (DF-Executor-ColumnNotFound)", sc.where, diag.Quote(n.Name.Text))
}

// word is what a word of a pattern says of the column that it is at.
func (sc *scope) word(name string) (plan.Expr, bool) {
	m := sc.matched
	if m == nil {
		return nil, false
	}
	switch name {
	case "name":
		return text(m.name), true
	case "type":
		return text(typeName(m.of)), true
	case "stream":
		return text(sc.in[0].Name), true
	case "origin":
		return text(m.column.Origin.Stream), true
	case "position":
		return plan.Literal{Value: int64(m.position), Of: schema.Integer}, true
	}
	return nil, false
}

// typeName is the word of a script for a type, without its parameters.
func typeName(t schema.Type) string {
	switch t.(type) {
	case schema.Decimal:
		return "decimal"
	case schema.Array:
		return "array"
	case schema.Map:
		return "map"
	case schema.Struct:
		return "complex"
	}
	switch t {
	case schema.Integer:
		return "integer"
	case schema.Long:
		return "long"
	case schema.Short:
		return "short"
	case schema.Byte:
		return "byte"
	}
	return t.String()
}

// metadata is $$, $0 or a group of a pattern.
func (sc *scope) metadata(n *syntax.Matched) (plan.Expr, bool) {
	m := sc.matched
	if m == nil {
		sc.b.add(diag.FlowColumn, n.At, "put it in a pattern: each(match(true()), $$ = trim($$))", "%s: found $$ outside of a pattern", sc.where)
		return nil, false
	}
	itself := n.Group < 0 || n.Group == 1 && m.groups == nil // old scripts write $1 for $$
	switch {
	case itself && !sc.naming:
		return m.value, true
	case itself:
		return text(m.name), true
	case n.Group == 0:
		return text(m.path), true
	case n.Group < len(m.groups):
		return text(m.groups[n.Group]), true
	}
	sc.b.add(diag.FlowColumn, n.At, "add a group to the pattern: patternMatch(`^(.*)$`)", "%s: found $%d, want a group of the pattern", sc.where, n.Group)
	return nil, false
}

func (sc *scope) variable(n *syntax.Variable) (plan.Expr, bool) {
	for _, v := range slices.Backward(sc.variables) {
		if strings.HasPrefix(v.Name, "_"+n.Name+"_") {
			if n.Name == "index" {
				return plan.Convert{From: v, To: schema.Integer}, true
			}
			return v, true
		}
	}
	sc.b.add(diag.FlowName, n.At, "use it in a function of arrays, as in: map(items, #item)", "%s: found #%s, which nothing around it sets", sc.where, n.Name)
	return nil, false
}

func (sc *scope) member(n *syntax.Member) (plan.Expr, bool) {
	from, ok := sc.expr(n.X)
	if !ok {
		return nil, false
	}
	e, ok := field(from, n.Name.Text)
	if !ok {
		sc.b.add(diag.FlowColumn, n.Name.At, "look at the fields: "+from.Type().String(), "%s: found field %s, which %s does not have (DF-Executor-FieldNotExist)", sc.where, diag.Quote(n.Name.Text), from.Type())
		return nil, false
	}
	return e, true
}

func (sc *scope) cast(n *syntax.Cast) (plan.Expr, bool) {
	t, known := typeOf(n.Type)
	if !known {
		sc.b.add(diag.FlowRefused, n.Type.At, "cast to another type", "%s: found type %s, which does not run here", sc.where, n.Type)
	}
	if many, ok, done := sc.several(n.X); done {
		return sc.gathered(n, many, t, ok && known)
	}
	e, ok := sc.expr(n.X)
	if !ok || !known {
		return nil, false
	}
	return plan.To(e, t), true
}

// gathered is an array of several columns.
func (sc *scope) gathered(n *syntax.Cast, many []plan.Expr, t schema.Type, ok bool) (plan.Expr, bool) {
	array, isArray := t.(schema.Array)
	if ok && !isArray {
		sc.b.add(diag.FlowType, n.Type.At, "as in: byNames(['a', 'b']) ? string[]", "%s: found type %s for several columns, want an array", sc.where, n.Type)
	}
	if !ok || !isArray {
		return nil, false
	}
	out := plan.Items{Of: t}
	for _, e := range many {
		out.Values = append(out.Values, plan.To(e, array.Element))
	}
	return out, true
}

// interpolated is a text with values in it, each as toString makes it.
func (sc *scope) interpolated(n *syntax.Interpolated) (plan.Expr, bool) {
	parts := []plan.Expr{text("")}
	for _, part := range n.Parts {
		if part.X == nil {
			parts = append(parts, text(syntax.Unescape(part.Raw)))
			continue
		}
		e, ok := sc.expr(part.X)
		if ok && !plan.Same(e.Type(), schema.String) {
			e, ok = sc.apply(part.X.Pos(), "toString", []plan.Expr{e})
		}
		if !ok {
			return nil, false
		}
		parts = append(parts, e)
	}
	return sc.apply(n.At, "concat", parts)
}

func (sc *scope) operator(at syntax.Pos, symbol string, operands ...syntax.Expr) (plan.Expr, bool) {
	f := sc.b.table.Operator(symbol)
	if f == nil {
		sc.b.add(diag.FlowRefused, at, "write it with a function", "%s: found operator %s, which does not run here", sc.where, symbol)
		return nil, false
	}
	var args []plan.Expr
	fits := true
	for i, x := range operands {
		inner := *sc
		inner.second = sc.second || i == 1 && comparison(symbol)
		e, ok := inner.expr(x)
		args, fits = append(args, e), fits && ok
	}
	if !fits {
		return nil, false
	}
	return sc.apply(at, f.Name, args)
}

// called is a function of the table as plans call it.
type called struct {
	call function.Call
	// lambdas are the arguments whose text is a lambda, of which the table wants the body.
	lambdas map[int]bool
}

// Name is how a script spells it.
func (c called) Name() string { return c.call.Function.Name }

// SQL writes a call of it.
func (c called) SQL(engine string, args []string) (string, error) {
	return c.call.SQL(engine, c.bodies(args))
}

// Over writes a call of it over a window.
func (c called) Over(engine string, args []string, window string) (string, error) {
	return c.call.Over(engine, c.bodies(args), window)
}

func (c called) bodies(args []string) []string {
	out := slices.Clone(args)
	for i := range out {
		if _, body, ok := strings.Cut(out[i], ": "); ok && c.lambdas[i] {
			out[i] = body
		}
	}
	return out
}

// apply calls a function with arguments that are bound.
func (sc *scope) apply(at syntax.Pos, name string, args []plan.Expr) (plan.Expr, bool) {
	given := make([]function.Argument, len(args))
	for i, a := range args {
		given[i] = argument(a)
	}
	call, err := sc.b.table.Resolve(name, given)
	if err != nil {
		sc.fault(at, err)
		return nil, false
	}
	kind := plan.Scalar
	switch call.Function.Kind {
	case function.Aggregate:
		kind = plan.Aggregating
	case function.Window:
		kind = plan.Windowing
	}
	if kind != plan.Scalar && !sc.gathers {
		sc.b.add(diag.FlowType, at, "use it in an aggregate or a window", "%s: found %s, which is of several rows, want a value of one", sc.where, name)
		return nil, false
	}
	call.Nest = sc.nest
	fn := called{call, map[int]bool{}}
	out := slices.Clone(args)
	for i := range out {
		if _, fn.lambdas[i] = out[i].(plan.Lambda); !fn.lambdas[i] {
			out[i] = plan.To(out[i], call.Args[i])
		}
	}
	return plan.Call{Fn: fn, Kind: kind, Args: out, Of: call.Result}, true
}

// argument is what the table wants to know of a value.
func argument(e plan.Expr) function.Argument {
	a := function.Argument{Type: e.Type()}
	if l, ok := e.(plan.Literal); ok {
		switch l.Value.(type) {
		case int64, float64, string, bool:
			a.Literal = l.Value
		}
	}
	return a
}

// fault tells of a call that does not fit.
func (sc *scope) fault(at syntax.Pos, err error) {
	var f *function.Fault
	if !errors.As(err, &f) {
		sc.b.problems.Merge(err)
		return
	}
	code, hint := diag.FlowType, "convert the argument, as in: toString(x)"
	switch f.Reason {
	case function.NotKnown:
		code, hint = diag.FlowName, "casing counts; see the list of functions"
		if f.Want != "" {
			hint = "did you mean " + f.Want + "?"
		}
	case function.NotRun:
		code, hint = diag.FlowRefused, "write it with other functions"
	case function.WrongCount:
		hint = "give it the arguments that it wants"
	}
	sc.b.add(code, at, hint, "%s: %v", sc.where, err)
}
