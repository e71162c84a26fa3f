package datafile

import (
	"context"

	"landfall/internal/column"
	"landfall/internal/parquetfile/encode"
	"landfall/internal/schema"
	"landfall/internal/store"
)

// stream writes rows of one object into files of their own, each closed when it
// has reached the target size.
type stream struct {
	s       store.Store
	table   schema.Struct
	o       Options
	number  int
	encoder *encode.Encoder
	open    *output
	done    []File
}

func newStream(s store.Store, table schema.Struct, o Options) (*stream, error) {
	e, err := encode.New(table, o.encoding())
	return &stream{s: s, table: table, o: o, encoder: e}, err
}

// write adds the rows of b, of which it keeps nothing.
func (f *stream) write(ctx context.Context, b column.Batch) error {
	if err := f.encoder.Begin(b); err != nil {
		return err
	}
	for at := 0; at < b.Rows; {
		next, err := f.encoder.Fill(b, at, f.o.RowGroupBytes)
		if err != nil {
			return err
		}
		if next < b.Rows || f.encoder.Weight() >= f.o.RowGroupBytes {
			if err := f.cut(ctx); err != nil {
				return err
			}
		}
		at = next
	}
	return nil
}

// cut ends the row group.
func (f *stream) cut(ctx context.Context) error {
	g, err := finished(f.encoder)
	if err != nil || g.Rows == 0 {
		return err
	}
	g.parts = []Part{{Object: f.number, Rows: g.Rows}}
	return f.append(ctx, g)
}

// append adds a row group.
func (f *stream) append(ctx context.Context, g group) error {
	if f.open != nil && f.open.form != g.form {
		if err := f.roll(ctx); err != nil {
			return err
		}
	}
	if f.open == nil {
		out, err := create(ctx, f.s, f.table, g.form, f.o)
		if err != nil {
			return err
		}
		f.open = out
	}
	if err := f.open.append(g); err != nil || f.open.parquet.Written() < f.o.Target {
		return err
	}
	return f.roll(ctx)
}

// roll ends the file.
func (f *stream) roll(ctx context.Context) error {
	if f.open == nil {
		return nil
	}
	done, err := f.open.finish(ctx, f.o)
	if err != nil {
		return err
	}
	f.open, f.done = nil, append(f.done, done)
	return nil
}

// finish ends the last file and returns all.
func (f *stream) finish(ctx context.Context) ([]File, error) {
	if err := f.cut(ctx); err != nil {
		return nil, err
	}
	if err := f.roll(ctx); err != nil {
		return nil, err
	}
	done := f.done
	f.done = nil
	return done, nil
}

// abort drops what is not finished. Finished files stay in the store,
// unreferenced.
func (f *stream) abort(ctx context.Context) error {
	open := f.open
	f.encoder.Undo()
	f.open, f.done = nil, nil
	if open == nil {
		return nil
	}
	return open.abort(ctx)
}
