// Package parquetfile reads and writes the Parquet format.
//
// Files are written of batches and read as batches; rows that are taken over from
// another file pass as Arrow records. What a table keeps about a file (paths,
// partitions, lineage) is not known here.
package parquetfile

import (
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"landfall/internal/parquetfile/encode"
)

// Compression names a codec of data pages.
type Compression = encode.Compression

// The codecs that can be asked for; the zero value is Zstd.
const (
	Zstd   = encode.Zstd
	Snappy = encode.Snappy
)

// Plain is the encoding of integers that every reader knows; the zero value is
// DELTA_BINARY_PACKED.
const Plain = encode.Plain

// Options of a writer. The zero value is ready.
type Options struct {
	Compression Compression
	// Encoding chooses how integers are stored.
	Encoding encode.Encoding
	// RowGroupBytes is the size of input text after which a row group is
	// closed, counting four bytes for each cell beside its text; 0 means 32 MiB.
	RowGroupBytes int64
	// Metadata is written as key-value metadata.
	Metadata map[string]string
}

// DefaultRowGroupBytes is the size of row groups unless Options says another.
const DefaultRowGroupBytes = 32 << 20

// createdBy names the writer in the footer, in the form that Java readers parse.
const createdBy = "landfall version 0"

func (o Options) rowGroupBytes() int64 {
	if o.RowGroupBytes <= 0 {
		return DefaultRowGroupBytes
	}
	return o.RowGroupBytes
}

// properties are those that all our files share: no dictionaries unless more
// asks for them, since tried on every column they cost more than they save.
func (o Options) properties(mem memory.Allocator, more ...parquet.WriterProperty) *parquet.WriterProperties {
	codec := compress.Codecs.Zstd
	if o.Compression == Snappy {
		codec = compress.Codecs.Snappy
	}
	return parquet.NewWriterProperties(append([]parquet.WriterProperty{
		parquet.WithAllocator(mem),
		parquet.WithCompression(codec),
		parquet.WithCreatedBy(createdBy),
		parquet.WithRootName("schema"),
		parquet.WithDictionaryDefault(false),
		parquet.WithDataPageVersion(parquet.DataPageV1),
		parquet.WithVersion(parquet.V2_LATEST),
	}, more...)...)
}
