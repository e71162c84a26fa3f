package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/plan"
	"landfall/internal/report"
	"landfall/internal/transform"
)

func (a *app) flowPreviewCommand() *cobra.Command {
	var f flowFlags
	var at string
	var rows int64
	c := &cobra.Command{
		Use:   "preview FLOW",
		Short: "Show rows of any transformation of a data flow",
		Long: `Read the sources and show the first rows that leave a transformation, with the type of
each column. A column that no projection names is marked: it drifted in, or its name was
worked out. Nothing is written, moved or deleted.` + exitCodes,
		Example: `  landfall flow preview orders.dfs --source RawOrders=raw
  landfall flow preview orders.dfs --source RawOrders=raw --at TypedOrders --rows 20
  landfall flow preview orders.dfs --source RawOrders=raw --at Split@big --json`,
		Args: args(1, 1, "FLOW"),
		RunE: func(c *cobra.Command, args []string) error {
			if rows < 1 {
				return diag.New(diag.Usage, "found --rows %d, want 1 or more", rows).Hinted("see: %s --help", c.CommandPath())
			}
			return a.flowPreview(c.Context(), args[0], f, at, rows)
		},
	}
	f.add(c)
	c.Flags().StringVar(&at, "at", "", "the transformation (default: the only sink)")
	c.Flags().Int64Var(&rows, "rows", 10, "show at most this many rows")
	return c
}

func (a *app) flowInspectCommand() *cobra.Command {
	var f flowFlags
	var at string
	c := &cobra.Command{
		Use:   "inspect FLOW",
		Short: "Show the columns of any transformation of a data flow, and where they are from",
		Long: `Show the columns that leave a transformation: position, type, what the transformation
did to each (kept, added, changed, renamed), the stream whose values it has, and whether it
drifted in; then the columns that go no further. No row is read.` + exitCodes,
		Example: `  landfall flow inspect orders.dfs --source RawOrders=raw --at TypedOrders
  landfall flow inspect dataflow/orders.json --at CuratedOrders --json`,
		Args: args(1, 1, "FLOW"),
		RunE: func(c *cobra.Command, args []string) error { return a.flowInspect(c.Context(), args[0], f, at) },
	}
	f.add(c)
	c.Flags().StringVar(&at, "at", "", "the transformation (default: the only sink)")
	return c
}

// streamOf is the transformation that is looked at: that of a name, else the only sink.
func streamOf(o *transform.Opened, at string) (string, error) {
	sinks := o.Plan.Sinks()
	switch {
	case at != "":
		return at, o.Stream(at)
	case len(sinks) == 1:
		return sinks[0], nil
	case len(sinks) == 0:
		return o.Plan.Steps[len(o.Plan.Steps)-1].Name, nil
	}
	return "", diag.New(diag.Usage, "found %d sinks, want the name of a transformation", len(sinks)).Hinted("name one: --at %s", sinks[0])
}

func (a *app) flowPreview(ctx context.Context, arg string, f flowFlags, at string, rows int64) (err error) {
	f.at = at
	o, err := a.openFlow(ctx, arg, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	stream, err := streamOf(o, at)
	if err != nil {
		return err
	}
	columns := o.Plan.Step(stream).Visible()
	if a.json {
		return a.previewJSON(ctx, o, stream, columns, rows)
	}
	head := make([]string, len(columns))
	types := make([]string, len(columns))
	drifted := false
	for i, c := range columns {
		head[i], types[i] = c.Name, c.Type.String()
		if c.Drifted {
			head[i] += " *"
			drifted = true
		}
	}
	lines := [][]string{types}
	err = o.Preview(ctx, stream, rows, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			line := make([]string, len(row))
			for i, v := range row {
				line[i] = report.Cut(engine.Text(v), 2*widestValue)
			}
			lines = append(lines, line)
		}
		return nil
	})
	if err != nil {
		return err
	}
	text := report.Table(head, lines, report.Layout{})
	if drifted {
		text += "\n  * drifted: no projection names it\n"
	}
	_, err = fmt.Fprint(a.stdout, text)
	return err
}

// lookedColumn is a column of a stream, as JSON.
type lookedColumn struct {
	Position int    `json:"position"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	Change   string `json:"change"`
	By       string `json:"by"`
	Origin   string `json:"origin"`
	// OriginName is the name of the column in its origin.
	OriginName string   `json:"origin_name"`
	Drifted    bool     `json:"drifted"`
	From       []string `json:"from"`
}

func looked(p *plan.Plan, s *plan.Step) []lookedColumn {
	out := []lookedColumn{}
	for i, c := range s.Visible() {
		l := lookedColumn{i + 1, c.Name, c.Type.String(), c.Change.String(), c.By, c.Origin.Stream, c.Origin.Name, c.Drifted, []string{}}
		for _, name := range s.Inputs {
			for _, from := range p.Step(name).Columns {
				for _, id := range c.From {
					if from.ID == id {
						l.From = append(l.From, name+"@"+from.Name)
					}
				}
			}
		}
		out = append(out, l)
	}
	return out
}

// previewJSON prints one document: the columns, then the rows as objects.
func (a *app) previewJSON(ctx context.Context, o *transform.Opened, stream string, columns []plan.Column, rows int64) error {
	var lines bytes.Buffer
	err := o.Preview(ctx, stream, rows, func(r engine.Result) error {
		_, err := engine.WriteNDJSON(&lines, r)
		return err
	})
	if err != nil {
		return err
	}
	doc := struct {
		Stream  string            `json:"stream"`
		Columns []lookedColumn    `json:"columns"`
		Rows    []json.RawMessage `json:"rows"`
	}{stream, looked(o.Plan, o.Plan.Step(stream)), []json.RawMessage{}}
	for line := range bytes.Lines(lines.Bytes()) {
		doc.Rows = append(doc.Rows, bytes.TrimSpace(bytes.Clone(line)))
	}
	return a.print(doc)
}

func (a *app) flowInspect(ctx context.Context, arg string, f flowFlags, at string) (err error) {
	f.at = at
	o, err := a.openFlow(ctx, arg, f)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	stream, err := streamOf(o, at)
	if err != nil {
		return err
	}
	columns := looked(o.Plan, o.Plan.Step(stream))
	var gone []string
	for _, c := range o.Plan.Dropped(stream) {
		gone = append(gone, c.Name)
	}
	if a.json {
		return a.print(map[string]any{"stream": stream, "columns": columns, "dropped": append([]string{}, gone...)})
	}
	var rows [][]string
	for _, c := range columns {
		drifted, origin := "", c.Origin
		if c.Drifted {
			drifted = "drifted"
		}
		if c.OriginName != c.Name {
			origin += "@" + c.OriginName
		}
		rows = append(rows, []string{fmt.Sprint(c.Position), c.Name, c.Type, c.Change, origin, c.By, drifted})
	}
	text := report.Table([]string{"", "column", "type", "here", "origin", "last by", ""}, rows, report.Layout{})
	if len(gone) > 0 {
		text += "\n  dropped here: " + report.Clean(strings.Join(gone, ", ")) + "\n"
	}
	_, err = fmt.Fprint(a.stdout, text)
	return err
}
