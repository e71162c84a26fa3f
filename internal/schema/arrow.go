package schema

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// ToArrow returns the Arrow type that holds the values of a type. Metadata of
// fields stays behind.
func ToArrow(t Type) (arrow.DataType, error) { return toArrow(t, nil) }

// toArrow works on the type at a path.
func toArrow(t Type, path Path) (arrow.DataType, error) {
	if len(path) > maxDepth {
		return nil, errTooDeep
	}
	switch t := t.(type) {
	case Primitive:
		if a := arrowOf(t); a != nil {
			return a, nil
		}
	case Decimal:
		return &arrow.Decimal128Type{Precision: int32(t.Precision), Scale: int32(t.Scale)}, nil
	case Array:
		e, err := toArrow(t.Element, path.Child("element"))
		if err != nil {
			return nil, err
		}
		return arrow.ListOfField(arrow.Field{Name: "element", Type: e, Nullable: t.ContainsNull}), nil
	case Map:
		k, err := toArrow(t.Key, path.Child("key"))
		if err != nil {
			return nil, err
		}
		v, err := toArrow(t.Value, path.Child("value"))
		if err != nil {
			return nil, err
		}
		return arrow.MapOfFields(arrow.Field{Type: k}, arrow.Field{Type: v, Nullable: t.ValueContainsNull}), nil
	case Struct:
		fields := make([]arrow.Field, len(t.Fields))
		for i, f := range t.Fields {
			a, err := toArrow(f.Type, path.Child(f.Name))
			if err != nil {
				return nil, err
			}
			fields[i] = arrow.Field{Name: f.Name, Type: a, Nullable: f.Nullable}
		}
		return arrow.StructOf(fields...), nil
	}
	return nil, fmt.Errorf("%sno Arrow type for type %v", prefix(path), t)
}

// arrowOf is the Arrow type of a primitive, nil for one that is none of ours.
func arrowOf(t Primitive) arrow.DataType {
	switch t {
	case Boolean:
		return arrow.FixedWidthTypes.Boolean
	case Byte:
		return arrow.PrimitiveTypes.Int8
	case Short:
		return arrow.PrimitiveTypes.Int16
	case Integer:
		return arrow.PrimitiveTypes.Int32
	case Long:
		return arrow.PrimitiveTypes.Int64
	case Float:
		return arrow.PrimitiveTypes.Float32
	case Double:
		return arrow.PrimitiveTypes.Float64
	case String:
		return arrow.BinaryTypes.String
	case Binary:
		return arrow.BinaryTypes.Binary
	case Date:
		return arrow.FixedWidthTypes.Date32
	case Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case TimestampNTZ:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case Unknown:
		return arrow.Null
	default:
		return nil
	}
}

// FromArrow returns the type whose values are those of an Arrow type. Large,
// view, fixed-size, dictionary and run-end types are other layouts of the same
// values; a timestamp with a zone, whichever, is an instant. A type without an equal one,
// such as uint8 or a timestamp in nanoseconds, is an error that names it.
func FromArrow(t arrow.DataType) (Type, error) { return fromArrow(t, nil) }

func fromArrow(t arrow.DataType, path Path) (Type, error) {
	if len(path) > maxDepth {
		return nil, errTooDeep
	}
	switch t := t.(type) {
	case nil:
	case *arrow.DictionaryType:
		return fromArrow(t.ValueType, path)
	case *arrow.RunEndEncodedType:
		return fromArrow(t.Encoded(), path)
	case *arrow.TimestampType:
		if t.Unit != arrow.Microsecond {
			break
		}
		if t.TimeZone == "" {
			return TimestampNTZ, nil
		}
		return Timestamp, nil
	case arrow.DecimalType:
		if d, err := newDecimal(int(t.GetPrecision()), int(t.GetScale())); err == nil {
			return d, nil
		}
	case *arrow.MapType:
		k, err := fromArrow(t.KeyType(), path.Child("key"))
		if err != nil {
			return nil, err
		}
		v, err := fromArrow(t.ItemType(), path.Child("value"))
		return Map{Key: k, Value: v, ValueContainsNull: t.ItemField().Nullable}, err
	case *arrow.FixedSizeListType:
		return fromList(t.ElemField(), path)
	case arrow.VarLenListLikeType:
		return fromList(t.ElemField(), path)
	case *arrow.StructType:
		return fromStruct(t, path)
	default:
		if p, ok := primitiveOf(t.ID()); ok {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%sno type of a Delta table is equal to Arrow's %v", prefix(path), t)
}

func fromList(element arrow.Field, path Path) (Type, error) {
	e, err := fromArrow(element.Type, path.Child("element"))
	return Array{Element: e, ContainsNull: element.Nullable}, err
}

func fromStruct(t *arrow.StructType, path Path) (Type, error) {
	s := Struct{Fields: make([]Field, t.NumFields())}
	for i := range s.Fields {
		f := t.Field(i)
		member, err := fromArrow(f.Type, path.Child(f.Name))
		if err != nil {
			return nil, err
		}
		s.Fields[i] = Field{Name: f.Name, Type: member, Nullable: f.Nullable}
	}
	return s, nil
}

// primitiveOf knows the Arrow types without parameters.
func primitiveOf(id arrow.Type) (Primitive, bool) {
	switch id {
	case arrow.BOOL:
		return Boolean, true
	case arrow.INT8:
		return Byte, true
	case arrow.INT16:
		return Short, true
	case arrow.INT32:
		return Integer, true
	case arrow.INT64:
		return Long, true
	case arrow.FLOAT32:
		return Float, true
	case arrow.FLOAT64:
		return Double, true
	case arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW:
		return String, true
	case arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW, arrow.FIXED_SIZE_BINARY:
		return Binary, true
	case arrow.DATE32, arrow.DATE64:
		return Date, true
	case arrow.NULL:
		return Unknown, true
	default:
		return "", false
	}
}

// prefix names a path before what is said of it.
func prefix(path Path) string {
	if len(path) == 0 {
		return ""
	}
	return path.String() + ": "
}
