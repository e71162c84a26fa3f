package parquetfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"

	"landfall/internal/parquetfile/form"
)

// CopyRows writes the rows of a file for which keep is true as a new file;
// keep is asked once for each row, in order. Whatever the writer of the file
// put there comes out value for value, under the same Parquet schema, field
// ids and key-value metadata: values pass with their levels and never become
// Arrow, which has no place for some (INT96 before 1678, for one). Errors are
// those of Read, or w's.
func CopyRows(ctx context.Context, r io.ReaderAt, size int64, w io.Writer, keep func(row int64) bool, o Options) (Footer, error) {
	return copyRows(ctx, memory.DefaultAllocator, r, size, w, keep, o)
}

func copyRows(ctx context.Context, mem memory.Allocator, r io.ReaderAt, size int64, w io.Writer, keep func(row int64) bool, o Options) (f Footer, err error) {
	src := &source{r: r, size: size}
	defer src.guard(&err)
	in, err := src.open(mem)
	if err != nil {
		return Footer{}, err
	}
	sc := in.MetaData().Schema
	leaves := make([]int, sc.NumColumns())
	for i := range leaves {
		leaves[i] = i
	}
	if _, _, err := src.probe(in, leaves); err != nil {
		return Footer{}, err
	}
	c := &copier{src: src, in: in, bounds: make([]bounds, len(leaves))}
	for i := range leaves {
		c.bounds[i] = boundsOf(sc.Column(i))
	}
	kv, err := src.metadata(o)
	if err != nil {
		return Footer{}, err
	}
	props := o.properties(mem, c.properties()...)
	sized := &counter{w: w}
	out, err := file.NewParquetWriterWithError(sized, sc.Root(), file.WithWriterProps(props), file.WithWriteMetadata(kv))
	if err != nil {
		return Footer{}, fmt.Errorf("begin Parquet file: %w", err)
	}
	var first int64
	for g := range in.NumRowGroups() {
		kept := make([]bool, in.RowGroup(g).NumRows())
		for i := range kept {
			kept[i] = keep(first + int64(i))
		}
		first += int64(len(kept))
		if err := c.group(ctx, out, g, kept); err != nil {
			return Footer{}, err
		}
	}
	if err := out.Close(); err != nil {
		return Footer{}, fmt.Errorf("write footer: %w", err)
	}
	c.footer.Columns, c.footer.Size = columnsOf(sc, c.bounds), sized.n
	return c.footer, nil
}

// metadata is the key-value metadata of the source, with ours in front.
func (s *source) metadata(o Options) (metadata.KeyValueMetadata, error) {
	kv := metadata.NewKeyValueMetadata()
	for _, k := range slices.Sorted(maps.Keys(o.Metadata)) {
		if err := kv.Append(k, o.Metadata[k]); err != nil {
			return nil, fmt.Errorf("write metadata: %w", err)
		}
	}
	for _, p := range s.kv {
		if _, ours := o.Metadata[p.Key]; !ours {
			kv = append(kv, p)
		}
	}
	return kv, nil
}

type copier struct {
	src    *source
	in     *file.Reader
	bounds []bounds
	footer Footer
}

// properties keep dictionaries where the source had them, but for floating
// point: Spark's dictionary filter loses −0.0. Statistics that the encoder may
// not order as readers do are left out.
func (c *copier) properties() []parquet.WriterProperty {
	var out []parquet.WriterProperty
	for i := range c.bounds {
		col := c.in.MetaData().Schema.Column(i)
		path := col.ColumnPath()
		if !c.bounds[i].encoded() {
			out = append(out, parquet.WithStatsPath(path, false))
		}
		if c.in.NumRowGroups() == 0 {
			continue
		}
		chunk, err := c.in.RowGroup(0).MetaData().ColumnChunk(i)
		switch col.PhysicalType() {
		case parquet.Types.Int32, parquet.Types.Int64, parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
			if err == nil && chunk.HasDictionaryPage() {
				out = append(out, parquet.WithDictionaryPath(path, true))
			}
		}
	}
	return out
}

// group copies one row group, unless no row of it is kept.
func (c *copier) group(ctx context.Context, out *file.Writer, g int, kept []bool) error {
	n := 0
	for _, k := range kept {
		if k {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	to, err := out.AppendRowGroupChecked()
	if err != nil {
		return fmt.Errorf("begin row group: %w", err)
	}
	from := c.in.RowGroup(g)
	for i := range c.bounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		col := c.in.MetaData().Schema.Column(i)
		reader, err := from.Column(i)
		if err != nil {
			return c.src.broken(err)
		}
		cw, err := to.NextColumn()
		if err == nil {
			err = copyChunk(c.src, reader, cw, picked{kept, col.MaxDefinitionLevel(), col.MaxRepetitionLevel(), &c.bounds[i]})
		}
		if err == nil {
			err = cw.Close()
		}
		if err = errors.Join(err, reader.Close()); err != nil {
			return fmt.Errorf("copy column %q: %w", col.Path(), err)
		}
	}
	if err := to.Close(); err != nil {
		return fmt.Errorf("end row group: %w", err)
	}
	c.footer.Rows += int64(n)
	c.footer.RowGroups++
	return nil
}

// picked is what there is to know about a leaf column while a chunk is copied.
type picked struct {
	kept           []bool
	maxDef, maxRep int16
	bounds         *bounds
}

func copyChunk(src *source, r file.ColumnChunkReader, w file.ColumnChunkWriter, l picked) error {
	switch r := r.(type) {
	case *file.BooleanColumnChunkReader:
		return copyValues(src, r, w, l, l.bounds.AddBool)
	case *file.Int32ColumnChunkReader:
		return copyValues(src, r, w, l, func(v int32) { l.bounds.AddInt(int64(v)) })
	case *file.Int64ColumnChunkReader:
		return copyValues(src, r, w, l, l.bounds.AddInt)
	case *file.Int96ColumnChunkReader:
		return copyValues[parquet.Int96](src, r, w, l, nil)
	case *file.Float32ColumnChunkReader:
		return copyValues(src, r, w, l, func(v float32) { l.bounds.AddFloat(float64(v)) })
	case *file.Float64ColumnChunkReader:
		return copyValues(src, r, w, l, l.bounds.AddFloat)
	case *file.ByteArrayColumnChunkReader:
		return copyValues(src, r, w, l, func(v parquet.ByteArray) { l.bounds.AddText(v) })
	case *file.FixedLenByteArrayColumnChunkReader:
		return copyValues(src, r, w, l, func(v parquet.FixedLenByteArray) { l.bounds.AddWide(form.GetWide(v)) })
	}
	return fmt.Errorf("no copier for %T", r)
}

// batchOf reads values of one page, with their levels; it may lend memory of
// the page.
type batchOf[T any] interface {
	file.ColumnChunkReader
	ReadBatchInPage(size int64, values []T, defs, reps []int16) (levels int64, read int, err error)
}

type putterOf[T any] interface {
	WriteBatch(values []T, defs, reps []int16) (int64, error)
}

// copyValues copies one chunk. Values are dense: a level below the greatest
// definition level has none.
func copyValues[T any](src *source, r batchOf[T], cw file.ColumnChunkWriter, l picked, see func(T)) error {
	w, ok := cw.(putterOf[T])
	if !ok {
		return fmt.Errorf("no writer for %T in %T", *new(T), cw)
	}
	if !l.bounds.ordered {
		see = nil
	}
	const size = 2048
	values, row := make([]T, size), -1
	var defs, reps []int16
	if l.maxDef > 0 {
		defs = make([]int16, size)
	}
	if l.maxRep > 0 {
		reps = make([]int16, size)
	}
	for r.HasNext() {
		levels, read, err := r.ReadBatchInPage(size, values, defs, reps)
		if err != nil {
			return src.broken(err)
		}
		if levels == 0 {
			return src.broken(errors.New("page without values"))
		}
		nv, nl, err := sift(l, values[:read], defs, reps, int(levels), &row, see)
		if err != nil {
			return src.broken(err)
		}
		if nl == 0 {
			continue
		}
		if _, err := w.WriteBatch(values[:nv], cut(defs, nl), cut(reps, nl)); err != nil {
			return err
		}
	}
	if err := r.Err(); err != nil {
		return src.broken(err)
	}
	if row+1 != len(l.kept) {
		return src.broken(fmt.Errorf("column of %d rows, want %d", row+1, len(l.kept)))
	}
	return nil
}
