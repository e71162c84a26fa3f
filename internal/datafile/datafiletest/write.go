// Package datafiletest writes data files for tests.
package datafiletest

import (
	"context"

	"landfall/internal/column"
	"landfall/internal/datafile"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// Write writes batches as the rows of one object, and returns the files that hold
// them.
func Write(ctx context.Context, s store.Store, table schema.Struct, o datafile.Options, batches ...column.Batch) ([]datafile.File, error) {
	w, p := datafile.NewWriter(s, table, o), datafile.NewPacker(s, table, o)
	w.Begin(0, 0)
	for _, b := range batches {
		if err := w.Write(ctx, b); err != nil {
			return nil, err
		}
	}
	if err := w.End(ctx); err != nil {
		return nil, err
	}
	l, err := w.Load()
	if err != nil {
		return nil, err
	}
	if err := p.Add(ctx, l); err != nil {
		return nil, err
	}
	return p.Close(ctx)
}
