package flow

import (
	"errors"

	"landfall/internal/diag"
	"landfall/internal/flow/constant"
	"landfall/internal/flow/syntax"
)

// settings refuses what a transformation says and no value would show: settings and groups
// that come twice, those that do not run. syntax.Parse has refused those that there are
// not. Without effect on values are broadcast, the thresholds of a join that matches
// exactly, and partitionBy but of a sink; what stores and formats take is their affair.
func (sc *scope) settings(st *syntax.Statement) {
	seen := map[string]bool{}
	for _, a := range st.Args.List {
		var name syntax.Name
		switch n := a.Node.(type) {
		case *syntax.Option:
			name = n.Name
			sc.setting(st, n)
		case *syntax.Clause:
			name = n.Name
		case *syntax.Schema:
			name = n.Name
		}
		if seen[name.Text] && !repeats(name.Text) {
			sc.b.Add(diag.FlowSyntax, name.At, "take one of the two away", "%s: found %s a second time, want it once", sc.Where, name.Text)
		}
		seen[name.Text] = true
	}
}

// repeats tells which groups may come several times.
func repeats(name string) bool {
	switch name {
	case "", "asc", "desc", "expectTrue", "expectUnique", "expectExists":
		return true
	}
	return false
}

func (sc *scope) setting(st *syntax.Statement, o *syntax.Option) {
	switch o.Name.Text {
	case "matchType":
		if kind, ok := sc.textOption(st, "matchType"); ok && kind != "exact" {
			sc.b.Add(diag.FlowRefused, o.Value.Pos(), "join on equal values: matchType: 'exact'", "%s: found matchType %s, which does not run here", sc.Where, diag.Quote(kind))
		}
	case "ignoreSpaces":
		if sc.flag(st, "ignoreSpaces") {
			sc.b.Add(diag.FlowRefused, o.Value.Pos(), "compare what replace(x, ' ', '') makes of both sides", "%s: found ignoreSpaces, which does not run here", sc.Where)
		}
	case "startRangeOffset", "endRangeOffset":
		sc.b.Add(diag.FlowRefused, o.Name.At, "say how many rows: startRowOffset: -7L, endRowOffset: 0L", "%s: found a frame of a range of values, which does not run here", sc.Where)
	}
}

// clauseValues are the expressions in a group, none of a group that is not there.
func (sc *scope) clauseValues(c *syntax.Clause) []syntax.Expr {
	if c == nil {
		return nil
	}
	var out []syntax.Expr
	for _, a := range c.Args.List {
		if v, ok := a.Node.(*syntax.Value); ok {
			out = append(out, v.X)
			continue
		}
		sc.Odd(a)
	}
	return out
}

// flag is whether a setting is true; one that is not there is not.
func (sc *scope) flag(st *syntax.Statement, name string) bool {
	x := optionOf(st, name)
	return x != nil && sc.Truth(x, name)
}

// once is a setting that is true where it is not there.
func (sc *scope) once(st *syntax.Statement, name string) bool {
	x := optionOf(st, name)
	return x == nil || sc.Truth(x, name)
}

// textOption is a setting that is a text; false where it is not there, or is none.
func (sc *scope) textOption(st *syntax.Statement, name string) (string, bool) {
	x := optionOf(st, name)
	if x == nil {
		return "", false
	}
	e, ok := sc.Outside().Expr(x)
	if !ok {
		return "", false
	}
	text, ok := constant.Text(e)
	if !ok {
		sc.b.Add(diag.FlowType, x.Pos(), "write it between single quotes", "%s: %s: found %s, want a text", sc.Where, name, diag.Quote(syntax.FormatExpr(x)))
	}
	return text, ok
}

// unfit tells of a step that the plan does not take.
func (sc *scope) unfit(st *syntax.Statement, err error) {
	code, hint, tail := diag.FlowType, "look at the columns that come in, and at their types", ""
	if st.Verb.Text == "union" {
		hint, tail = "cast the column before the union", " (DF-UNI-001)"
	}
	for _, d := range diagnostics(err) {
		sc.b.Add(code, st.Verb.At, hint, "%s %s%s", st.Verb.Text, d.Message, tail)
	}
}

// diagnostics are the problems that an error holds.
func diagnostics(err error) []*diag.Diagnostic {
	var list diag.List
	if errors.As(err, &list) {
		return list
	}
	var one *diag.Diagnostic
	if errors.As(err, &one) {
		return []*diag.Diagnostic{one}
	}
	return []*diag.Diagnostic{diag.New(diag.FlowType, "%v", err)}
}

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
