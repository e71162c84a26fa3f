package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
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
its name. With --table, the table is t; several are t, t2, t3 … . events() and
files() hold what "landfall events" and "landfall files" print under --json;
their columns landed, drift and quarantined are JSON text.

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
			named, ts, err := a.queryTables(c.Context(), tables)
			if err != nil {
				return err
			}
			return a.query(c.Context(), args[0], named, ts, most)
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

// queryTables returns the tables that a query may see, and the sources whose
// events and files it may see.
func (a *app) queryTables(ctx context.Context, tables []string) ([]namedTable, []target, error) {
	var named []namedTable
	var all []target
	if len(tables) == 0 {
		ts, err := a.targets(ctx, selector{}, nil)
		for _, t := range ts {
			named = append(named, namedTable{t.name, t.data})
		}
		return named, ts, err
	}
	for i, path := range tables {
		data, err := openStore(path)
		if err != nil {
			return nil, nil, err
		}
		name := "t"
		if i > 0 {
			name = fmt.Sprintf("t%d", i+1)
		}
		named = append(named, namedTable{name, data})
		ts, err := tableTargets(ctx, path, nil)
		if err != nil && diag.CodeOf(err) != diag.TableMissing { // others' tables have no sources of ours
			return nil, nil, err
		}
		all = append(all, ts...)
	}
	return named, all, nil
}

func (a *app) query(ctx context.Context, sql string, named []namedTable, ts []target, most int) error {
	var views []engine.View
	for _, n := range named {
		if !engine.Mentions(sql, n.name) {
			continue
		}
		v, err := openView(ctx, n)
		if err != nil {
			return err
		}
		views = append(views, v)
	}
	listings, err := a.listings(ctx, sql, ts)
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

// listings returns events() and files(), if the statement calls them.
func (a *app) listings(ctx context.Context, sql string, ts []target) ([]engine.Listing, error) {
	text := func(names ...string) schema.Struct {
		var s schema.Struct
		for _, n := range names {
			s.Fields = append(s.Fields, schema.Field{Name: n, Type: schema.String, Nullable: true})
		}
		return s
	}
	long := func(s schema.Struct, names ...string) schema.Struct {
		for _, n := range names {
			s.Fields = append(s.Fields, schema.Field{Name: n, Type: schema.Long, Nullable: true})
		}
		return s
	}
	var found []engine.Listing
	if engine.Mentions(sql, "events") {
		lines, err := a.captured(func(b *app) error { return b.printEvents(ctx, ts, nil, nil) })
		if err != nil {
			return nil, err
		}
		found = append(found, engine.Listing{Name: "events", Lines: lines, Schema: long(text("time", "source", "attempt", "type", "landed", "drift", "quarantined"), "batch")})
	}
	if engine.Mentions(sql, "files") {
		lines, err := a.captured(func(b *app) error { return b.printFiles(ctx, ts) })
		if err != nil {
			return nil, err
		}
		found = append(found, engine.Listing{Name: "files", Lines: lines, Schema: long(text("source", "path", "version", "fate", "code", "reason"), "size", "batch", "rows")})
	}
	return found, nil
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
