package transform

import (
	"context"
	"strings"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/flow"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// parameters turns values as people type them into expressions of the script: those of
// texts are quoted, dates and times may be plain, all else is taken as it is.
func parameters(f *syntax.File, s *syntax.Script, given map[string]string) (map[string]string, error) {
	out := map[string]string{}
	types := map[string]*syntax.Type{}
	var names []string
	if s.Parameters != nil {
		for _, p := range s.Parameters.List {
			types[p.Name.Text] = p.Type
			names = append(names, p.Name.Text)
		}
	}
	var problems diag.List
	for name, value := range given {
		t, ok := types[name]
		if !ok {
			d := diag.New(diag.Usage, "found a value of parameter %s, which the flow does not have", diag.Quote(name)).In(diag.Place{File: f.Name})
			if near := diag.Nearest(name, names); near != "" {
				d = d.Hinted("did you mean %s?", near)
			}
			problems.Add(d)
			continue
		}
		out[name] = expression(t, value)
	}
	return out, problems.Err()
}

// expression writes a value of a type as an expression.
func expression(t *syntax.Type, value string) string {
	if t == nil || t.Dims > 0 {
		return value
	}
	switch t.Base {
	case "string":
		return quoted(value)
	case "date":
		if _, err := time.Parse(time.DateOnly, value); err == nil {
			return "toDate(" + quoted(value) + ")"
		}
	case "timestamp":
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999", "2006-01-02 15:04:05.999999", time.DateOnly} {
			if at, err := time.Parse(layout, value); err == nil {
				return "toTimestamp(" + quoted(at.UTC().Format("2006-01-02 15:04:05.000000")) + ", 'yyyy-MM-dd HH:mm:ss.SSSSSS')"
			}
		}
	}
	return value
}

// quoted writes a text as a literal of a script.
func quoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// constant works out an expression that knows of parameters alone: the engine is asked
// for the one row of a flow that has it as its column.
func (o *Opened) constant(ctx context.Context, parameters map[string]string, x syntax.Expr) (any, error) {
	const source, row, value = "source", "row", "value"
	name := func(text string) syntax.Name { return syntax.Name{Text: text, At: x.Pos()} }
	assign := func(to string, x syntax.Expr) syntax.Args {
		return syntax.Args{List: []syntax.Arg{{Node: &syntax.Assign{Target: &syntax.Column{Name: name(to)}, Value: x}}}}
	}
	count := &syntax.Call{Name: name("count")}
	s := &syntax.Script{Parameters: o.script.Parameters, Statements: []*syntax.Statement{
		{At: x.Pos(), Verb: name("source"), Output: name(source)},
		{At: x.Pos(), Verb: name("aggregate"), Inputs: []syntax.Stream{{Name: name(source)}}, Args: assign("rows", count), Output: name(row)},
		{At: x.Pos(), Verb: name("derive"), Inputs: []syntax.Stream{{Name: name(row)}}, Args: assign(value, x), Output: name(value)},
	}}
	p, err := flow.Bind(o.job.Flow.File, s, flow.Options{Inputs: map[string][]schema.Field{source: nil}, Parameters: parameters, Functions: o.job.Functions})
	if err != nil {
		return nil, err
	}
	var out any
	job := engine.Job{Plan: p, Step: value, Inputs: []engine.Input{{Source: source}}, Now: o.began}
	err = o.job.Runner.Run(ctx, job, func(r engine.Result) error {
		for cells, err := range r.Rows {
			if err != nil {
				return err
			}
			out = plain(cells[1])
		}
		return nil
	})
	return out, err
}

// plain is a value without the engine's types.
func plain(v engine.Value) any {
	switch v := v.(type) {
	case engine.Instant:
		return time.Time(v)
	case engine.Date:
		return time.Time(v)
	case engine.List:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	}
	return v
}
