package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/pipeline"
)

// dryRun prints what a run would do.
func (a *app) dryRun(ctx context.Context, job pipeline.Job) error {
	all, err := pipeline.Plan(ctx, job)
	if err != nil {
		return err
	}
	for _, p := range all {
		if a.json {
			err = a.dryJSON(job.Name, p)
		} else {
			err = a.dryText(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *app) dryJSON(name string, p pipeline.Planned) error {
	line := struct {
		Pipeline string                 `json:"pipeline"`
		Dataset  string                 `json:"dataset"`
		Flow     string                 `json:"flow"`
		How      string                 `json:"how"`
		Reads    []string               `json:"reads"`
		Inputs   []event.Input          `json:"inputs"`
		SQL      string                 `json:"sql"`
		Rules    []pipeline.PlannedRule `json:"expectations"`
		Error    string                 `json:"error,omitempty"`
	}{Pipeline: name, Dataset: p.Dataset.Name, Flow: p.Flow, How: p.How, Inputs: p.Inputs, SQL: p.SQL, Rules: p.Rules, Reads: []string{}}
	for _, r := range p.Dataset.Reads {
		line.Reads = append(line.Reads, r.Name)
	}
	if p.Err != nil {
		line.Error = p.Err.Error()
	}
	data, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.stdout, "%s\n", data)
	return err
}

func (a *app) dryText(p pipeline.Planned) error {
	how := p.How
	if p.Err != nil {
		how = "cannot run yet"
	}
	if _, err := fmt.Fprintf(a.stdout, "%s  %s: %s\n", p.Dataset.Name, p.Dataset.Kind, how); err != nil {
		return err
	}
	for _, i := range p.Inputs {
		what := fmt.Sprintf("all %s of version %d", count(int64(i.Files), "file"), i.To)
		if i.From >= 0 {
			what = fmt.Sprintf("%s of versions %d to %d", count(int64(i.Files), "new file"), i.From+1, i.To)
		}
		if _, err := fmt.Fprintf(a.stdout, "  reads %s: %s\n", i.Table, what); err != nil {
			return err
		}
	}
	if p.Err != nil {
		_, err := fmt.Fprint(a.stdout, indent(diag.Render(p.Err, false)))
		return err
	}
	for _, r := range p.Rules {
		if _, err := fmt.Fprintf(a.stdout, "  expects %s (%s): %s\n", r.Name, r.Action, r.Condition); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(a.stdout, "  runs %s\n", p.SQL)
	return err
}

// indent sets lines in by two spaces.
func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}
