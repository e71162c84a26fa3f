package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/event"
	"landfall/internal/pipeline"
	"landfall/internal/pipeline/record"
	"landfall/internal/project"
	"landfall/internal/report"
	"landfall/internal/store"
)

// made is a dataset that a pipeline made, with what its flows did.
type made struct {
	pipeline, dataset string
	data              store.Store
	events            []event.Event
	dropped           map[string]record.Rows
}

// madeBy are the datasets of pipelines, of each in the order of their folders. It asks
// the folders, not the SQL files: what was done is known though they changed since.
func (a *app) madeBy(ctx context.Context, p *project.Project, wanted []project.Pipeline) ([]made, error) {
	var out []made
	for _, x := range wanted {
		folder := under(filepath.Dir(p.File), x.Target)
		target, err := openStore(folder)
		if err != nil {
			return nil, err
		}
		names, err := record.Datasets(ctx, target)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			m, err := a.madeAt(ctx, filepath.Join(folder, name))
			if err != nil {
				return nil, err
			}
			m.pipeline, m.dataset = x.Name, name
			m.events = slices.DeleteFunc(m.events, func(e event.Event) bool { return e.Dataset.Pipeline != x.Name })
			if len(m.events) > 0 {
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// madeAt is what flows of a pipeline did to the table of a folder.
func (a *app) madeAt(ctx context.Context, folder string) (made, error) {
	data, err := openStore(folder)
	if err != nil {
		return made{}, err
	}
	h, err := record.Past(ctx, data, a.flowTable(data))
	if err != nil {
		return made{}, err
	}
	if n := len(h.Lost); n > 0 {
		a.remark("note: %s: the records of %s are gone, the last is %d of flow %s", shown(data.URL("")), report.Plural(int64(n), "batch"), h.Lost[n-1].Batch, h.Lost[n-1].Source)
	}
	return made{data: data, events: h.Events, dropped: h.Dropped}, nil
}

// pipelinesOf divides names into pipelines of the project and others; without names all
// pipelines are meant. A name that a source has too means both.
func (a *app) pipelinesOf(names, pipes []string) (p *project.Project, wanted []project.Pipeline, rest []string, err error) {
	p, err = a.loadProject()
	if err != nil {
		if len(pipes) > 0 {
			return nil, nil, nil, err
		}
		return nil, nil, names, nil // sources without a project have a way of their own
	}
	if len(names)+len(pipes) == 0 {
		return p, p.Pipelines, nil, nil
	}
	for _, name := range pipes {
		x, ok := p.Pipeline(name)
		if !ok {
			return nil, nil, nil, noPipeline(p, name)
		}
		wanted = append(wanted, x)
	}
	for _, name := range names {
		_, source := p.Source(name)
		x, ok := p.Pipeline(name)
		if ok {
			wanted = append(wanted, x)
		}
		if source || !ok {
			rest = append(rest, name)
		}
	}
	return p, wanted, rest, nil
}

func noPipeline(p *project.Project, name string) error {
	known := make([]string, len(p.Pipelines))
	for i, x := range p.Pipelines {
		known[i] = x.Name
	}
	return diag.New(diag.Usage, "found %s, want the name of a pipeline", diag.Quote(name)).Hinted("the pipelines here: %s", strings.Join(known, ", "))
}

// pastOf are the events of datasets in one order.
func pastOf(all []made) []event.Event {
	lists := make([][]event.Event, len(all))
	for i, m := range all {
		lists[i] = m.events
	}
	return record.Merge(lists...)
}

// datasetRows are a batch of a dataset as rows of text: what became of the rows, then
// each rule that rows broke.
func datasetRows(row []string, e event.Dataset) [][]string {
	what, where, rows := "updated", fmt.Sprintf("v%d", e.TableVersion), fmt.Sprintf("rows in %d = written %d + dropped %d, %s", e.RowsIn, e.RowsWritten, e.RowsDropped, e.How)
	if e.Status == "FAILED" {
		what, where, rows = "failed", "", fmt.Sprintf("rows in %d, nothing was written: %s", e.RowsIn, e.Reason)
	}
	if e.How == pipeline.Looked {
		what, rows = e.How, e.Reason
	}
	if e.RowsRemoved > 0 && e.How == "new rows" {
		rows += fmt.Sprintf("; %s taken back", report.Plural(e.RowsRemoved, "row"))
	}
	if e.Flow != e.Dataset {
		rows += "; by flow " + e.Flow
	}
	out := [][]string{append(slices.Clone(row), what, "", where, report.Cut(rows, longest))}
	for _, c := range e.Casts {
		out = append(out, append(slices.Clone(row), "nulled", c.Column, "", fmt.Sprintf("%s became NULL: no %s", report.Plural(c.Count, "value"), c.To)))
	}
	for _, x := range e.Expectations {
		if x.False+x.Null == 0 {
			continue
		}
		column, where, sample := strings.Join(x.Columns, ", "), "", ""
		if len(x.Files) > 0 {
			where = x.Files[0].File
		}
		if len(x.Samples) > 0 {
			s := x.Samples[0]
			if len(s.Values) > 0 {
				sample = ", such as " + s.Text()
			}
			if s.File != "" {
				where = s.File
			}
			if len(s.Rescued) > 0 {
				column = strings.Join(s.Rescued, ", ")
			}
		}
		if n := len(x.Files) - 1; n > 0 {
			where += fmt.Sprintf(" and %s", report.Plural(int64(n), "more file"))
		}
		text := fmt.Sprintf("%s: %s broke it (%d false, %d null), %s%s", x.Name, report.Plural(x.False+x.Null, "row"), x.False, x.Null, fate(x, e), sample)
		out = append(out, append(slices.Clone(row), "expectation", brief(column), where, report.Cut(text, longest)))
	}
	return out
}

// fate is what was done with rows that broke a rule, in a word or two.
func fate(x event.Expectation, e event.Dataset) string {
	switch {
	case e.Status == "FAILED":
		return "not written"
	case x.Action == "drop":
		return "dropped"
	default:
		return "kept"
	}
}
