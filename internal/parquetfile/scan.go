package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"landfall/internal/column"
	"landfall/internal/diag"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/leaf"
	"landfall/internal/parquetfile/logical"
	"landfall/internal/parquetfile/page"
	"landfall/internal/schema"
)

const (
	// scanRows and scanBytes bound a batch; a row that is longer is one alone.
	scanRows  = 32 << 10
	scanBytes = 16 << 20
)

// Batches yields the rows in order, each batch with one column for each of
// Fields, as column.Leaves. A batch is valid until the next is asked for. The
// iteration ends after the first error: *diag.Diagnostic if the file is at fault,
// with the column and the row where they are known; anything else comes from the
// reader. Batches before it hold whole rows.
func (f *File) Batches(ctx context.Context) iter.Seq2[column.Batch, error] {
	return f.Without(ctx, nil)
}

// Without is Batches, but the columns that are left out are not read: those of the
// batches are empty there. No batch has rows of two row groups; row groups without
// rows have none. None is left out beyond the end of left.
func (f *File) Without(ctx context.Context, left []bool) iter.Seq2[column.Batch, error] {
	return func(yield func(column.Batch, error) bool) {
		f.remarks = nil
		s := newScan(f, left)
		for g := range f.in.NumRowGroups() {
			if !s.group(ctx, g, yield) {
				return
			}
		}
	}
}

// scan walks the row groups of a file.
type scan struct {
	f *File
	// left says which columns are not read. leaves are those of the others, chunks
	// which of the file's leaves they are.
	left   []bool
	leaves []*leaf.Scan
	chunks []int
	// forms holds what the leaves of each column must be like.
	forms [][]form.Leaf
	// done is the number of rows of row groups and batches before this one.
	done   int64
	totals map[remarkKey]*Remark
	room   page.Room
}

func newScan(f *File, left []bool) *scan {
	s := &scan{f: f, left: make([]bool, len(f.columns)), totals: make(map[remarkKey]*Remark)}
	copy(s.left, left)
	chunk := 0
	for c := range f.columns {
		s.forms = append(s.forms, form.Leaves(f.columns[c].Type, true))
		for i := range f.columns[c].Leaves {
			if !s.left[c] {
				s.leaves = append(s.leaves, &leaf.Scan{Leaf: &f.columns[c].Leaves[i], Strict: !f.flaws})
				s.chunks = append(s.chunks, chunk)
			}
			chunk++
		}
	}
	return s
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
		if err := s.openChunk(rg, s.chunks[i], l); err != nil {
			return named(err, l.Path)
		}
	}
	return nil
}

func (s *scan) openChunk(rg *file.RowGroupReader, i int, l *leaf.Scan) error {
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
	decoder := file.NewColumnReader(descr, pages, memory.DefaultAllocator, s.f.in.BufferPool())
	return l.Open(decoder, chunk.Encodings(), len(s.leaves))
}

func (s *scan) close() {
	for _, l := range s.leaves {
		l.Close()
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
		l.Shift()
		held += l.Weight()
	}
	for i, l := range s.leaves {
		at = i
		before := l.Weight()
		if err := l.Fill(n, scanBytes-held+before); err != nil {
			return b, s.place(err, l)
		}
		held += l.Weight() - before
		n = min(n, l.Rows())
	}
	at = -1
	b.Rows = n
	next := 0
	for i, c := range s.f.columns {
		if s.left[i] {
			b.Columns = append(b.Columns, column.Column{Type: c.Type})
			continue
		}
		col := column.Column{Type: c.Type, Leaves: make([]column.Leaf, len(c.Leaves))}
		for i := range col.Leaves {
			col.Leaves[i] = s.leaves[next].Take(n)
			next++
		}
		b.Columns = append(b.Columns, col)
	}
	s.remark()
	return b, s.check(b)
}

// place adds the row to the fault of a value.
func (s *scan) place(err error, l *leaf.Scan) error {
	var f *logical.Fault
	if !errors.As(err, &f) {
		return s.f.src.broken(err)
	}
	return diag.New(f.Code, "%s", f.Message).In(diag.Place{Record: s.done + int64(l.Row(f.Index)) + 1}).
		Hinted("ask the sender for a file whose values are of the types that it says").Because(err)
}

// finish sees that no chunk holds more than the rows of its group.
func (s *scan) finish() (err error) {
	defer s.f.src.guard(&err)
	for _, l := range s.leaves {
		if err := l.Finish(); err != nil {
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
