package encode

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/value"
)

// Numbers of encodings in parquet.thrift.
const (
	encodingPlain      = 0
	encodingRLE        = 3
	encodingDelta      = 5
	encodingDictionary = 8
)

// encodings of the forms of values.
func encodingOf(f int32) int32 {
	return [...]int32{formPlain: encodingPlain, formDictionary: encodingDictionary, formDelta: encodingDelta}[f]
}

// header makes the header of a page.
func header(kind int32, raw, size int) thrift.Struct {
	var h thrift.Struct
	h.SetInt32(1, kind)
	h.SetInt32(2, int32(raw))
	h.SetInt32(3, int32(size))
	return h
}

// dataHeader makes the header of a data page of version 1.
func dataHeader(raw, size, entries int, f int32) thrift.Struct {
	var page thrift.Struct
	page.SetInt32(1, int32(entries))
	page.SetInt32(2, encodingOf(f))
	page.SetInt32(3, encodingRLE)
	page.SetInt32(4, encodingRLE)
	h := header(0, raw, size)
	h.SetStruct(5, page)
	return h
}

// dictionaryHeader makes the header of a dictionary page.
func dictionaryHeader(raw, size, entries int) thrift.Struct {
	var page thrift.Struct
	page.SetInt32(1, int32(entries))
	page.SetInt32(2, encodingPlain)
	h := header(2, raw, size)
	h.SetStruct(7, page)
	return h
}

// meta makes the ColumnMetaData of a chunk of so many bytes, of which the
// dictionary page takes the first ones. Statistics by page and form are left
// out: Spark would use dictionaries as filters, and lose −0.0.
func (c *chunk) meta(codec int32, dictionary, size int64) thrift.Struct {
	var m thrift.Struct
	m.SetInt32(1, int32(c.physical))
	encodings := []int64{}
	for f, n := range c.forms {
		if n > 0 {
			encodings = append(encodings, int64(encodingOf(int32(f))))
		}
	}
	if dictionary > 0 && c.forms[formPlain] == 0 {
		encodings = append(encodings, encodingPlain)
	}
	m.SetList(2, thrift.IntList(thrift.I32, append(encodings, encodingRLE)))
	m.SetList(3, thrift.StringList(c.path))
	m.SetInt32(4, codec)
	m.SetInt64(5, c.entries)
	m.SetInt64(6, c.raw)
	m.SetInt64(7, size)
	m.SetInt64(9, dictionary)
	if dictionary > 0 {
		m.SetInt64(11, 0)
	}
	m.SetStruct(12, c.statistics())
	return m
}

// statistics makes the Statistics of a chunk. Bounds are left out where readers
// do not order values alike, with a NaN, and where a text has no upper bound.
func (c *chunk) statistics() thrift.Struct {
	var out thrift.Struct
	out.SetInt64(3, c.bounds.Nulls)
	s := c.bounds.Stats(c.Type)
	if s.Min == nil {
		return out
	}
	low, lowExact := c.bound(s.Min), true
	high, highExact := c.bound(s.Max), true
	switch v := s.Min.(type) {
	case string:
		low, lowExact = lowerBound(v, s.MinCut)
		high, highExact = upperBound(s.Max.(string), s.MaxCut)
	case float64:
		low, high = c.zeros(v, s.Max.(float64))
	}
	if high == nil {
		return out // one bound alone says nothing to many
	}
	out.SetBytes(5, high)
	out.SetBool(7, highExact)
	out.SetBytes(6, low)
	out.SetBool(8, lowExact)
	return out
}

// bound spells a bound that is no text, as a page does.
func (c *chunk) bound(v any) []byte {
	switch v := v.(type) {
	case bool:
		return appendBools(nil, []bool{v})
	case int64:
		return appendInt(nil, v, c.physical == form.PhysicalInt32)
	case float64:
		if c.single {
			return binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))
		}
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
	case value.Int128:
		out := make([]byte, c.width)
		form.PutWide(out, v)
		return out
	}
	return nil
}

// zeros spells bounds such that zeros of both signs lie between them.
func (c *chunk) zeros(low, high float64) (lowest, highest []byte) {
	if low == 0 {
		low = math.Copysign(0, -1)
	}
	if high == 0 {
		high = 0
	}
	return c.bound(low), c.bound(high)
}

// boundBytes is the length from which texts are cut in the statistics of a file.
const boundBytes = 64

// cutText returns the characters of v that end within boundBytes.
func cutText(v string) string {
	if len(v) <= boundBytes {
		return v
	}
	n := boundBytes
	for n > 0 && !utf8.RuneStart(v[n]) {
		n--
	}
	return v[:n]
}

// lowerBound returns a text that is not greater than v, of which there is more
// if it was cut, and whether it is v.
func lowerBound(v string, cut bool) ([]byte, bool) {
	low := cutText(v)
	return []byte(low), !cut && len(low) == len(v)
}

// upperBound returns a text that is not less than v, nil if there is none but v.
func upperBound(v string, cut bool) ([]byte, bool) {
	high := cutText(v)
	if !cut && len(high) == len(v) {
		return []byte(high), true
	}
	for len(high) > 0 {
		r, size := utf8.DecodeLastRuneInString(high)
		high = high[:len(high)-size]
		const lastBeforeSurrogates, firstBehind = 0xD7FF, 0xE000
		switch r {
		case utf8.MaxRune:
			continue
		case lastBeforeSurrogates:
			r = firstBehind
		default:
			r++
		}
		return append([]byte(high), string(r)...), false
	}
	return nil, false
}
