package lint

import (
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/flow/syntax"
)

// references tells of columns that expressions name and no projection has.
func (l *linter) references(st *syntax.Statement) {
	if len(st.Inputs) == 0 {
		return
	}
	in := l.input(st, 0)
	for i := 1; i < len(st.Inputs); i++ {
		in = in.with(l.input(st, i))
	}
	told := map[string]bool{}
	reader{}.args(st.Args, func(c *syntax.Column) {
		from, stream := in, st.Inputs[0].String()
		if n := len(c.Streams); n > 0 {
			stream = c.Streams[n-1].Text
			if l.streams[stream] == nil {
				return
			}
			from = l.stream(stream)
		}
		name := c.Name.Text
		if from.unsure || from.has(name) || told[name] || constant(c) {
			return
		}
		told[name] = true
		l.missing(st, c, from, stream)
	})
}

func (l *linter) missing(st *syntax.Statement, c *syntax.Column, from columns, stream string) {
	name := c.Name.Text
	quoted := "byName('" + strings.ReplaceAll(name, "'", `\'`) + "')"
	fix := "refer to it by name at run time, converted: toString(" + quoted + ")"
	if st.Verb.Text == "select" || st.Verb.Text == "sink" || st.Verb.Text == "foldDown" {
		fix = "map it by a rule: each(match(name == '" + strings.ReplaceAll(name, "'", `\'`) + "'))"
	}
	message := "column " + diag.Quote(name) + " is in no projection before " + stream + ", and a name in an expression has to be (DF-Executor-ColumnNotFound)"
	if !from.drift {
		message = "column " + diag.Quote(name) + " is not among those of " + stream + " (DF-Executor-ColumnNotFound)"
		if near := diag.Nearest(name, from.names()); near != "" {
			fix = "did you mean " + near + "?"
		}
	}
	l.add("column-reference", st, c.Pos(), name, message, fix)
}

// constant tells whether a word means a value and no column.
func constant(c *syntax.Column) bool {
	return len(c.Streams) == 0 && !c.Name.Braced && slices.Contains([]string{"true", "false", "null", "NULL"}, c.Name.Text)
}

// reader visits the columns that arguments read.
type reader struct {
	// pattern is whether the words of patterns mean their own.
	pattern bool
}

// args visits arguments. Names that are given are not read.
func (r reader) args(args syntax.Args, visit func(*syntax.Column)) {
	for _, a := range args.List {
		switch n := a.Node.(type) {
		case *syntax.Option:
			// Values such as compressionLevel: Fastest are words, not columns; one that is
			// computed stands in parentheses and can read parameters alone.
		case *syntax.Assign:
			if _, fixed := staticName(n.Target); !fixed {
				r.expr(n.Target, visit)
			}
			r.expr(n.Value, visit)
		case *syntax.Value:
			r.expr(n.X, visit)
		case *syntax.Clause:
			if n.Name.Text != "partitionBy" {
				r.args(n.Args, visit)
			}
		case *syntax.Each:
			// What a pattern matches is read by $$; a name beside it is a column.
			r.expr(n.Path, visit)
			reader{pattern: true}.args(n.Pairs, visit)
		}
	}
}

// expr visits the columns of an expression.
func (r reader) expr(x syntax.Expr, visit func(*syntax.Column)) {
	syntax.Walk(x, func(x syntax.Expr) bool {
		switch x := x.(type) {
		case *syntax.Column:
			if !r.pattern || !patternWord(x) {
				visit(x)
			}
		case *syntax.Struct:
			r.args(x.Args, visit)
			return false
		}
		return true
	})
}

// patternWord tells whether a word means what a pattern matched.
func patternWord(c *syntax.Column) bool {
	return len(c.Streams) == 0 && !c.Name.Braced && slices.Contains([]string{"name", "type", "stream", "origin", "position"}, c.Name.Text)
}

// conversions tells of values that are looked up by name and not converted.
func (l *linter) conversions(st *syntax.Statement) {
	eachExpr(st.Args, func(x syntax.Expr) {
		converted := map[syntax.Expr]bool{}
		syntax.Walk(x, func(x syntax.Expr) bool {
			switch x := x.(type) {
			case *syntax.Cast:
				converted[bare(x.X)] = true
			case *syntax.Call:
				if strings.HasPrefix(x.Name.Text, "to") || x.Name.Text == "isNull" {
					for _, a := range x.Args {
						converted[bare(a)] = true
					}
				}
				if slices.Contains([]string{"byName", "byNames", "byPosition", "byOrigin", "byPath"}, x.Name.Text) && x.Cache.Text == "" && !converted[x] {
					l.add("bare-byname", st, x.Pos(), "", x.Name.Text+" stands without a conversion: the type is not known before the run",
						"say which type it has, as in toString("+syntax.FormatExpr(x)+")")
				}
			}
			return true
		})
	})
}

// bare is an expression without parentheses and comments around it.
func bare(x syntax.Expr) syntax.Expr {
	switch n := x.(type) {
	case *syntax.Paren:
		return bare(n.X)
	case *syntax.Noted:
		return bare(n.X)
	}
	return x
}

// eachExpr visits the expressions of arguments that give values.
func eachExpr(args syntax.Args, visit func(syntax.Expr)) {
	for _, a := range args.List {
		switch n := a.Node.(type) {
		case *syntax.Assign:
			visit(n.Value)
		case *syntax.Value:
			visit(n.X)
		case *syntax.Each:
			eachExpr(n.Pairs, visit)
		case *syntax.Clause:
			if n.Name.Text != "partitionBy" {
				eachExpr(n.Args, visit)
			}
		}
	}
}
