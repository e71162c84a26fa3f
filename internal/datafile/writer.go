package datafile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/schema"
	"landfall/internal/store"
)

const (
	defaultTarget = 128 << 20
	// smallObject is the size up to which an object waits in memory to be packed
	// with others.
	smallObject = 8 << 20
	// bufferSize joins the small writes of the encoder.
	bufferSize = 256 << 10
)

var (
	errNoObject   = errors.New("rows outside Begin and End")
	errOpenObject = errors.New("an object is begun before the last is ended")
	errClosed     = errors.New("data file writer is closed")
)

// Writer packs the rows of many objects into data files. One goroutine uses
// it. Rows come between Begin and End; an object that is discarded instead
// leaves none. Small objects wait in memory and share files; a larger one gets
// files of its own, so that it can be dropped whole. After an error every call
// returns it: Abort is all that is left to do.
type Writer struct {
	s     store.Store
	table schema.Struct
	o     Options
	// small is smallObject but in tests.
	small int64

	shared *output
	object *object
	files  []File
	err    error
}

// object is what was written since Begin.
type object struct {
	number int
	// waiting are copies of its batches while it is small.
	waiting []column.Batch
	bytes   int64
	// own is its open file once it is large, done those that are full.
	own  *output
	done []File
}

// NewWriter returns a writer of data files with the columns of table.
func NewWriter(s store.Store, table schema.Struct, o Options) *Writer {
	if o.Target <= 0 {
		o.Target = defaultTarget
	}
	if o.RowGroupBytes <= 0 || o.RowGroupBytes > o.Target {
		o.RowGroupBytes = min(parquetfile.DefaultRowGroupBytes, o.Target)
	}
	return &Writer{s: s, table: table, o: o, small: smallObject}
}

// Begin starts the rows of an object, by the caller's number. Misuse shows in
// the calls that follow.
func (w *Writer) Begin(number int) {
	if w.object != nil {
		_ = w.fail(errOpenObject) // the next call returns it
		return
	}
	w.object = &object{number: number}
}

// Write adds rows of the object. It keeps nothing of b.
func (w *Writer) Write(ctx context.Context, b column.Batch) error {
	switch {
	case w.err != nil:
		return w.err
	case w.object == nil:
		return w.fail(errNoObject)
	case b.Rows == 0:
		return nil
	}
	obj := w.object
	obj.bytes += footprint(b)
	if obj.own == nil && obj.bytes <= w.small {
		obj.waiting = append(obj.waiting, clone(b))
		return nil
	}
	waiting := obj.waiting
	obj.waiting = nil
	for _, b := range append(waiting, b) {
		if err := w.add(ctx, &obj.own, obj.number, b); err != nil {
			return w.fail(err)
		}
		if err := w.roll(ctx, &obj.own, &obj.done); err != nil {
			return w.fail(err)
		}
	}
	return nil
}

// End keeps the rows of the object.
func (w *Writer) End(ctx context.Context) error {
	switch {
	case w.err != nil:
		return w.err
	case w.object == nil:
		return w.fail(errNoObject)
	}
	obj := w.object
	if obj.own != nil {
		f, err := obj.own.finish(ctx, w.o)
		if err != nil {
			return w.fail(err)
		}
		obj.done = append(obj.done, f)
	}
	w.object = nil
	w.files = append(w.files, obj.done...)
	for _, b := range obj.waiting {
		if err := w.add(ctx, &w.shared, obj.number, b); err != nil {
			return w.fail(err)
		}
	}
	// Only between objects: one object lies in one packed file.
	if err := w.roll(ctx, &w.shared, &w.files); err != nil {
		return w.fail(err)
	}
	return nil
}

// Discard forgets the rows of the object. Files of its own that were full
// already stay in the store, unreferenced.
func (w *Writer) Discard(ctx context.Context) error {
	switch {
	case w.err != nil:
		return w.err
	case w.object == nil:
		return w.fail(errNoObject)
	}
	if own := w.object.own; own != nil {
		if err := own.abort(ctx); err != nil {
			return w.fail(err)
		}
	}
	w.object = nil
	return nil
}

// Close finishes the last file and returns all, those of large objects before
// the packed ones they were met with. An object that was not ended is an error.
func (w *Writer) Close(ctx context.Context) ([]File, error) {
	switch {
	case w.err != nil:
		return nil, w.err
	case w.object != nil:
		return nil, w.fail(errOpenObject)
	}
	if w.shared != nil {
		f, err := w.shared.finish(ctx, w.o)
		if err != nil {
			return nil, w.fail(err)
		}
		w.shared = nil
		w.files = append(w.files, f)
	}
	w.err = errClosed
	return w.files, nil
}

// Abort drops what is not finished; after Close it does nothing, so it may be
// deferred. It deletes no finished file.
func (w *Writer) Abort(ctx context.Context) error {
	var errs []error
	if w.object != nil && w.object.own != nil {
		errs = append(errs, w.object.own.abort(ctx))
	}
	if w.shared != nil {
		errs = append(errs, w.shared.abort(ctx))
	}
	w.object, w.shared = nil, nil
	_ = w.fail(errClosed) // for later calls
	return errors.Join(errs...)
}

// fail makes err, or the error before it, that of every later call.
func (w *Writer) fail(err error) error {
	if w.err == nil {
		w.err = err
	}
	return w.err
}

// add writes b to *out, which it opens if need be.
func (w *Writer) add(ctx context.Context, out **output, number int, b column.Batch) error {
	if *out == nil {
		o, err := create(ctx, w.s, w.table, w.o)
		if err != nil {
			return err
		}
		*out = o
	}
	return (*out).write(number, b)
}

// roll finishes *out if it has reached the target size.
func (w *Writer) roll(ctx context.Context, out **output, done *[]File) error {
	if *out == nil || (*out).parquet.Written() < w.o.Target {
		return nil
	}
	f, err := (*out).finish(ctx, w.o)
	if err != nil {
		return err
	}
	*out, *done = nil, append(*done, f)
	return nil
}

// output is a data file that is being written.
type output struct {
	path    string
	upload  store.Upload
	buffer  *bufio.Writer
	parquet *parquetfile.Writer
	parts   []Part
}

func create(ctx context.Context, s store.Store, table schema.Struct, o Options) (*output, error) {
	path := o.Name()
	up, err := s.Upload(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("begin data file %s: %w", path, err)
	}
	buffer := bufio.NewWriterSize(up, bufferSize)
	pw, err := parquetfile.NewWriter(buffer, table, o.Options)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("begin data file %s: %w", path, err), up.Abort(ctx))
	}
	return &output{path: path, upload: up, buffer: buffer, parquet: pw}, nil
}

func (f *output) write(number int, b column.Batch) error {
	if err := f.parquet.Write(b); err != nil {
		return fmt.Errorf("write data file %s: %w", f.path, err)
	}
	if n := len(f.parts); n > 0 && f.parts[n-1].Object == number {
		f.parts[n-1].Rows += int64(b.Rows)
		return nil
	}
	f.parts = append(f.parts, Part{Object: number, Rows: int64(b.Rows)})
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
