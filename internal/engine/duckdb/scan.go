package duckdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/schema"
)

// shapes returns a digest of each file's schema, equal for files that one scan
// can read with one set of types.
func (s *session) shapes(ctx context.Context, paths []string) (map[string]string, error) {
	const digest = `SELECT file_name, md5(string_agg(CAST({n: name, t: type, l: type_length, r: repetition_type = 'REPEATED',
		c: num_children, v: converted_type, s: scale, p: precision, i: field_id, g: logical_type} AS VARCHAR), '' ORDER BY column_id))
		FROM parquet_schema(%s) GROUP BY file_name`
	rows, err := s.conn.QueryContext(ctx, fmt.Sprintf(digest, dialect.List(paths)))
	if err != nil {
		return nil, s.fault(ctx, err)
	}
	defer rows.Close() //nolint:errcheck // Err is checked below
	shapes := make(map[string]string, len(paths))
	for rows.Next() {
		var path, shape string
		if err := rows.Scan(&path, &shape); err != nil {
			return nil, fmt.Errorf("read footers: %w", err)
		}
		shapes[path] = shape
	}
	if err := rows.Err(); err != nil {
		return nil, s.fault(ctx, err)
	}
	for _, p := range paths {
		if _, ok := shapes[p]; !ok {
			return nil, fmt.Errorf("read footers: no schema of %s", p)
		}
	}
	return shapes, nil
}

// selectFrom writes the SELECT that reads one group of files.
func (b *viewBuilder) selectFrom(ctx context.Context, g group) (string, error) {
	first := b.paths[g.files[0]]
	members, err := b.members(ctx, first)
	if err != nil {
		return "", err
	}
	deep, err := b.loadDeep(ctx, members, g)
	if err != nil {
		return "", err
	}
	fit := fitter{plain: scalar}
	if b.view.ByID {
		if fit.names, err = b.fieldNames(ctx, first); err != nil {
			return "", err
		}
	}
	columns := make([]string, len(b.view.Schema.Fields))
	for i, f := range b.view.Schema.Fields {
		expr, err := b.columnExpr(&fit, f, members, g)
		if err != nil {
			return "", b.place(err, b.view.Files[g.files[0]:])
		}
		columns[i] = expr + " AS " + dialect.Name(f.Name)
	}
	paths := make([]string, len(g.files))
	for i, n := range g.files {
		paths[i] = b.paths[n]
	}
	options := ", hive_partitioning = false, union_by_name = false"
	if b.view.Positions {
		columns = append(columns, b.positions(g, paths)...)
	}
	if b.joined || g.deleted || deep != "" || b.view.Positions {
		options += ", filename = " + dialect.Quote(fileColumn)
	}
	var joins string
	if b.joined {
		joins = fmt.Sprintf(" JOIN %s AS p ON p.file = f.%s", b.parts, fileColumn)
	}
	if g.deleted || deep != "" || b.view.Positions {
		options += ", file_row_number = true"
	}
	if deep != "" {
		joins += fmt.Sprintf(" JOIN %s AS n ON n.file = f.%s AND n.pos = f.file_row_number", deep, fileColumn)
	}
	if g.deleted {
		joins += fmt.Sprintf(" ANTI JOIN %s.deleted AS d ON d.file = f.%s AND d.pos = f.file_row_number", own, fileColumn)
	}
	return fmt.Sprintf("SELECT %s FROM read_parquet(%s%s) AS f%s",
		strings.Join(columns, ", "), dialect.List(paths), options, joins), nil
}

// positions are the columns that say where a row is.
func (b *viewBuilder) positions(g group, paths []string) []string {
	numbers := make([]string, len(g.files))
	for i, n := range g.files {
		numbers[i] = strconv.Itoa(n)
	}
	return []string{
		fmt.Sprintf("CAST([%s][list_position(%s, f.%s)] AS BIGINT) AS %s", strings.Join(numbers, ", "), dialect.List(paths), fileColumn, dialect.Name(engine.FileNumber)),
		"CAST(f.file_row_number AS BIGINT) AS " + dialect.Name(engine.RowNumber),
	}
}

func (b *viewBuilder) columnExpr(fit *fitter, f schema.Field, members []member, g group) (string, error) {
	n := slices.IndexFunc(b.view.Partitions, func(p string) bool { return strings.EqualFold(p, f.Name) })
	if n < 0 {
		return fit.column(f, members, "f.")
	}
	typ, err := typeSQL(f.Type)
	if err != nil {
		return "", err
	}
	text := "NULL"
	if b.joined {
		text = fmt.Sprintf("p.p%d", n)
	} else if v := b.partition(g.files[0], f.Name); v != nil {
		text = dialect.Quote(*v)
	}
	if f.Type == schema.Binary {
		return "encode(" + text + ")", nil
	}
	return "CAST(" + text + " AS " + typ + ")", nil
}

// members returns the top-level columns of a file with DuckDB's types.
func (b *viewBuilder) members(ctx context.Context, path string) ([]member, error) {
	var members []member
	err := b.raw(func(conn *duck.Conn) error {
		stmt, err := prepare(conn, "FROM read_parquet("+dialect.List([]string{path})+", hive_partitioning = false, union_by_name = false)")
		if err != nil {
			return b.fault(ctx, err)
		}
		defer stmt.Close() //nolint:errcheck // nothing ran
		n, err := stmt.ColumnCount()
		if err != nil {
			return err
		}
		for i := range n {
			name, errName := stmt.ColumnName(i)
			info, errInfo := stmt.ColumnTypeInfo(i)
			if err := errors.Join(errName, errInfo); err != nil {
				return fmt.Errorf("column %d of %s: %w", i+1, b.keys[path], err)
			}
			members = append(members, member{name: name, info: info})
		}
		return nil
	})
	return members, err
}

// fieldNames maps the field ids of a file to names; nil when it has no ids, so
// that its columns are found by name.
func (b *viewBuilder) fieldNames(ctx context.Context, path string) (map[int64]string, error) {
	rows, err := b.conn.QueryContext(ctx,
		"SELECT field_id, name FROM parquet_schema("+dialect.List([]string{path})+") WHERE field_id IS NOT NULL")
	if err != nil {
		return nil, b.fault(ctx, err)
	}
	defer rows.Close() //nolint:errcheck // Err is checked below
	var names map[int64]string
	for rows.Next() {
		var id int64
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, fmt.Errorf("read field ids: %w", err)
		}
		if names == nil {
			names = map[int64]string{}
		}
		names[id] = name
	}
	return names, rows.Err()
}

// place says which files a misfit is about.
func (b *viewBuilder) place(err error, files []engine.File) error {
	var m *misfit
	if !errors.As(err, &m) {
		return err
	}
	d := diag.New(diag.FileUnreadable, "found %s, want %s as the table says", m.found, m.want).
		In(diag.Place{File: files[0].Path}).
		Hinted("another writer broke the table: remove the file from it or restore an earlier version")
	d.Path = m.path
	return d
}
