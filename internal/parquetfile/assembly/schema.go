package assembly

import (
	"landfall/internal/parquetfile/form"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/schema"
)

// Numbers in parquet.thrift.
const (
	repetitionField int16 = 3
	childrenField   int16 = 5

	required = 0
	optional = 1
	repeated = 2

	convertedText          = 0
	convertedMap           = 1
	convertedList          = 3
	convertedDecimal       = 5
	convertedDate          = 6
	convertedMicros        = 10
	convertedInt8          = 15
	convertedInt16         = 16
	logicalText            = 1
	logicalMap             = 2
	logicalList            = 3
	logicalDecimal         = 5
	logicalDate            = 6
	logicalTimestamp       = 8
	logicalInteger         = 10
	unitMicros       int16 = 2
)

// elementsOf returns the schema of a table's columns, laid out as Spark does,
// and the number of its leaves.
func elementsOf(s schema.Struct) ([]thrift.Struct, int) {
	var t tree
	root := t.group("schema", required, len(s.Fields))
	root.Delete(repetitionField) // it has none
	t.fields(s)
	return t.elements, t.leaves
}

// tree is a schema, its nodes in depth-first order.
type tree struct {
	elements []thrift.Struct
	leaves   int
}

// group adds a node with children, which follow.
func (t *tree) group(name string, repetition int32, children int) *thrift.Struct {
	var e thrift.Struct
	e.SetInt32(3, repetition)
	e.SetString(4, name)
	e.SetInt32(5, int32(children))
	t.elements = append(t.elements, e)
	return &t.elements[len(t.elements)-1]
}

func (t *tree) fields(s schema.Struct) {
	for _, f := range s.Fields {
		t.node(schema.PhysicalName(f), f.Type, f.Nullable)
	}
}

func (t *tree) node(name string, of schema.Type, nullable bool) {
	repetition := int32(required)
	if nullable {
		repetition = optional
	}
	switch of := of.(type) {
	case schema.Struct:
		t.group(name, repetition, len(of.Fields))
		t.fields(of)
	case schema.Array:
		mark(t.group(name, repetition, 1), convertedList, logicalList, thrift.Struct{})
		t.group("list", repeated, 1)
		t.node("element", of.Element, of.ContainsNull)
	case schema.Map:
		mark(t.group(name, repetition, 1), convertedMap, logicalMap, thrift.Struct{})
		t.group("key_value", repeated, 2)
		t.node("key", of.Key, false)
		t.node("value", of.Value, of.ValueContainsNull)
	default:
		t.leaf(name, of, repetition)
	}
}

// mark says what a node means, in the old way and the new one.
func mark(e *thrift.Struct, converted int32, kind int16, parameters thrift.Struct) {
	e.SetInt32(6, converted)
	e.SetStruct(10, logical(kind, parameters))
}

func logical(kind int16, parameters thrift.Struct) thrift.Struct {
	var l thrift.Struct
	l.SetStruct(kind, parameters)
	return l
}

func (t *tree) leaf(name string, of schema.Type, repetition int32) {
	t.leaves++
	var e thrift.Struct
	e.SetInt32(1, int32(form.PhysicalOf(of)))
	e.SetInt32(3, repetition)
	e.SetString(4, name)
	if d, ok := of.(schema.Decimal); ok {
		markDecimal(&e, d)
	}
	switch of {
	case schema.Byte:
		mark(&e, convertedInt8, logicalInteger, integer(8))
	case schema.Short:
		mark(&e, convertedInt16, logicalInteger, integer(16))
	case schema.String:
		mark(&e, convertedText, logicalText, thrift.Struct{})
	case schema.Date:
		mark(&e, convertedDate, logicalDate, thrift.Struct{})
	case schema.Timestamp:
		mark(&e, convertedMicros, logicalTimestamp, timestamp(true))
	case schema.TimestampNTZ:
		// The old way has no word for it.
		e.SetStruct(10, logical(logicalTimestamp, timestamp(false)))
	}
	t.elements = append(t.elements, e)
}

func markDecimal(e *thrift.Struct, d schema.Decimal) {
	var p thrift.Struct
	p.SetInt32(1, int32(d.Scale))
	p.SetInt32(2, int32(d.Precision))
	mark(e, convertedDecimal, logicalDecimal, p)
	e.SetInt32(7, int32(d.Scale))
	e.SetInt32(8, int32(d.Precision))
	if d.Precision > form.LongDigits {
		e.SetInt32(2, int32(form.WideBytes(d.Precision)))
	}
}

func integer(bits int8) thrift.Struct {
	var p thrift.Struct
	p.SetByte(1, bits)
	p.SetBool(2, true)
	return p
}

func timestamp(utc bool) thrift.Struct {
	var unit, p thrift.Struct
	unit.SetStruct(unitMicros, thrift.Struct{})
	p.SetBool(1, utc)
	p.SetStruct(2, unit)
	return p
}
