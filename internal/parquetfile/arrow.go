package parquetfile

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/util"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// WriteArrow writes records, which all have the given schema, as one file.
// Nested types and the nullable flags are kept; no Arrow schema is embedded, and
// no bounds of columns are gathered. Each record belongs to the iterator, which
// may release it when it is asked for the next. The file is complete only if err
// is nil; w is not closed.
func WriteArrow(w io.Writer, schema *arrow.Schema, records iter.Seq2[arrow.RecordBatch, error], o Options) (Footer, error) {
	return writeArrow(memory.DefaultAllocator, w, schema, records, o)
}

func writeArrow(mem memory.Allocator, w io.Writer, schema *arrow.Schema, records iter.Seq2[arrow.RecordBatch, error], o Options) (f Footer, err error) {
	defer encodeGuard(&err)
	sized := &counter{w: w}
	fw, err := pqarrow.NewFileWriter(schema, sized, o.properties(mem), pqarrow.NewArrowWriterProperties(pqarrow.WithAllocator(mem)))
	if err != nil {
		return f, fmt.Errorf("write Parquet file: %w", err)
	}
	var inGroup int64
	for rec, err := range records {
		if err != nil {
			return f, err
		}
		if inGroup >= o.rowGroupBytes() {
			if err := fw.NewBufferedRowGroupChecked(); err != nil {
				return f, fmt.Errorf("close row group: %w", err)
			}
			inGroup = 0
		}
		if err := fw.WriteBuffered(rec); err != nil {
			return f, fmt.Errorf("write record: %w", err)
		}
		inGroup += util.TotalRecordSize(rec)
		f.Rows += rec.NumRows()
	}
	for _, k := range slices.Sorted(maps.Keys(o.Metadata)) {
		if err := fw.AppendKeyValueMetadata(k, o.Metadata[k]); err != nil {
			return f, fmt.Errorf("write metadata %q: %w", k, err)
		}
	}
	if err := fw.Close(); err != nil {
		return f, fmt.Errorf("write footer: %w", err)
	}
	f.Size = sized.n
	return f, nil
}

// encodeGuard turns a panic of the encoder into an error.
func encodeGuard(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("encoder of Parquet gave up: %v", p)
	}
}

// counter counts what is written, and hides the Close of a writer, which the
// encoder of Arrow would call.
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
