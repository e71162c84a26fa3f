// Package element makes the nodes of the schemas of our Parquet files: SchemaElement of
// parquet.thrift, laid out as Spark does.
//
// What a node means is said twice, as converted type and as logical type.
package element

import (
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/schema"
)

// Repetition is how often a node stands in its parent.
type Repetition int32

// The repetitions, with their numbers in parquet.thrift.
const (
	Required Repetition = 0
	Optional Repetition = 1
	Repeated Repetition = 2
)

// The fields of a SchemaElement.
const (
	typeField       = 1
	lengthField     = 2
	repetitionField = 3
	nameField       = 4
	childrenField   = 5
	convertedField  = 6
	scaleField      = 7
	precisionField  = 8
	logicalField    = 10
)

// Converted types and the members of LogicalType.
const (
	convertedText    = 0
	convertedMap     = 1
	convertedList    = 3
	convertedDecimal = 5
	convertedDate    = 6
	convertedMicros  = 10
	convertedInt8    = 15
	convertedInt16   = 16

	logicalText      = 1
	logicalMap       = 2
	logicalList      = 3
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTimestamp = 8
	logicalInteger   = 10
)

// Root returns the node above the columns, which is of no repetition.
func Root(columns int) thrift.Struct {
	var e thrift.Struct
	e.SetString(nameField, "schema")
	e.SetInt32(childrenField, int32(columns))
	return e
}

// Group returns a node of so many children, which are to follow.
func Group(name string, r Repetition, children int) thrift.Struct {
	e := node(name, r)
	e.SetInt32(childrenField, int32(children))
	return e
}

// IsLeaf tells whether a node has values.
func IsLeaf(e thrift.Struct) bool { return !e.Has(childrenField) }

func node(name string, r Repetition) thrift.Struct {
	var e thrift.Struct
	e.SetInt32(repetitionField, int32(r))
	e.SetString(nameField, name)
	return e
}

// ListOf and MapOf are the names of what repeats in arrays and maps.
const (
	ListOf = "list"
	MapOf  = "key_value"
)

// List returns the two nodes of an array; that of its elements is to follow.
func List(name string, r Repetition) (outer, inner thrift.Struct) {
	outer = Group(name, r, 1)
	mean(&outer, convertedList, logicalList, thrift.Struct{})
	return outer, Group(ListOf, Repeated, 1)
}

// Map returns the two nodes of a map; those of its keys and values are to follow.
func Map(name string, r Repetition) (outer, inner thrift.Struct) {
	outer = Group(name, r, 1)
	mean(&outer, convertedMap, logicalMap, thrift.Struct{})
	return outer, Group(MapOf, Repeated, 2)
}

// Leaf returns a node of values of a type without parts, which a file holds as p;
// length is that of each value in bytes where p is of fixed length.
func Leaf(name string, r Repetition, t schema.Type, p form.Physical, length int) thrift.Struct {
	e := node(name, r)
	e.SetInt32(typeField, int32(p))
	if p == form.PhysicalFixed {
		e.SetInt32(lengthField, int32(length))
	}
	if d, ok := t.(schema.Decimal); ok {
		var of thrift.Struct
		of.SetInt32(1, int32(d.Scale))
		of.SetInt32(2, int32(d.Precision))
		mean(&e, convertedDecimal, logicalDecimal, of)
		e.SetInt32(scaleField, int32(d.Scale))
		e.SetInt32(precisionField, int32(d.Precision))
	}
	switch t {
	case schema.Byte:
		mean(&e, convertedInt8, logicalInteger, integer(8))
	case schema.Short:
		mean(&e, convertedInt16, logicalInteger, integer(16))
	case schema.String:
		mean(&e, convertedText, logicalText, thrift.Struct{})
	case schema.Date:
		mean(&e, convertedDate, logicalDate, thrift.Struct{})
	case schema.Timestamp:
		mean(&e, convertedMicros, logicalTimestamp, micros(true))
	case schema.TimestampNTZ: // for which there is no converted type
		e.SetStruct(logicalField, union(logicalTimestamp, micros(false)))
	}
	return e
}

// mean says what a node means.
func mean(e *thrift.Struct, converted int32, kind int16, of thrift.Struct) {
	e.SetInt32(convertedField, converted)
	e.SetStruct(logicalField, union(kind, of))
}

func union(kind int16, of thrift.Struct) thrift.Struct {
	var u thrift.Struct
	u.SetStruct(kind, of)
	return u
}

func integer(bits int8) thrift.Struct {
	var of thrift.Struct
	of.SetByte(1, bits)
	of.SetBool(2, true)
	return of
}

func micros(utc bool) thrift.Struct {
	const unit = 2
	var units, of thrift.Struct
	units.SetStruct(unit, thrift.Struct{})
	of.SetBool(1, utc)
	of.SetStruct(2, units)
	return of
}
