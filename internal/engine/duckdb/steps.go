package duckdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/schema"
	"landfall/internal/sparksql/function"
)

var _ engine.Stepper = (*Engine)(nil)

// Steps implements engine.Stepper.
func (e *Engine) Steps(ctx context.Context, o engine.Steps, use func(engine.Session) error) error {
	folder := o.Folder
	if folder != "" {
		var err error
		if folder, err = filepath.Abs(folder); err != nil {
			return fmt.Errorf("find the folder to write to: %w", err)
		}
		if isPattern(folder) {
			return diag.New(diag.Usage, "folder %s: has one of %s in its name", diag.Quote(folder), patternChars).Hinted("write to another folder")
		}
	}
	return e.lend(ctx, func(s *session) error {
		if err := s.addSpark(ctx); err != nil {
			return err
		}
		if err := s.addViews(ctx, everyName(o.Views), o.Views); err != nil {
			return err
		}
		for i, l := range o.Listings {
			if err := s.addListing(ctx, i, l); err != nil {
				return err
			}
		}
		if folder != "" {
			s.folders = append(s.folders, folder)
			s.allowed = append(s.allowed, folder)
		}
		if err := s.lock(ctx); err != nil {
			return err
		}
		return withNames(use(&steps{session: s, folder: folder}), o.Views, o.Listings)
	})
}

// everyName is a text that mentions all views, so that all of them are opened.
func everyName(views []engine.View) string {
	names := make([]string, len(views))
	for i, v := range views {
		names[i] = dialect.Name(v.Name)
	}
	return strings.Join(names, " ")
}

// addSpark makes the functions of Spark known to a session.
func (s *session) addSpark(ctx context.Context) error {
	for _, k := range function.Kernels() {
		config, err := configOf(k)
		if err != nil {
			return fmt.Errorf("add the function %s: %w", k.Name, err)
		}
		if err := duck.RegisterScalarUDF(s.conn, k.Name, kernel{k, config}); err != nil {
			return fmt.Errorf("add the function %s: %w", k.Name, err)
		}
	}
	return s.exec(ctx, function.Macros())
}

// steps is a session for several statements.
type steps struct {
	*session
	folder string
}

// Keep implements engine.Session.
func (s *steps) Keep(ctx context.Context, name, sql string) (int64, error) {
	statement := "CREATE TABLE " + dialect.Name(name) + " AS\n" + sql
	if _, err := s.conn.ExecContext(ctx, statement); err != nil {
		return 0, s.statementFault(ctx, statement, 1, err)
	}
	var rows int64
	if err := s.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+dialect.Name(name)).Scan(&rows); err != nil {
		return 0, s.fault(ctx, err)
	}
	return rows, nil
}

// Query implements engine.Session. The rows go when they were lent.
func (s *steps) Query(ctx context.Context, sql string, use func(engine.Result) error) error {
	if err := s.query(ctx, sql, use); err != nil {
		return err
	}
	return s.exec(ctx, "DROP TABLE IF EXISTS "+own+".answer")
}

// Write implements engine.Session.
func (s *steps) Write(ctx context.Context, sql string, columns []schema.Field, file string) (engine.Written, error) {
	casts := make([]string, len(columns))
	names := make([]string, len(columns))
	for i, c := range columns {
		t, err := typeSQL(c.Type)
		if err != nil {
			return engine.Written{}, fmt.Errorf("write %s: %w", c.Name, err)
		}
		names[i] = fmt.Sprintf("c%d", i)
		casts[i] = "CAST(" + names[i] + " AS " + t + ") AS " + dialect.Name(c.Name)
	}
	statement := "COPY (SELECT " + strings.Join(casts, ", ") + " FROM (\n" + sql + "\n) AS q(" + strings.Join(names, ", ") + ")) TO " +
		dialect.Quote(filepath.Join(s.folder, file)) + " (FORMAT parquet, COMPRESSION snappy)"
	result, err := s.conn.ExecContext(ctx, statement)
	if err != nil {
		return engine.Written{}, s.statementFault(ctx, statement, 1, err)
	}
	w := engine.Written{Path: file}
	if w.Rows, err = result.RowsAffected(); err != nil {
		return w, fmt.Errorf("count the rows of %s: %w", file, err)
	}
	info, err := os.Stat(filepath.Join(s.folder, file))
	if err != nil {
		return w, fmt.Errorf("look at what was written: %w", err)
	}
	w.Size = info.Size()
	return w, nil
}
