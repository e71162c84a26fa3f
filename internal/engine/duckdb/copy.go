package duckdb

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// fileNumber is the column that deals rows to files; the folders of DuckDB's
// partitions are named after it.
const fileNumber = "_landfall_file"

// copySQL writes the statement that writes rows to files.
func copySQL(step *plan.Step, text string, to engine.Target) (string, error) {
	if err := distinctNames(step); err != nil {
		return "", err
	}
	var by []string
	text, by = dealt(text, to)
	options := formatOptions(to)
	path := filepath.Join(to.Folder, "part"+extension(to.Format))
	for _, key := range to.Keys {
		by = append(by, ident(key))
	}
	if len(by) > 0 {
		path = to.Folder
		options = append(options, "PARTITION_BY ("+strings.Join(by, ", ")+")", "OVERWRITE_OR_IGNORE true",
			"FILENAME_PATTERN 'part-{i}'", "FILE_EXTENSION "+quote(strings.TrimPrefix(extension(to.Format), ".")))
	}
	if to.Format == engine.Parquet {
		options = append(options, "RETURN_STATS true")
	} else {
		options = append(options, "RETURN_FILES true")
	}
	return "COPY (\n" + indent(text) + "\n) TO " + quote(path) + " (" + strings.Join(options, ", ") + ")", nil
}

// distinctNames refuses names that a file cannot have side by side.
func distinctNames(step *plan.Step) error {
	seen := map[string]string{}
	for _, c := range step.Visible() {
		folded := schema.Fold(c.Name)
		if other, ok := seen[folded]; ok {
			return diag.New(diag.PlanInvalid, "%s: found the columns %s and %s, want names that differ in more than casing",
				step.Name, diag.Quote(other), diag.Quote(c.Name)).In(step.At).
				Hinted("drop or rename one of them in a select before the sink")
		}
		seen[folded] = c.Name
	}
	if len(seen) == 0 {
		return diag.New(diag.PlanInvalid, "%s: found no columns, want at least one to write", step.Name).In(step.At)
	}
	return nil
}

// dealt adds the number of a row's file, if there are several.
func dealt(query string, to engine.Target) (text string, by []string) {
	if to.Files <= 1 {
		return query, nil
	}
	number := "row_number() OVER ()"
	if len(to.By) > 0 {
		columns := make([]string, len(to.By))
		for i, name := range to.By {
			columns[i] = ident(name)
		}
		number = "CAST(hash(" + strings.Join(columns, ", ") + ") % 2147483647 AS BIGINT)"
	}
	text = fmt.Sprintf("SELECT *, %s %% %d AS %s\nFROM (\n%s\n)", number, to.Files, fileNumber, indent(query))
	return text, []string{fileNumber}
}

func extension(f engine.Format) string {
	switch f {
	case engine.Delimited:
		return ".csv"
	case engine.JSON:
		return ".json"
	}
	return ".parquet"
}

func formatOptions(to engine.Target) []string {
	var options []string
	switch to.Format {
	case engine.Delimited:
		delimiter := to.Text.Delimiter
		if delimiter == "" {
			delimiter = ","
		}
		options = []string{
			"FORMAT csv", "HEADER " + strconv.FormatBool(to.Text.Header), "DELIMITER " + quote(delimiter),
			"NULLSTR " + quote(to.Text.Null), "QUOTE " + quote(to.Text.Quote), "ESCAPE " + quote(to.Text.Escape),
		}
	case engine.JSON:
		options = []string{"FORMAT json", "ARRAY " + strconv.FormatBool(to.Documents == engine.Array)}
	default:
		options = []string{"FORMAT parquet"}
	}
	if to.Compression != "" {
		options = append(options, "COMPRESSION "+quote(to.Compression))
	}
	return options
}

// copied runs a COPY and returns the files that it wrote.
func (s *session) copied(ctx context.Context, statement string, to engine.Target) ([]engine.Written, error) {
	rows, err := s.conn.QueryContext(ctx, statement)
	if err != nil {
		return nil, s.fault(ctx, err)
	}
	defer rows.Close() //nolint:errcheck // Err is checked below
	names, err := rows.Columns()
	if err != nil {
		return nil, fmt.Errorf("read what was written: %w", err)
	}
	var written []engine.Written
	for rows.Next() {
		paths, count, err := reported(rows, names)
		if err != nil {
			return nil, fmt.Errorf("read what was written: %w", err)
		}
		for _, path := range paths {
			w, err := writtenAt(path, count, to)
			if err != nil {
				return nil, err
			}
			written = append(written, w)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, s.fault(ctx, err)
	}
	return written, nil
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
	if len(paths) > 1 {
		count = -1
	}
	return paths, count, nil
}

func writtenAt(path string, rows int64, to engine.Target) (engine.Written, error) {
	w := engine.Written{Rows: rows}
	inside, err := filepath.Rel(to.Folder, path)
	if err != nil {
		return w, fmt.Errorf("place of a written file: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return w, fmt.Errorf("size of a written file: %w", err)
	}
	w.Path, w.Size = filepath.ToSlash(inside), info.Size()
	for _, part := range strings.Split(w.Path, "/") {
		if number, ok := strings.CutPrefix(part, fileNumber+"="); ok {
			if w.Number, err = strconv.Atoi(number); err != nil {
				return w, fmt.Errorf("number of a written file: %w", err)
			}
		}
	}
	return w, nil
}
