package parquetfile

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/schema"
)

var (
	errNoColumns = errors.New("a Parquet file needs a column")
	errNoFields  = errors.New("a struct without fields cannot be written")
	errTooDeep   = errors.New("types are nested too deep")
)

// maxLevel is the greatest level that a batch can spell.
const maxLevel = 1<<8 - 1

// rootOf returns the Parquet schema of a table's columns.
func rootOf(s schema.Struct) (*pq.GroupNode, error) {
	if len(s.Fields) == 0 {
		return nil, errNoColumns
	}
	nodes := make(pq.FieldList, len(s.Fields))
	for i, f := range s.Fields {
		n, err := node(schema.PhysicalName(f), f.Type, f.Nullable, 0)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Name, err)
		}
		nodes[i] = n
	}
	return pq.NewGroupNode("schema", parquet.Repetitions.Required, nodes, -1)
}

// node returns the Parquet node of a column or a part of one, laid out as
// Spark does. level is the definition level of what surrounds it.
func node(name string, t schema.Type, nullable bool, level int) (pq.Node, error) {
	repetition := parquet.Repetitions.Required
	if nullable {
		repetition = parquet.Repetitions.Optional
		level++
	}
	if level > maxLevel {
		return nil, errTooDeep
	}
	var fields pq.FieldList
	var logical pq.LogicalType
	var err error
	switch t := t.(type) {
	case schema.Struct:
		fields, err = members(t, level)
	case schema.Array:
		logical = pq.ListLogicalType{}
		fields, err = repeated("list", level, part{"element", t.Element, t.ContainsNull})
	case schema.Map:
		logical = pq.MapLogicalType{}
		fields, err = repeated("key_value", level, part{"key", t.Key, false}, part{"value", t.Value, t.ValueContainsNull})
	case schema.Decimal:
		return decimalNode(name, t, repetition)
	case schema.Primitive:
		return primitiveNode(name, t, repetition)
	default:
		err = unwritable(t)
	}
	if err != nil {
		return nil, err
	}
	if logical == nil {
		return pq.NewGroupNode(name, repetition, fields, -1)
	}
	return pq.NewGroupNodeLogical(name, repetition, fields, logical, -1)
}

func members(t schema.Struct, level int) (pq.FieldList, error) {
	if len(t.Fields) == 0 {
		return nil, errNoFields
	}
	out := make(pq.FieldList, len(t.Fields))
	for i, f := range t.Fields {
		n, err := node(schema.PhysicalName(f), f.Type, f.Nullable, level)
		if err != nil {
			return nil, fmt.Errorf("field %q: %w", f.Name, err)
		}
		out[i] = n
	}
	return out, nil
}

// part is what an array or a map consists of.
type part struct {
	name     string
	t        schema.Type
	nullable bool
}

func repeated(name string, level int, parts ...part) (pq.FieldList, error) {
	out := make(pq.FieldList, len(parts))
	for i, p := range parts {
		n, err := node(p.name, p.t, p.nullable, level+1)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		out[i] = n
	}
	group, err := pq.NewGroupNode(name, parquet.Repetitions.Repeated, out, -1)
	return pq.FieldList{group}, err
}

func primitiveNode(name string, t schema.Primitive, r parquet.Repetition) (pq.Node, error) {
	plain := func(p parquet.Type) (pq.Node, error) { return pq.NewPrimitiveNode(name, r, p, -1, -1) }
	logical := func(l pq.LogicalType, p parquet.Type) (pq.Node, error) {
		return pq.NewPrimitiveNodeLogical(name, r, l, p, -1, -1)
	}
	switch t {
	case schema.Boolean:
		return plain(parquet.Types.Boolean)
	case schema.Byte:
		return logical(pq.NewIntLogicalType(8, true), parquet.Types.Int32)
	case schema.Short:
		return logical(pq.NewIntLogicalType(16, true), parquet.Types.Int32)
	case schema.Integer:
		return plain(parquet.Types.Int32)
	case schema.Long:
		return plain(parquet.Types.Int64)
	case schema.Float:
		return plain(parquet.Types.Float)
	case schema.Double:
		return plain(parquet.Types.Double)
	case schema.String:
		return logical(pq.StringLogicalType{}, parquet.Types.ByteArray)
	case schema.Binary:
		return plain(parquet.Types.ByteArray)
	case schema.Date:
		return logical(pq.DateLogicalType{}, parquet.Types.Int32)
	case schema.Timestamp, schema.TimestampNTZ:
		return logical(pq.NewTimestampLogicalType(t == schema.Timestamp, pq.TimeUnitMicros), parquet.Types.Int64)
	}
	return nil, unwritable(t)
}

// Decimals of as many digits fit in 32 and 64 bits.
const (
	intDigits  = 9
	longDigits = 18
	maxDigits  = 38
)

func decimalNode(name string, t schema.Decimal, r parquet.Repetition) (pq.Node, error) {
	if t.Precision < 1 || t.Precision > maxDigits || t.Scale < 0 || t.Scale > t.Precision {
		return nil, unwritable(t)
	}
	physical, length := parquet.Types.FixedLenByteArray, wideBytes(t.Precision)
	switch {
	case t.Precision <= intDigits:
		physical, length = parquet.Types.Int32, -1
	case t.Precision <= longDigits:
		physical, length = parquet.Types.Int64, -1
	}
	logical := pq.NewDecimalLogicalType(int32(t.Precision), int32(t.Scale))
	return pq.NewPrimitiveNodeLogical(name, r, logical, physical, length, -1)
}

// wideBytes is the number of bytes that hold so many digits and a sign.
func wideBytes(digits int) int {
	n := 1
	for !fits(power(digits), n) {
		n++
	}
	return n
}

func unwritable(t schema.Type) error { return fmt.Errorf("type %v cannot be written", t) }
