package duckdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/engine"
)

// query runs the user's statement and lends its result.
func (s *session) query(ctx context.Context, sql string, use func(engine.Result) error) error {
	return s.raw(func(conn *duck.Conn) error {
		stmt, err := s.statement(ctx, conn, sql)
		if err != nil {
			return err
		}
		columns, casts, err := describe(stmt)
		if err != nil {
			return errors.Join(err, stmt.Close())
		}
		if casts != nil {
			// Types that the driver cannot hand over exactly come as text.
			if err := stmt.Close(); err != nil {
				return fmt.Errorf("close statement: %w", err)
			}
			if stmt, err = s.statement(ctx, conn, wrap(sql, casts)); err != nil {
				return err
			}
		}
		return errors.Join(s.run(ctx, stmt, sql, columns, use), stmt.Close())
	})
}

// statement prepares one statement that reads, or says why not.
func (s *session) statement(ctx context.Context, conn *duck.Conn, sql string) (*duck.Stmt, error) {
	// Prepare, unlike PrepareContext, refuses several statements instead of
	// running all but the last.
	prepared, err := conn.Prepare(sql)
	var fault *duck.Error
	switch {
	case errors.As(err, &fault):
		return nil, s.statementFault(ctx, sql, err)
	case err != nil:
		return nil, diag.New(diag.QueryFailed, "found no statement or several, want one").Because(err)
	}
	stmt, ok := prepared.(*duck.Stmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("driver statement is a %T", prepared), prepared.Close())
	}
	kind, err := stmt.StatementType()
	if err != nil {
		return nil, errors.Join(err, stmt.Close())
	}
	if kind != duck.STATEMENT_TYPE_SELECT && kind != duck.STATEMENT_TYPE_EXPLAIN {
		err := diag.New(diag.QueryFailed, "found a statement that does more than read, want SELECT").
			Hinted("queries cannot change anything; to keep a result, write it to a file: landfall query --json … > rows.ndjson")
		return nil, errors.Join(err, stmt.Close())
	}
	if stmt.NumInput() > 0 {
		err := diag.New(diag.QueryFailed, "found a parameter (? or $1), want a value in its place")
		return nil, errors.Join(err, stmt.Close())
	}
	return stmt, nil
}

// column is a column of a result: what the driver hands over.
type column struct {
	engine.Column
	info duck.TypeInfo // nil for text
}

// describe returns the columns, and the types to cast them to if any needs it.
func describe(stmt *duck.Stmt) ([]column, []string, error) {
	n, err := stmt.ColumnCount()
	if err != nil {
		return nil, nil, err
	}
	columns, casts, needed := make([]column, n), make([]string, n), false
	for i := range n {
		if columns[i].Name, err = stmt.ColumnName(i); err != nil {
			return nil, nil, err
		}
		info, err := stmt.ColumnTypeInfo(i)
		if err != nil { // a type that the driver does not know
			columns[i].Type, casts[i], needed = "VARIANT", "VARCHAR", true
			continue
		}
		columns[i].Type, columns[i].info = infoSQL(info), info
		var changed bool
		casts[i], changed = exactSQL(info)
		needed = needed || changed
	}
	if !needed {
		casts = nil
	}
	return columns, casts, nil
}

// wrap casts the columns of a statement.
func wrap(sql string, casts []string) string {
	columns, names := make([]string, len(casts)), make([]string, len(casts))
	for i, typ := range casts {
		names[i] = fmt.Sprintf("c%d", i)
		columns[i] = "CAST(" + names[i] + " AS " + typ + ")"
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM (\n" + strings.TrimRight(sql, "; \t\r\n") +
		"\n) AS q(" + strings.Join(names, ", ") + ")"
}

// exactSQL returns the type to ask for so that the driver loses nothing:
// JSON as text (not as floats), map keys that Go can compare, text for the
// types that have no Go value here.
func exactSQL(info duck.TypeInfo) (sql string, changed bool) {
	switch d := info.Details().(type) {
	case *duck.ListDetails:
		child, changed := exactSQL(d.Child)
		return child + "[]", changed
	case *duck.ArrayDetails:
		child, changed := exactSQL(d.Child)
		return fmt.Sprintf("%s[%d]", child, d.Size), changed
	case *duck.MapDetails:
		key, changedKey := exactSQL(d.Key)
		switch d.Key.InternalType() {
		case duck.TYPE_BLOB, duck.TYPE_UUID, duck.TYPE_LIST, duck.TYPE_ARRAY, duck.TYPE_STRUCT, duck.TYPE_MAP:
			key, changedKey = "VARCHAR", true
		}
		value, changedValue := exactSQL(d.Value)
		return "MAP(" + key + ", " + value + ")", changedKey || changedValue
	case *duck.StructDetails:
		fields, changed := make([]string, len(d.Entries)), false
		for i, e := range d.Entries {
			typ, c := exactSQL(e.Info())
			fields[i], changed = ident(e.Name())+" "+typ, changed || c
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")", changed
	case *duck.DecimalDetails:
		return infoSQL(info), false
	}
	if plain := plainSQL(info.InternalType()); info.Alias() == "" && plain != otherSQL(info.InternalType()) {
		return plain, false
	}
	return "VARCHAR", true
}

// run executes a prepared statement and lends the rows.
func (s *session) run(
	ctx context.Context, stmt *duck.Stmt, sql string, columns []column, use func(engine.Result) error,
) error {
	rows, err := stmt.QueryContext(ctx, nil)
	if err != nil {
		return s.statementFault(ctx, sql, err)
	}
	result := engine.Result{Columns: make([]engine.Column, len(columns))}
	for i, c := range columns {
		result.Columns[i] = c.Column
	}
	result.Rows = func(yield func([]engine.Value, error) bool) {
		raw := make([]driver.Value, len(columns))
		for {
			err := errors.Join(ctx.Err())
			if err == nil {
				err = rows.Next(raw)
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(nil, s.statementFault(ctx, sql, err))
				return
			}
			row := make([]engine.Value, len(columns))
			for i, c := range columns {
				row[i] = convert(raw[i], c.info)
			}
			if !yield(row, nil) {
				return
			}
		}
	}
	return errors.Join(use(result), rows.Close())
}
