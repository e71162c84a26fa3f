package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

const (
	// batchBytes is the size of values that a record aims at, batchRows its
	// greatest number of rows.
	batchBytes = 16 << 20
	batchRows  = 64 << 10
)

// Read yields the rows of a file in order. columns names top-level columns, or
// dotted paths of parts of them ("add.path"; maps beside such a part come with
// it); nil means all, and a name that the file lacks is left out. Types follow from Parquet's own schema alone
// (strings are utf8, never dictionaries or views). A record is released when
// the loop body returns: retain it to keep it. The iteration ends after the
// first error: *diag.Diagnostic (file_unreadable) if the file is at fault,
// anything else comes from r.
func Read(ctx context.Context, r io.ReaderAt, size int64, columns []string) iter.Seq2[arrow.RecordBatch, error] {
	return read(ctx, memory.DefaultAllocator, r, size, columns)
}

// Schema returns the columns of a file as Read yields them.
func Schema(r io.ReaderAt, size int64) (s *arrow.Schema, err error) {
	src := &source{r: r, size: size}
	defer src.guard(&err)
	f, err := src.open(memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	fr, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		return nil, src.broken(err)
	}
	s, err = fr.Schema()
	if err != nil {
		return nil, src.broken(err)
	}
	return s, nil
}

func read(ctx context.Context, mem memory.Allocator, r io.ReaderAt, size int64, columns []string) iter.Seq2[arrow.RecordBatch, error] {
	return func(yield func(arrow.RecordBatch, error) bool) {
		src := &source{r: r, size: size}
		c, err := src.cursor(ctx, mem, columns)
		if err != nil {
			yield(nil, err)
			return
		}
		if c == nil {
			return
		}
		defer c.rr.Release()
		for {
			rec, err := c.next(ctx)
			if err != nil {
				yield(nil, err)
				return
			}
			if rec == nil || !yield(rec, nil) {
				return
			}
		}
	}
}

// cursor walks the records of a file; it keeps the panics of the decoder from
// the consumer, whose own must pass.
type cursor struct {
	src  *source
	rr   pqarrow.RecordReader
	left int64
}

// cursor returns nil when the file has none of the columns.
func (s *source) cursor(ctx context.Context, mem memory.Allocator, columns []string) (c *cursor, err error) {
	defer s.guard(&err)
	f, err := s.open(mem)
	if err != nil {
		return nil, err
	}
	leaves, below := leavesOf(f, columns)
	if len(leaves) == 0 {
		return nil, nil //nolint:nilnil // No cursor is the answer when there is nothing to walk.
	}
	bytes, rows, err := s.probe(f, below)
	if err != nil {
		return nil, err
	}
	perRow := max(bytes/max(rows, 1), 1)
	props := pqarrow.ArrowReadProperties{BatchSize: min(max(batchBytes/perRow, 1), batchRows)}
	fr, err := pqarrow.NewFileReader(f, props, mem)
	if err != nil {
		return nil, s.broken(err)
	}
	rr, err := fr.GetRecordReader(ctx, leaves, nil)
	if err != nil {
		return nil, s.broken(err)
	}
	return &cursor{src: s, rr: rr, left: rows}, nil
}

// next returns the next record, nil after the last.
func (c *cursor) next(ctx context.Context) (rec arrow.RecordBatch, err error) {
	defer c.src.guard(&err)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.left == 0 {
		return nil, nil //nolint:nilnil // The end.
	}
	if !c.rr.Next() {
		if err := c.rr.Err(); err != nil {
			return nil, c.src.broken(err)
		}
		return nil, c.src.broken(fmt.Errorf("a column ends %d rows early", c.left))
	}
	rec = c.rr.RecordBatch()
	c.left -= rec.NumRows()
	if c.left < 0 {
		return nil, c.src.broken(errors.New("a column holds more rows than the footer says"))
	}
	return rec, nil
}

// leavesOf returns the leaf columns that are, or lie below, one of the names,
// and all those that share a top-level column with one.
func leavesOf(f *file.Reader, names []string) (leaves, below []int) {
	sc := f.MetaData().Schema
	roots := map[string]bool{}
	for i := range sc.NumColumns() {
		path := sc.Column(i).ColumnPath()
		dotted := path.String()
		wanted := names == nil
		for _, n := range names {
			wanted = wanted || n == path[0] || n == dotted || strings.HasPrefix(dotted, n+".")
		}
		if wanted {
			leaves = append(leaves, i)
			roots[path[0]] = true
		}
	}
	for i := range sc.NumColumns() {
		if roots[sc.Column(i).ColumnPath()[0]] {
			below = append(below, i)
		}
	}
	return leaves, below
}
