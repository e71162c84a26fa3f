package flow

import (
	"regexp"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/expression"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/plan/function/kernel"
	"landfall/internal/schema"
)

// assignments binds names and values, patterns too, in their order. A later one of a name
// takes the place of an earlier.
func (sc *scope) assignments(args syntax.Args) []plan.Assignment {
	return sc.pairs(args.List)
}

// set are the assignments of a transformation, among its settings.
func (sc *scope) set(st *syntax.Statement) []plan.Assignment {
	return sc.pairs(slices.DeleteFunc(slices.Clone(st.Args.List), func(a syntax.Arg) bool {
		switch a.Node.(type) {
		case *syntax.Assign, *syntax.Each:
			return false
		}
		return true
	}))
}

func (sc *scope) pairs(args []syntax.Arg) []plan.Assignment {
	var out []plan.Assignment
	set := func(a plan.Assignment) {
		for i := range out {
			if out[i].Name == a.Name {
				out[i] = a
				return
			}
		}
		out = append(out, a)
	}
	for _, a := range args {
		switch n := a.Node.(type) {
		case *syntax.Assign:
			if one, ok := sc.assignment(n); ok {
				set(one)
			}
		case *syntax.Each:
			list := sc.each(n)
			if n.Path != nil {
				list = sc.within(n, list)
			}
			for _, one := range list {
				set(one)
			}
		default:
			sc.Odd(a)
		}
	}
	return out
}

// assignment binds a name and a value; false of a local, which is kept, and of a name with
// a problem.
func (sc *scope) assignment(n *syntax.Assign) (plan.Assignment, bool) {
	e := sc.some(n.Value)
	if local, isLocal := n.Target.(*syntax.Local); isLocal {
		sc.Locals[local.Name] = e
		return plan.Assignment{}, false
	}
	name, named := sc.Target(n.Target)
	if !named {
		return plan.Assignment{}, false
	}
	text, known := constant.Text(name)
	if !known {
		sc.NotConstant(n.Target)
	}
	return plan.Assignment{Name: text, Value: e}, known
}

// some is the value of an expression. Where it has a problem, which is told, null stands
// for it, so that the column is there and no other problem comes of it.
func (sc *scope) some(x syntax.Expr) plan.Expr {
	if e, ok := sc.Expr(x); ok {
		return e
	}
	return plan.Literal{Of: schema.Unknown}
}

// named is what a pattern makes of a match: its name is not worked out yet.
type named struct {
	m     *expression.Match
	name  plan.Expr
	at    syntax.Expr
	value plan.Expr
}

// each binds what a pattern makes of every column that it matches. Expressions may not
// name such a column: only the run tells what it is called. A pattern that keeps the name
// of a column of the projection leaves it one.
func (sc *scope) each(e *syntax.Each) []plan.Assignment {
	var list []named
	for _, m := range sc.matches(e) {
		list = append(list, sc.made(m, e)...)
	}
	names := make([]plan.Expr, len(list))
	for i, one := range list {
		names[i] = one.name
	}
	texts, ok := sc.settle(names, func(i int) { sc.NotConstant(list[i].at) })
	if !ok {
		return nil
	}
	var out []plan.Assignment
	for i, one := range list {
		name, isText := texts[i].(string)
		if !isText || name == "" {
			continue // a name that is null leaves the column out
		}
		late := one.m.Column.Drifted || one.m.Name != name
		out = append(out, plan.Assignment{Name: name, Value: one.value, Drifted: late})
	}
	return out
}

// made are the names and values that a pattern gives for one match.
func (sc *scope) made(m *expression.Match, e *syntax.Each) []named {
	inner := *sc
	inner.Matched = m
	if len(e.Pairs.List) == 0 {
		return []named{{m: m, name: expression.Text(m.Name), value: m.Value}}
	}
	var out []named
	for _, a := range e.Pairs.List {
		n, ok := a.Node.(*syntax.Assign)
		if !ok {
			inner.Odd(a)
			continue
		}
		if _, local := n.Target.(*syntax.Local); local {
			inner.assignment(n)
			continue
		}
		name, named1 := inner.Target(n.Target)
		value, valued := inner.Expr(n.Value)
		if named1 && valued {
			out = append(out, named{m, name, n.Target, value})
		}
	}
	return out
}

// matches are the columns of the input that a pattern matches, drifted ones too, or the
// fields of the struct that it names.
func (sc *scope) matches(e *syntax.Each) []*expression.Match {
	if len(sc.In) == 0 {
		return nil
	}
	all, ok := sc.candidates(e)
	if !ok {
		return nil
	}
	if e.Matcher == "patternMatch" {
		pattern := sc.regular(e.Cond)
		return slices.DeleteFunc(all, func(m *expression.Match) bool {
			if pattern != nil {
				m.Groups = pattern.FindStringSubmatch(m.Name)
			}
			return m.Groups == nil
		})
	}
	conditions := make([]plan.Expr, len(all))
	for i, m := range all {
		inner := *sc
		inner.Matched, inner.Naming = m, true
		if conditions[i], ok = inner.Boolean(e.Cond); !ok {
			return nil
		}
	}
	fits, ok := sc.settle(conditions, func(int) {
		sc.b.Add(diag.FlowRefused, e.Cond.Pos(), "compare name, type, stream, origin or position, as in: startsWith(name, 'x') && type == 'string'", "%s: found a condition that is not known before the run", sc.Where)
	})
	if !ok {
		return nil
	}
	var out []*expression.Match
	for i, m := range all {
		if fits[i] == true {
			out = append(out, m)
		}
	}
	return out
}

// candidates are what a pattern looks at.
func (sc *scope) candidates(e *syntax.Each) ([]*expression.Match, bool) {
	var out []*expression.Match
	if e.Path == nil {
		for i, c := range sc.In[0].Visible() {
			m := &expression.Match{Column: c, Name: c.Name, Path: c.Name, Of: c.Type, Value: plan.Ref{ID: c.ID, Of: c.Type}, Position: i + 1}
			for _, u := range sc.Unrolled {
				if u.Path == c.Name {
					m.Value, m.Of = u.Item, u.Item.Of
				}
			}
			out = append(out, m)
		}
		return out, true
	}
	path := expression.PathOf(e.Path)
	if e.Matcher == "" || path == "" {
		sc.b.Add(diag.FlowRefused, e.Path.Pos(), "as in: each(address, match(true()))", "%s: found a pattern of another form than a struct and match(…), which does not run here", sc.Where)
		return nil, false
	}
	of, ok := sc.Expr(e.Path)
	if !ok {
		return nil, false
	}
	s, isStruct := of.Type().(schema.Struct)
	array, many := of.Type().(schema.Array)
	if many {
		s, isStruct = array.Element.(schema.Struct)
	}
	if !isStruct {
		sc.b.Add(diag.FlowType, e.Path.Pos(), "name a struct", "%s: found %s, want a struct whose fields the pattern matches", sc.Where, of.Type())
		return nil, false
	}
	shown := syntax.FormatExpr(e.Path)
	for i, f := range s.Fields {
		m := &expression.Match{Name: f.Name, Path: shown + "." + f.Name, Of: f.Type, Position: i + 1}
		if many {
			m.Of = schema.Array{Element: f.Type, ContainsNull: true}
		}
		m.Value = plan.Member{From: of, Name: f.Name, Of: m.Of}
		plan.Walk(of, func(x plan.Expr) bool {
			if ref, ok := x.(plan.Ref); ok {
				m.Column = *sc.In[ref.Input].Column(ref.ID)
			}
			return true
		})
		out = append(out, m)
	}
	return out, true
}

// within puts what a pattern made of the fields of a struct in their place: the struct is
// made anew, null where it was.
func (sc *scope) within(e *syntax.Each, list []plan.Assignment) []plan.Assignment {
	at := e.Path
	for {
		of, ok := sc.Expr(at)
		if !ok {
			return nil
		}
		s, isStruct := of.Type().(schema.Struct)
		if !isStruct {
			sc.b.Add(diag.FlowRefused, at.Pos(), "flatten the array first", "%s: found a pattern within %s, which does not run here", sc.Where, of.Type())
			return nil
		}
		made := rebuilt(of, s, list)
		if !sc.Gathers {
			null := plan.Operation{Op: plan.IsNull, Args: []plan.Expr{of}, Of: schema.Boolean}
			there := plan.Operation{Op: plan.Not, Args: []plan.Expr{null}, Of: schema.Boolean}
			made = plan.Case{Whens: []plan.When{{If: there, Then: made}}, Of: made.Type()}
		}
		up, part := at.(*syntax.Member)
		if !part {
			return []plan.Assignment{{Name: expression.PathOf(at), Value: made}}
		}
		list, at = []plan.Assignment{{Name: up.Name.Text, Value: made}}, up.X
	}
}

// rebuilt is a struct with other values for some of its fields, and with new ones.
func rebuilt(of plan.Expr, s schema.Struct, list []plan.Assignment) plan.Expr {
	var out plan.Object
	used := map[string]bool{}
	for _, f := range s.Fields {
		value := plan.Expr(plan.Member{From: of, Name: f.Name, Of: f.Type})
		for _, a := range list {
			if schema.Fold(a.Name) == schema.Fold(f.Name) {
				value, used[a.Name] = a.Value, true
			}
		}
		out.Names, out.Values = append(out.Names, f.Name), append(out.Values, value)
	}
	for _, a := range list {
		if !used[a.Name] {
			used[a.Name] = true
			out.Names, out.Values = append(out.Names, a.Name), append(out.Values, a.Value)
		}
	}
	return out
}

// regular is a regular expression of a script, which is one of Java. What the two kinds
// see differently is refused.
func (sc *scope) regular(x syntax.Expr) *regexp.Regexp {
	e, ok := sc.Outside().Expr(x)
	if !ok {
		return nil
	}
	java, ok := constant.Text(e)
	if !ok {
		sc.b.Add(diag.FlowType, x.Pos(), "write the regular expression between backticks", "%s: found an expression, want a regular expression as a text", sc.Where)
		return nil
	}
	text, err := kernel.Regex(java)
	if err != nil {
		sc.b.Add(diag.FlowRefused, x.Pos(), "write it without looking around, references to groups, and possessive repetition", "%s: patternMatch: %v", sc.Where, err)
		return nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		sc.b.Add(diag.FlowType, x.Pos(), "write another regular expression", "%s: found a regular expression that cannot be read: %v", sc.Where, err)
		return nil
	}
	return re
}

// mapping binds a select's or a sink's columns: fixed ones and rules.
func (sc *scope) mapping(st *syntax.Statement, args syntax.Args) []plan.Assignment {
	return sc.distinct(st, sc.entries(args))
}

// distinct leaves out the columns of a mapping whose input or name came before, as far as
// its settings say so.
func (sc *scope) distinct(st *syntax.Statement, list []plan.Assignment) []plan.Assignment {
	onceIn, onceOut := sc.once(st, "skipDuplicateMapInputs"), sc.once(st, "skipDuplicateMapOutputs")
	taken, named := map[plan.ID]bool{}, map[string]bool{}
	out := []plan.Assignment{}
	for _, a := range list {
		ref, column := a.Value.(plan.Ref)
		if column && onceIn && taken[ref.ID] || onceOut && named[schema.Fold(a.Name)] {
			continue
		}
		if column {
			taken[ref.ID] = true
		}
		named[schema.Fold(a.Name)] = true
		out = append(out, a)
	}
	return out
}

// entries are the columns of a mapping, with those that come twice.
func (sc *scope) entries(args syntax.Args) []plan.Assignment {
	var out []plan.Assignment
	for _, a := range args.List {
		switch n := a.Node.(type) {
		case *syntax.Value:
			name := lastName(n.X)
			if name == "" {
				sc.b.Add(diag.FlowSyntax, n.X.Pos(), "name it, as in: total = price", "%s: found a value without a name, want one", sc.Where)
				continue
			}
			out = append(out, plan.Assignment{Name: name, Value: sc.some(n.X)})
		case *syntax.Assign:
			if one, ok := sc.assignment(n); ok {
				out = append(out, one)
			}
		case *syntax.Each:
			out = append(out, sc.each(n)...)
		default:
			sc.Odd(a)
		}
	}
	return out
}

// lastName is the name that a column keeps when it is taken.
func lastName(x syntax.Expr) string {
	switch x := x.(type) {
	case *syntax.Column:
		return x.Name.Text
	case *syntax.Member:
		return x.Name.Text
	case *syntax.Index:
		return lastName(x.X)
	case *syntax.Noted:
		return lastName(x.X)
	case *syntax.Paren:
		return lastName(x.X)
	}
	return ""
}
