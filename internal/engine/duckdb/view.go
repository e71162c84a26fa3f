package duckdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
)

// branches bounds the SELECTs of a view. Up to it, partition values stand in
// the view as constants, by which DuckDB leaves out whole partitions; beyond,
// they are joined in by file.
const branches = 200

// fileColumn holds the path of a row's file inside a view.
const fileColumn = "_landfall_file"

// addViews makes the views that are wanted.
func (s *session) addViews(ctx context.Context, wanted func(string) bool, views []engine.View) error {
	if err := s.exec(ctx, "CREATE TABLE "+own+".deleted (file VARCHAR, pos BIGINT)"); err != nil {
		return err
	}
	ends := map[string]int{}
	for _, v := range views {
		ends[strings.ToLower(engine.LastPart(v.Name))]++
	}
	for i, v := range views {
		if !wanted(v.Name) {
			continue
		}
		b := &viewBuilder{session: s, view: v, parts: fmt.Sprintf("%s.parts_%d", own, i)}
		if err := b.create(ctx, ends[strings.ToLower(engine.LastPart(v.Name))] == 1); err != nil {
			return fmt.Errorf("open %s: %w", v.Name, err)
		}
	}
	return nil
}

// viewBuilder writes the SQL of one view.
type viewBuilder struct {
	*session
	view engine.View
	// paths are the local paths of the view's files.
	paths []string
	// parts names the table of partition values by file.
	parts string
	// joined says that partition values come from the table parts.
	joined bool
	// deep counts the tables of deep columns.
	deep int
}

// create makes the view under its name, and under the last part of the name if
// that is not ambiguous.
func (b *viewBuilder) create(ctx context.Context, short bool) error {
	body, err := b.body(ctx)
	if err != nil {
		return err
	}
	cut := strings.LastIndexByte(b.view.Name, '.')
	last := dialect.Name(b.view.Name[cut+1:])
	if cut < 0 {
		return b.exec(ctx, "CREATE VIEW "+last+" AS "+body)
	}
	folder := dialect.Name(b.view.Name[:cut])
	if err := b.exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+folder, "CREATE VIEW "+folder+"."+last+" AS "+body); err != nil {
		return err
	}
	if !short {
		return nil
	}
	return b.exec(ctx, "CREATE OR REPLACE VIEW "+last+" AS FROM "+folder+"."+last)
}

func (b *viewBuilder) body(ctx context.Context) (string, error) {
	if len(b.view.Schema.Fields) == 0 {
		return "", diag.New(diag.QueryFailed, "%s has no columns", b.view.Name)
	}
	if len(b.view.Files) == 0 {
		return b.empty()
	}
	if err := b.checkPartitions(); err != nil {
		return "", err
	}
	var err error
	if b.paths, err = b.locate(ctx, b.view); err != nil {
		return "", err
	}
	groups, err := b.groups(ctx)
	if err != nil {
		return "", err
	}
	if err := b.fillTables(ctx); err != nil {
		return "", err
	}
	selects := make([]string, len(groups))
	for i, g := range groups {
		if selects[i], err = b.selectFrom(ctx, g); err != nil {
			return "", err
		}
	}
	return strings.Join(selects, " UNION ALL "), nil
}

// empty is the view of a table without files.
func (b *viewBuilder) empty() (string, error) {
	columns := make([]string, len(b.view.Schema.Fields))
	for i, f := range b.view.Schema.Fields {
		typ, err := typeSQL(f.Type)
		if err != nil {
			return "", err
		}
		columns[i] = "CAST(NULL AS " + typ + ") AS " + dialect.Name(f.Name)
	}
	if b.view.Positions {
		columns = append(columns, "CAST(NULL AS BIGINT) AS "+dialect.Name(engine.FileNumber), "CAST(NULL AS BIGINT) AS "+dialect.Name(engine.RowNumber))
	}
	return "SELECT " + strings.Join(columns, ", ") + " WHERE false", nil
}

// group is a set of files that one SELECT reads.
type group struct {
	files   []int
	deleted bool
}

// groups gathers the files of equal schema, of equal partition values while
// those are few, and those with and without deleted rows.
func (b *viewBuilder) groups(ctx context.Context) ([]group, error) {
	shapes, err := b.shapes(ctx, b.paths)
	if err != nil {
		return nil, err
	}
	groups := b.gather(func(i int) string { return shapes[b.paths[i]] + b.tuple(i) })
	if len(groups) > branches {
		b.joined = len(b.view.Partitions) > 0
		groups = b.gather(func(i int) string { return shapes[b.paths[i]] })
	}
	return groups, nil
}

func (b *viewBuilder) gather(key func(i int) string) []group {
	at := map[string]int{}
	var groups []group
	for i, f := range b.view.Files {
		k := fmt.Sprintf("%s|%t", key(i), len(f.Deleted) > 0)
		n, ok := at[k]
		if !ok {
			n = len(groups)
			at[k] = n
			groups = append(groups, group{deleted: len(f.Deleted) > 0})
		}
		groups[n].files = append(groups[n].files, i)
	}
	return groups
}

// fillTables stores deleted rows and, if they are joined, partition values.
func (b *viewBuilder) fillTables(ctx context.Context) error {
	if b.joined {
		columns := []string{"file VARCHAR"}
		for i := range b.view.Partitions {
			columns = append(columns, fmt.Sprintf("p%d VARCHAR", i))
		}
		if err := b.exec(ctx, fmt.Sprintf("CREATE TABLE %s (%s)", b.parts, strings.Join(columns, ", "))); err != nil {
			return err
		}
	}
	return b.raw(func(conn *duck.Conn) error {
		if b.joined {
			table := b.parts[strings.IndexByte(b.parts, '.')+1:]
			if err := fillTable(conn, table, b.appendParts); err != nil {
				return err
			}
		}
		return fillTable(conn, "deleted", b.appendDeleted)
	})
}

func fillTable(conn *duck.Conn, table string, rows func(*duck.Appender) error) error {
	appender, err := duck.NewAppenderFromConn(conn, strings.Trim(own, `"`), table)
	if err != nil {
		return fmt.Errorf("fill %s: %w", table, err)
	}
	if err := errors.Join(rows(appender), appender.Close()); err != nil {
		return fmt.Errorf("fill %s: %w", table, err)
	}
	return nil
}

func (b *viewBuilder) appendParts(to *duck.Appender) error {
	for i, path := range b.paths {
		row := []driver.Value{path}
		for _, name := range b.view.Partitions {
			if v := b.partition(i, name); v != nil {
				row = append(row, *v)
			} else {
				row = append(row, nil)
			}
		}
		if err := to.AppendRow(row...); err != nil {
			return err
		}
	}
	return nil
}

func (b *viewBuilder) appendDeleted(to *duck.Appender) error {
	for i, f := range b.view.Files {
		for _, pos := range f.Deleted {
			if err := to.AppendRow(b.paths[i], pos); err != nil {
				return err
			}
		}
	}
	return nil
}
