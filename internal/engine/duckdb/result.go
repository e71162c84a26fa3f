package duckdb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/engine"
)

// page is the number of rows of an answer that are held in memory at a time.
const page = 20_480

// query runs the user's statement and lends its result.
//
// The driver holds a whole result in memory, outside the memory limit. So the
// answer becomes a table first, which spills, and is handed over by pages.
func (s *session) query(ctx context.Context, sql string, use func(engine.Result) error) error {
	return s.raw(func(conn *duck.Conn) error {
		stmt, err := s.statement(ctx, conn, sql)
		if err != nil {
			return err
		}
		columns, err := describe(stmt)
		if err != nil {
			return errors.Join(err, stmt.Close())
		}
		result := engine.Result{Columns: make([]engine.Column, len(columns))}
		names := make([]string, len(columns))
		for i, c := range columns {
			result.Columns[i], names[i] = c.Column, fmt.Sprintf("c%d", i)
		}
		keep := fmt.Sprintf("CREATE TABLE %s.answer(%s) AS\n%s", own, strings.Join(names, ", "), sql)
		store, err := prepare(conn, keep)
		if err != nil {
			// DESCRIBE, SHOW, EXPLAIN: not a table to DuckDB, and small.
			result.Rows = func(yield func([]engine.Value, error) bool) { s.yieldAll(ctx, stmt, columns, yield) }
			return errors.Join(use(result), stmt.Close())
		}
		_, err = store.ExecContext(ctx, nil)
		if err = errors.Join(err, store.Close(), stmt.Close()); err != nil {
			return s.statementFault(ctx, keep, 1, err)
		}
		result.Rows = func(yield func([]engine.Value, error) bool) { s.yieldPages(ctx, conn, columns, yield) }
		return use(result)
	})
}

// prepare prepares one statement.
func prepare(conn *duck.Conn, sql string) (*duck.Stmt, error) {
	// Unlike PrepareContext this refuses several statements, instead of running
	// all but the last.
	prepared, err := conn.Prepare(sql)
	if err != nil {
		return nil, err
	}
	stmt, ok := prepared.(*duck.Stmt)
	if !ok {
		return nil, errors.Join(fmt.Errorf("driver statement is a %T", prepared), prepared.Close())
	}
	return stmt, nil
}

// statement prepares one statement that reads, or says why not.
func (s *session) statement(ctx context.Context, conn *duck.Conn, sql string) (*duck.Stmt, error) {
	stmt, err := prepare(conn, sql)
	var fault *duck.Error
	switch {
	case err != nil && writes(sql):
		// DuckDB says what in it cannot be bound, which is beside the point.
		return nil, notRead()
	case errors.As(err, &fault):
		return nil, s.statementFault(ctx, sql, 0, err)
	case err != nil:
		return nil, diag.New(diag.QueryFailed, "found no statement or several, want one").Because(err)
	}
	kind, err := stmt.StatementType()
	if err != nil {
		return nil, errors.Join(err, stmt.Close())
	}
	if kind != duck.STATEMENT_TYPE_SELECT && kind != duck.STATEMENT_TYPE_EXPLAIN {
		return nil, errors.Join(notRead(), stmt.Close())
	}
	if stmt.NumInput() > 0 {
		err := diag.New(diag.QueryFailed, "found a parameter (? or $1), want a value in its place")
		return nil, errors.Join(err, stmt.Close())
	}
	return stmt, nil
}

// writes tells of a statement that could not be prepared whether its first word
// is one that changes something.
func writes(sql string) bool {
	word := strings.TrimSpace(sql)
	if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		word = word[:end]
	}
	switch strings.ToUpper(word) {
	case "INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "DROP", "ALTER", "CREATE", "COPY", "EXPORT", "IMPORT", "ATTACH":
		return true
	}
	return false
}

func notRead() *diag.Diagnostic {
	return diag.New(diag.QueryFailed, "found a statement that does more than read, want SELECT").
		Hinted("queries cannot change anything; to keep a result, write it to a file: landfall query --json … > rows.ndjson")
}

// column is a column of a result.
type column struct {
	engine.Column
	info duck.TypeInfo // nil for a type that the driver does not know
}

func describe(stmt *duck.Stmt) ([]column, error) {
	n, err := stmt.ColumnCount()
	if err != nil {
		return nil, fmt.Errorf("describe the result: %w", err)
	}
	columns := make([]column, n)
	for i := range n {
		if columns[i].Name, err = stmt.ColumnName(i); err != nil {
			return nil, fmt.Errorf("describe the result: %w", err)
		}
		info, err := stmt.ColumnTypeInfo(i)
		if err != nil {
			columns[i].Type = "VARIANT"
			continue
		}
		columns[i].Type, columns[i].info = infoSQL(info), info
	}
	return columns, nil
}

// yieldPages hands over the table of the answer.
func (s *session) yieldPages(ctx context.Context, conn *duck.Conn, columns []column, yield func([]engine.Value, error) bool) {
	exprs := make([]string, len(columns))
	for i, c := range columns {
		exprs[i] = exact(fmt.Sprintf("c%d", i), c.info, 0)
	}
	stmt, err := prepare(conn, fmt.Sprintf("SELECT %s FROM %s.answer WHERE rowid >= ?::BIGINT AND rowid < ?::BIGINT",
		strings.Join(exprs, ", "), own))
	if err != nil {
		yield(nil, s.fault(ctx, err))
		return
	}
	defer stmt.Close() //nolint:errcheck // everything was read
	more := true
	for from := int64(0); more; from += page {
		n := int64(0)
		more = s.yieldAll(ctx, stmt, columns, func(row []engine.Value, err error) bool {
			n++
			return yield(row, err)
		}, from, from+page)
		more = more && n == page
	}
}

// yieldAll hands over the rows of a statement, and tells whether it came to
// their end.
func (s *session) yieldAll(
	ctx context.Context, stmt *duck.Stmt, columns []column, yield func([]engine.Value, error) bool, args ...int64,
) bool {
	bound := make([]driver.NamedValue, len(args))
	for i, a := range args {
		bound[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	rows, err := stmt.QueryContext(ctx, bound)
	if err != nil {
		yield(nil, s.fault(ctx, err))
		return false
	}
	defer rows.Close() //nolint:errcheck // everything was read
	raw := make([]driver.Value, len(columns))
	for {
		if err = ctx.Err(); err == nil {
			err = rows.Next(raw)
		}
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			yield(nil, s.fault(ctx, err))
			return false
		}
		row := make([]engine.Value, len(columns))
		for i, c := range columns {
			row[i] = convert(raw[i], c.info)
		}
		if !yield(row, nil) {
			return false
		}
	}
}
