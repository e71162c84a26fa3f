// Package verbatimtest puts copied columns together to files, for tests.
package verbatimtest

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/parquetfile/verbatim"
)

// Column is a column of a file to come: its nodes, and its chunks in a row group.
type Column struct {
	elements []thrift.Struct
	chunks   func(group int) ([]rowgroup.Chunk, error)
}

// Copied is a column of the source.
func Copied(c *verbatim.Column) Column { return Column{c.Elements(), c.Chunks} }

// Constant is a column of one value in row groups of so many rows.
func Constant(c *verbatim.Constant, groups []int64) Column {
	return Column{c.Elements(), func(g int) ([]rowgroup.Chunk, error) { return c.Chunks(groups[g]) }}
}

// put is a file being put together, plainly.
type put struct {
	err  error
	data []byte
	tail []func()
}

// File puts columns together to a file, in the plainest way.
func File(s *verbatim.Source, columns []Column) ([]byte, error) {
	p := &put{data: []byte("PAR1")}
	var root, meta thrift.Struct
	root.SetString(4, "schema")
	root.SetInt32(5, int32(len(columns)))
	nodes, leaves := []thrift.Struct{root}, 0
	for _, c := range columns {
		nodes = append(nodes, c.elements...)
		for _, e := range c.elements {
			if !e.Has(5) {
				leaves++
			}
		}
	}
	groups := make([]thrift.Struct, len(s.Groups()))
	chunks := make([][]thrift.Struct, len(groups))
	for g, rows := range s.Groups() {
		for _, c := range columns {
			list, err := c.chunks(g)
			if err != nil {
				return nil, err
			}
			for _, chunk := range list {
				chunks[g] = append(chunks[g], thrift.Struct{})
				p.chunk(chunk, &chunks[g], len(chunks[g])-1)
			}
		}
		groups[g].SetInt64(2, 0)
		groups[g].SetInt64(3, rows)
		if len(chunks[g]) != leaves {
			return nil, fmt.Errorf("%d chunks for %d leaves", len(chunks[g]), leaves)
		}
	}
	for _, f := range p.tail {
		f()
	}
	for g := range groups {
		groups[g].SetList(1, thrift.StructList(chunks[g]))
	}
	var order, keys []thrift.Struct
	for range leaves {
		var o thrift.Struct
		o.SetStruct(1, thrift.Struct{})
		order = append(order, o)
	}
	for _, k := range s.Keys() {
		var kv thrift.Struct
		kv.SetString(1, k.Key)
		kv.SetString(2, k.Value)
		keys = append(keys, kv)
	}
	meta.SetInt32(footer.VersionField, 2)
	meta.SetList(footer.SchemaField, thrift.StructList(nodes))
	meta.SetInt64(footer.RowsField, s.Rows())
	meta.SetList(footer.GroupsField, thrift.StructList(groups))
	meta.SetList(footer.KeysField, thrift.StructList(keys))
	if by := s.CreatedBy(); by != "" {
		meta.SetString(footer.CreatedByField, by)
	}
	meta.SetList(footer.OrdersField, thrift.StructList(order))
	b := meta.Append(nil)
	p.data = append(binary.LittleEndian.AppendUint32(append(p.data, b...), uint32(len(b))), "PAR1"...)
	return p.data, p.err
}

// chunk adds a chunk, of which the indexes and the filter come behind all data.
func (p *put) chunk(c rowgroup.Chunk, to *[]thrift.Struct, i int) {
	base := int64(len(p.data))
	var body bytes.Buffer
	n, err := c.Body.WriteTo(&body)
	if err != nil || n != c.Body.Size() || n != int64(body.Len()) {
		p.err = fmt.Errorf("wrote %d of %d: %w", n, c.Body.Size(), err)
	}
	p.data = append(p.data, body.Bytes()...)
	meta := c.Meta.Clone()
	for _, id := range []int16{footer.ChunkDataField, footer.ChunkDictionaryField} {
		if v, ok := meta.Int(id); ok {
			meta.SetInt64(id, v+base)
		}
	}
	p.tail = append(p.tail, func() {
		out := &(*to)[i]
		out.SetInt64(2, 0)
		if c.Bloom != nil {
			meta.SetInt64(footer.ChunkBloomField, int64(len(p.data)))
			meta.SetInt32(footer.ChunkBloomBytesField, int32(len(c.Bloom)))
			p.data = append(p.data, c.Bloom...)
		}
		if l, ok := c.OffsetIndex.List(1); ok {
			var moved []thrift.Struct
			for at := range l.Structs() {
				v, _ := at.Int(1)
				at.SetInt64(1, v+base)
				moved = append(moved, at)
			}
			index := c.OffsetIndex.Clone()
			index.SetList(1, thrift.StructList(moved))
			p.index(out, 4, index)
		}
		if c.ColumnIndex.Has(1) {
			p.index(out, 6, c.ColumnIndex)
		}
		out.SetStruct(3, meta)
	})
}

func (p *put) index(out *thrift.Struct, id int16, index thrift.Struct) {
	b := index.Append(nil)
	out.SetInt64(id, int64(len(p.data)))
	out.SetInt32(id+1, int32(len(b)))
	p.data = append(p.data, b...)
}
