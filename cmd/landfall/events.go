package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"landfall/internal/event"
	"landfall/internal/report"
	"landfall/internal/transform"
)

func (a *app) eventsCommand() *cobra.Command {
	var s selector
	var pipes []string
	var shape string
	c := &cobra.Command{
		Use:   "events [SOURCE|PIPELINE…]",
		Short: "Print what happened: batches, drift, quarantined records, what pipelines did",
		Long: `Print the events of every landed batch, oldest first: its counts, each drift
with the file, column and record where it was met first and what was decided,
and each quarantined record or file. Of a pipeline: each batch of each dataset, those of
which nothing was written too, with the rules that rows broke. Each is final and counts
its own rows, so that sums are right.

With --table FOLDER also the runs of data flows that wrote the folder, with the drift of
each file that they read, or what a pipeline did to it. With --format lakeflow what
pipelines did has the shape of Databricks' event log, an object a line.` + exitCodes,
		Example: `  landfall events
  landfall events --pipeline trips
  landfall events --table lake/orders --json
  landfall events --pipeline trips --format lakeflow`,
		RunE: func(c *cobra.Command, names []string) error {
			if shape != "" {
				return a.lakeflowEvents(c.Context(), s, names, pipes, shape)
			}
			runs, err := flowEvents(c.Context(), s.table)
			if err != nil {
				return err
			}
			ts, past, err := a.eventsOf(c.Context(), s, names, pipes)
			if err != nil && len(runs)+len(past) == 0 {
				return err
			}
			return a.printEvents(c.Context(), ts, runs, past)
		},
	}
	s.flags(c)
	c.AddCommand(a.droppedCommand())
	c.Flags().StringVar(&shape, "format", "", "lakeflow: what pipelines did, as rows of Databricks' event log")
	c.Flags().StringArrayVar(&pipes, "pipeline", nil, "a pipeline of the project; may be repeated")
	return c
}

// eventsOf are the sources that names, --pipeline and --table mean, and the events of
// pipelines that they mean.
func (a *app) eventsOf(ctx context.Context, s selector, names, pipes []string) ([]target, []event.Event, error) {
	if s.table != "" {
		m, err := a.madeAt(ctx, s.table)
		if err != nil {
			return nil, nil, err
		}
		ts, err := a.targets(ctx, s, names)
		return ts, m.events, err
	}
	p, wanted, rest, err := a.pipelinesOf(names, pipes)
	if err != nil {
		return nil, nil, err
	}
	var all []made
	if len(wanted) > 0 {
		if all, err = a.madeBy(ctx, p, wanted); err != nil {
			return nil, nil, err
		}
	}
	if len(rest) == 0 && s.source == "" && len(names)+len(pipes) > 0 {
		return nil, pastOf(all), nil // pipelines alone are meant
	}
	ts, err := a.targets(ctx, s, rest)
	if err != nil {
		return nil, nil, err
	}
	return ts, pastOf(all), nil
}

// flowEvents are those that data flows noted down in a folder that they wrote.
func flowEvents(ctx context.Context, folder string) ([]event.Event, error) {
	if folder == "" {
		return nil, nil
	}
	if path, ok := localPath(folder); ok {
		folder = path
	}
	abs, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	var out []event.Event
	for _, at := range transform.Records(abs) {
		records, err := openStore(at)
		if err != nil {
			return nil, err
		}
		for e, err := range transform.Events(ctx, records) {
			if err != nil {
				return nil, err
			}
			out = append(out, e)
		}
	}
	return out, nil
}

// printEvents prints those of data flows, those of sources, and those of pipelines.
func (a *app) printEvents(ctx context.Context, ts []target, runs, past []event.Event) error {
	rows := [][]string{}
	show := func(e event.Event) error {
		if a.json {
			return a.print(e)
		}
		rows = append(rows, eventRows(e)...)
		return nil
	}
	for _, e := range runs {
		if err := show(e); err != nil {
			return err
		}
	}
	for _, t := range ts {
		for e, err := range t.state.Events(ctx) {
			if err != nil {
				return err
			}
			e.Source = t.name
			if err := show(e); err != nil {
				return err
			}
		}
	}
	for _, e := range past {
		if err := show(e); err != nil {
			return err
		}
	}
	if a.json {
		return nil
	}
	return a.table([]string{"time", "source", "batch", "what", "column", "where", "details"}, rows, "nothing has happened yet")
}

// eventRows are an event as rows of text.
func eventRows(e event.Event) [][]string {
	if e.Dataset != nil {
		return datasetRows(eventHead(e), *e.Dataset)
	}
	return [][]string{eventRow(e)}
}

func eventHead(e event.Event) []string {
	return []string{e.Time.UTC().Format("2006-01-02 15:04:05Z"), e.Source, strconv.FormatInt(e.Batch, 10)}
}

// eventRow is an event as a row of text.
func eventRow(e event.Event) []string {
	row := eventHead(e)
	switch {
	case e.Landed != nil:
		b := e.Landed
		return append(row, "landed", "", fmt.Sprintf("v%d", b.TableVersion), fmt.Sprintf("rows in %d = landed %d + quarantined %d + dropped %d, from %s",
			b.RowsIn, b.RowsLanded, b.RowsQuarantined, b.RowsDropped, report.Plural(b.Files, "file")))
	case e.Drift != nil:
		d := e.Drift
		return append(row, string(d.Kind), columnOf(*d), place(d.File, d.Line, d.Record), d.Decision+change(*d))
	case e.Ran != nil:
		r := e.Ran
		return append(row, "run", "", r.Sink, fmt.Sprintf("%s in %s, %s", report.Plural(r.Rows, "row"), report.Plural(int64(r.Files), "file"), report.Bytes(r.Bytes)))
	case e.Quarantined != nil:
		q := e.Quarantined
		return append(row, "quarantined", "", place(q.Path, q.Line, q.Record), report.Cut(q.Reason, longest))
	}
	return append(row, e.Type, "", "", "")
}

// place renders where something was met.
func place(file string, line, record int64) string {
	switch {
	case line > 0:
		return fmt.Sprintf("%s:%d", file, line)
	case record > 0:
		return fmt.Sprintf("%s record %d", file, record)
	}
	return file
}

// change renders what a drift changed: " (from → to)".
func change(d event.Drift) string {
	switch {
	case d.From != "" && d.To != "":
		return fmt.Sprintf(" (%s → %s)", brief(d.From), brief(d.To))
	case d.To != "":
		return fmt.Sprintf(" (%s)", report.Cut(d.To, longest))
	}
	return ""
}

// longest is the width of the longest message in a line of text, and brief
// shortens a name: that of a column may be as long as a file. JSON has them
// whole.
const longest = 300

func brief(name string) string { return report.Cut(name, 80) }
