// Package supply finds the files of a source of a data flow: which there are, what
// columns they have, and how each differs from the others.
//
// Columns of all files are put together by name. A column that has several types gets
// one that holds the values of all, or text.
package supply

import (
	"context"
	"slices"
	"time"

	"landfall/internal/diag"
	"landfall/internal/engine"
	"landfall/internal/flow/dataset"
	"landfall/internal/intake"
	"landfall/internal/project"
	"landfall/internal/schema"
	"landfall/internal/store"
	"landfall/internal/table"
)

// Options say where the files of a source are.
type Options struct {
	// Store is the folder that stands for the container.
	Store store.Store
	// Only is the path of a file, or a pattern, below the store that takes the place of what
	// the source says; "" for none.
	Only string
	// Now is when the run began.
	Now time.Time
	// Workers is how many files are looked at at once; 0 means 2.
	Workers int
	// Decode makes the decoder of files of a format.
	Decode func(o project.Options, format string) (intake.Decoder, error)
	// Table opens the Delta table of a folder.
	Table func(store.Store) table.Table
	// Stage makes a folder of the run's own, which goes when the run ends.
	Stage func(context.Context) (store.Store, error)
	Clock func() time.Time
	NewID func() string
}

// Supply is what a source reads.
type Supply struct {
	// Columns are those of all files, in the order in which files, by path, have them
	// first.
	Columns []schema.Field
	// Input is what the engine reads.
	Input engine.Input
	// Files are in the order of their paths.
	Files []File
	// Notes are what a person should know of the files.
	Notes []diag.Diagnostic

	source dataset.Source
	store  store.Store
}

// File is a file of a source.
type File struct {
	// Path is relative to the container.
	Path     string
	Size     int64
	Modified time.Time
	// Rows is −1 when it is not known before the file is read.
	Rows int64
	// Columns are the file's own.
	Columns []schema.Field
	// Drift is how they differ from the projection, or from the first file if there is
	// none.
	Drift []Drift

	version string
	// partition are the columns of its folders, which come last in Columns; nil is null.
	partition map[string]*string
	odd       bool
	int96     []string
	// gone tells that the file was moved or deleted after it was read.
	gone bool
}

// Open finds the files of a source, and what columns they have. Of Parquet files the
// footers are read.
func Open(ctx context.Context, s dataset.Source, o Options) (*Supply, error) {
	out := &Supply{source: s, store: o.Store, Notes: slices.Clone(s.Notes), Input: engine.Input{Source: s.Name, Store: o.Store}}
	if s.Format == dataset.Delta {
		return out, out.table(ctx, o)
	}
	var err error
	if out.Files, err = find(ctx, o.Store, s, o); err != nil {
		return nil, err
	}
	if err := out.movable(ctx); err != nil {
		return nil, err
	}
	if s.Format != dataset.Parquet {
		return out, out.stage(ctx, o)
	}
	return out, out.footers(ctx, o)
}

// unite puts the columns of all files together, and tells how each differs.
// torn tells that a column has types of which no cast reaches the other.
func (s *Supply) unite() (torn bool) {
	var all union
	for i := range s.Files {
		for _, c := range s.Files[i].Columns {
			all.add(c)
		}
	}
	s.Columns = all.columns
	against := s.source.Projection
	if against == nil && len(s.Files) > 0 {
		against = s.Files[0].Columns
	}
	for i := range s.Files {
		s.Files[i].Drift = drift(against, s.Files[i].Columns)
	}
	return all.torn
}

// Drifts tells whether columns that no projection names are let in.
func (s *Supply) Drifts() bool { return s.source.Drift }

// Same fails if a file is not as it was when the source was opened: rows of another
// version may have been read.
func (s *Supply) Same(ctx context.Context) error {
	var problems diag.List
	for _, f := range s.Files {
		if f.gone {
			continue
		}
		info, err := s.store.Stat(ctx, f.Path)
		if err == nil && info.Version == f.version {
			continue
		}
		d := diag.New(diag.FlowInput, "source %s: the file is not as it was when the run began", s.source.Name).In(diag.Place{File: f.Path}).
			Hinted("run again when nobody writes to it")
		if err != nil {
			d = d.Because(err)
		}
		problems.Add(d)
	}
	return problems.Err()
}

// sorted orders files by path.
func sorted(files []File) []File {
	slices.SortFunc(files, func(a, b File) int {
		if a.Path < b.Path {
			return -1
		}
		if a.Path > b.Path {
			return 1
		}
		return 0
	})
	return files
}
