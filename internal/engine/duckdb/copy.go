package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"landfall/internal/engine"
	"landfall/internal/engine/duckdb/program"
)

// copied runs a COPY and returns the files that it wrote, and the rows in all.
func (s *session) copied(ctx context.Context, statement string, to engine.Target) (written []engine.Written, total int64, err error) {
	rows, err := s.conn.QueryContext(ctx, statement)
	if err != nil {
		return nil, 0, s.fault(ctx, err)
	}
	defer rows.Close() //nolint:errcheck // Err is checked below
	names, err := rows.Columns()
	if err != nil {
		return nil, 0, fmt.Errorf("read what was written: %w", err)
	}
	for rows.Next() {
		paths, count, err := reported(rows, names)
		if err != nil {
			return nil, 0, fmt.Errorf("read what was written: %w", err)
		}
		total += count
		for _, path := range paths {
			w, err := writtenAt(path, count, to)
			if err != nil {
				return nil, 0, err
			}
			written = append(written, w)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, 0, s.fault(ctx, err)
	}
	return written, total, nil
}

// reported reads a row of what a COPY returns: a file and its rows, or all
// files and all rows.
func reported(rows *sql.Rows, names []string) (paths []string, count int64, err error) {
	var path string
	var files any
	into := make([]any, len(names))
	for i, name := range names {
		switch name {
		case "filename":
			into[i] = &path
		case "count", "Count":
			into[i] = &count
		case "Files":
			into[i] = &files
		default:
			into[i] = new(any)
		}
	}
	if err := rows.Scan(into...); err != nil {
		return nil, 0, err
	}
	if path != "" {
		return []string{path}, count, nil
	}
	list, _ := files.([]any)
	for _, f := range list {
		paths = append(paths, fmt.Sprint(f))
	}
	return paths, count, nil
}

func writtenAt(path string, rows int64, to engine.Target) (engine.Written, error) {
	w := engine.Written{Rows: rows}
	inside, err := filepath.Rel(to.Folder, path)
	if err != nil {
		return w, fmt.Errorf("place of a written file: %w", err)
	}
	w.Path = filepath.ToSlash(inside)
	for _, part := range strings.Split(w.Path, "/") {
		if number, ok := strings.CutPrefix(part, program.FileNumber+"="); ok {
			if w.Number, err = strconv.Atoi(number); err != nil {
				return w, fmt.Errorf("number of a written file: %w", err)
			}
		}
	}
	return w, nil
}
