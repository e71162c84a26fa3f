package verbatim

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/parquetfile"
	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/schema"
)

// Constant is a column that has one value in every row, or none: it takes a hundred
// bytes or so in each row group.
type Constant struct {
	to       schema.Field
	value    any
	plain    []byte
	elements []thrift.Struct
	leaves   []blank
}

// blank is a leaf of a constant column.
type blank struct {
	column.LeafInfo
	path []string
}

// NewConstant returns a column of a table that holds v in every row: nil for null,
// else a string, an int64, a float64 or a bool as column.Column has it. Refused are
// null where the table takes none, and a value that is not of the type, which must
// not have more than 64 bits but in text.
func NewConstant(to schema.Field, v any) (*Constant, error) {
	c := &Constant{to: to, value: v}
	switch {
	case v == nil && !to.Nullable:
		return nil, fmt.Errorf("column %q takes no null", to.Name)
	case v != nil:
		var ok bool
		if c.plain, ok = plainOf(to.Type, v); !ok {
			return nil, fmt.Errorf("column %q of type %v cannot be %v (%T)", to.Name, to.Type, v, v)
		}
	}
	name := schema.PhysicalName(to)
	c.node(name, []string{name}, to.Type, to.Nullable)
	for i, info := range column.Leaves(to.Type, to.Nullable) {
		c.leaves[i].LeafInfo = info
	}
	return c, nil
}

// node adds the nodes of a type as we lay it out.
func (c *Constant) node(name string, path []string, t schema.Type, nullable bool) {
	repetition := int32(required)
	if nullable {
		repetition = optional
	}
	below := func(names ...string) []string { return append(slices.Clip(path), names...) }
	switch t := t.(type) {
	case schema.Struct:
		c.elements = append(c.elements, element(name, repetition, len(t.Fields)))
		for _, f := range t.Fields {
			c.node(schema.PhysicalName(f), below(schema.PhysicalName(f)), f.Type, f.Nullable)
		}
	case schema.Array:
		list := element(name, repetition, 1)
		annotate(&list, convertedList, footer.List, thrift.Struct{})
		c.elements = append(c.elements, list, element("list", repeated, 1))
		c.node("element", below("list", "element"), t.Element, t.ContainsNull)
	case schema.Map:
		m := element(name, repetition, 1)
		annotate(&m, convertedMap, footer.Map, thrift.Struct{})
		c.elements = append(c.elements, m, element("key_value", repeated, 2))
		c.node("key", below("key_value", "key"), t.Key, false)
		c.node("value", below("key_value", "value"), t.Value, t.ValueContainsNull)
	default:
		e := element(name, repetition, 0)
		physical, length := physicalOf(t)
		e.SetInt32(elementType, physical)
		if physical == fixedBytes {
			e.SetInt32(elementLength, length)
		}
		mean(&e, t)
		c.elements = append(c.elements, e)
		c.leaves = append(c.leaves, blank{path: path})
	}
}

// physicalOf is how we write a type, and the length of values of fixed length.
func physicalOf(t schema.Type) (physical, length int32) {
	if d, ok := t.(schema.Decimal); ok {
		switch {
		case d.Precision <= intDigits:
			return ints, 0
		case d.Precision <= longDigits:
			return longs, 0
		}
		return fixedBytes, maxDecimal
	}
	switch t {
	case schema.Type(schema.Boolean):
		return booleans, 0
	case schema.Type(schema.Byte), schema.Type(schema.Short), schema.Type(schema.Integer), schema.Type(schema.Date):
		return ints, 0
	case schema.Type(schema.Long), schema.Type(schema.Timestamp), schema.Type(schema.TimestampNTZ):
		return longs, 0
	case schema.Type(schema.Float):
		return floats, 0
	case schema.Type(schema.Double):
		return doubles, 0
	}
	return manyBytes, 0
}

// plainOf writes a value as a page has it.
func plainOf(t schema.Type, v any) ([]byte, bool) {
	physical, _ := physicalOf(t)
	switch v := v.(type) {
	case string:
		b := append(binary.LittleEndian.AppendUint32(nil, uint32(len(v))), v...)
		return b, t == schema.Type(schema.String) && utf8.ValidString(v)
	case bool:
		return nil, physical == booleans
	case int64:
		switch physical {
		case ints:
			return binary.LittleEndian.AppendUint32(nil, uint32(v)), fits(t, v)
		case longs:
			return binary.LittleEndian.AppendUint64(nil, uint64(v)), fits(t, v)
		}
	case float64:
		switch physical {
		case floats:
			return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v))), v != v || float64(float32(v)) == v
		case doubles:
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)), true
		}
	}
	return nil, false
}

// fits tells whether a type of at most 64 bits has a number.
func fits(t schema.Type, v int64) bool {
	bits := map[schema.Type]int{schema.Byte: 8, schema.Short: 16, schema.Integer: 32, schema.Date: 32}
	if d, ok := t.(schema.Decimal); ok {
		most := int64(digits(d.Precision).Low)
		return -most <= v && v <= most
	}
	n, ok := bits[t]
	return !ok || -1<<(n-1) <= v && v <= 1<<(n-1)-1
}

// Elements returns the nodes of the column, as [Column.Elements] does.
func (c *Constant) Elements() []thrift.Struct { return c.elements }

// Chunks returns the chunks of a row group of so many rows.
func (c *Constant) Chunks(rows int64) ([]rowgroup.Chunk, error) {
	if rows > math.MaxInt32 {
		return nil, fmt.Errorf("row group of %d rows, want at most %d", rows, math.MaxInt32)
	}
	out := make([]rowgroup.Chunk, len(c.leaves))
	for i := range c.leaves {
		out[i] = c.chunk(&c.leaves[i], rows)
	}
	return out, nil
}

func (c *Constant) chunk(l *blank, rows int64) rowgroup.Chunk {
	var meta, st thrift.Struct
	physical, _ := physicalOf(l.Type)
	var pages, body []byte
	level := uint64(0)
	if c.value != nil {
		level = uint64(l.MaxDef)
	}
	if l.MaxRep > 0 {
		body = appendLevels(body, rows, 0)
	}
	if l.MaxDef > 0 {
		body = appendLevels(body, rows, level)
	}
	encoding, encodings := int64(plain), []int64{plain, runs}
	switch {
	case c.value == nil:
		st.SetInt64(nullsField, rows)
	case physical == booleans:
		st.SetInt64(nullsField, 0)
		bits := byte(0)
		if c.value == true {
			bits = math.MaxUint8
		}
		body = append(body, slices.Repeat([]byte{bits}, int((rows+7)/8))...)
	default:
		st.SetInt64(nullsField, 0)
		c.bound(&st, physical)
		encoding, encodings = dictionaryCodes, append(encodings, dictionaryCodes)
		pages = appendPage(pages, dictionaryPage, 1, plain, c.plain)
		meta.SetInt64(footer.ChunkDictionaryField, 0)
		body = append(binary.AppendUvarint(append(body, 1), uint64(rows)<<1), 0)
	}
	data := int64(len(pages))
	pages = appendPage(pages, dataPage, rows, encoding, body)
	meta.SetInt32(footer.ChunkTypeField, physical)
	meta.SetList(footer.ChunkEncodingsField, thrift.IntList(thrift.I32, encodings))
	meta.SetList(footer.ChunkPathField, thrift.StringList(l.path))
	meta.SetInt32(footer.ChunkCodecField, uncompressed)
	meta.SetInt64(footer.ChunkValuesField, rows)
	meta.SetInt64(footer.ChunkUncompressedField, int64(len(pages)))
	meta.SetInt64(footer.ChunkBytesField, int64(len(pages)))
	meta.SetInt64(footer.ChunkDataField, data)
	meta.SetStruct(footer.ChunkStatisticsField, st)
	return rowgroup.Chunk{Meta: meta, Body: rowgroup.Bytes(pages)}
}

// bound sets the value as the least and the greatest one, where readers agree on
// an order and it is short.
func (c *Constant) bound(st *thrift.Struct, physical int32) {
	const short = 64
	v := c.plain
	switch physical {
	case floats, doubles:
		return
	case manyBytes:
		v = v[4:]
	}
	if len(v) <= short {
		st.SetBytes(maxField, v)
		st.SetBytes(minField, v)
	}
}

// appendLevels adds so many equal levels as one run with its length. Levels of up
// to 255 take a byte.
func appendLevels(b []byte, rows int64, level uint64) []byte {
	run := append(binary.AppendUvarint(nil, uint64(rows)<<1), byte(level))
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(run))), run...)
}

// appendPage adds a page with its header.
func appendPage(b []byte, kind int32, values, encoding int64, body []byte) []byte {
	var h, of thrift.Struct
	h.SetInt32(1, kind)
	h.SetInt32(2, int32(len(body)))
	h.SetInt32(3, int32(len(body)))
	of.SetInt32(1, int32(values))
	of.SetInt32(2, int32(encoding))
	if kind == dictionaryPage {
		h.SetStruct(7, of)
	} else {
		of.SetInt32(3, runs)
		of.SetInt32(4, runs)
		h.SetStruct(5, of)
	}
	return append(h.Append(b), body...)
}

// Stats returns the statistics of the column in so many rows, as [Column.Stats]
// does.
func (c *Constant) Stats(rows int64) []parquetfile.ColumnStats {
	name := schema.PhysicalName(c.to)
	if c.value == nil {
		return nullStats(nil, name, nil, c.to.Type, rows)
	}
	out := parquetfile.ColumnStats{Path: []string{name}, Type: c.to.Type, Min: c.value, Max: c.value}
	switch v := c.value.(type) {
	case string:
		low, isCut := cut([]byte(v))
		out.Min, out.Max, out.MinCut, out.MaxCut = low, low, isCut, isCut
	case float64:
		if math.IsNaN(v) {
			out.Min, out.Max, out.Unbounded = nil, nil, true
		}
	}
	return []parquetfile.ColumnStats{out}
}

func nullStats(out []parquetfile.ColumnStats, name string, above []string, t schema.Type, rows int64) []parquetfile.ColumnStats {
	path := append(slices.Clip(above), name)
	switch t := t.(type) {
	case schema.Struct:
		for _, f := range t.Fields {
			out = nullStats(out, schema.PhysicalName(f), path, f.Type, rows)
		}
		return out
	case schema.Array, schema.Map:
		return append(out, parquetfile.ColumnStats{Path: path, Nulls: -1})
	}
	return append(out, parquetfile.ColumnStats{Path: path, Type: t, Nulls: rows})
}
