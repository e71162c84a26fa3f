package assembly

import (
	"math"

	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/parquetfile/thrift"
)

// Fields of ColumnMetaData that are moved.
const (
	metaRaw        = 6
	metaSize       = 7
	metaData       = 9
	metaIndex      = 10
	metaDictionary = 11
	metaBloom      = 14
	metaBloomSize  = 15
)

// finish writes what belongs to the group i behind the last one, and makes its
// RowGroup.
func (f *File) finish(i int) (thrift.Struct, error) {
	g := &f.groups[i]
	columns := make([]thrift.Struct, len(g.chunks))
	var raw, size int64
	for n := range g.chunks {
		c, err := f.column(&g.chunks[n], g.bases[n])
		if err != nil {
			return thrift.Struct{}, err
		}
		columns[n] = c
		r, _ := g.chunks[n].Meta.Int(metaRaw)
		s, _ := g.chunks[n].Meta.Int(metaSize)
		raw, size = raw+r, size+s
	}
	var out thrift.Struct
	out.SetList(1, thrift.StructList(columns))
	out.SetInt64(2, raw)
	out.SetInt64(3, g.rows)
	out.SetInt64(5, g.at)
	out.SetInt64(6, size)
	if i <= math.MaxInt16 {
		out.SetInt16(7, int16(i))
	}
	return out, nil
}

// column makes the ColumnChunk of a chunk whose body begins at base.
func (f *File) column(c *rowgroup.Chunk, base int64) (thrift.Struct, error) {
	meta := c.Meta.Clone()
	for _, id := range []int16{metaData, metaIndex, metaDictionary} {
		if at, ok := meta.Int(id); ok {
			meta.SetInt64(id, base+at)
		}
	}
	meta.Delete(metaBloom)
	meta.Delete(metaBloomSize)
	if len(c.Bloom) > 0 {
		meta.SetInt64(metaBloom, f.at)
		meta.SetInt32(metaBloomSize, int32(len(c.Bloom)))
		if err := f.write(c.Bloom); err != nil {
			return thrift.Struct{}, err
		}
	}
	var out thrift.Struct
	out.SetInt64(2, 0) // no metadata but in the footer
	out.SetStruct(3, meta)
	if err := f.index(&out, 4, moved(c.OffsetIndex, base)); err != nil {
		return thrift.Struct{}, err
	}
	return out, f.index(&out, 6, c.ColumnIndex)
}

// index writes an index, unless there is none, and sets the fields of its
// offset and its length.
func (f *File) index(out *thrift.Struct, id int16, index thrift.Struct) error {
	b := index.Append(nil)
	if len(b) <= 1 {
		return nil
	}
	out.SetInt64(id, f.at)
	out.SetInt32(id+1, int32(len(b)))
	return f.write(b)
}

// moved returns an OffsetIndex whose pages lie behind base.
func moved(index thrift.Struct, base int64) thrift.Struct {
	pages, ok := index.List(1)
	if !ok {
		return index
	}
	out := index.Clone()
	all := make([]thrift.Struct, 0, pages.Len())
	for p := range pages.Structs() {
		at, _ := p.Int(1)
		p.SetInt64(1, base+at)
		all = append(all, p)
	}
	out.SetList(1, thrift.StructList(all))
	return out
}
