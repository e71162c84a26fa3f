package expression

import (
	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// Match is the column, or the field of a struct, that a pattern is at.
type Match struct {
	Column plan.Column
	// Name, Of and Value are the column's, or those of the field.
	Name  string
	Of    schema.Type
	Value plan.Expr
	// Path is the way to a field, the name of a column.
	Path string
	// Position is its place among those of its input or struct, from 1.
	Position int
	// Groups are what a regular expression found in the name: $0, $1 and so on; nil
	// without one.
	Groups []string
}

// Target is the name that the left side of an assignment gives, as an expression.
func (sc *Scope) Target(x syntax.Expr) (plan.Expr, bool) {
	switch n := x.(type) {
	case *syntax.Column:
		if len(n.Streams) == 0 {
			return Text(n.Name.Text), true
		}
	case *syntax.Text:
		return Text(n.Value()), true
	case *syntax.Noted:
		return sc.Target(n.X)
	case *syntax.Member:
		if PathOf(n) == "" {
			break
		}
		sc.Script.Add(diag.FlowRefused, x.Pos(), "set the struct: address = @(city = upper(address.city), …), or use a pattern: each(address, match(name == 'city'), $$ = upper($$))",
			"%s: found a field of a struct that takes a value, which does not run here", sc.Where)
		return nil, false
	}
	inner := *sc
	inner.Naming = true
	return inner.Expr(x)
}

// NotConstant tells of a name that only rows give.
func (sc *Scope) NotConstant(x syntax.Expr) {
	sc.Script.Add(diag.FlowRefused, x.Pos(), "build the name of $$, texts, parameters and cached lookups with +, replace, regexReplace, lower, upper, trim, left, right or substring",
		"%s: found a name that is not known before the run", sc.Where)
}
