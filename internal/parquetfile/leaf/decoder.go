package leaf

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// batchOf reads values of one page, with their levels; it may lend memory of
// the page.
type batchOf[T any] interface {
	ReadBatchInPage(size int64, values []T, defs, reps []int16) (levels int64, read int, err error)
}

// readerOf returns what reads values of a chunk within a page, with their levels.
func readerOf(chunk file.ColumnChunkReader, entries int) (func(defs, reps []int16) (levels int, values any, err error), error) {
	switch r := chunk.(type) {
	case *file.BooleanColumnChunkReader:
		return windowOf[bool](r, entries), nil
	case *file.Int32ColumnChunkReader:
		return windowOf[int32](r, entries), nil
	case *file.Int64ColumnChunkReader:
		return windowOf[int64](r, entries), nil
	case *file.Int96ColumnChunkReader:
		return windowOf[parquet.Int96](r, entries), nil
	case *file.Float32ColumnChunkReader:
		return windowOf[float32](r, entries), nil
	case *file.Float64ColumnChunkReader:
		return windowOf[float64](r, entries), nil
	case *file.ByteArrayColumnChunkReader:
		return windowOf[parquet.ByteArray](r, entries), nil
	case *file.FixedLenByteArrayColumnChunkReader:
		return windowOf[parquet.FixedLenByteArray](r, entries), nil
	}
	return nil, fmt.Errorf("no reader for %T", chunk)
}

func windowOf[T any](r batchOf[T], entries int) func(defs, reps []int16) (int, any, error) {
	values := make([]T, entries)
	return func(defs, reps []int16) (int, any, error) {
		levels, n, err := r.ReadBatchInPage(int64(len(defs)), values, defs, reps)
		if err != nil {
			return 0, nil, err
		}
		return int(levels), values[:n], nil
	}
}
