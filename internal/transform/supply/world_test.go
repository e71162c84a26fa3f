package supply_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/engine/duckdb"
	"landfall/internal/flow"
	"landfall/internal/flow/dataset"
	"landfall/internal/flow/syntax"
	"landfall/internal/format"
	"landfall/internal/format/csv"
	"landfall/internal/format/json"
	formatparquet "landfall/internal/format/parquet"
	"landfall/internal/intake"
	"landfall/internal/plan/function"
	"landfall/internal/project"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/store/local"
	"landfall/internal/table"
	"landfall/internal/table/delta"
	"landfall/internal/transform/supply"
)

// folder is a container with files.
type folder struct {
	t    testing.TB
	root string
}

func container(t testing.TB, files map[string]string) folder {
	f := folder{t, t.TempDir()}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f.write(path, files[path])
	}
	return f
}

func (f folder) path(key string) string { return filepath.Join(f.root, filepath.FromSlash(key)) }

func (f folder) write(key, text string) {
	f.t.Helper()
	f.check(os.MkdirAll(filepath.Dir(f.path(key)), 0o777))
	f.check(os.WriteFile(f.path(key), []byte(text), 0o666))
}

func (f folder) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// parquet writes a file of one row group; rows are JSON.
func (f folder) parquet(key, rows string, fields ...arrow.Field) {
	f.t.Helper()
	r, _, err := array.RecordFromJSON(memory.DefaultAllocator, arrow.NewSchema(fields, nil), strings.NewReader(rows))
	f.check(err)
	defer r.Release()
	var buf bytes.Buffer
	w, err := pqarrow.NewFileWriter(r.Schema(), &buf, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps())
	f.check(err)
	f.check(errors.Join(w.Write(r), w.Close()))
	f.write(key, buf.String())
}

func field(name string, t arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: t, Nullable: true}
}

// open opens a source called In.
func (f folder) open(s dataset.Source) (*supply.Supply, error) {
	f.t.Helper()
	return f.openBy(s, supply.Open)
}

type opener func(context.Context, dataset.Source, supply.Options) (*supply.Supply, error)

func (f folder) openBy(s dataset.Source, open opener) (*supply.Supply, error) {
	f.t.Helper()
	files, err := local.Open(f.root)
	f.check(err)
	s.Name = "In"
	if s.Text.Delimiter == "" {
		s.Text.Delimiter, s.Text.Quote, s.Text.Escape = ",", `"`, `\`
	}
	ids := 0
	return open(f.t.Context(), s, supply.Options{
		Store: files, Now: time.Unix(0, 0), Decode: decoder, Clock: time.Now,
		Table: func(s store.Store) table.Table { return delta.Open(s, delta.Options{Now: time.Now}) },
		Stage: func(context.Context) (store.Store, error) { return local.Open(f.t.TempDir()) },
		NewID: func() string { ids++; return fmt.Sprintf("id-%d", ids) },
	})
}

// must opens a source that opens.
func (f folder) must(s dataset.Source) *supply.Supply {
	f.t.Helper()
	out, err := f.open(s)
	f.check(err)
	return out
}

// decoder is that of the program.
func decoder(o project.Options, name string) (intake.Decoder, error) {
	settings, err := o.DecoderOf(name)
	if err != nil {
		return nil, err
	}
	text, documents, columns := csv.Options{}, json.Options{Pool: new(json.Pool)}, formatparquet.Options{}
	set := map[string]func(key, value string) (bool, error){"csv": text.Set, "json": documents.Set, "parquet": columns.Set}[name]
	for _, s := range settings {
		if known, err := set(s.Name, s.Value.Text); err != nil || !known {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return func(ctx context.Context, path string, in intake.Input) (format.Reader, error) {
		switch name {
		case "csv":
			return csv.Open(ctx, path, in, text)
		case "json":
			return json.Open(ctx, path, in, documents)
		}
		return formatparquet.Open(path, in, in.Size(), columns)
	}, nil
}

// columns renders the columns of a source.
func columns(s *supply.Supply) string {
	var out []string
	for _, c := range s.Columns {
		out = append(out, c.Name+" "+c.Type.String())
	}
	return strings.Join(out, ", ")
}

// paths are those of a source's files.
func paths(s *supply.Supply) string {
	var out []string
	for _, f := range s.Files {
		out = append(out, f.Path)
	}
	return strings.Join(out, " ")
}

// rows has the engine read a source.
func rows(t testing.TB, s *supply.Supply) string {
	t.Helper()
	out, err := read(t, s)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "; ")
}

// read has the engine read a source: a text for each row.
func read(t testing.TB, s *supply.Supply) (out []string, err error) {
	t.Helper()
	text := syntax.NewFile("in.dfs", "source(allowSchemaDrift: true, validateSchema: false, inferDriftedColumnTypes: true) ~> In\nIn sink(allowSchemaDrift: true) ~> Out")
	script, err := syntax.Parse(text)
	if err != nil {
		return nil, err
	}
	functions, err := function.Load()
	if err != nil {
		return nil, err
	}
	p, err := flow.Bind(text, script, flow.Options{Inputs: map[string][]schema.Field{"In": s.Columns}, Functions: functions})
	if err != nil {
		return nil, err
	}
	runner, err := duckdb.Open(t.Context(), duckdb.Options{TempDir: t.TempDir(), Threads: 1})
	if err != nil {
		return nil, err
	}
	err = runner.Run(t.Context(), engine.Job{Plan: p, Step: "In", Inputs: []engine.Input{s.Input}}, func(r engine.Result) error {
		for row, err := range r.Rows {
			if err != nil {
				return err
			}
			var cells []string
			for _, v := range row {
				cells = append(cells, engine.Text(v))
			}
			out = append(out, strings.Join(cells, "|"))
		}
		return nil
	})
	return out, err
}

// fails wants an error of a code that says some words.
func fails(t *testing.T, err error, code diag.Code, words ...string) {
	t.Helper()
	if diag.CodeOf(err) != code {
		t.Fatalf("%v: want the code %s", err, code)
	}
	for _, w := range words {
		var d *diag.Diagnostic
		if !errors.As(err, &d) || !strings.Contains(err.Error()+d.Hint, w) {
			t.Errorf("%v: want %q in it", err, w)
		}
	}
}

// withoutPaths takes the paths of files out of rescued values.
func withoutPaths(rows string) string {
	return regexp.MustCompile(`,"_(file_path|record|why)":("[^"]*"|[0-9]+|{[^}]*})`).ReplaceAllString(rows, "")
}
