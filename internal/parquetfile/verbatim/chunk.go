package verbatim

import (
	"slices"

	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/parquetfile/thrift"
)

// Chunks returns the chunks of the column in row group g, one for each leaf. Page
// indexes and Bloom filters come along where they can be trusted.
func (c *Column) Chunks(g int) ([]rowgroup.Chunk, error) {
	out := make([]rowgroup.Chunk, len(c.leaves))
	for i := range c.leaves {
		var err error
		if out[i], err = c.source.chunk(g, &c.leaves[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Source) chunk(g int, m *moved) (rowgroup.Chunk, error) {
	from := &s.groups[g].Chunks[m.at]
	p := &m.pages[g]
	out := rowgroup.Chunk{Meta: from.Meta.Clone(), Body: body{source: s, at: from.From, size: from.Bytes}}
	out.Meta.SetList(footer.ChunkPathField, thrift.StringList(m.path))
	out.Meta.SetInt64(footer.ChunkDataField, p.data-from.From)
	out.Meta.Delete(footer.ChunkDictionaryField)
	if p.dictionary {
		out.Meta.SetInt64(footer.ChunkDictionaryField, 0)
	}
	for _, id := range []int16{footer.ChunkIndexField, footer.ChunkBloomField, footer.ChunkBloomBytesField} {
		out.Meta.Delete(id)
	}
	if st, ok := from.Meta.Struct(footer.ChunkStatisticsField); ok {
		out.Meta.SetStruct(footer.ChunkStatisticsField, s.corrected(st, m))
	}
	if m.isFloat() {
		hideDictionary(&out.Meta)
		return out, nil
	}
	var err error
	if out.OffsetIndex, out.ColumnIndex, err = s.indexes(from, m, p); err != nil {
		return out, err
	}
	out.Bloom, err = s.bloom(from)
	return out, err
}

func (m *moved) isFloat() bool { return m.node.Physical == floats || m.node.Physical == doubles }

// hideDictionary keeps readers from filtering by the dictionary of floating-point
// numbers: in it −0.0 and 0.0 are two, and Spark, which asks it for the one, loses
// the rows of the other. They do so only where the footer says that there are no
// other pages; PLAIN among the encodings says that there may be.
func hideDictionary(meta *thrift.Struct) {
	meta.Delete(footer.ChunkEncodingStatsField)
	l, ok := meta.List(footer.ChunkEncodingsField)
	encodings := slices.Collect(l.Ints())
	if ok && !slices.Contains(encodings, plain) {
		meta.SetList(footer.ChunkEncodingsField, thrift.IntList(thrift.I32, append(encodings, plain)))
	}
}

const (
	// maxIndex bounds the bytes of a page index, maxBloom those of a Bloom filter.
	maxIndex = 16 << 20
	maxBloom = 64 << 20
)

// structure reads a structure of the file, nothing if there is none.
func (s *Source) structure(at footer.Range) (thrift.Struct, error) {
	if at.At < 4 || at.Bytes <= 0 || at.Bytes > maxIndex || at.At > s.foot.Size-at.Bytes {
		return thrift.Struct{}, nil
	}
	b := make([]byte, at.Bytes)
	if err := s.read(b, at.At); err != nil {
		return thrift.Struct{}, err
	}
	out, n, err := thrift.Parse(b)
	if err != nil || n != len(b) {
		return thrift.Struct{}, nil //nolint:nilerr // An index is a help, no part of the data.
	}
	return out, nil
}

// indexes returns the page indexes of a chunk. One that does not agree with the
// pages is left out.
func (s *Source) indexes(c *footer.Chunk, m *moved, p *pages) (offsets, columns thrift.Struct, err error) {
	const locationsField = 1
	offsets, err = s.structure(c.OffsetIndex)
	if err != nil {
		return thrift.Struct{}, thrift.Struct{}, err
	}
	l, _ := offsets.List(locationsField)
	var locations []thrift.Struct
	for at := range l.Structs() {
		n := len(locations)
		offset, _ := at.Int(1)
		size, _ := at.Int(2)
		if n >= len(p.starts) || offset != p.starts[n] || offset+size != p.ends[n] {
			return thrift.Struct{}, thrift.Struct{}, nil
		}
		at.SetInt64(1, offset-c.From)
		locations = append(locations, at)
	}
	if len(locations) == 0 || len(locations) != len(p.starts) {
		return thrift.Struct{}, thrift.Struct{}, nil
	}
	offsets.SetList(locationsField, thrift.StructList(locations))
	if !s.comparable(m) {
		return offsets, thrift.Struct{}, nil
	}
	columns, err = s.structure(c.ColumnIndex)
	for _, field := range []int16{1, 2, 3} {
		if l, _ := columns.List(field); l.Len() != len(locations) {
			return offsets, thrift.Struct{}, err
		}
	}
	return offsets, columns, err
}

// bloom returns the Bloom filter of a chunk with its header, nil if there is none
// or none that can be found.
func (s *Source) bloom(c *footer.Chunk) ([]byte, error) {
	at := c.Bloom
	if at.At < 4 || at.At >= s.foot.Size {
		return nil, nil
	}
	head := make([]byte, min(256, s.foot.Size-at.At))
	if err := s.read(head, at.At); err != nil {
		return nil, err
	}
	h, n, err := thrift.Parse(head)
	bits, _ := h.Int(1)
	size := int64(n) + bits
	switch {
	case err != nil || bits <= 0 || bits > maxBloom || size > s.foot.Size-at.At:
		return nil, nil //nolint:nilerr // A filter is a help, no part of the data.
	case at.Bytes >= 0 && at.Bytes != size:
		return nil, nil
	}
	out := make([]byte, size)
	return out, s.read(out, at.At)
}
