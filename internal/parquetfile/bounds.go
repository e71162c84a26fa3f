package parquetfile

import (
	"slices"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/rowgroup"
	"landfall/internal/schema"
)

// bounds gathers the bounds of a leaf column of a file that is copied.
type bounds struct {
	rowgroup.Bounds
	// of is the type of the values, nil if it is none that we know.
	of schema.Type
	// ordered says that of orders the values of the file as readers do.
	ordered bool
	// bytes says that the values are numbers in bytes, which the library orders as bytes.
	bytes bool
}

// encoded tells whether the file itself has statistics of the leaf. Those of
// booleans leave nothing out that the table's do not.
func (b *bounds) encoded() bool { return b.ordered && !b.bytes && b.of != schema.Boolean }

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
		s := w.leaves[0].Stats(w.leaves[0].of)
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
		of: t, ordered: t != nil && t != schema.Binary,
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
		if d, ok := logical.(pq.DecimalLogicalType); ok && c.TypeLength() <= form.LongestWide {
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
