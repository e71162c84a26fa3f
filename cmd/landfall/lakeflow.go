package main

import (
	"context"
	"path/filepath"
	"slices"

	"landfall/internal/diag"
	"landfall/internal/pipeline"
	"landfall/internal/pipeline/lakeflow"
	"landfall/internal/project"
)

// lakeflowEvents prints what pipelines did in the shape of Databricks' event log.
func (a *app) lakeflowEvents(ctx context.Context, s selector, names, pipes []string, shape string) error {
	if shape != "lakeflow" {
		return diag.New(diag.Usage, "found --format %s, want lakeflow", diag.Quote(shape)).Hinted("leave it out, or write --format lakeflow")
	}
	if s.source != "" {
		return diag.New(diag.Usage, "--format lakeflow goes with pipelines").Hinted("landfall events --pipeline NAME --format lakeflow")
	}
	rows, err := a.lakeflowMeant(ctx, s.table, append(slices.Clone(names), pipes...))
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := a.print(r); err != nil {
			return err
		}
	}
	return nil
}

// lakeflowMeant are the rows of the pipelines of the names, of all without any, or of a
// table's folder.
func (a *app) lakeflowMeant(ctx context.Context, table string, names []string) ([]lakeflow.Row, error) {
	if table != "" {
		if len(names) > 0 {
			return nil, diag.New(diag.Usage, "found %s beside --table", diag.Quote(names[0])).Hinted("name pipelines of the project, or a table's folder")
		}
		return a.lakeflowAt(ctx, table)
	}
	p, err := a.loadProject()
	if err != nil {
		return nil, a.tabled(err)
	}
	wanted := p.Pipelines
	if len(names) > 0 {
		wanted = nil
	}
	for _, name := range names {
		x, ok := p.Pipeline(name)
		if !ok {
			return nil, noPipeline(p, name)
		}
		wanted = append(wanted, x)
	}
	return a.lakeflowOf(ctx, p, wanted)
}

// lakeflowOf are the rows of pipelines.
func (a *app) lakeflowOf(ctx context.Context, p *project.Project, wanted []project.Pipeline) ([]lakeflow.Row, error) {
	var out []lakeflow.Row
	for _, x := range wanted {
		all, err := a.madeBy(ctx, p, []project.Pipeline{x})
		if err != nil {
			return nil, err
		}
		runs, err := openStore(under(filepath.Dir(p.File), x.Target))
		if err != nil {
			return nil, err
		}
		updates, err := pipeline.Updates(ctx, runs, x.Name)
		if err != nil {
			return nil, err
		}
		rows, err := lakeflow.Rows(x.Name, updates, pastOf(all))
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// lakeflowAt are those of a dataset by its table's folder. How its runs ended is not known
// there.
func (a *app) lakeflowAt(ctx context.Context, folder string) ([]lakeflow.Row, error) {
	m, err := a.madeAt(ctx, folder)
	if err != nil || len(m.events) == 0 {
		return nil, err
	}
	return lakeflow.Rows(m.events[0].Dataset.Pipeline, nil, m.events)
}
