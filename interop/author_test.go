//go:build interop

package interop

import (
	"encoding/json"
	"fmt"
	"path"
	"testing"
	"time"

	"landfall/internal/column"
	"landfall/internal/datafile"
	"landfall/internal/datafile/datafiletest"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
	"landfall/internal/table/delta"
)

// author writes a table through our data files and commits, and remembers what
// every reader must find in it.
type author struct {
	t      *testing.T
	s      store.Store
	table  *delta.Table
	schema schema.Struct
	app    string
	batch  int64
	// rows are the cells of the table by column: values as parquetfiletest has
	// them, or times. The fields that a struct lacks at its end are null.
	rows []map[string]any
}

func newAuthor(t *testing.T, dir string) *author {
	t.Helper()
	s := folder(t, dir)
	opts := delta.Options{
		Now:             func() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) },
		CheckpointEvery: 3,
		Note:            func(err error) { t.Errorf("a checkpoint was not written: %v", err) },
	}
	return &author{t: t, s: s, table: delta.Open(s, opts), app: "landfall/interop"}
}

// grow adds a column to the schema of the next commits.
func (a *author) grow(name string, kind schema.Type) {
	a.schema.Fields = append(a.schema.Fields, schema.Field{Name: name, Type: kind, Nullable: true})
}

// append commits rows as one data file and returns it.
func (a *author) append(rows ...map[string]any) table.File {
	a.t.Helper()
	f := a.write("", rows)
	a.commit(table.Change{Adds: []table.File{f}, Operation: "WRITE"})
	a.rows = append(a.rows, rows...)
	return f
}

// commit commits a change as the next batch.
func (a *author) commit(c table.Change) {
	a.t.Helper()
	snap, err := a.table.Snapshot(a.t.Context())
	if err != nil && a.batch > 0 {
		a.t.Fatal(err)
	}
	a.batch++
	c.App, c.Batch, c.Attempt = a.app, a.batch, fmt.Sprintf("attempt-%d", a.batch)
	c.TableID = "8f8b2bd8-4a6f-4d3b-9d53-1f4f2a3f9f10"
	c.Schema = &a.schema
	if _, err := a.table.Commit(a.t.Context(), snap, c); err != nil {
		a.t.Fatal(err)
	}
}

// write writes rows as one data file in a folder below the table.
func (a *author) write(folder string, rows []map[string]any) table.File {
	a.t.Helper()
	ctx := a.t.Context()
	batch := column.Batch{Rows: len(rows)}
	for _, f := range a.schema.Fields {
		batch.Columns = append(batch.Columns, columnOf(f, rows))
	}
	files, err := datafiletest.Write(ctx, a.s, a.schema, datafile.Options{
		Name: func() string { return path.Join(folder, fmt.Sprintf("part-%05d.parquet", a.batch)) },
	}, batch)
	if err != nil || len(files) != 1 {
		a.t.Fatalf("found %d data files, wanted 1: %v", len(files), err)
	}
	f := files[0]
	return table.File{Path: f.Path, Size: f.Size, Rows: f.Rows, Stats: f.Stats, ModTime: time.Unix(1_780_000_000, 0)}
}

// columnOf gathers a column: text, a constant that all rows have, or leaves.
func columnOf(f schema.Field, rows []map[string]any) column.Column {
	values := make([]any, len(rows))
	constant := rows[0][f.Name]
	for i, row := range rows {
		v := row[f.Name]
		if at, ok := v.(time.Time); ok {
			v = at.UnixMicro()
		}
		values[i] = v
		if _, scalar := v.(int64); !scalar || v != values[0] {
			constant = nil
		}
	}
	switch {
	case constant != nil:
		return column.Column{Type: f.Type, Constant: values[0]}
	case f.Type != schema.String:
		return parquetfiletest.Column(f.Type, f.Nullable, values)
	}
	text := &column.Text{}
	for _, v := range values {
		if v, ok := v.(string); ok {
			text.AppendValue([]byte(v))
		} else {
			text.AppendNull()
		}
	}
	return column.Column{Type: f.Type, Text: text}
}

// wanted is the table as readers must spell it.
func (a *author) wanted() rows {
	var r rows
	for _, f := range a.schema.Fields {
		r.Columns = append(r.Columns, f.Name)
	}
	for _, row := range a.rows {
		line := make([]json.RawMessage, len(r.Columns))
		for i, f := range a.schema.Fields {
			v := row[f.Name]
			if at, ok := v.(time.Time); ok {
				v = at.UnixMicro()
			}
			line[i] = encode(spell(f.Type, v))
		}
		r.Rows = append(r.Rows, line)
	}
	return r
}
