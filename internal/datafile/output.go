package datafile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"landfall/internal/parquetfile/assembly"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// bufferSize joins the small writes of an assembly; large ones pass by.
const bufferSize = 64 << 10

// output is a data file that is being written.
type output struct {
	form    *form
	path    string
	upload  store.Upload
	buffer  *bufio.Writer
	parquet *assembly.File
	stats   []rowgroup.ColumnStats
	parts   []Part
}

func create(ctx context.Context, s store.Store, table schema.Struct, as *form, o Options) (*output, error) {
	path := o.Name()
	up, err := s.Upload(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("begin data file %s: %w", path, err)
	}
	buffer := bufio.NewWriterSize(up, bufferSize)
	file, err := assemble(buffer, table, as, o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("begin data file %s: %w", path, err), up.Abort(ctx))
	}
	return &output{form: as, path: path, upload: up, buffer: buffer, parquet: file}, nil
}

func assemble(w io.Writer, table schema.Struct, as *form, o Options) (*assembly.File, error) {
	if as == nil {
		return assembly.New(w, table, assembly.Options{Metadata: o.Metadata})
	}
	return assembly.NewOf(w, as.columns, assembly.Options{Metadata: as.metadata, CreatedBy: as.createdBy})
}

// append adds a row group.
func (f *output) append(g group) error {
	if err := f.parquet.Append(g.Group); err != nil {
		return fmt.Errorf("write data file %s: %w", f.path, err)
	}
	f.stats = rowgroup.Merge(f.stats, g.stats)
	for _, p := range g.parts {
		if n := len(f.parts); n > 0 && f.parts[n-1].Object == p.Object {
			f.parts[n-1].Rows += p.Rows
			continue
		}
		f.parts = append(f.parts, p)
	}
	return nil
}

func (f *output) finish(ctx context.Context, o Options) (File, error) {
	footer, err := f.parquet.Close()
	if err != nil {
		return File{}, fmt.Errorf("finish data file %s: %w", f.path, err)
	}
	if err := commit(ctx, f.upload, f.buffer, footer.Size); err != nil {
		return File{}, fmt.Errorf("finish data file %s: %w", f.path, err)
	}
	footer.Columns = f.stats
	return File{Path: f.path, Size: footer.Size, Rows: footer.Rows, Stats: statistics(footer, o), Parts: f.parts}, nil
}

// commit makes an upload visible. A size that the store does not confirm would
// make readers read the wrong bytes as the footer.
func commit(ctx context.Context, up store.Upload, buffer *bufio.Writer, written int64) error {
	if err := buffer.Flush(); err != nil {
		return err
	}
	info, err := up.Commit(ctx)
	if err != nil {
		return err
	}
	if info.Size != written {
		return fmt.Errorf("the store holds %d of %d bytes: %w", info.Size, written, io.ErrShortWrite)
	}
	return nil
}

func (f *output) abort(ctx context.Context) error {
	if err := f.upload.Abort(ctx); err != nil {
		return fmt.Errorf("drop data file %s: %w", f.path, err)
	}
	return nil
}
