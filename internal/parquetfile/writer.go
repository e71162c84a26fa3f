package parquetfile

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/column"
	"landfall/internal/schema"
)

// Writer writes batches of columns as one file. Rows gather in memory until a
// row group is full, so that many tiny batches make few row groups. After an
// error it is of no further use and the file must be thrown away.
type Writer struct {
	out    counter
	fields []schema.Field
	root   *pq.GroupNode
	sc     *pq.Schema
	o      Options
	mem    memory.Allocator

	// file is opened with the first row group, whose values tell which columns
	// are worth a dictionary.
	file *file.Writer
	// leaves of the column i are all[first[i]:first[i+1]].
	all   []buffer
	first []int
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
	// RowGroups and Columns, in the order of the schema with the fields of a
	// struct in its place, are not given for files of Arrow records.
	RowGroups int
	Columns   []ColumnStats
}

// rangeRows is the number of rows that Write copies before it looks at the size.
const rangeRows = 4096

// NewWriter begins a file of the columns of s, of any type that Delta tables
// have. Refused are types of unknown, structs without fields and types so deep
// that their levels exceed 255.
func NewWriter(w io.Writer, s schema.Struct, o Options) (*Writer, error) {
	return newWriter(memory.DefaultAllocator, w, s, o)
}

func newWriter(mem memory.Allocator, w io.Writer, s schema.Struct, o Options) (*Writer, error) {
	root, err := rootOf(s)
	if err != nil {
		return nil, err
	}
	out := &Writer{out: counter{w: w}, fields: s.Fields, root: root, sc: pq.NewSchema(root), o: o, mem: mem, first: []int{0}}
	for _, f := range s.Fields {
		for _, info := range column.Leaves(f.Type, f.Nullable) {
			out.all = append(out.all, buffer{LeafInfo: info, kind: kindOf(info.Type)})
		}
		out.first = append(out.first, len(out.all))
	}
	for i, n := range nestingsOf(out.sc) {
		out.all[i].nesting, out.all[i].bounds = n, boundsOf(out.sc.Column(i))
	}
	return out, nil
}

// leaves returns the leaves of a column.
func (w *Writer) leaves(i int) []buffer { return w.all[w.first[i]:w.first[i+1]] }

// Write adds the rows of b, whose columns are in the order of the schema. It
// keeps nothing of b.
func (w *Writer) Write(b column.Batch) (err error) {
	defer encodeGuard(&err)
	if len(b.Columns) != len(w.fields) {
		return fmt.Errorf("batch of %d columns, want %d", len(b.Columns), len(w.fields))
	}
	for i, c := range b.Columns {
		if err := check(c, w.fields[i], w.leaves(i), b.Rows); err != nil {
			return fmt.Errorf("column %q: %w", w.fields[i].Name, err)
		}
	}
	for i := range w.all {
		w.all[i].at = mark{}
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
	weight := w.weigh(b, from, to)
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
		for n, leaves := 0, w.leaves(i); n < len(leaves); n++ {
			if err := leaves[n].add(c, leafOf(c, n), from, to); err != nil {
				return fmt.Errorf("column %q: %w", w.fields[i].Name, err)
			}
		}
	}
	w.rows += to - from
	w.weight += weight
	return nil
}

func (w *Writer) weigh(b column.Batch, from, to int) (weight int64) {
	for i, c := range b.Columns {
		for n, leaves := 0, w.leaves(i); n < len(leaves); n++ {
			weight += leaves[n].weigh(c, leafOf(c, n), from, to)
		}
	}
	return weight
}

// leafOf returns leaf n of a column, nil if it comes in another form.
func leafOf(c column.Column, n int) *column.Leaf {
	if c.Constant != nil || c.Leaves == nil {
		return nil
	}
	return &c.Leaves[n]
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
	for i := range w.all {
		cw, err := group.NextColumn()
		if err == nil {
			err = w.encode(&w.all[i], cw)
		}
		if err == nil {
			err = cw.Close()
		}
		if err != nil {
			return fmt.Errorf("write column %q: %w", w.sc.Column(i).Path(), err)
		}
		w.all[i].reset()
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
	// Calls of the encoder are as long as it may look at once: see callEntries.
	props := []parquet.WriterProperty{parquet.WithBatchSize(math.MaxInt32)}
	paths := map[string]int{}
	for i := range w.all {
		paths[w.sc.Column(i).Path()]++
	}
	for i := range w.all {
		path := w.sc.Column(i).ColumnPath()
		// Names with dots may give two leaves one path.
		if paths[path.String()] == 1 && w.all[i].repeats() {
			props = append(props, parquet.WithDictionaryPath(path, true))
		}
		if !w.all[i].bounds.encoded() {
			props = append(props, parquet.WithStatsPath(path, false))
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
	bounds := make([]bounds, len(w.all))
	for i := range w.all {
		bounds[i] = w.all[i].bounds
	}
	w.footer.Columns = columnsOf(w.sc, bounds)
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
