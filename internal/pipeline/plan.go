package pipeline

import (
	"context"
	"slices"

	"landfall/internal/event"
	"landfall/internal/sqlpipe"
)

// Planned is what a run would do with a flow.
type Planned struct {
	Dataset *sqlpipe.Dataset
	Flow    string
	// How is as in event.Dataset, or "nothing new".
	How    string
	Inputs []event.Input
	// SQL is what the engine would run.
	SQL   string
	Rules []PlannedRule
	// Err is why it could not run.
	Err error
}

// PlannedRule is an expectation as the engine evaluates it.
type PlannedRule struct {
	Name      string `json:"name"`
	Action    string `json:"action"`
	Condition string `json:"condition"`
	SQL       string `json:"sql"`
}

// Plan says what a run would do, and writes nothing. Of datasets that read what this run
// would make first, nothing is known yet: their error says which table is missing.
func Plan(ctx context.Context, job Job) ([]Planned, error) {
	var out []Planned
	for _, d := range job.Pipeline.Datasets {
		if d.Kind == sqlpipe.View {
			continue
		}
		for _, f := range d.Flows {
			p := plan(ctx, &runner{Job: job, dataset: d}, f)
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			out = append(out, p)
		}
	}
	return out, nil
}

func plan(ctx context.Context, r *runner, f sqlpipe.Flow) Planned {
	p := Planned{Dataset: r.dataset, Flow: f.Name, Inputs: []event.Input{}, Rules: []PlannedRule{}}
	if r.book.Data, p.Err = r.Target(r.dataset.Name); p.Err != nil {
		return p
	}
	r.book.Table = r.Open(r.book.Data)
	b := &batch{runner: r, flow: f}
	if p.Err = b.stand(ctx); p.Err != nil {
		return p
	}
	if b.in, p.Err = r.open(ctx, f); p.Err != nil {
		return p
	}
	if p.Err = r.read(ctx, b.in, b.lastRead()); p.Err != nil {
		return p
	}
	if b.query, p.Err = r.compile(f, b.in); p.Err != nil {
		return p
	}
	p.How, p.Inputs = b.how(), b.in.events()
	if !b.wanted() {
		p.How = "nothing new"
	}
	p.SQL = (&writing{batch: b}).baseSQL()
	for _, rule := range append(slices.Clone(b.query.rules), b.query.fresh...) {
		p.Rules = append(p.Rules, PlannedRule{rule.Name, rule.Action.String(), rule.Text, rule.sql})
	}
	return p
}
