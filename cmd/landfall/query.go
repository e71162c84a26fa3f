package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/event"
	"landfall/internal/pipeline/lakeflow"
	"landfall/internal/pipeline/record"
	"landfall/internal/project"
	"landfall/internal/report"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

func (a *app) queryCommand() *cobra.Command {
	var tables []string
	var most int
	c := &cobra.Command{
		Use:   "query SQL",
		Short: "Query tables with the embedded DuckDB",
		Long: `Run one read-only statement. In a project, each source's table is a view under
its name, and each table of a pipeline as PIPELINE.DATASET, or DATASET where no other
table has that name. With --table, the table is t; several are t, t2, t3 … . events() and
files() hold what "landfall events" and "landfall files" print under --json;
their columns landed, drift, quarantined and dataset are JSON text. event_log() holds
what "landfall events --format lakeflow" prints.

What was rescued is JSON text: get_json_object(_rescued_data, '$.total').` + exitCodes,
		Example: `  landfall query "SELECT count(*) FROM orders"
  landfall query --table lake/orders "SELECT * FROM t WHERE _rescued_data IS NOT NULL"
  landfall query --table lake/orders "SELECT path, rows FROM files()" --json
  landfall query --table lake/orders "SELECT batch, drift->>'column' AS new FROM events() WHERE drift->>'kind' = 'column_added'"`,
		Args: args(1, 1, "one SQL statement"),
		RunE: func(c *cobra.Command, args []string) error {
			if most < 0 {
				return diag.New(diag.Usage, "found --rows %d, want 0 or more", most)
			}
			in, err := a.queryTables(c.Context(), tables)
			if err != nil {
				return err
			}
			return a.query(c.Context(), args[0], in, most)
		},
	}
	c.Flags().StringArrayVar(&tables, "table", nil, "a table's folder; may be repeated")
	c.Flags().IntVar(&most, "rows", 100, "print at most this many rows as text; 0 is all")
	return c
}

// namedTable is a table under the name that a query calls it.
type namedTable struct {
	name string
	data store.Store
}

// madeTable is the table of a dataset, under PIPELINE.DATASET.
type madeTable struct {
	namedTable
	pipeline string
}

// queried is what a query may see.
type queried struct {
	tables  []namedTable
	made    []madeTable
	targets []target
	// past gives the events of pipelines, log the same in the shape of Databricks.
	past func(context.Context) ([]event.Event, error)
	log  func(context.Context) ([]lakeflow.Row, error)
}

// queryTables returns the tables that a query may see, and the sources and pipelines whose
// events and files it may see.
func (a *app) queryTables(ctx context.Context, tables []string) (queried, error) {
	if len(tables) == 0 {
		return a.queryProject(ctx)
	}
	var in queried
	for i, path := range tables {
		data, err := openStore(path)
		if err != nil {
			return in, err
		}
		name := "t"
		if i > 0 {
			name = fmt.Sprintf("t%d", i+1)
		}
		in.tables = append(in.tables, namedTable{name, data})
		ts, err := tableTargets(ctx, path, nil)
		if err != nil && diag.CodeOf(err) != diag.TableMissing { // others' tables have no sources of ours
			return in, err
		}
		in.targets = append(in.targets, ts...)
	}
	in.past = func(ctx context.Context) ([]event.Event, error) {
		all := make([]made, len(tables))
		for i, path := range tables {
			var err error
			if all[i], err = a.madeAt(ctx, path); err != nil {
				return nil, err
			}
		}
		return pastOf(all), nil
	}
	in.log = func(ctx context.Context) ([]lakeflow.Row, error) {
		var out []lakeflow.Row
		for _, path := range tables {
			rows, err := a.lakeflowAt(ctx, path)
			if err != nil {
				return nil, err
			}
			out = append(out, rows...)
		}
		return out, nil
	}
	return in, nil
}

// queryProject returns the tables of a project.
func (a *app) queryProject(ctx context.Context) (queried, error) {
	ts, err := a.targets(ctx, selector{}, nil)
	if err != nil {
		return queried{}, err
	}
	in := queried{targets: ts}
	for _, t := range ts {
		in.tables = append(in.tables, namedTable{t.name, t.data})
	}
	p, err := a.loadProject()
	if err != nil {
		return queried{}, err
	}
	for _, x := range p.Pipelines {
		all, err := a.datasetsOf(ctx, p, x)
		if err != nil {
			return queried{}, err
		}
		in.made = append(in.made, all...)
	}
	in.past = func(ctx context.Context) ([]event.Event, error) {
		all, err := a.madeBy(ctx, p, p.Pipelines)
		return pastOf(all), err
	}
	in.log = func(ctx context.Context) ([]lakeflow.Row, error) { return a.lakeflowOf(ctx, p, p.Pipelines) }
	return in, nil
}

// datasetsOf are the folders of the target of a pipeline that flows have written to.
func (a *app) datasetsOf(ctx context.Context, p *project.Project, x project.Pipeline) ([]madeTable, error) {
	folder := under(filepath.Dir(p.File), x.Target)
	target, err := openStore(folder)
	if err != nil {
		return nil, err
	}
	names, err := record.Datasets(ctx, target)
	if err != nil {
		return nil, err
	}
	var out []madeTable
	for _, name := range names {
		data, err := openStore(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		out = append(out, madeTable{namedTable{x.Name + "." + name, data}, x.Name})
	}
	return out, nil
}

func (a *app) query(ctx context.Context, sql string, in queried, most int) error {
	var views []engine.View
	for _, n := range in.tables {
		if !engine.Mentions(sql, n.name) {
			continue
		}
		v, err := openView(ctx, n)
		if err != nil {
			return err
		}
		views = append(views, v)
	}
	for _, m := range in.made {
		if !engine.Mentions(sql, m.name) {
			continue
		}
		v, err := openMade(ctx, m.namedTable, m.pipeline)
		if err != nil {
			return err
		}
		views = append(views, v...)
	}
	listings, err := a.listings(ctx, sql, in)
	if err != nil {
		return err
	}
	e, err := duckdb.Open(ctx, duckdb.Options{})
	if err != nil {
		return err
	}
	return e.Query(ctx, sql, views, listings, func(r engine.Result) error {
		if a.json {
			_, err := engine.WriteNDJSON(a.stdout, r)
			return err
		}
		return a.printResult(r, most)
	})
}

// openView reads a table's newest snapshot as a view.
func openView(ctx context.Context, n namedTable) (engine.View, error) {
	t := delta.Open(n.data, delta.Options{})
	snap, err := t.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) {
		return engine.View{}, diag.New(diag.TableMissing, "no table here").
			In(diag.Place{File: n.data.URL("")}).Hinted("check the path, or land a folder into it first")
	}
	if err != nil {
		return engine.View{}, err
	}
	return viewOf(ctx, t, snap, n)
}

// openMade is that of a dataset of a pipeline. There is none without a table, or with one
// that another pipeline makes.
func openMade(ctx context.Context, n namedTable, maker string) ([]engine.View, error) {
	t := delta.Open(n.data, delta.Options{})
	snap, err := t.Snapshot(ctx)
	if errors.Is(err, table.ErrNoTable) || err == nil && record.Maker(snap) != maker {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := viewOf(ctx, t, snap, n)
	return []engine.View{v}, err
}

// viewOf shows a snapshot as a view.
func viewOf(ctx context.Context, t table.Table, snap *table.Snapshot, n namedTable) (engine.View, error) {
	v := engine.View{
		Name: n.name, Schema: snap.Schema, Partitions: snap.Partitions, Store: n.data,
		ByID: snap.Config["delta.columnMapping.mode"] == "id",
	}
	for _, f := range snap.Files() {
		deleted, err := t.Deleted(ctx, f)
		if err != nil {
			return engine.View{}, err
		}
		v.Files = append(v.Files, engine.File{Path: f.Path, Size: f.Size, Rows: f.Rows, Partition: f.Partition, Deleted: deleted})
	}
	return v, nil
}

// listings returns events(), files() and event_log(), if the statement calls them.
func (a *app) listings(ctx context.Context, sql string, in queried) ([]engine.Listing, error) {
	var found []engine.Listing
	add := func(name string, s schema.Struct, print func(*app) error) error {
		if !engine.Mentions(sql, name) {
			return nil
		}
		lines, err := a.captured(print)
		found = append(found, engine.Listing{Name: name, Lines: lines, Schema: s})
		return err
	}
	texts := textFields("time", "source", "attempt", "type", "landed", "drift", "quarantined", "dataset")
	err := add("events", listed(texts, longFields("batch")), func(b *app) error {
		past, err := in.past(ctx)
		if err != nil {
			return err
		}
		return b.printEvents(ctx, in.targets, nil, past)
	})
	if err != nil {
		return nil, err
	}
	texts = textFields("source", "path", "version", "fate", "code", "reason")
	err = add("files", listed(texts, longFields("size", "batch", "rows")), func(b *app) error { return b.printFiles(ctx, in.targets) })
	if err != nil {
		return nil, err
	}
	origin := listed(textFields("pipeline_id", "pipeline_name", "update_id", "flow_id", "flow_name", "dataset_name"), longFields("batch_id"))
	texts = textFields("id", "sequence", "message", "level", "maturity_level", "error", "details", "event_type")
	texts = append(texts, schema.Field{Name: "origin", Type: origin, Nullable: true}, schema.Field{Name: "timestamp", Type: schema.Timestamp, Nullable: true})
	err = add("event_log", listed(texts), func(b *app) error {
		rows, err := in.log(ctx)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := b.print(r); err != nil {
				return err
			}
		}
		return nil
	})
	return found, err
}

// textFields and longFields are columns of text and of whole numbers.
func textFields(names ...string) []schema.Field { return typedFields(schema.String, names) }

func longFields(names ...string) []schema.Field { return typedFields(schema.Long, names) }

func typedFields(t schema.Type, names []string) []schema.Field {
	out := make([]schema.Field, len(names))
	for i, n := range names {
		out[i] = schema.Field{Name: n, Type: t, Nullable: true}
	}
	return out
}

// listed are the columns of a listing.
func listed(fields ...[]schema.Field) schema.Struct {
	return schema.Struct{Fields: slices.Concat(fields...)}
}

// captured returns what a command prints under --json.
func (a *app) captured(print func(*app) error) (io.Reader, error) {
	var b bytes.Buffer
	c := *a
	c.stdout, c.json = &b, true
	return &b, print(&c)
}

// printResult prints a result as a text table.
func (a *app) printResult(r engine.Result, most int) error {
	head := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		head[i] = c.Name
	}
	var rows [][]string
	more := 0
	for row, err := range r.Rows {
		if err != nil {
			return err
		}
		if most > 0 && len(rows) == most {
			more++
			continue
		}
		line := make([]string, len(row))
		for i, v := range row {
			line[i] = engine.Text(v)
		}
		rows = append(rows, line)
	}
	if _, err := fmt.Fprint(a.stdout, report.Table(head, rows, report.Layout{})); err != nil {
		return err
	}
	if more > 0 {
		_, err := fmt.Fprintf(a.stdout, "… and %d more rows (--rows 0 prints all)\n", more)
		return err
	}
	return nil
}
