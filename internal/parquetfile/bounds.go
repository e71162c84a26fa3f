package parquetfile

import (
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/schema"
	"landfall/internal/value"
)

// bounds gathers the bounds of a leaf column.
type bounds struct {
	ColumnStats
	// ordered says that Type orders the values of the file as readers do.
	ordered bool
	// bytes says that the values are numbers in bytes, which encoders order as bytes.
	bytes bool

	// lo and hi are 0 and 1 for the booleans.
	any, nan bool
	lo, hi   int64
	flo, fhi float64
	wlo, whi value.Int128
}

func (b *bounds) addInt(v int64) {
	if !b.any {
		b.any, b.lo, b.hi = true, v, v
	}
	b.lo, b.hi = min(b.lo, v), max(b.hi, v)
}

// addInts counts values of which these are the least and the greatest.
func (b *bounds) addInts(lo, hi int64) {
	b.addInt(lo)
	b.addInt(hi)
}

func (b *bounds) addFloat(v float64) {
	if math.IsNaN(v) {
		b.nan = true
		return
	}
	if !b.any {
		b.any, b.flo, b.fhi = true, v, v
	}
	b.flo, b.fhi = min(b.flo, v), max(b.fhi, v)
}

func (b *bounds) addWide(v value.Int128) {
	if !b.any {
		b.any, b.wlo, b.whi = true, v, v
	}
	if lessWide(v, b.wlo) {
		b.wlo = v
	}
	if lessWide(b.whi, v) {
		b.whi = v
	}
}

func (b *bounds) addBool(v bool) {
	if v {
		b.addInt(1)
		return
	}
	b.addInt(0)
}

// encoded tells whether the file itself has statistics of the leaf. Those of
// booleans leave nothing out that the table's do not.
func (b *bounds) encoded() bool { return b.ordered && !b.bytes && b.Type != schema.Boolean }

func (b *bounds) stats() ColumnStats {
	b.finish()
	switch {
	case b.nan || !b.any || !b.ordered:
	case b.Type == schema.Boolean:
		b.Min, b.Max = b.lo == 1, b.hi == 1
	case b.bytes:
		b.Min, b.Max = b.wlo, b.whi
	case b.Type == schema.Float || b.Type == schema.Double:
		b.Min, b.Max = b.flo, b.fhi
	default:
		b.Min, b.Max = b.lo, b.hi
	}
	return b.ColumnStats
}

// columnsOf returns the statistics of the columns and of the fields of structs.
func columnsOf(sc *pq.Schema, leaves []bounds) []ColumnStats {
	w := statsWalk{leaves: leaves}
	root := sc.Root()
	for i := range root.NumFields() {
		w.visit(root.Field(i), nil)
	}
	return w.out
}

type statsWalk struct {
	leaves []bounds
	out    []ColumnStats
}

func (w *statsWalk) visit(n pq.Node, above []string) {
	path := append(slices.Clip(above), n.Name())
	group, ok := n.(*pq.GroupNode)
	switch {
	case n.RepetitionType() == parquet.Repetitions.Repeated || ok && isCollection(n):
		w.out = append(w.out, ColumnStats{Path: path, Nulls: -1})
		w.leaves = w.leaves[leavesBelow(n):]
	case ok:
		for i := range group.NumFields() {
			w.visit(group.Field(i), path)
		}
	default:
		s := w.leaves[0].stats()
		s.Path = path
		w.out, w.leaves = append(w.out, s), w.leaves[1:]
	}
}

// isCollection tells arrays and maps from structs, old spellings included.
func isCollection(n pq.Node) bool {
	switch n.LogicalType().(type) {
	case pq.ListLogicalType, pq.MapLogicalType:
		return true
	}
	switch n.ConvertedType() {
	case pq.ConvertedTypes.List, pq.ConvertedTypes.Map, pq.ConvertedTypes.MapKeyValue:
		return true
	}
	return false
}

func leavesBelow(n pq.Node) int {
	group, ok := n.(*pq.GroupNode)
	if !ok {
		return 1
	}
	sum := 0
	for i := range group.NumFields() {
		sum += leavesBelow(group.Field(i))
	}
	return sum
}

func boundsOf(c *pq.Column) bounds {
	t := typeOf(c)
	_, isDecimal := t.(schema.Decimal)
	return bounds{
		ColumnStats: ColumnStats{Type: t}, ordered: t != nil && t != schema.Binary,
		bytes: isDecimal && c.PhysicalType() == parquet.Types.FixedLenByteArray,
	}
}

// typeOf returns the type of a leaf whose values we order as every reader
// does, or that of bare bytes; nil for the rest: unsigned, millis and nanos, INT96,
// decimals in bytes of any length.
func typeOf(c *pq.Column) schema.Type {
	logical := c.LogicalType()
	switch c.PhysicalType() {
	case parquet.Types.Boolean:
		return schema.Boolean
	case parquet.Types.Float:
		return schema.Float
	case parquet.Types.Double:
		return schema.Double
	case parquet.Types.ByteArray:
		if _, ok := logical.(pq.StringLogicalType); ok {
			return schema.String
		}
		return bareType(logical)
	case parquet.Types.FixedLenByteArray:
		if d, ok := logical.(pq.DecimalLogicalType); ok && c.TypeLength() <= longestWide {
			return schema.Decimal{Precision: int(d.Precision()), Scale: int(d.Scale())}
		}
		return bareType(logical)
	case parquet.Types.Int32, parquet.Types.Int64:
		return intType(logical, c.PhysicalType() == parquet.Types.Int64)
	}
	return nil
}

// bareType is that of bytes without an annotation.
func bareType(l pq.LogicalType) schema.Type {
	if _, bare := l.(pq.NoLogicalType); bare {
		return schema.Binary
	}
	return nil
}

func intType(logical pq.LogicalType, wide bool) schema.Type {
	switch l := logical.(type) {
	case pq.NoLogicalType:
		if wide {
			return schema.Long
		}
		return schema.Integer
	case pq.IntLogicalType:
		types := map[int8]schema.Type{8: schema.Byte, 16: schema.Short, 32: schema.Integer, 64: schema.Long}
		if l.IsSigned() {
			return types[l.BitWidth()]
		}
	case pq.DateLogicalType:
		return schema.Date
	case pq.DecimalLogicalType:
		return schema.Decimal{Precision: int(l.Precision()), Scale: int(l.Scale())}
	case pq.TimestampLogicalType:
		switch {
		case l.TimeUnit() != pq.TimeUnitMicros:
		case l.IsAdjustedToUTC():
			return schema.Timestamp
		default:
			return schema.TimestampNTZ
		}
	}
	return nil
}
