// Package parquetfile reads and writes the Parquet format.
//
// Writing takes batches of spans; reading yields Arrow records. What a table
// keeps about a file (paths, partitions, lineage) is not known here.
package parquetfile

// Compression names a codec of data pages.
type Compression string

// The codecs that can be asked for; the zero value is Zstd.
const (
	Zstd   Compression = "zstd"
	Snappy Compression = "snappy"
)

// Options of a writer. The zero value is ready.
type Options struct {
	Compression Compression
	// RowGroupBytes is the size of input text after which a row group is
	// closed; 0 means 32 MiB.
	RowGroupBytes int64
	// CreatedBy goes into the footer; "" means "landfall".
	CreatedBy string
	// Metadata is written as key-value metadata.
	Metadata map[string]string
}
