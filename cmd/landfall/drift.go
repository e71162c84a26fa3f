package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/event"
	"landfall/internal/report"
	"landfall/internal/state"
)

func (a *app) driftCommand() *cobra.Command {
	c := &cobra.Command{
		Use:                        "drift",
		SuggestionsMinimumDistance: 2,
		Short:                      "Show drift that people may decide about, and decide",
		Long: `Drift is what files had that the contract had not, or lacked, or had otherwise.
Nothing waits for a person: rows land, and what fits no column is kept beside them.
A decision says what it means: that two columns are one, that all is well, or that
values are not wanted.` + exitCodes,
		Example: `  landfall drift list orders
  landfall drift show orders order_total
  landfall drift decide orders order_total --map-to total_amount --why "renamed by the shop"`,
		Args: unknown,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.driftListCommand(), a.driftShowCommand(), a.driftDecideCommand())
	return c
}

func (a *app) driftListCommand() *cobra.Command {
	var s selector
	var open bool
	c := &cobra.Command{
		Use:   "list [SOURCE…]",
		Short: "List the drift of columns: where, how often, and who decided",
		Long: `List the drift of columns that people may decide about, a line for each column and
kind: where it was met first and last, how often, and what was done. Its status is

  open      values are outside their column, or two columns may be one
  settled   a policy keeps all, or all has landed since
  decided   a person has said what it means

The id of a line stays the same whatever comes later.` + exitCodes,
		Example: `  landfall drift list orders --open
  landfall drift list --table lake/orders --json`,
		RunE: func(c *cobra.Command, names []string) error {
			ts, err := a.targets(c.Context(), s, names)
			if err != nil {
				return err
			}
			return a.listDrift(c.Context(), ts, open, s.where(names))
		},
	}
	s.flags(c)
	c.Flags().BoolVar(&open, "open", false, "only what nobody and no policy has settled")
	return c
}

func (a *app) listDrift(ctx context.Context, ts []target, open bool, where string) error {
	rows := [][]string{}
	waits := false
	for _, t := range ts {
		all, err := t.state.Drift(ctx, t.name)
		if err != nil {
			return err
		}
		for _, x := range all {
			if open && x.Status != state.Open {
				continue
			}
			waits = waits || x.Status == state.Open
			if a.json {
				if err := a.print(x); err != nil {
					return err
				}
				continue
			}
			rows = append(rows, driftRow(x))
		}
	}
	if a.json {
		return nil
	}
	none := "no drift of columns"
	if open {
		none = "no drift is open"
	}
	if err := a.table([]string{"id", "source", "drift", "column", "first in", "last in", "count", "done", "status"}, rows, none); err != nil {
		return err
	}
	if !waits {
		return nil
	}
	first := rows[slices.IndexFunc(rows, func(row []string) bool { return row[len(row)-1] == state.Open })]
	switch {
	case len(ts) == 1:
	case strings.HasPrefix(where, "--table "):
		where += " --source " + quoted(first[1])
	default:
		where = first[1]
	}
	_, err := fmt.Fprintf(a.stdout, "\n  to decide: %s %s\n", a.paste("landfall drift show"), strings.TrimSpace(where+" "+first[0][1:]))
	return err
}

// driftRow is drift as a row of text.
func driftRow(x state.Met) []string {
	status := x.Status
	if x.Decided != nil {
		status = report.Cut(x.Decided.String(), longest)
	}
	return []string{
		"#" + x.ID, x.Source, string(x.Kind), brief(x.Column), seenIn(x.First), seenIn(x.Last), strconv.FormatInt(x.Count, 10),
		doneText(x), status,
	}
}

// doneText is what was done, and what changed.
func doneText(x state.Met) string {
	return x.Done + change(event.Drift{From: x.From, To: x.To})
}

func seenIn(s state.Sighting) string {
	if s.File == "" {
		return "batch " + strconv.FormatInt(s.Batch, 10)
	}
	return place(s.File, s.Line, s.Record)
}
