package verbatim

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// The fields of Statistics.
const (
	oldMaxField   = 1
	oldMinField   = 2
	nullsField    = 3
	maxField      = 5
	minField      = 6
	maxExactField = 7
	minExactField = 8
)

// nulls is the number of entries of a leaf in a row group that are no values, −1 if
// the file does not say. Within arrays and maps writers do not agree whether those
// without an element count as nulls, so that only a count of all is believed there,
// or one by levels.
func (s *Source) nulls(g int, m *moved) int64 {
	c := &s.groups[g].Chunks[m.at]
	switch {
	case g < len(m.lacks):
		return m.lacks[g]
	case !m.mayLack():
		return 0
	}
	if n, ok := lacking(c, m.leaf.FileLevels()); ok {
		return n
	}
	st, _ := c.Meta.Struct(footer.ChunkStatisticsField)
	n, ok := st.Int(nullsField)
	if !ok || n < 0 || n > c.Values || m.leaf.MaxRep > 0 && n < c.Values {
		return -1
	}
	return n
}

// lacking counts the entries below the last of the definition levels, if the file
// counts each level and all of the entries.
func lacking(c *footer.Chunk, levels int) (int64, bool) {
	const levelsField = 3
	sizes, _ := c.Meta.Struct(footer.ChunkSizesField)
	l, _ := sizes.List(levelsField)
	if l.Len() != levels {
		return 0, false
	}
	var all, last int64
	for n := range l.Ints() {
		if n < 0 || all+n < all {
			return 0, false
		}
		all, last = all+n, n
	}
	return all - last, all == c.Values
}

// comparable tells whether bounds of a leaf are in an order that all readers share
// and that the file says it has. Those of floating-point numbers are only if the
// writer states none where a NaN is among the values: most leave it out of them.
func (s *Source) comparable(m *moved) bool {
	switch m.node.Physical {
	case floats, doubles:
		return s.sound
	case booleans, ints, longs:
		return true // there was never another order of signed numbers
	case manyBytes, fixedBytes:
		return m.at < len(s.ordered) && s.ordered[m.at]
	}
	return false
}

// limits are the least and the greatest value of a leaf in a row group, in bytes as
// a page has them, or bounds of these.
type limits struct{ low, high []byte }

// limits returns what is known of the values of a leaf, false if they are not or
// contradict one another.
func (s *Source) limits(g int, m *moved) (limits, bool) {
	st, _ := s.groups[g].Chunks[m.at].Meta.Struct(footer.ChunkStatisticsField)
	if !s.comparable(m) {
		return limits{}, false
	}
	low, okLow := st.Bytes(minField)
	high, okHigh := st.Bytes(maxField)
	if (!okLow || !okHigh) && m.node.Physical <= longs {
		low, okLow = st.Bytes(oldMinField)
		high, okHigh = st.Bytes(oldMaxField)
	}
	out := limits{low, high}
	return out, okLow && okHigh && out.ordered(m)
}

// ordered tells whether the limits are values of the leaf, the lower one first.
func (l limits) ordered(m *moved) bool {
	switch m.node.Physical {
	case manyBytes:
		return bytes.Compare(l.low, l.high) <= 0
	case floats, doubles:
		low, okLow := float(l.low, m)
		high, okHigh := float(l.high, m)
		return okLow && okHigh && low <= high
	case fixedBytes:
		if len(l.low) != int(m.node.Length) || len(l.high) != len(l.low) {
			return false
		}
	case booleans:
		return len(l.low) == 1 && len(l.high) == 1 && l.low[0] <= l.high[0] && l.high[0] <= 1
	case ints:
		if len(l.low) != 4 || len(l.high) != 4 {
			return false
		}
	case longs:
		if len(l.low) != 8 || len(l.high) != 8 {
			return false
		}
	}
	return !form.LessWide(number(m, l.high), number(m, l.low))
}

// float reads a value that is a floating-point number.
func float(b []byte, m *moved) (float64, bool) {
	switch {
	case m.node.Physical == floats && len(b) == 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
	case m.node.Physical == doubles && len(b) == 8:
		return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
	}
	return 0, false
}

// number reads a value that is a whole number, or the digits of a decimal.
func number(m *moved, b []byte) value.Int128 {
	switch m.node.Physical {
	case booleans:
		return value.Int128{Low: uint64(b[0])}
	case ints:
		v := int64(int32(binary.LittleEndian.Uint32(b)))
		return value.Int128{High: v >> 63, Low: uint64(v)}
	case longs:
		v := int64(binary.LittleEndian.Uint64(b))
		return value.Int128{High: v >> 63, Low: uint64(v)}
	}
	return form.GetWide(b)
}

// bounded refuses a leaf whose type holds less than its values could be, unless
// bounds prove that all of them are of it.
func (s *Source) bounded(g int, m *moved) *Refusal {
	var holds func(value.Int128) bool
	switch t := m.to.(type) {
	case schema.Decimal:
		holds = form.DigitsOf(t.Precision).Hold
	default:
		if t != schema.Type(schema.Byte) && t != schema.Type(schema.Short) {
			return nil
		}
		lo, hi := form.Range(t)
		holds = func(v value.Int128) bool { return lo <= int64(v.Low) && int64(v.Low) <= hi } // of 32 bits
	}
	if s.nulls(g, m) == s.groups[g].Chunks[m.at].Values {
		return nil
	}
	l, ok := s.limits(g, m)
	switch {
	case !ok:
		return refuse(Bounds, "row group %d does not say between which values its own are", g)
	case !holds(number(m, l.low)) || !holds(number(m, l.high)):
		return refuse(Bounds, "row group %d has values that are not of type %v", g, m.to)
	}
	return nil
}

// corrected returns statistics that no reader is misled by: without bounds in an
// order that nobody knows, or which say nothing of a NaN, and with the zeros that
// bound both.
func (s *Source) corrected(st thrift.Struct, m *moved) thrift.Struct {
	signed := m.node.Physical <= longs
	if !signed {
		st.Delete(oldMinField)
		st.Delete(oldMaxField)
	}
	if !s.comparable(m) {
		for _, id := range []int16{minField, maxField, minExactField, maxExactField} {
			st.Delete(id)
		}
	}
	if signed && !st.Has(minField) && !st.Has(maxField) {
		low, okLow := st.Bytes(oldMinField)
		high, okHigh := st.Bytes(oldMaxField)
		if okLow && okHigh {
			st.SetBytes(minField, low)
			st.SetBytes(maxField, high)
		}
	}
	if m.isFloat() {
		widenZero(&st, minField, m, math.Copysign(0, -1))
		widenZero(&st, maxField, m, 0)
	}
	if n, ok := st.Int(nullsField); ok && n < 0 {
		st.Delete(nullsField)
	}
	return st
}

// widenZero puts a zero of the given sign in the place of a bound that is zero: a
// value may be of the other sign.
func widenZero(st *thrift.Struct, id int16, m *moved, zero float64) {
	b, _ := st.Bytes(id)
	v, ok := float(b, m)
	switch {
	case !ok || v != 0:
	case m.node.Physical == floats:
		st.SetBytes(id, binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(zero))))
	default:
		st.SetBytes(id, binary.LittleEndian.AppendUint64(nil, math.Float64bits(zero)))
	}
}

// soundFloats tells whether a writer states no bounds of floating-point numbers if
// a NaN is among them: of many, these are known to.
func soundFloats(createdBy string) bool {
	major, minor := 0, 0
	for prefix, since := range map[string][2]int{"parquet-mr version ": {1, 10}, "DuckDB version v": {1, 5}} {
		rest, ok := strings.CutPrefix(createdBy, prefix)
		if !ok {
			continue
		}
		if _, err := fmt.Sscanf(rest, "%d.%d", &major, &minor); err != nil {
			return false
		}
		return major > since[0] || major == since[0] && minor >= since[1]
	}
	return false
}

// text tells whether bounds of text are characters, cut or not.
func text(b []byte) bool { return utf8.Valid(b) }
