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
// answer becomes a table first, which spills, and is handed over by pages, between
// which the connection is free.
func (s *session) query(ctx context.Context, sql string, use func(engine.Result) error) (err error) {
	a := answer{session: s, ctx: ctx, table: fmt.Sprintf("%s.answer_%d", own, s.answers)}
	s.answers++
	if err := s.raw(func(conn *duck.Conn) error { return a.make(conn, sql) }); err != nil {
		return err
	}
	result := engine.Result{Columns: make([]engine.Column, len(a.columns)), Rows: a.pages}
	for i, c := range a.columns {
		result.Columns[i] = c.Column
	}
	if a.small != nil {
		result.Rows = a.whole
		return use(result)
	}
	return errors.Join(use(result), s.exec(ctx, "DROP TABLE "+a.table))
}

// answer is what a statement answered.
type answer struct {
	*session
	ctx     context.Context //nolint:containedctx // lives as long as the call of query
	table   string
	columns []column
	// small are the rows of what DuckDB takes for no table: DESCRIBE, SHOW, EXPLAIN.
	small [][]engine.Value
}

// make runs the statement.
func (a *answer) make(conn *duck.Conn, sql string) (err error) {
	stmt, err := a.statement(a.ctx, conn, sql)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	if a.columns, err = describe(stmt); err != nil {
		return err
	}
	names := make([]string, len(a.columns))
	for i := range a.columns {
		names[i] = fmt.Sprintf("c%d", i)
	}
	keep := fmt.Sprintf("CREATE TABLE %s(%s) AS\n%s", a.table, strings.Join(names, ", "), sql)
	store, err := prepare(conn, keep)
	if err != nil {
		a.small = [][]engine.Value{}
		a.small, err = a.read(stmt, a.small)
		return err
	}
	_, err = store.ExecContext(a.ctx, nil)
	if err = errors.Join(err, store.Close()); err != nil {
		return a.statementFault(a.ctx, keep, 1, err)
	}
	return nil
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

// whole hands over rows that were read already.
func (a *answer) whole(yield func([]engine.Value, error) bool) {
	for _, row := range a.small {
		if !yield(row, nil) {
			return
		}
	}
}

// pages hands over the table of the answer.
func (a *answer) pages(yield func([]engine.Value, error) bool) {
	exprs := make([]string, len(a.columns))
	for i, c := range a.columns {
		exprs[i] = exact(fmt.Sprintf("c%d", i), c.info, 0)
	}
	text := fmt.Sprintf("SELECT %s FROM %s WHERE rowid >= ?::BIGINT AND rowid < ?::BIGINT", strings.Join(exprs, ", "), a.table)
	var rows [][]engine.Value
	for from := int64(0); ; from += page {
		err := a.raw(func(conn *duck.Conn) error {
			stmt, err := prepare(conn, text)
			if err != nil {
				return a.fault(a.ctx, err)
			}
			rows, err = a.read(stmt, rows[:0], from, from+page)
			return errors.Join(err, stmt.Close())
		})
		if err != nil {
			yield(nil, err)
			return
		}
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
		if len(rows) < page {
			return
		}
	}
}

// read adds the rows of a statement to others.
func (a *answer) read(stmt *duck.Stmt, to [][]engine.Value, args ...int64) ([][]engine.Value, error) {
	bound := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		bound[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	rows, err := stmt.QueryContext(a.ctx, bound)
	if err != nil {
		return to, a.fault(a.ctx, err)
	}
	defer rows.Close() //nolint:errcheck // everything was read
	raw := make([]driver.Value, len(a.columns))
	for {
		if err = a.ctx.Err(); err == nil {
			err = rows.Next(raw)
		}
		if errors.Is(err, io.EOF) {
			return to, nil
		}
		if err != nil {
			return to, a.fault(a.ctx, err)
		}
		row := make([]engine.Value, len(a.columns))
		for i, c := range a.columns {
			row[i] = convert(raw[i], c.info)
		}
		to = append(to, row)
	}
}
