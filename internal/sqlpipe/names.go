package sqlpipe

import (
	"errors"

	"landfall/internal/diag"
	"landfall/internal/schema"
	"landfall/internal/sparksql"
)

// constant is the value of a text that is known before anything runs.
func (l *loader) constant(f *sparksql.File, x sparksql.Expr) (string, *diag.Diagnostic) {
	switch x := x.(type) {
	case *sparksql.Literal:
		return x.Text, nil
	case *sparksql.Param:
		v, ok := l.options.Params[x.Name]
		if !ok {
			return "", unknownParam(f, x.At, x.Name)
		}
		return v, nil
	case *sparksql.Binary:
		if x.Op == "||" {
			return l.joined(f, x.X, x.Y)
		}
	case *sparksql.Call:
		if x.Name == "concat" {
			args := make([]sparksql.Expr, len(x.Args))
			for i, a := range x.Args {
				args[i] = a.Expr
			}
			return l.joined(f, args...)
		}
	}
	return "", f.Problem(diag.SQLRefused, x.Span().At, "found an expression, want a name that is known before the run").
		Hinted("put it together of texts and parameters: IDENTIFIER(:schema || '.orders')")
}

func (l *loader) joined(f *sparksql.File, list ...sparksql.Expr) (string, *diag.Diagnostic) {
	out := ""
	for _, x := range list {
		v, problem := l.constant(f, x)
		if problem != nil {
			return "", problem
		}
		out += v
	}
	return out, nil
}

func unknownParam(f *sparksql.File, at sparksql.Pos, name string) *diag.Diagnostic {
	return f.Problem(diag.SQLName, at, "parameter %s: there is none of that name", name).
		Hinted("give it under parameters: of the pipeline, or by --param %s=…", name)
}

// identifier is the name that IDENTIFIER(…) says.
func (l *loader) identifier(f *sparksql.File, x sparksql.Expr, at sparksql.Range) ([]sparksql.Ident, *diag.Diagnostic) {
	text, problem := l.constant(f, x)
	if problem != nil {
		return nil, problem
	}
	path, err := schema.ParsePath(text)
	if err != nil || len(path) == 0 {
		return nil, f.Problem(diag.SQLName, at.At, "IDENTIFIER: found %s, want a name", diag.Quote(text)).Hinted("names stand between points: 'bronze.orders'")
	}
	out := make([]sparksql.Ident, len(path))
	for i, n := range path {
		out[i] = sparksql.Ident{Range: at, Name: n}
	}
	return out, nil
}

// bind gives names to the tables of IDENTIFIER(…), and tells of parameters that nobody gave.
func (l *loader) bind(f *sparksql.File, node any) {
	var told []*diag.Diagnostic
	sparksql.Walk(node, func(node any) bool {
		switch n := node.(type) {
		case *sparksql.Table:
			if n.Named == nil {
				return true
			}
			names, problem := l.identifier(f, n.Named, n.Range)
			if problem != nil {
				told = append(told, problem)
				return false
			}
			n.Name, n.Named = names, nil
		case *sparksql.Param:
			if _, ok := l.options.Params[n.Name]; !ok {
				told = append(told, unknownParam(f, n.At, n.Name))
			}
		}
		return true
	})
	for _, d := range told {
		l.problems.Add(d)
	}
}

// merged adds what a reader of a part found wrong.
func (l *loader) merged(err error) {
	var d *diag.Diagnostic
	if errors.As(err, &d) {
		l.problems.Add(d)
		return
	}
	l.problems.Merge(err)
}
