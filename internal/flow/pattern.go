package flow

import (
	"regexp"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// match is the column that a pattern is at.
type match struct {
	column plan.Column
	// position is its place among those of its input, from 1.
	position int
	// groups are what a regular expression found in the name: $0, $1 and so on.
	groups []string
}

// ref is the value of the column.
func (m *match) ref() plan.Expr { return plan.Ref{ID: m.column.ID, Of: m.column.Type} }

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
			if local, ok := n.Target.(*syntax.Local); ok {
				if e, ok := sc.expr(n.Value); ok {
					sc.locals[local.Name] = e
				}
				continue
			}
			name, drifted, named := sc.target(n.Target)
			e, ok := sc.expr(n.Value)
			if named && ok {
				set(plan.Assignment{Name: name, Value: e, Drifted: drifted})
			}
		case *syntax.Each:
			for _, one := range sc.each(n) {
				set(one)
			}
		default:
			sc.odd(a)
		}
	}
	return out
}

// target is the name that the left side of an assignment gives, and whether expressions
// may not name the column: only the run tells what it is called. A pattern that keeps the
// name of a column of the projection leaves it one.
func (sc *scope) target(x syntax.Expr) (name string, drifted, ok bool) {
	switch n := x.(type) {
	case *syntax.Column:
		if len(n.Streams) == 0 {
			return n.Name.Text, false, true
		}
	case *syntax.Text:
		return n.Value(), false, true
	case *syntax.Noted:
		return sc.target(n.X)
	}
	inner := *sc
	inner.naming = true
	e, ok := inner.expr(x)
	if !ok {
		return "", false, false
	}
	text, ok := constant.Text(e)
	if !ok {
		sc.b.add(diag.FlowRefused, x.Pos(), "build the name of $$, texts and parameters with +, replace, lower, upper, trim or substring", "%s: found a name that is not known before the run", sc.where)
	}
	late := sc.matched == nil || sc.matched.column.Drifted || sc.matched.column.Name != text
	return text, late, ok
}

// each binds what a pattern makes of every column that it matches.
func (sc *scope) each(e *syntax.Each) []plan.Assignment {
	var out []plan.Assignment
	for _, m := range sc.matches(e) {
		inner := *sc
		inner.matched = m
		out = append(out, inner.assignments(e.Pairs)...)
	}
	return out
}

// matches are the columns of the input that a pattern matches, drifted ones too.
func (sc *scope) matches(e *syntax.Each) []*match {
	if len(sc.in) == 0 {
		return nil
	}
	if e.Path != nil {
		sc.b.add(diag.FlowRefused, e.Path.Pos(), "take the fields one by one: x = "+syntax.FormatExpr(e.Path)+".x", "%s: found a pattern of the fields of a struct, which does not run here", sc.where)
		return nil
	}
	var pattern *regexp.Regexp
	if e.Matcher == "patternMatch" {
		if pattern = sc.regular(e.Cond); pattern == nil {
			return nil
		}
	}
	var out []*match
	for i, c := range sc.in[0].Visible() {
		m := &match{column: c, position: i + 1, groups: []string{c.Name}}
		if pattern != nil {
			if m.groups = pattern.FindStringSubmatch(c.Name); m.groups != nil {
				out = append(out, m)
			}
			continue
		}
		yes, ok := sc.fits(m, e.Cond)
		if !ok {
			return nil
		}
		if yes {
			out = append(out, m)
		}
	}
	return out
}

// regular is a regular expression of a script.
func (sc *scope) regular(x syntax.Expr) *regexp.Regexp {
	t, ok := x.(*syntax.Text)
	if !ok {
		sc.b.add(diag.FlowType, x.Pos(), "write the regular expression between backticks", "%s: found an expression, want a regular expression as a text", sc.where)
		return nil
	}
	re, err := regexp.Compile(t.Value())
	if err != nil {
		sc.b.add(diag.FlowType, x.Pos(), "write another regular expression", "%s: found a regular expression that cannot be read: %v", sc.where, err)
		return nil
	}
	return re
}

// fits tells whether a column meets the condition of a pattern, which knows its name,
// type, stream, origin and position, and parameters, but no values.
func (sc *scope) fits(m *match, cond syntax.Expr) (yes, ok bool) {
	inner := *sc
	inner.matched, inner.naming = m, true
	e, ok := inner.expr(cond)
	if !ok {
		return false, false
	}
	v, known := constant.Of(e)
	yes, isBool := v.(bool)
	if !known || !isBool && v != nil {
		sc.b.add(diag.FlowRefused, cond.Pos(), "compare name, type, stream, origin or position, as in: startsWith(name, 'x') && type == 'string'", "%s: found a condition that is not known before the run", sc.where)
		return false, false
	}
	return yes, true
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
	take := func(x syntax.Expr, name string) {
		if e, ok := sc.expr(x); ok {
			out = append(out, plan.Assignment{Name: name, Value: e})
		}
	}
	for _, a := range args.List {
		switch n := a.Node.(type) {
		case *syntax.Value:
			take(n.X, lastName(n.X))
		case *syntax.Assign:
			if name, _, ok := sc.target(n.Target); ok {
				take(n.Value, name)
			}
		case *syntax.Each:
			out = append(out, sc.rule(n)...)
		default:
			sc.odd(a)
		}
	}
	return out
}

// rule is a rule of a mapping; without names columns keep theirs.
func (sc *scope) rule(e *syntax.Each) []plan.Assignment {
	if len(e.Pairs.List) > 0 {
		return sc.each(e)
	}
	var out []plan.Assignment
	for _, m := range sc.matches(e) {
		out = append(out, plan.Assignment{Name: m.column.Name, Value: m.ref()})
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
	}
	return ""
}
