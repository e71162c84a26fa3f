package footer

import "landfall/internal/parquetfile/thrift"

// Chunk is a column chunk. Numbers that are absent are −1.
type Chunk struct {
	// Meta is the ColumnMetaData, with offsets in the file.
	Meta thrift.Struct
	// Foreign says that the data is in another file, or that the chunk is
	// encrypted or described elsewhere: Meta says nothing then.
	Foreign bool
	// Physical, Codec and Values are those of Meta.
	Physical, Codec, Values int64
	// From and Bytes are where its pages are: those of a dictionary, then the
	// data, which begins at Data. Dictionary is where a dictionary should be.
	From, Bytes, Data, Dictionary int64
	// OffsetIndex, ColumnIndex and Bloom are where these are; a Bloom filter may
	// not say how long it is.
	OffsetIndex, ColumnIndex, Bloom Range
}

// Range is a place in the file; At is −1 for none, Bytes is −1 if not known.
type Range struct{ At, Bytes int64 }

// The numbers of the fields of a ColumnMetaData.
const (
	ChunkTypeField          = 1
	ChunkEncodingsField     = 2
	ChunkPathField          = 3
	ChunkCodecField         = 4
	ChunkValuesField        = 5
	ChunkUncompressedField  = 6
	ChunkBytesField         = 7
	ChunkDataField          = 9
	ChunkIndexField         = 10
	ChunkDictionaryField    = 11
	ChunkStatisticsField    = 12
	ChunkEncodingStatsField = 13
	ChunkBloomField         = 14
	ChunkBloomBytesField    = 15
	ChunkSizesField         = 16
)

// chunkOf reads a ColumnChunk.
func chunkOf(s thrift.Struct) Chunk {
	const (
		pathField, metaField   = 1, 3
		offsetField, columnIdx = 4, 6
		cryptoField            = 8
	)
	c := Chunk{
		Physical: -1, Codec: -1, Values: -1, From: -1, Bytes: -1, Data: -1, Dictionary: -1,
		OffsetIndex: rangeOf(s, offsetField), ColumnIndex: rangeOf(s, columnIdx), Bloom: Range{-1, -1},
	}
	var ok bool
	if c.Meta, ok = s.Struct(metaField); !ok || s.Has(pathField) || s.Has(cryptoField) {
		c.Foreign = true
		return c
	}
	c.Physical, c.Codec = number(c.Meta, ChunkTypeField), number(c.Meta, ChunkCodecField)
	c.Values, c.Bytes = number(c.Meta, ChunkValuesField), number(c.Meta, ChunkBytesField)
	c.Data, c.Dictionary = number(c.Meta, ChunkDataField), number(c.Meta, ChunkDictionaryField)
	c.Bloom = rangeOf(c.Meta, ChunkBloomField)
	c.From = c.Data
	if c.Dictionary > 0 && c.Dictionary < c.Data {
		c.From = c.Dictionary
	}
	return c
}

func number(s thrift.Struct, id int16) int64 {
	v, ok := s.Int(id)
	if !ok {
		return -1
	}
	return v
}

// rangeOf reads an offset and, from the field behind it, a length.
func rangeOf(s thrift.Struct, id int16) Range {
	return Range{At: number(s, id), Bytes: number(s, id+1)}
}
