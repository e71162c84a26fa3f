package flow

import (
	"fmt"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/expression"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// Options are what a script does not say.
type Options struct {
	// Inputs are the columns that the files of each source have, in their order. A source
	// with no columns has no files, and its projection is all there is.
	Inputs map[string][]schema.Field
	// Projections are the columns that the dataset of a source or sink declares. They
	// count where the script declares none.
	Projections map[string][]schema.Field
	// Untyped are the sources whose files are text, which says no types: validateSchema
	// compares names alone.
	Untyped map[string]bool
	// Parameters are values that take the place of defaults, as expressions of the script.
	Parameters map[string]string
	// Values are the answers to what NeedsValues asked, by its Key.
	Values map[string][]string
	// Functions is the table.
	Functions *function.Table
}

// Bind makes a plan of a script that syntax.Parse read of a file. The error holds all
// problems as diagnostics, or is a *NeedsValues; then there is no plan.
func Bind(f *syntax.File, s *syntax.Script, o Options) (*plan.Plan, error) {
	b := &binder{options: o, statements: map[string]*syntax.Statement{}, state: map[string]progress{}}
	b.Script = expression.Script{File: f, Table: o.Functions, Parameters: map[string]plan.Expr{}, Cache: b.cache}
	b.parameters(s)
	for _, st := range s.Statements {
		b.statements[st.Output.Text] = st
	}
	for _, st := range s.Statements {
		b.bind(st)
	}
	if err := b.Problems.Err(); err != nil {
		return nil, err
	}
	if b.needs != nil {
		b.needs.Plan = b.Builder.Plan()
		return nil, b.needs
	}
	for _, st := range s.Statements {
		if b.state[st.Output.Text] != done {
			return nil, fmt.Errorf("bind %s: found no problem and no step", st.Output.Text)
		}
	}
	return b.Builder.Plan(), nil
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
	expression.Script
	options    Options
	statements map[string]*syntax.Statement
	state      map[string]progress
	// needs is what only the data can tell, nil if nothing.
	needs *NeedsValues
	// open counts the questions without an answer, questions those of patterns.
	open, questions int
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
			b.Add(diag.FlowName, 0, "take it away, or declare it: parameters{ "+name+" as string }", "found a value of parameter %s, which the script does not declare", diag.Quote(name))
		}
	}
}

func (b *binder) parameter(p syntax.Parameter) {
	want, ok := expression.TypeOf(p.Type)
	if !ok {
		b.Add(diag.FlowRefused, p.At, "types are boolean, the numbers, string, date, timestamp and arrays of them", "parameter %s: found a type that does not run here", p.Name.Text)
		return
	}
	sc := &expression.Scope{Script: &b.Script, Where: "parameter " + p.Name.Text}
	given, set := b.options.Parameters[p.Name.Text]
	var e plan.Expr
	switch {
	case set:
		e, ok = sc.Foreign("parameter "+p.Name.Text, given, "DF-Executor-ParameterParseError")
	case p.Default != nil:
		e, ok = sc.Expr(p.Default)
	default:
		e = plan.Literal{Of: want}
	}
	if !ok {
		b.Parameters[p.Name.Text] = plan.Literal{Of: want} // the problem is told; no other shall come of it
		return
	}
	joined, lossless := schema.Join(e.Type(), want)
	if !plan.Same(e.Type(), want) && (!lossless || !plan.Same(joined, want)) && !constantFits(e, want) {
		b.Add(diag.FlowType, p.At, "give a value of "+want.String()+", converted if it is another", "parameter %s: found %s, want %s (DF-Executor-InvalidType)", p.Name.Text, e.Type(), want)
	}
	b.Parameters[p.Name.Text] = plan.To(e, want)
}

// constantFits tells whether a constant has a value that a type holds: a whole number may
// be of any type of numbers.
func constantFits(e plan.Expr, want schema.Type) bool {
	v, ok := constant.Of(e)
	_, whole := v.(int64)
	_, part := v.(float64)
	_, decimal := want.(schema.Decimal)
	return ok && (v == nil || whole && plan.Numeric(want) || part && (decimal || want == schema.Float))
}

// bind adds the step of a transformation, and before it those of its inputs.
func (b *binder) bind(st *syntax.Statement) bool {
	name := st.Output.Text
	switch b.state[name] {
	case done:
		return true
	case begun:
		// Parse has refused streams that go into themselves: here a cached sink closes the circle.
		b.Add(diag.FlowGraph, st.Output.At, "fill the cached sink from a stream that does not ask it", "%s %s: found rows that depend on a cached sink, which this step fills", st.Verb.Text, name)
		return false
	case failed:
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
	before, asked := len(b.Problems), b.open
	sc := b.scope(st)
	sc.settings(st)
	op := sc.op(st)
	failed := len(b.Problems) > before
	if failed {
		op = sc.mended(st, op)
	}
	if b.open > asked || op == nil {
		return false
	}
	name := st.Output.Text
	at := b.File.Place(st.At)
	step, err := b.Builder.Add(name, at, op, sc.inputs()...)
	if err != nil {
		if !failed {
			sc.unfit(st, err)
		}
		return false
	}
	parts := b.partition(st, step)
	if sink, ok := op.(plan.Sink); ok {
		sink.Partition = parts
		step.Op = sink
	}
	if split, ok := op.(plan.Split); ok {
		for i, output := range split.Outputs {
			if _, err := b.Builder.Add(name+"@"+output, at, plan.Output{Number: i}, name); err != nil {
				sc.unfit(st, err)
			}
		}
	}
	return true
}

// mended is what a transformation with problems leaves to those behind it, whose own
// problems are to be told too: its columns, as far as they are known. No plan is made of it.
func (sc *scope) mended(st *syntax.Statement, op plan.Op) plan.Op {
	switch st.Verb.Text {
	case "filter", "exists", "sort", "assert":
		return plan.Alias{}
	case "join", "lookup":
		return plan.Join{Kind: plan.Cross}
	}
	return op
}

// scope is what the expressions of a transformation see, and what it is bound with.
type scope struct {
	expression.Scope
	b *binder
}

func (b *binder) scope(st *syntax.Statement) *scope {
	sc := &scope{b: b}
	sc.Scope = expression.Scope{Script: &b.Script, Name: st.Output.Text, Where: st.Verb.Text + " " + st.Output.Text, Locals: map[string]plan.Expr{}}
	for _, in := range st.Inputs {
		sc.In = append(sc.In, b.Builder.Plan().Step(in.String()))
	}
	return sc
}

// inputs names the steps that go in.
func (sc *scope) inputs() []string {
	var out []string
	for _, in := range sc.In {
		out = append(out, in.Name)
	}
	return out
}

// op makes the op of a transformation; nil after a problem was told.
func (sc *scope) op(st *syntax.Statement) plan.Op {
	switch st.Verb.Text {
	case "source":
		return sc.source(st)
	case "sink":
		return sc.sink(st)
	case "select":
		return sc.selection(st)
	case "derive":
		return sc.derive(st)
	case "filter":
		if e, ok := sc.condition(st); ok {
			return plan.Filter{Keep: e}
		}
		return nil
	case "aggregate":
		return sc.aggregate(st)
	case "union":
		return sc.union(st)
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
	case "unpivot":
		return sc.unpivot(st)
	case "assert":
		return sc.assert(st)
	}
	sc.b.Add(diag.FlowRefused, st.Verb.At, "take the transformation out, or land its result from the service", "%s: found a transformation that does not run here", sc.Where)
	return nil
}

// selection binds a select: without a mapping all columns go on, the first of a name.
func (sc *scope) selection(st *syntax.Statement) plan.Op {
	if c := clauseOf(st, "mapColumn"); c != nil {
		return plan.Select{Take: append(sc.mapping(st, c.Args), sc.hidden()...)}
	}
	columns := sc.In[0].Visible()
	take := make([]plan.Assignment, len(columns))
	for i, c := range columns {
		take[i] = plan.Assignment{Name: c.Name, Value: plan.Ref{ID: c.ID, Of: c.Type}}
	}
	if take = sc.distinct(st, take); len(take) < len(columns) {
		return plan.Select{Take: append(take, sc.hidden()...)}
	}
	return plan.Alias{}
}

// hidden are the hidden columns of the input, which a selection hands on.
func (sc *scope) hidden() []plan.Assignment {
	var out []plan.Assignment
	for _, c := range sc.In[0].Columns {
		if c.Hidden {
			out = append(out, plan.Assignment{Name: c.Name, Value: plan.Ref{ID: c.ID, Of: c.Type}, Hidden: true})
		}
	}
	return out
}

func (sc *scope) aggregate(st *syntax.Statement) plan.Op {
	op := plan.Aggregate{Group: sc.groups(st)}
	sc.Gathers = true
	op.Values = sc.set(st)
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
		n, ok := a.Node.(*syntax.Value)
		if !ok {
			out = append(out, sc.assignments(syntax.Args{List: []syntax.Arg{a}})...)
			continue
		}
		name := lastName(n.X)
		if name == "" {
			sc.b.Add(diag.FlowSyntax, n.X.Pos(), "name it, as in: groupBy(day = toDate(at))", "%s: groupBy: found a value without a name, want one", sc.Where)
		} else {
			out = append(out, plan.Assignment{Name: name, Value: sc.some(n.X)})
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
	kind, given := sc.textOption(st, "joinType")
	if !given {
		kind = "inner"
	}
	k, known := kinds[kind]
	if !known {
		sc.b.Add(diag.FlowName, st.Verb.At, "kinds are inner, left, right, outer, cross", "%s: found joinType %s, want a kind of join", sc.Where, diag.Quote(kind))
		return nil
	}
	broadcast, _ := sc.textOption(st, "broadcast")
	fixed := broadcast == "left" || broadcast == "right" || broadcast == "both"
	if k == plan.Inner && !fixed && !equates(e) {
		sc.b.Add(diag.FlowType, st.Verb.At, "compare columns of both with ==, or say that all pairs are wanted: joinType: 'cross'",
			"%s: found a condition that demands nothing of both streams to be equal (DF-Executor-SystemImplicitCartesian)", sc.Where)
		return nil
	}
	return plan.Join{Kind: k, On: e}
}

// equates tells whether a condition demands that something of one input equals something
// of the other.
func equates(on plan.Expr) bool {
	call, ok := on.(plan.Call)
	if !ok {
		return false
	}
	switch call.Fn.Name() {
	case "and":
		return slices.ContainsFunc(call.Args, equates)
	case "equals", "===", "equalsIgnoreCase":
		return len(call.Args) == 2 && reads(call.Args[0], 0) != reads(call.Args[0], 1) &&
			reads(call.Args[0], 0) == reads(call.Args[1], 1) && reads(call.Args[0], 1) == reads(call.Args[1], 0)
	}
	return false
}

// reads tells whether an expression reads a column of an input.
func reads(e plan.Expr, input int) bool {
	found := false
	plan.Walk(e, func(e plan.Expr) bool {
		ref, ok := e.(plan.Ref)
		found = found || ok && ref.Input == input
		return true
	})
	return found
}

func (sc *scope) split(st *syntax.Statement) plan.Op {
	op := plan.Split{All: sc.flag(st, "disjoint")}
	for _, a := range st.Args.List {
		if v, ok := a.Node.(*syntax.Value); ok {
			if e, ok := sc.Boolean(v.X); ok {
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
	ignore := sc.flag(st, "caseInsensitive")
	for _, a := range st.Args.List {
		c, ok := a.Node.(*syntax.Clause)
		if !ok || c.Name.Text != "asc" && c.Name.Text != "desc" {
			continue
		}
		values := sc.clauseValues(c)
		if len(values) < 1 || len(values) > 2 {
			sc.b.Add(diag.FlowSyntax, c.Name.At, "as in: "+c.Name.Text+"(price, true)", "%s: %s: found %d values, want a column, and perhaps whether nulls come first", sc.Where, c.Name.Text, len(values))
			continue
		}
		o := plan.Order{Descending: c.Name.Text == "desc", IgnoreCase: ignore}
		o.By, ok = sc.Expr(values[0])
		if len(values) > 1 {
			o.NullsFirst = sc.Truth(values[1], c.Name.Text)
		}
		if ok {
			out = append(out, o)
		}
	}
	return out
}

// condition is the only expression of a transformation, which has to be boolean.
func (sc *scope) condition(st *syntax.Statement) (plan.Expr, bool) {
	var found []syntax.Expr
	for _, a := range st.Args.List {
		if v, ok := a.Node.(*syntax.Value); ok {
			found = append(found, v.X)
		}
	}
	if len(found) == 1 {
		return sc.Boolean(found[0])
	}
	sc.b.Add(diag.FlowSyntax, st.Verb.At, "write one condition into the parentheses; && joins several", "%s: found %d conditions, want one", sc.Where, len(found))
	return nil, false
}
