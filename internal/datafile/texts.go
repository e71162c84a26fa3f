package datafile

import (
	"context"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"landfall/internal/parquetfile"
	"landfall/internal/store"
)

// Texts yields what the live rows of a data file hold in some of its columns of
// text: "" for null, and where the file has no such column. deleted are the
// positions of its deletion vector. A row is valid until the next is asked for.
func Texts(ctx context.Context, s store.Store, path string, deleted []int64, names []string) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		obj, err := s.Open(ctx, path)
		if err != nil {
			yield(nil, fmt.Errorf("open data file %s: %w", path, err))
			return
		}
		defer obj.Close() //nolint:errcheck // nothing was written
		gone := map[int64]bool{}
		for _, row := range deleted {
			gone[row] = true
		}
		first, values := int64(0), make([]string, len(names))
		for rec, err := range parquetfile.Read(ctx, obj, obj.Info().Size, names) {
			if err != nil {
				yield(nil, at(path, err))
				return
			}
			columns := textsOf(rec, names)
			for i := range int(rec.NumRows()) {
				if gone[first+int64(i)] {
					continue
				}
				for k, c := range columns {
					if values[k] = ""; c != nil && c.IsValid(i) {
						values[k] = c.Value(i)
					}
				}
				if !yield(values, nil) {
					return
				}
			}
			first += rec.NumRows()
		}
	}
}

// textsOf finds columns of a record; nil for those that it lacks.
func textsOf(rec arrow.RecordBatch, names []string) []*array.String {
	columns := make([]*array.String, len(names))
	for k, name := range names {
		if at := rec.Schema().FieldIndices(name); len(at) == 1 {
			columns[k], _ = rec.Column(at[0]).(*array.String)
		}
	}
	return columns
}
