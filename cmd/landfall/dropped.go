package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/event"
	"landfall/internal/pipeline/record"
	"landfall/internal/project"
	"landfall/internal/report"
)

// droppedFlags are those of landfall events dropped.
type droppedFlags struct {
	table, file string
	most        int
}

// droppedLine is a line of `landfall events dropped --json`.
type droppedLine struct {
	Pipeline string    `json:"pipeline"`
	Dataset  string    `json:"dataset"`
	Flow     string    `json:"flow"`
	Batch    int64     `json:"batch"`
	Time     time.Time `json:"time"`
	// File is absent where it is not known.
	File   string          `json:"file,omitempty"`
	Broken []string        `json:"broken"`
	Row    json.RawMessage `json:"row"`
}

func (a *app) droppedCommand() *cobra.Command {
	var f droppedFlags
	c := &cobra.Command{
		Use:   "dropped PIPELINE [DATASET]",
		Short: "Print the rows that rules of a pipeline dropped",
		Long: `Print the rows that expectations with ON VIOLATION DROP ROW kept out of the tables of a
pipeline: with the batch, the rules that each broke and its source file, the oldest first.` + exitCodes,
		Example: `  landfall events dropped trips
  landfall events dropped trips trips_silver --file landing/june.csv --json`,
		Args: args(0, 2, "a pipeline and perhaps a dataset of it, or --table"),
		RunE: func(c *cobra.Command, names []string) error { return a.dropped(c.Context(), names, f) },
	}
	c.Flags().StringVar(&f.table, "table", "", "the folder of a dataset's table, without a project")
	c.Flags().StringVar(&f.file, "file", "", "only rows of this source file: its path or the end of it")
	c.Flags().IntVar(&f.most, "rows", 100, "print at most this many rows of a dataset as text; 0 is all")
	return c
}

func (a *app) dropped(ctx context.Context, names []string, f droppedFlags) error {
	if f.most < 0 {
		return diag.New(diag.Usage, "found --rows %d, want 0 or more", f.most)
	}
	all, dir, err := a.droppers(ctx, names, f)
	if err != nil {
		return err
	}
	q, err := duckdb.Open(ctx, duckdb.Options{})
	if err != nil {
		return err
	}
	any := false
	for _, m := range all {
		t := droppedTable{most: f.most}
		err := m.eachDropped(ctx, q, func(e event.Event, r record.Row) error {
			file := ""
			if r.File != "" {
				file = shownPath(dir, strings.TrimPrefix(r.File, "file://"))
			}
			if f.file != "" && !isFile(f.file, file, r.File) {
				return nil
			}
			any = true
			if a.json {
				return a.printDropped(e, file, r)
			}
			t.add(e, file, r)
			return nil
		})
		if err != nil {
			return err
		}
		if err := a.printDroppedTable(t, m, len(all) > 1); err != nil {
			return err
		}
	}
	if any || a.json || a.quiet {
		return nil
	}
	_, err = fmt.Fprintln(a.stdout, "no rows were dropped")
	return err
}

// isFile reports whether a path that somebody typed names a file.
func isFile(typed, shown, url string) bool {
	typed = filepath.ToSlash(filepath.Clean(typed))
	return typed == shown || strings.HasSuffix(url, "/"+strings.TrimPrefix(typed, "/"))
}

// droppers are the datasets that are meant, and the folder to which paths are relative.
func (a *app) droppers(ctx context.Context, names []string, f droppedFlags) ([]made, string, error) {
	if f.table != "" {
		if len(names) > 0 {
			return nil, "", diag.New(diag.Usage, "found %s beside --table", diag.Quote(names[0])).Hinted("name a pipeline of the project, or a table's folder")
		}
		m, err := a.madeAt(ctx, f.table)
		return []made{m}, absolute("."), err
	}
	if len(names) == 0 {
		return nil, "", diag.New(diag.Usage, "found no pipeline").Hinted("landfall events dropped PIPELINE, or --table FOLDER")
	}
	p, err := a.loadProject()
	if err != nil {
		return nil, "", a.tabled(err)
	}
	x, ok := p.Pipeline(names[0])
	if !ok {
		return nil, "", noPipeline(p, names[0])
	}
	all, err := a.madeBy(ctx, p, []project.Pipeline{x})
	if err != nil {
		return nil, "", err
	}
	known := make([]string, len(all))
	for i, m := range all {
		known[i] = m.dataset
	}
	if len(names) == 2 {
		if !slices.Contains(known, names[1]) {
			return nil, "", diag.New(diag.Usage, "found %s, want the name of a dataset that pipeline %s has made", diag.Quote(names[1]), x.Name).
				Hinted("the datasets there: %s", strings.Join(known, ", "))
		}
		all = slices.DeleteFunc(all, func(m made) bool { return m.dataset != names[1] })
	}
	return all, absolute(filepath.Dir(p.File)), nil
}

// eachDropped lends the rows of all batches of a dataset.
func (m made) eachDropped(ctx context.Context, q engine.Querier, use func(event.Event, record.Row) error) error {
	for _, e := range m.events {
		rows, ok := m.dropped[e.Attempt]
		if !ok {
			continue
		}
		if err := rows.Each(ctx, q, func(r record.Row) error { return use(e, r) }); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printDropped(e event.Event, file string, r record.Row) error {
	var b bytes.Buffer
	one := engine.Result{Columns: r.Columns, Rows: func(yield func([]engine.Value, error) bool) { yield(r.Values, nil) }}
	if _, err := engine.WriteNDJSON(&b, one); err != nil {
		return err
	}
	d := e.Dataset
	return a.print(droppedLine{d.Pipeline, d.Dataset, d.Flow, e.Batch, e.Time, file, r.Broken, bytes.TrimSpace(b.Bytes())})
}

// droppedTable gathers rows of a dataset whose batches may differ in their columns.
type droppedTable struct {
	most, more int
	columns    []string
	rows       []map[string]string
	heads      [][]string
}

func (t *droppedTable) add(e event.Event, file string, r record.Row) {
	if t.most > 0 && len(t.rows) == t.most {
		t.more++
		return
	}
	row := map[string]string{}
	for i, c := range r.Columns {
		if !slices.Contains(t.columns, c.Name) {
			t.columns = append(t.columns, c.Name)
		}
		row[c.Name] = engine.Text(r.Values[i])
	}
	t.rows = append(t.rows, row)
	t.heads = append(t.heads, []string{strconv.FormatInt(e.Batch, 10), strings.Join(r.Broken, ", "), file})
}

func (a *app) printDroppedTable(t droppedTable, m made, titled bool) error {
	if len(t.rows) == 0 {
		return nil
	}
	var lines [][]string
	for i, row := range t.rows {
		line := t.heads[i]
		for _, c := range t.columns {
			line = append(line, row[c])
		}
		lines = append(lines, line)
	}
	text := report.Table(append([]string{"batch", "broke", "file"}, t.columns...), lines, report.Layout{})
	if titled {
		text = report.Clean(m.dataset) + "\n" + text
	}
	if t.more > 0 {
		text += fmt.Sprintf("… and %s (--rows 0 prints all)\n", report.Plural(int64(t.more), "more row"))
	}
	_, err := fmt.Fprint(a.stdout, text)
	return err
}
