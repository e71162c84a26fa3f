package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile/logical"
	"landfall/internal/parquetfile/page"
	"landfall/internal/schema"
)

const (
	// scanRows and scanBytes bound a batch; a row that is longer is one alone,
	// up to maxRowBytes.
	scanRows    = 32 << 10
	scanBytes   = 16 << 20
	maxRowBytes = 256 << 20
)

// Batches yields the rows in order, each batch with one column for each of
// Fields, as column.Leaves. A batch is valid until the next is asked for. The
// iteration ends after the first error: *diag.Diagnostic if the file is at fault,
// with the column and the row where they are known; anything else comes from the
// reader. Batches before it hold whole rows.
func (f *File) Batches(ctx context.Context) iter.Seq2[column.Batch, error] {
	return func(yield func(column.Batch, error) bool) {
		f.remarks = nil
		s := &scan{f: f, totals: make(map[remarkKey]*Remark)}
		for c := range f.columns {
			s.forms = append(s.forms, formsOf(f.columns[c].Type))
			for i := range f.columns[c].Leaves {
				s.leaves = append(s.leaves, &leafScan{Leaf: &f.columns[c].Leaves[i]})
			}
		}
		for g := range f.in.NumRowGroups() {
			if !s.group(ctx, g, yield) {
				return
			}
		}
	}
}

// scan walks the row groups of a file.
type scan struct {
	f      *File
	leaves []*leafScan
	// forms holds what the leaves of each column must be like.
	forms [][]buffer
	// done is the number of rows of row groups and batches before this one.
	done   int64
	totals map[remarkKey]*Remark
	room   page.Room
}

type remarkKey struct {
	leaf int
	kind string
}

// group yields the rows of a row group.
func (s *scan) group(ctx context.Context, g int, yield func(column.Batch, error) bool) bool {
	left := s.f.in.RowGroup(g).NumRows()
	if err := s.open(g); err != nil {
		yield(column.Batch{}, err)
		return false
	}
	defer s.close()
	for left > 0 {
		b, err := s.next(ctx, left)
		if err != nil {
			yield(column.Batch{}, err)
			return false
		}
		left -= int64(b.Rows)
		s.done += int64(b.Rows)
		if !yield(b, nil) {
			return false
		}
	}
	if err := s.finish(); err != nil {
		yield(column.Batch{}, err)
		return false
	}
	return true
}

func (s *scan) open(g int) (err error) {
	defer s.f.src.guard(&err)
	rg := s.f.in.RowGroup(g)
	if rg.NumRows() == 0 {
		return nil
	}
	for i, l := range s.leaves {
		if err := s.openChunk(rg, i, l); err != nil {
			return named(err, l.Path)
		}
	}
	return nil
}

func (s *scan) openChunk(rg *file.RowGroupReader, i int, l *leafScan) error {
	src, descr := s.f.src, s.f.in.MetaData().Schema.Column(i)
	chunk, err := rg.MetaData().ColumnChunk(i)
	if err != nil {
		return src.broken(err)
	}
	if chunk.Type() != descr.PhysicalType() {
		return src.broken(fmt.Errorf("found pages of %s, the schema says %s", chunk.Type(), descr.PhysicalType()))
	}
	first, _ := spanOf(chunk)
	pages := page.New(page.Chunk{
		Source: src, From: first, To: src.size - int64(minSize-len(magic)), Values: chunk.NumValues(),
		Codec: chunk.Compression(), Column: descr, MaxPage: min(max(minPage, chunk.TotalUncompressedSize()), maxPage),
	}, &s.room)
	// The decoder's own pages check no sums and believe every count.
	//nolint:staticcheck // There is no other way to give a decoder its pages.
	l.chunk = file.NewColumnReader(descr, pages, memory.DefaultAllocator, s.f.in.BufferPool())
	entries := min(max(allEntries/len(s.leaves), leastEntries), windowEntries)
	if slices.Contains(chunk.Encodings(), parquet.Encodings.DeltaByteArray) {
		entries = leastEntries // each text is made of the one before, however long
	}
	l.src = src
	l.reset(entries)
	l.read, err = readerOf(l.chunk, entries)
	return err
}

func (s *scan) close() {
	for _, l := range s.leaves {
		if l.chunk != nil {
			_ = l.chunk.Close() // it closes nothing but memory
			l.chunk = nil
		}
	}
}

// next returns a batch of up to left rows, of as many as all leaves have within
// the bounds. What a leaf has beyond them it keeps for the next.
func (s *scan) next(ctx context.Context, left int64) (b column.Batch, err error) {
	at := -1
	defer func() {
		if at >= 0 {
			err = named(err, s.leaves[at].Path)
		}
	}()
	defer s.f.src.guard(&err)
	if err := ctx.Err(); err != nil {
		return b, err
	}
	n, held := int(min(left, scanRows)), 0
	for _, l := range s.leaves {
		l.shift()
		held += l.weight()
	}
	for i, l := range s.leaves {
		at = i
		before := l.weight()
		if err := l.fill(n, scanBytes-held+before); err != nil {
			return b, s.place(err, l)
		}
		held += l.weight() - before
		n = min(n, l.rows)
	}
	at = -1
	b.Rows = n
	next := 0
	for _, c := range s.f.columns {
		col := column.Column{Type: c.Type, Leaves: make([]column.Leaf, len(c.Leaves))}
		for i := range col.Leaves {
			col.Leaves[i] = s.leaves[next].take(n)
			next++
		}
		b.Columns = append(b.Columns, col)
	}
	s.remark()
	return b, s.check(b)
}

// place adds the row to the fault of a value.
func (s *scan) place(err error, l *leafScan) error {
	var f *logical.Fault
	if !errors.As(err, &f) {
		return err
	}
	return diag.New(f.Code, "%s", f.Message).In(diag.Place{Record: s.done + int64(l.rowOf(f.Index)) + 1}).
		Hinted("ask the sender for a file whose values are of the types that it says").Because(err)
}

// finish sees that no chunk holds more than the rows of its group.
func (s *scan) finish() (err error) {
	defer s.f.src.guard(&err)
	for _, l := range s.leaves {
		if l.chunk == nil {
			continue
		}
		if l.rows > l.taken.rows || l.more() {
			return named(s.f.src.broken(errors.New("the column holds more rows than its row group")), l.Path)
		}
		if err := l.chunk.Err(); err != nil {
			return named(s.f.src.broken(err), l.Path)
		}
	}
	return nil
}

// named sets the column of a diagnostic that names none.
func named(err error, p schema.Path) error {
	var d *diag.Diagnostic
	if errors.As(err, &d) && d.Path == "" {
		d.Path = p.String()
	}
	return err
}

// spanOf returns where in the file a chunk lies.
func spanOf(c *metadata.ColumnChunkMetaData) (first, length int64) {
	first, length = c.DataPageOffset(), c.TotalCompressedSize()
	if d := c.DictionaryPageOffset(); c.HasDictionaryPage() && d > 0 && d < first {
		first = d
	}
	return first, length
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
