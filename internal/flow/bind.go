package flow

import (
	"fmt"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// Options are what a script does not say.
type Options struct {
	// Inputs are the columns that the files of each source have, in their order.
	Inputs map[string][]schema.Field
	// Parameters are values that take the place of defaults, as expressions of the script.
	Parameters map[string]string
	// Functions is the table.
	Functions *function.Table
}

// Bind makes a plan of a script that syntax.Parse read of a file. The error holds all
// problems as diagnostics; then there is no plan.
func Bind(f *syntax.File, s *syntax.Script, o Options) (*plan.Plan, error) {
	b := &binder{file: f, options: o, table: o.Functions, params: map[string]plan.Expr{}, statements: map[string]*syntax.Statement{}, state: map[string]progress{}}
	b.parameters(s)
	for _, st := range s.Statements {
		b.statements[st.Output.Text] = st
	}
	for _, st := range s.Statements {
		b.bind(st)
	}
	if err := b.problems.Err(); err != nil {
		return nil, err
	}
	return b.builder.Plan(), nil
}

// progress is how far a transformation is bound.
type progress int

const (
	open progress = iota
	begun
	done
	failed
)

type binder struct {
	file       *syntax.File
	options    Options
	table      *function.Table
	params     map[string]plan.Expr
	statements map[string]*syntax.Statement
	state      map[string]progress
	builder    plan.Builder
	problems   diag.List
}

// add tells of a problem.
func (b *binder) add(code diag.Code, at syntax.Pos, hint, format string, args ...any) {
	d := b.file.Problem(code, at, format, args...)
	d.Hint = hint
	b.problems.Add(d)
}

// parameters binds the values of parameters, which know of no columns.
func (b *binder) parameters(s *syntax.Script) {
	given := map[string]bool{}
	if s.Parameters != nil {
		for _, p := range s.Parameters.List {
			given[p.Name.Text] = true
			b.parameter(p)
		}
	}
	for name := range b.options.Parameters {
		if !given[name] {
			b.add(diag.FlowName, 0, "take it away, or declare it: parameters{ "+name+" as string }", "found a value of parameter %s, which the script does not declare", diag.Quote(name))
		}
	}
}

func (b *binder) parameter(p syntax.Parameter) {
	want, ok := typeOf(p.Type)
	if !ok {
		return
	}
	x := p.Default
	if text, set := b.options.Parameters[p.Name.Text]; set {
		read, err := syntax.ParseExpr(syntax.NewFile("parameter "+p.Name.Text, text))
		if err != nil {
			b.problems.Merge(err)
			return
		}
		x = read
	}
	if x == nil {
		b.params[p.Name.Text] = plan.Literal{Of: want}
		return
	}
	sc := &scope{b: b, where: "parameter " + p.Name.Text}
	if e, ok := sc.expr(x); ok {
		b.params[p.Name.Text] = plan.To(e, want)
	}
}

// bind adds the step of a transformation, and before it those of its inputs.
func (b *binder) bind(st *syntax.Statement) bool {
	name := st.Output.Text
	switch b.state[name] {
	case done:
		return true
	case begun, failed:
		return false
	}
	b.state[name] = begun
	ok := true
	for _, in := range st.Inputs {
		from := b.statements[in.Name.Text]
		ok = from != nil && b.bind(from) && ok
	}
	ok = ok && b.step(st)
	b.state[name] = failed
	if ok {
		b.state[name] = done
	}
	return ok
}

// step binds one transformation whose inputs are there.
func (b *binder) step(st *syntax.Statement) bool {
	before := len(b.problems)
	sc := b.scope(st)
	op := sc.op(st)
	if len(b.problems) > before || op == nil {
		return false
	}
	var inputs []string
	for _, in := range st.Inputs {
		inputs = append(inputs, in.String())
	}
	name := st.Output.Text
	at := b.file.Place(st.At)
	if _, err := b.builder.Add(name, at, op, inputs...); err != nil {
		b.problems.Merge(err)
		return false
	}
	if split, ok := op.(plan.Split); ok {
		for i, output := range split.Outputs {
			if _, err := b.builder.Add(name+"@"+output, at, plan.Output{Number: i}, name); err != nil {
				b.problems.Merge(err)
			}
		}
	}
	return len(b.problems) == before
}

// scope is what expressions of a transformation see.
func (b *binder) scope(st *syntax.Statement) *scope {
	sc := &scope{b: b, where: st.Verb.Text + " " + st.Output.Text, locals: map[string]plan.Expr{}}
	for _, in := range st.Inputs {
		sc.in = append(sc.in, b.builder.Plan().Step(in.String()))
	}
	return sc
}

// op makes the op of a transformation; nil after a problem was told.
func (sc *scope) op(st *syntax.Statement) plan.Op {
	switch st.Verb.Text {
	case "source":
		return sc.source(st)
	case "sink":
		return sc.sink(st)
	case "select":
		if c := clauseOf(st, "mapColumn"); c != nil {
			return plan.Select{Take: sc.mapping(st, c.Args)}
		}
		return plan.Alias{}
	case "derive":
		return plan.Derive{Set: sc.assignments(st.Args)}
	case "filter":
		if e, ok := sc.condition(st); ok {
			return plan.Filter{Keep: e}
		}
		return nil
	case "aggregate":
		return sc.aggregate(st)
	case "union":
		return plan.Union{ByName: sc.flag(st, "byName")}
	case "exists":
		if e, ok := sc.condition(st); ok {
			return plan.Exists{On: e, Negate: sc.flag(st, "negate")}
		}
		return nil
	case "join":
		return sc.join(st)
	case "split":
		return sc.split(st)
	case "sort":
		return plan.Sort{By: sc.orders(st)}
	}
	return sc.more(st)
}

// more is op of the transformations that rank, look up or convert.
func (sc *scope) more(st *syntax.Statement) plan.Op {
	switch st.Verb.Text {
	case "window":
		return sc.window(st)
	case "rank":
		return plan.Rank{Order: sc.orders(st), Name: sc.declared(st), Dense: sc.flag(st, "dense")}
	case "keyGenerate":
		return plan.Key{Name: sc.declared(st), Start: sc.whole(st, "startAt", 1), Step: sc.whole(st, "stepValue", 1)}
	case "lookup":
		return sc.lookupRows(st)
	case "cast":
		return sc.conversions(st)
	case "foldDown":
		return sc.flatten(st)
	case "pivot":
		return sc.pivot(st)
	}
	sc.b.add(diag.FlowRefused, st.Verb.At, "take the transformation out, or land its result from the service", "%s: found a transformation that does not run here", sc.where)
	return nil
}

// source settles the columns of a source: the projection, then what drifts in.
func (sc *scope) source(st *syntax.Statement) plan.Op {
	files, known := sc.b.options.Inputs[st.Output.Text]
	if !known {
		sc.b.add(diag.FlowInput, st.Output.At, "name the files of the source", "%s: found no files, want the columns of some", sc.where)
		return nil
	}
	op := plan.Source{}
	declared := map[string]bool{}
	for _, a := range st.Args.List {
		if s, ok := a.Node.(*syntax.Schema); ok {
			for _, f := range s.Columns {
				sc.projected(&op, f, files)
				declared[schema.Fold(f.Name.Text)] = true
			}
		}
	}
	validate := sc.flag(st, "validateSchema")
	for _, f := range files {
		switch {
		case declared[schema.Fold(f.Name)]:
		case validate:
			sc.b.add(diag.FlowInput, st.Output.At, "clear Validate schema, or add the column to the projection", "%s: found column %s, which the projection does not have, and validateSchema is true", sc.where, diag.Quote(f.Name))
		case sc.flag(st, "allowSchemaDrift"):
			t := schema.Type(schema.String)
			if sc.flag(st, "inferDriftedColumnTypes") {
				t = f.Type
			}
			op.Columns = append(op.Columns, plan.Column{Name: f.Name, Type: t, Drifted: true})
		}
	}
	if x := optionOf(st, "rowUrlColumn"); x != nil {
		if t, ok := x.(*syntax.Text); ok {
			op.PathColumn = t.Value()
			op.Columns = append(op.Columns, plan.Column{Name: op.PathColumn, Type: schema.String})
		}
	}
	return op
}

// projected adds a column of the projection, which has to be in the files.
func (sc *scope) projected(op *plan.Source, f syntax.Field, files []schema.Field) {
	t, ok := typeOf(f.Type)
	if !ok {
		sc.b.add(diag.FlowRefused, f.At, "give the column another type", "%s: found type %s, which does not run here", sc.where, f.Type)
		return
	}
	if (schema.Struct{Fields: files}).Lookup(f.Name.Text) < 0 {
		sc.b.add(diag.FlowInput, f.At, "import the projection anew, and leave the rest to drift: allowSchemaDrift: true",
			"%s: found column %s in the projection, which no file has (DF-Executor-InvalidInputColumns)", sc.where, diag.Quote(f.Name.Text))
		return
	}
	op.Columns = append(op.Columns, plan.Column{Name: f.Name.Text, Type: t})
}

func (sc *scope) sink(st *syntax.Statement) plan.Op {
	op := plan.Sink{}
	if t, ok := optionOf(st, "store").(*syntax.Text); ok && t.Value() == "cache" {
		op.Cache = true
	}
	if c := clauseOf(st, "mapColumn"); c != nil {
		op.Take = sc.mapping(st, c.Args)
		if len(op.Take) == 0 {
			sc.b.add(diag.FlowInput, c.Name.At, "map at least one column", "%s: found a mapping that lets no column through (DF-Executor-InvalidOutputColumns)", sc.where)
		}
	}
	return op
}

func (sc *scope) aggregate(st *syntax.Statement) plan.Op {
	op := plan.Aggregate{Group: sc.groups(st)}
	sc.gathers = true
	op.Values = sc.assignments(st.Args)
	return op
}

// groups are the columns that rows are grouped by.
func (sc *scope) groups(st *syntax.Statement) []plan.Assignment {
	var out []plan.Assignment
	c := clauseOf(st, "groupBy")
	if c == nil {
		return nil
	}
	for _, a := range c.Args.List {
		switch n := a.Node.(type) {
		case *syntax.Value:
			if e, ok := sc.expr(n.X); ok {
				out = append(out, plan.Assignment{Name: lastName(n.X), Value: e})
			}
		case *syntax.Assign:
			out = append(out, sc.assignments(syntax.Args{List: []syntax.Arg{a}})...)
		}
	}
	return out
}

func (sc *scope) join(st *syntax.Statement) plan.Op {
	e, ok := sc.condition(st)
	if !ok {
		return nil
	}
	kinds := map[string]plan.JoinKind{
		"inner": plan.Inner, "left": plan.LeftOuter, "left_outer": plan.LeftOuter, "right": plan.RightOuter, "right_outer": plan.RightOuter, "outer": plan.FullOuter, "cross": plan.Cross,
	}
	kind := "inner"
	if t, ok := optionOf(st, "joinType").(*syntax.Text); ok {
		kind = t.Value()
	}
	k, known := kinds[kind]
	if !known {
		sc.b.add(diag.FlowName, st.Verb.At, "kinds are inner, left, right, outer, cross", "%s: found joinType %s, want a kind of join", sc.where, diag.Quote(kind))
		return nil
	}
	return plan.Join{Kind: k, On: e}
}

func (sc *scope) split(st *syntax.Statement) plan.Op {
	op := plan.Split{All: sc.flag(st, "disjoint")}
	for _, a := range st.Args.List {
		if v, ok := a.Node.(*syntax.Value); ok {
			if e, ok := sc.boolean(v.X); ok {
				op.Conditions = append(op.Conditions, e)
			}
		}
	}
	for _, n := range st.Branches {
		op.Outputs = append(op.Outputs, n.Text)
	}
	return op
}

// orders are the keys of a sort.
func (sc *scope) orders(st *syntax.Statement) []plan.Order {
	var out []plan.Order
	for _, a := range st.Args.List {
		c, ok := a.Node.(*syntax.Clause)
		if !ok || c.Name.Text != "asc" && c.Name.Text != "desc" || len(c.Args.List) == 0 {
			continue
		}
		o := plan.Order{Descending: c.Name.Text == "desc", IgnoreCase: sc.flag(st, "caseInsensitive")}
		if v, ok := c.Args.List[0].Node.(*syntax.Value); ok {
			o.By, _ = sc.expr(v.X)
		}
		if len(c.Args.List) > 1 {
			v, ok := c.Args.List[1].Node.(*syntax.Value)
			o.NullsFirst = ok && isTrue(v.X)
		}
		out = append(out, o)
	}
	return out
}

// condition is the only expression of a transformation, which has to be boolean.
func (sc *scope) condition(st *syntax.Statement) (plan.Expr, bool) {
	for _, a := range st.Args.List {
		if v, ok := a.Node.(*syntax.Value); ok {
			return sc.boolean(v.X)
		}
	}
	sc.b.add(diag.FlowSyntax, st.Verb.At, "write the condition into the parentheses", "%s: found no condition, want one", sc.where)
	return nil, false
}

func (sc *scope) boolean(x syntax.Expr) (plan.Expr, bool) {
	e, ok := sc.expr(x)
	if ok && !plan.Same(e.Type(), schema.Boolean) {
		sc.b.add(diag.FlowType, x.Pos(), "compare it with a value", "%s: found %s, want a condition", sc.where, e.Type())
		return nil, false
	}
	return e, ok
}

// flag is whether a setting is true.
func (sc *scope) flag(st *syntax.Statement, name string) bool { return isTrue(optionOf(st, name)) }

func optionOf(st *syntax.Statement, name string) syntax.Expr {
	for _, a := range st.Args.List {
		if o, ok := a.Node.(*syntax.Option); ok && o.Name.Text == name {
			return o.Value
		}
	}
	return nil
}

func clauseOf(st *syntax.Statement, name string) *syntax.Clause {
	for _, a := range st.Args.List {
		if c, ok := a.Node.(*syntax.Clause); ok && c.Name.Text == name {
			return c
		}
	}
	return nil
}

// typeOf is a type of a script.
func typeOf(t *syntax.Type) (schema.Type, bool) {
	var out schema.Type
	ok := true
	switch {
	case t == nil:
		return nil, false
	case t.Key != nil && t.Value != nil:
		key, kok := typeOf(t.Key)
		value, vok := typeOf(t.Value)
		out, ok = schema.Map{Key: key, Value: value, ValueContainsNull: true}, kok && vok
	case t.Base == "":
		var s schema.Struct
		for _, f := range t.Fields {
			inner, fok := typeOf(f.Type)
			s.Fields = append(s.Fields, schema.Field{Name: f.Name.Text, Type: inner, Nullable: true})
			ok = ok && fok
		}
		out = s
	case t.Base == "decimal":
		out, ok = decimalOf(t.Params)
	default:
		words := []string{"boolean", "byte", "short", "integer", "long", "float", "double", "string", "date", "timestamp", "binary"}
		types := []schema.Type{schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long, schema.Float, schema.Double, schema.String, schema.Date, schema.Timestamp, schema.Binary}
		i := slices.Index(words, t.Base)
		if i < 0 {
			return nil, false
		}
		out = types[i]
	}
	for range t.Dims {
		out = schema.Array{Element: out, ContainsNull: true}
	}
	return out, ok
}

// decimalOf is a decimal; without digits it has those of the service's own default.
func decimalOf(params []string) (schema.Type, bool) {
	d := schema.Decimal{Precision: 10}
	if len(params) > 0 {
		if _, err := fmt.Sscan(params[0], &d.Precision); err != nil {
			return nil, false
		}
	}
	if len(params) > 1 {
		if _, err := fmt.Sscan(params[1], &d.Scale); err != nil {
			return nil, false
		}
	}
	return d, d.Precision >= 1 && d.Precision <= plan.MaxDigits && d.Scale >= 0 && d.Scale <= d.Precision && len(params) <= 2
}
