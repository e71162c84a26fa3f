package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"landfall/internal/event"
	"landfall/internal/report"
)

func (a *app) eventsCommand() *cobra.Command {
	var s selector
	c := &cobra.Command{
		Use:   "events [SOURCE…]",
		Short: "Print what happened: batches, drift, quarantined records",
		Long: `Print the events of every landed batch, oldest first: its counts, each drift
with the file, column and record where it was met first and what was decided,
and each quarantined record or file.` + exitCodes,
		Example: `  landfall events
  landfall events --table lake/orders --json`,
		RunE: func(c *cobra.Command, names []string) error {
			ts, err := a.targets(c.Context(), s, names)
			if err != nil {
				return err
			}
			return a.printEvents(c.Context(), ts)
		},
	}
	s.flags(c)
	return c
}

func (a *app) printEvents(ctx context.Context, ts []target) error {
	rows := [][]string{}
	for _, t := range ts {
		for e, err := range t.state.Events(ctx) {
			if err != nil {
				return err
			}
			e.Source = t.name
			if a.json {
				if err := a.print(e); err != nil {
					return err
				}
				continue
			}
			rows = append(rows, eventRow(e))
		}
	}
	if a.json {
		return nil
	}
	return a.table([]string{"time", "source", "batch", "what", "column", "where", "details"}, rows, "nothing has happened yet")
}

// eventRow is an event as a row of text.
func eventRow(e event.Event) []string {
	row := []string{e.Time.UTC().Format("2006-01-02 15:04:05Z"), e.Source, strconv.FormatInt(e.Batch, 10)}
	switch {
	case e.Landed != nil:
		b := e.Landed
		return append(row, "landed", "", fmt.Sprintf("v%d", b.TableVersion), fmt.Sprintf("rows in %d = landed %d + quarantined %d + dropped %d, from %s",
			b.RowsIn, b.RowsLanded, b.RowsQuarantined, b.RowsDropped, report.Plural(b.Files, "file")))
	case e.Drift != nil:
		d := e.Drift
		return append(row, string(d.Kind), columnOf(*d), place(d.File, d.Line, d.Record), d.Decision+change(*d))
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
