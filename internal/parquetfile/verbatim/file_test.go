package verbatim_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/parquetfile/verbatim"
	"landfall/internal/schema"
)

// made is a column of a file to come: its nodes, and its chunks in row group g.
type made struct {
	elements []thrift.Struct
	chunks   func(g int) ([]rowgroup.Chunk, error)
}

func copied(c *verbatim.Column) made { return made{c.Elements(), c.Chunks} }

func constant(c *verbatim.Constant, groups []int64) made {
	return made{c.Elements(), func(g int) ([]rowgroup.Chunk, error) { return c.Chunks(groups[g]) }}
}

// put is a file being put together, plainly.
type put struct {
	t    testing.TB
	data []byte
	tail []func()
}

// fileOf puts columns together to a file.
func fileOf(t testing.TB, s *verbatim.Source, columns []made) []byte {
	t.Helper()
	p := &put{t: t, data: []byte("PAR1")}
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
				t.Fatal(err)
			}
			for _, chunk := range list {
				chunks[g] = append(chunks[g], thrift.Struct{})
				p.chunk(chunk, &chunks[g], len(chunks[g])-1)
			}
		}
		groups[g].SetInt64(2, 0)
		groups[g].SetInt64(3, rows)
		if len(chunks[g]) != leaves {
			t.Fatalf("%d chunks for %d leaves", len(chunks[g]), leaves)
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
	return p.data
}

// chunk adds a chunk, of which the indexes and the filter come behind all data.
func (p *put) chunk(c rowgroup.Chunk, to *[]thrift.Struct, i int) {
	base := int64(len(p.data))
	var body bytes.Buffer
	n, err := c.Body.WriteTo(&body)
	if err != nil || n != c.Body.Size() || n != int64(body.Len()) {
		p.t.Fatalf("wrote %d of %d: %v", n, c.Body.Size(), err)
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

// tryRows reads a file whole.
func tryRows(data []byte) ([]schema.Field, [][]any, error) {
	f, err := parquetfile.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, nil, err
	}
	out := make([][]any, len(f.Fields()))
	for b, err := range f.Batches(context.Background()) {
		if err != nil {
			return nil, nil, err
		}
		for i := range b.Columns {
			out[i] = append(out[i], parquetfiletest.Rows(b.Columns[i], true, b.Rows)...)
		}
	}
	return f.Fields(), out, nil
}

func rowsOf(t rapid.TB, data []byte) ([]schema.Field, [][]any) {
	t.Helper()
	fields, rows, err := tryRows(data)
	if err != nil {
		t.Fatal(err)
	}
	return fields, rows
}

// same compares the values of two columns, of which structs may have their fields
// in another order.
func same(a, b []any, order func(any) any) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d rows, want %d", len(b), len(a))
	}
	for i := range a {
		if x, y := fmt.Sprintf("%#v", order(a[i])), fmt.Sprintf("%#v", b[i]); x != y {
			return fmt.Errorf("row %d is %s, want %s", i, y, x)
		}
	}
	return nil
}

func asIs(v any) any { return v }

// written is a file of our own of some columns.
func written(t rapid.TB, s schema.Struct, columns []column.Column, rows int, o parquetfile.Options) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := parquetfile.NewWriter(&out, s, o)
	if err == nil {
		err = w.Write(column.Batch{Columns: columns, Rows: rows})
	}
	if err == nil {
		_, err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func open(t rapid.TB, data []byte) *verbatim.Source {
	t.Helper()
	s, err := verbatim.Open(bytes.NewReader(data), int64(len(data)), parquetfile.Reading{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
