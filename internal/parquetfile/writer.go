package parquetfile

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/column"
	"landfall/internal/schema"
)

// Writer writes batches of spans as one file. Rows gather in memory until a
// row group is full, so that many tiny batches make few row groups. After an
// error it is of no further use and the file must be thrown away.
type Writer struct {
	out    counter
	fields []schema.Field
	root   *pq.GroupNode
	o      Options
	mem    memory.Allocator

	// file is opened with the first row group, whose values tell which columns
	// are worth a dictionary.
	file *file.Writer
	cols []buffer
	// rows and weight are what the open row group holds.
	rows   int
	weight int64
	footer Footer
	scratch
}

// Footer sums up a finished file.
type Footer struct {
	Rows int64
	// Size is the number of bytes, which the store must have too.
	Size int64
	// RowGroups and Columns, in the order of the schema, are not given for
	// files of Arrow records.
	RowGroups int
	Columns   []ColumnStats
}

// rangeRows is the number of rows that Write copies before it looks at the size.
const rangeRows = 4096

// NewWriter begins a file of the columns of s. Types other than string, long
// and timestamp are refused.
func NewWriter(w io.Writer, s schema.Struct, o Options) (*Writer, error) {
	return newWriter(memory.DefaultAllocator, w, s, o)
}

func newWriter(mem memory.Allocator, w io.Writer, s schema.Struct, o Options) (*Writer, error) {
	if len(s.Fields) == 0 {
		return nil, errors.New("a Parquet file needs a column")
	}
	nodes, columns := make(pq.FieldList, len(s.Fields)), make([]ColumnStats, len(s.Fields))
	for i, f := range s.Fields {
		n, err := node(f)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		nodes[i] = n
		columns[i] = ColumnStats{Name: f.Name, Type: f.Type}
	}
	root, err := pq.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
	if err != nil {
		return nil, fmt.Errorf("make Parquet schema: %w", err)
	}
	out := &Writer{out: counter{w: w}, fields: s.Fields, root: root, o: o, mem: mem}
	out.cols = make([]buffer, len(s.Fields))
	out.footer.Columns = columns
	return out, nil
}

func node(f schema.Field) (pq.Node, error) {
	repetition := parquet.Repetitions.Required
	if f.Nullable {
		repetition = parquet.Repetitions.Optional
	}
	switch f.Type {
	case schema.String:
		return pq.NewPrimitiveNodeLogical(f.Name, repetition, pq.StringLogicalType{}, parquet.Types.ByteArray, -1, -1)
	case schema.Long:
		return pq.NewPrimitiveNode(f.Name, repetition, parquet.Types.Int64, -1, -1)
	case schema.Timestamp:
		micros := pq.NewTimestampLogicalType(true, pq.TimeUnitMicros)
		return pq.NewPrimitiveNodeLogical(f.Name, repetition, micros, parquet.Types.Int64, -1, -1)
	}
	return nil, fmt.Errorf("type %v cannot be written", f.Type)
}

// Write adds the rows of b, whose columns are in the order of the schema. It
// keeps nothing of b.
func (w *Writer) Write(b column.Batch) (err error) {
	defer encodeGuard(&err)
	if len(b.Columns) != len(w.cols) {
		return fmt.Errorf("batch of %d columns, want %d", len(b.Columns), len(w.cols))
	}
	for i, c := range b.Columns {
		if err := check(c, w.fields[i], b.Rows); err != nil {
			return fmt.Errorf("column %q: %w", w.fields[i].Name, err)
		}
	}
	for from := 0; from < b.Rows; from += rangeRows {
		if err := w.add(b, from, min(from+rangeRows, b.Rows)); err != nil {
			return err
		}
	}
	return nil
}

// add copies the rows from..to, in halves if they would overfill a row group.
func (w *Writer) add(b column.Batch, from, to int) error {
	var weight int64
	for _, c := range b.Columns {
		weight += weigh(c, from, to)
	}
	limit := w.o.rowGroupBytes()
	if weight > limit && to-from > 1 {
		half := (from + to) / 2
		if err := w.add(b, from, half); err != nil {
			return err
		}
		return w.add(b, half, to)
	}
	if w.rows > 0 && w.weight+weight > limit {
		if err := w.flush(); err != nil {
			return err
		}
	}
	for i, c := range b.Columns {
		if err := w.cols[i].add(c, from, to, &w.footer.Columns[i]); err != nil {
			return fmt.Errorf("column %q: %w", w.fields[i].Name, err)
		}
	}
	w.rows += to - from
	w.weight += weight
	return nil
}

// flush writes the open row group.
func (w *Writer) flush() error {
	if w.file == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	group, err := w.file.AppendRowGroupChecked()
	if err != nil {
		return fmt.Errorf("begin row group: %w", err)
	}
	for i := range w.cols {
		cw, err := group.NextColumn()
		if err == nil {
			err = w.encode(&w.cols[i], cw, w.fields[i].Nullable)
		}
		if err == nil {
			err = cw.Close()
		}
		if err != nil {
			return fmt.Errorf("write column %q: %w", w.fields[i].Name, err)
		}
		w.cols[i].reset()
	}
	if err := group.Close(); err != nil {
		return fmt.Errorf("end row group: %w", err)
	}
	w.footer.Rows += int64(w.rows)
	w.footer.RowGroups++
	w.rows, w.weight = 0, 0
	return nil
}

func (w *Writer) open() error {
	var props []parquet.WriterProperty
	for i := range w.cols {
		if w.cols[i].repeats() {
			props = append(props, parquet.WithDictionaryPath(parquet.ColumnPath{w.fields[i].Name}, true))
		}
	}
	var err error
	w.file, err = file.NewParquetWriterWithError(&w.out, w.root, file.WithWriterProps(w.o.properties(w.mem, props...)))
	if err != nil {
		return fmt.Errorf("begin Parquet file: %w", err)
	}
	return nil
}

// Written is the number of bytes that went to the underlying writer so far.
func (w *Writer) Written() int64 { return w.out.n }

// Close writes what is left and the footer. The underlying writer stays open.
func (w *Writer) Close() (f Footer, err error) {
	defer encodeGuard(&err)
	if w.rows > 0 {
		if err := w.flush(); err != nil {
			return Footer{}, err
		}
	}
	if w.file == nil {
		if err := w.open(); err != nil {
			return Footer{}, err
		}
	}
	for _, k := range slices.Sorted(maps.Keys(w.o.Metadata)) {
		if err := w.file.AppendKeyValueMetadata(k, w.o.Metadata[k]); err != nil {
			return Footer{}, fmt.Errorf("write metadata %q: %w", k, err)
		}
	}
	if err := w.file.Close(); err != nil {
		return Footer{}, fmt.Errorf("write footer: %w", err)
	}
	for i := range w.footer.Columns {
		w.footer.Columns[i].finish()
	}
	w.footer.Size = w.out.n
	return w.footer, nil
}

// counter counts what is written, and hides the Close of a writer, which the
// encoder would call.
type counter struct {
	w io.Writer
	n int64
}

// Write passes p on.
func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
