// Package rowgroup holds the row groups of files before they are in one.
//
// A group is made by an encoder, or cut out of another file, and is put at its
// place in a file by an assembly: nothing in it knows where that will be.
package rowgroup

import (
	"bytes"
	"io"

	"landfall/internal/parquetfile/thrift"
)

// Group is a row group: one chunk for each leaf of the schema of its file, in
// the order of the leaves.
type Group struct {
	Rows   int64
	Chunks []Chunk
}

// Chunk is the values of one leaf.
type Chunk struct {
	// Meta is the ColumnMetaData of parquet.thrift, whose offsets count from the
	// start of Body.
	Meta thrift.Struct
	Body Body
	// OffsetIndex and ColumnIndex are those of the page index, with offsets as
	// above; the zero values mean that there is none.
	OffsetIndex, ColumnIndex thrift.Struct
	// Bloom is the Bloom filter of the chunk with its header, nil for none.
	Bloom []byte
}

// Body is the pages of a chunk, one after the other.
type Body interface {
	// Size is the number of bytes that WriteTo writes.
	Size() int64
	io.WriterTo
}

// Joiner is a body that may be one with the body behind it, because both are of
// one piece where they come from.
type Joiner interface {
	// Join returns the body of both, false if there is none.
	Join(next Body) (Body, bool)
}

// Bytes is a body in memory.
type Bytes []byte

// Size is the length of b.
func (b Bytes) Size() int64 { return int64(len(b)) }

// WriteTo writes b to w.
func (b Bytes) WriteTo(w io.Writer) (int64, error) { return bytes.NewReader(b).WriteTo(w) }
