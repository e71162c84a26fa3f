package transform

import (
	"context"
	"errors"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/flow"
	"landfall/internal/flow/dataset"
	"landfall/internal/flow/syntax"
	"landfall/internal/schema"
)

// Refused tells what of a flow does not run here, and what is wrong with its script,
// without a look at files. What only the columns of files decide is not told.
func Refused(ctx context.Context, j Job) []*diag.Diagnostic {
	script, err := syntax.Parse(j.Flow.File)
	if err != nil {
		return problems(err)
	}
	o := &Opened{job: j, script: script, began: j.Now()}
	sources, _, err := dataset.Read(j.Flow, script, func(x syntax.Expr) (any, error) { return o.constant(ctx, j.Parameters, x) })
	out := problems(err)
	inputs, stored := map[string][]schema.Field{}, map[string][]schema.Field{}
	for _, s := range sources {
		inputs[s.Name], stored[s.Name] = nil, s.Projection
	}
	_, err = flow.Bind(j.Flow.File, script, flow.Options{Inputs: inputs, Projections: stored, Parameters: j.Parameters, Functions: j.Functions})
	for _, d := range problems(err) {
		if d.Code == diag.FlowRefused || d.Code == diag.FlowName || d.Code == diag.FlowGraph {
			out = append(out, d)
		}
	}
	return slices.Compact(out)
}

// problems are the diagnostics of an error.
func problems(err error) []*diag.Diagnostic {
	var list diag.List
	var one *diag.Diagnostic
	switch {
	case errors.As(err, &list):
		return list
	case errors.As(err, &one):
		return []*diag.Diagnostic{one}
	}
	return nil
}

// Places are the linked services and containers that a flow reads and writes, as
// landfall.yaml names them: SERVICE/CONTAINER, or the one that there is.
func Places(ctx context.Context, j Job) []string {
	script, err := syntax.Parse(j.Flow.File)
	if err != nil {
		return nil
	}
	o := &Opened{job: j, script: script, began: j.Now()}
	sources, sinks, _ := dataset.Read(j.Flow, script, func(x syntax.Expr) (any, error) { return o.constant(ctx, j.Parameters, x) }) // what is wrong is what Refused tells
	var out []string
	add := func(l dataset.Location) {
		switch {
		case l.Service != "" && l.Container != "":
			out = append(out, l.Service+"/"+l.Container)
		case l.Service+l.Container != "":
			out = append(out, l.Service+l.Container)
		}
	}
	for _, s := range sources {
		add(s.Location)
	}
	for _, s := range sinks {
		add(s.Location)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
