package parquetfile

import (
	"fmt"
	"io"

	"landfall/internal/column"
	"landfall/internal/parquetfile/assembly"
	"landfall/internal/parquetfile/encode"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/schema"
)

// Writer writes batches of columns as one file. Rows gather in memory, encoded,
// until a row group is full, so that many tiny batches make few row groups.
// After an error it is of no further use and the file must be thrown away.
type Writer struct {
	encoder *encode.Encoder
	file    *assembly.File
	limit   int64
	stats   []ColumnStats
}

// Footer sums up a finished file.
type Footer = assembly.Footer

// ColumnStats are the bounds of one column of a file, or of a field of a struct.
type ColumnStats = rowgroup.ColumnStats

// BoundBytes is how much of a long text is kept as a bound.
const BoundBytes = rowgroup.BoundBytes

// NewWriter begins a file of the columns of s, of any type that Delta tables
// have. Refused are types of unknown, structs without fields and types so deep
// that their levels exceed 255.
func NewWriter(w io.Writer, s schema.Struct, o Options) (*Writer, error) {
	e, err := encode.New(s, encode.Options{Compression: o.Compression, Encoding: o.Encoding})
	if err != nil {
		return nil, err
	}
	f, err := assembly.New(w, s, assembly.Options{Metadata: o.Metadata})
	if err != nil {
		return nil, err
	}
	return &Writer{encoder: e, file: f, limit: o.rowGroupBytes()}, nil
}

// Write adds the rows of b, whose columns are in the order of the schema. It
// keeps nothing of b.
func (w *Writer) Write(b column.Batch) error {
	if err := w.encoder.Begin(b); err != nil {
		return err
	}
	for from := 0; from < b.Rows; {
		next, err := w.encoder.Fill(b, from, w.limit)
		if err != nil {
			return err
		}
		if from = next; from < b.Rows {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the open row group.
func (w *Writer) flush() error {
	g, stats, err := w.encoder.Finish()
	if err != nil {
		return fmt.Errorf("end row group: %w", err)
	}
	w.stats = rowgroup.Merge(w.stats, stats)
	return w.file.Append(g)
}

// Written is the number of bytes that went to the underlying writer so far.
func (w *Writer) Written() int64 { return w.file.Written() }

// Close writes what is left and the footer. The underlying writer stays open.
func (w *Writer) Close() (Footer, error) {
	if err := w.flush(); err != nil {
		return Footer{}, err
	}
	f, err := w.file.Close()
	f.Columns = w.stats
	return f, err
}
