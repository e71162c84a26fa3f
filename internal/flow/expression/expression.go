package expression

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// Scope is what an expression sees. A copy that sees more or less is a scope of its own.
type Scope struct {
	Script *Script
	// In are the steps that go in.
	In []*plan.Step
	// Name is the stream, Where the transformation for messages.
	Name, Where string
	// Matched is the column that a pattern is at; nil outside of patterns. Naming is
	// whether $$ is its name rather than its value.
	Matched *Match
	Naming  bool
	// Gathers is whether functions of several rows may stand here, Windows whether those
	// of the rows of a window.
	Gathers, Windows bool
	// Locals are the values that the transformation has named so far.
	Locals map[string]plan.Expr
	// Unrolled are the arrays that a flatten makes rows of.
	Unrolled []Unrolled
	// Unfolds are the arrays that unfold makes rows of, nil where it may not stand.
	Unfolds *[]plan.Unroll
	// variables are those of the lambdas around, by name, the innermost last.
	variables []plan.Local
	nest      int
	// second is whether byName looks into the second input first.
	second bool
	// depth counts the texts around that are expressions.
	depth int
}

// Text is a constant.
func Text(s string) plan.Expr { return plan.Literal{Value: s, Of: schema.String} }

// Expr binds an expression; false after a problem was told.
func (sc *Scope) Expr(x syntax.Expr) (plan.Expr, bool) {
	if item, ok := sc.whatUnrolls(x); ok {
		return item, true
	}
	switch n := x.(type) {
	case *syntax.Paren:
		return sc.Expr(n.X)
	case *syntax.Noted:
		return sc.Expr(n.X)
	case *syntax.Text:
		return Text(n.Value()), true
	case *syntax.Number:
		return sc.number(n)
	case *syntax.Column:
		return sc.Column(n)
	case *syntax.Param:
		if e, ok := sc.Script.Parameters[n.Name]; ok {
			return e, true
		}
		sc.Script.Add(diag.FlowName, n.At, "declare it: parameters{ "+n.Name+" as string }", "%s: found $%s, want a parameter of the script", sc.Where, n.Name)
		return nil, false
	case *syntax.Matched:
		return sc.metadata(n)
	case *syntax.Local:
		if e, ok := sc.Locals[n.Name]; ok {
			return e, true
		}
		sc.Script.Add(diag.FlowName, n.At, "set it before it is used", "%s: found :%s, want a local that is set above", sc.Where, n.Name)
		return nil, false
	case *syntax.Variable:
		return sc.variable(n)
	}
	return sc.compound(x)
}

// compound binds what has parts.
func (sc *Scope) compound(x syntax.Expr) (plan.Expr, bool) {
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
	sc.Script.Add(diag.FlowRefused, x.Pos(), "write it with the functions of the table", "%s: found %s, which does not run here", sc.Where, diag.Quote(syntax.FormatExpr(x)))
	return nil, false
}

func (sc *Scope) number(n *syntax.Number) (plan.Expr, bool) {
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
	sc.Script.Add(diag.FlowType, n.At, "write a smaller number", "%s: found %s, want a number of 64 bits", sc.Where, n.Text)
	return nil, false
}

// Column binds a name: a column, a word of a pattern, or a constant.
func (sc *Scope) Column(n *syntax.Column) (plan.Expr, bool) {
	plain := len(n.Streams) == 0 && !n.Name.Braced
	if plain && sc.Matched != nil && sc.Naming {
		if e, ok := sc.word(n.Name.Text); ok {
			return e, true
		}
	}
	found := sc.named(n)
	switch {
	case len(found) == 1 || len(found) > 1 && len(sc.In) == 1 && len(n.Streams) > 0:
		// Of equal ones that a single stream has, scripts of the service mean the first.
		return sc.early(n, found[0])
	case len(found) > 1:
		sc.Script.Add(diag.FlowColumn, n.Pos(), sc.qualified(n, found), "%s: found %d columns %s, want one", sc.Where, len(found), diag.Quote(n.Name.Text))
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

// qualified is the hint how to say which of several columns is meant.
func (sc *Scope) qualified(n *syntax.Column, list []found) string {
	hint := "say which is meant"
	for i, f := range list {
		stream := sc.In[f.input].Name
		if len(sc.In) == 1 {
			stream = f.column.Origin.Stream
		}
		word := ", or "
		if i == 0 {
			word = ": "
		}
		hint += word + stream + "@" + n.Name.String()
	}
	return hint
}

// found is a column of an input.
type found struct {
	input  int
	column plan.Column
}

// named are the columns that a reference may mean. Of several that came through a stream,
// those are meant that left it last: a stream that goes in here before one further up.
func (sc *Scope) named(n *syntax.Column) []found {
	streams := sc.streams(n)
	var out []found
	nearest := -1
	for i, step := range sc.In {
		for _, c := range step.Named(n.Name.Text) {
			since := 0
			for _, s := range streams {
				if since >= 0 {
					since = sc.Script.Builder.Plan().Since(step, c.ID, s)
				}
			}
			if since < 0 || nearest >= 0 && since > nearest {
				continue
			}
			if since < nearest {
				out = nil
			}
			out, nearest = append(out, found{i, c}), since
		}
	}
	return out
}

// streams are those that a reference names, in which a split and its branch are one.
func (sc *Scope) streams(n *syntax.Column) []string {
	var out []string
	for _, s := range n.Streams {
		if last := len(out) - 1; last >= 0 && sc.Script.Builder.Plan().Step(out[last]+"@"+s.Text) != nil {
			out[last] += "@" + s.Text
			continue
		}
		out = append(out, s.Text)
	}
	return out
}

// early is the column of a name in an expression, which may not be a drifted one.
func (sc *Scope) early(n *syntax.Column, f found) (plan.Expr, bool) {
	if f.column.Drifted {
		sc.Script.Add(diag.FlowColumn, n.Pos(), sc.byName(n.Name.Text), "%s: found %s, a drifted column, want a column of a projection (DF-Executor-ColumnNotFound)", sc.Where, diag.Quote(n.Name.Text))
		return nil, false
	}
	return plan.Ref{Input: f.input, ID: f.column.ID, Of: f.column.Type}, true
}

func (sc *Scope) byName(name string) string {
	return "refer to it by name at run time, converted: toString(byName('" + strings.ReplaceAll(name, "'", `\'`) + "'))"
}

// lost tells of a name that no column has.
func (sc *Scope) lost(n *syntax.Column) {
	var known []string
	for _, step := range sc.In {
		for _, c := range step.Visible() {
			known = append(known, c.Name)
		}
	}
	hint := sc.byName(n.Name.Text)
	const short = 2 // of names of a letter or two any is near to any
	if near := diag.Nearest(n.Name.Text, known); near != "" && len(n.Name.Text) > short {
		hint = "did you mean " + near + "?"
	}
	sc.Script.Add(diag.FlowColumn, n.Pos(), hint, "%s: found %s, which no column is called (DF-Executor-ColumnNotFound)", sc.Where, diag.Quote(n.Name.Text))
}

// word is what a word of a pattern says of the column that it is at.
func (sc *Scope) word(name string) (plan.Expr, bool) {
	m := sc.Matched
	if m == nil {
		return nil, false
	}
	switch name {
	case "name":
		return Text(m.Name), true
	case "type":
		return Text(TypeName(m.Of)), true
	case "stream":
		return Text(sc.In[0].Name), true
	case "origin":
		return Text(m.Column.Origin.Stream), true
	case "position":
		return plan.Literal{Value: int64(m.Position), Of: schema.Integer}, true
	}
	return nil, false
}

// TypeName is the word of a script for a type, without its parameters.
func TypeName(t schema.Type) string {
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
	case schema.TimestampNTZ:
		return "timestamp"
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
func (sc *Scope) metadata(n *syntax.Matched) (plan.Expr, bool) {
	m := sc.Matched
	if m == nil {
		sc.Script.Add(diag.FlowColumn, n.At, "put it in a pattern: each(match(true()), $$ = trim($$))", "%s: found $$ outside of a pattern", sc.Where)
		return nil, false
	}
	itself := n.Group < 0 || n.Group == 1 && m.Groups == nil // old scripts write $1 for $$
	switch {
	case itself && !sc.Naming:
		return m.Value, true
	case itself:
		return Text(m.Name), true
	case n.Group == 0:
		return Text(m.Path), true
	case n.Group < len(m.Groups):
		return Text(m.Groups[n.Group]), true
	}
	sc.Script.Add(diag.FlowColumn, n.At, "add a group to the pattern: patternMatch(`^(.*)$`)", "%s: found $%d, want a group of the pattern", sc.Where, n.Group)
	return nil, false
}

func (sc *Scope) variable(n *syntax.Variable) (plan.Expr, bool) {
	for _, v := range slices.Backward(sc.variables) {
		if strings.HasPrefix(v.Name, "_"+n.Name+"_") {
			if n.Name == "index" {
				return plan.Convert{From: v, To: schema.Integer}, true
			}
			return v, true
		}
	}
	sc.Script.Add(diag.FlowName, n.At, "use it in a function of arrays, as in: map(items, #item)", "%s: found #%s, which nothing around it sets", sc.Where, n.Name)
	return nil, false
}

func (sc *Scope) member(n *syntax.Member) (plan.Expr, bool) {
	from, ok := sc.Expr(n.X)
	if !ok {
		return nil, false
	}
	if from.Type() == schema.Unknown {
		return plan.Literal{Of: schema.Unknown}, true // a part of null
	}
	e, ok := field(from, n.Name.Text)
	if !ok {
		sc.Script.Add(diag.FlowColumn, n.Name.At, "look at the fields: "+from.Type().String(), "%s: found field %s, which %s does not have (DF-Executor-FieldNotExist)", sc.Where, diag.Quote(n.Name.Text), from.Type())
		return nil, false
	}
	return e, true
}

func (sc *Scope) cast(n *syntax.Cast) (plan.Expr, bool) {
	t, known := TypeOf(n.Type)
	if !known {
		sc.Script.Add(diag.FlowRefused, n.Type.At, "cast to another type", "%s: found type %s, which does not run here", sc.Where, n.Type)
	}
	if many, ok, done := sc.several(n.X); done {
		return sc.gathered(n, many, t, ok && known)
	}
	e, ok := sc.Expr(n.X)
	if !ok || !known {
		return nil, false
	}
	return plan.To(e, t), true
}

// gathered is an array of several columns.
func (sc *Scope) gathered(n *syntax.Cast, many []plan.Expr, t schema.Type, ok bool) (plan.Expr, bool) {
	array, isArray := t.(schema.Array)
	if ok && !isArray {
		sc.Script.Add(diag.FlowType, n.Type.At, "as in: byNames(['a', 'b']) ? string[]", "%s: found type %s for several columns, want an array", sc.Where, n.Type)
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
func (sc *Scope) interpolated(n *syntax.Interpolated) (plan.Expr, bool) {
	parts := []plan.Expr{Text("")}
	for _, part := range n.Parts {
		if part.X == nil {
			parts = append(parts, Text(syntax.Unescape(part.Raw)))
			continue
		}
		e, ok := sc.Expr(part.X)
		if ok && !plan.Same(e.Type(), schema.String) {
			e, ok = sc.Apply(part.X.Pos(), "toString", []plan.Expr{e})
		}
		if !ok {
			return nil, false
		}
		parts = append(parts, e)
	}
	return sc.Apply(n.At, "concat", parts)
}

func (sc *Scope) operator(at syntax.Pos, symbol string, operands ...syntax.Expr) (plan.Expr, bool) {
	f := sc.Script.Table.Operator(symbol)
	if f == nil {
		sc.Script.Add(diag.FlowRefused, at, "write it with a function", "%s: found operator %s, which does not run here", sc.Where, symbol)
		return nil, false
	}
	var args []plan.Expr
	var places []syntax.Pos
	fits := true
	for i, x := range operands {
		inner := *sc
		inner.second = sc.second || i == 1 && comparison(symbol)
		e, ok := inner.Expr(x)
		args, places, fits = append(args, e), append(places, x.Pos()), fits && ok
	}
	if !fits {
		return nil, false
	}
	return sc.applied(at, places, f.Name, args)
}
