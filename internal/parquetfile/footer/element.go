package footer

import (
	"errors"
	"fmt"

	"landfall/internal/parquetfile/thrift"
)

// Element is a node of a file's schema, as parquet.thrift has it. Nodes stand in
// the order in which they are met: each before those below it.
type Element struct {
	Name string
	// Children is the number of nodes right below; 0 is a leaf.
	Children int
	// Physical is the Type of a leaf, Repetition the FieldRepetitionType and
	// Converted the ConvertedType; −1 for none. Physical may be none that there is.
	Physical, Repetition, Converted int8
	// Length is that of values of fixed length.
	Length           int32
	Precision, Scale int32
	// FieldID is −1 for none.
	FieldID int32
	Logical Logical
}

// Logical is the LogicalType of a node. The zero value is none.
type Logical struct {
	// Kind is the number of the type in the union.
	Kind Kind
	// Unit is that of times and timestamps, UTC says that they are adjusted to it.
	Unit Unit
	UTC  bool
	// Bits and Signed are those of integers.
	Bits             int8
	Signed           bool
	Precision, Scale int32
}

// Kind is the number of a logical type.
type Kind int16

// The logical types; those that are not here have no place in a table.
const (
	String    Kind = 1
	Map       Kind = 2
	List      Kind = 3
	Enum      Kind = 4
	Decimal   Kind = 5
	Date      Kind = 6
	Time      Kind = 7
	Timestamp Kind = 8
	Integer   Kind = 10
	Null      Kind = 11
	JSON      Kind = 12
	BSON      Kind = 13
	UUID      Kind = 14
	Float16   Kind = 15
)

// Unit is the number of a unit of time.
type Unit int16

// The units.
const (
	Millis Unit = 1
	Micros Unit = 2
	Nanos  Unit = 3
)

// The numbers of the fields of a SchemaElement.
const (
	physicalField   = 1
	lengthField     = 2
	repetitionField = 3
	nameField       = 4
	childrenField   = 5
	convertedField  = 6
	scaleField      = 7
	precisionField  = 8
	idField         = 9
	logicalField    = 10
)

var (
	errNoSchema = errors.New("the footer has no columns")
	errTree     = errors.New("the nodes of the schema are no tree")
)

// none stands for numbers that are absent.
const none = -1

// maxNodes bounds the nodes of a schema.
const maxNodes = 1 << 20

// elements reads the nodes of a schema and sees that they are a tree with leaves.
func elements(l thrift.List) ([]Element, error) {
	switch {
	case l.Len() < 2 || l.Type() != thrift.Nested:
		return nil, errNoSchema
	case l.Len() > maxNodes:
		return nil, fmt.Errorf("a schema of %d nodes", l.Len())
	}
	out := make([]Element, 0, l.Len())
	// open is the number of nodes that are still to come.
	open := 1
	for s := range l.Structs() {
		e, err := elementOf(s)
		if err != nil {
			return nil, err
		}
		if open--; open < 0 || e.Children > l.Len() {
			return nil, errTree
		}
		open += e.Children
		out = append(out, e)
	}
	if open != 0 || out[0].Children == 0 {
		return nil, errTree
	}
	return out, nil
}

func elementOf(s thrift.Struct) (Element, error) {
	e := Element{Physical: none, Repetition: none, Converted: none, FieldID: none}
	name, ok := s.Bytes(nameField)
	if !ok {
		return e, errors.New("a node of the schema has no name")
	}
	e.Name = string(name)
	for _, f := range []struct {
		id int16
		to *int8
	}{{physicalField, &e.Physical}, {repetitionField, &e.Repetition}, {convertedField, &e.Converted}} {
		if v, ok := s.Int(f.id); ok {
			if v != int64(int8(v)) || v < 0 && f.id != physicalField {
				return e, fmt.Errorf("field %d of node %q is %d", f.id, e.Name, v)
			}
			*f.to = int8(v)
		}
	}
	for _, f := range []struct {
		id int16
		to *int32
	}{{lengthField, &e.Length}, {scaleField, &e.Scale}, {precisionField, &e.Precision}, {idField, &e.FieldID}} {
		if v, ok := s.Int(f.id); ok {
			*f.to = int32(v)
		}
	}
	if n, ok := s.Int(childrenField); ok {
		if n < 0 || n > maxNodes {
			return e, errTree
		}
		e.Children = int(n)
	}
	if l, ok := s.Struct(logicalField); ok {
		e.Logical = logicalOf(l)
	}
	return e, nil
}

// logicalOf reads a union, of which the first member counts.
func logicalOf(s thrift.Struct) Logical {
	var l Logical
	for id := range s.Fields() {
		l.Kind = Kind(id)
		break
	}
	of, _ := s.Struct(int16(l.Kind))
	switch l.Kind {
	case Decimal:
		scale, _ := of.Int(1)
		precision, _ := of.Int(2)
		l.Scale, l.Precision = int32(scale), int32(precision)
	case Integer:
		bits, _ := of.Int(1)
		l.Bits = int8(bits)
		l.Signed, _ = of.Bool(2)
	case Time, Timestamp:
		l.UTC, _ = of.Bool(1)
		unit, _ := of.Struct(2)
		for id := range unit.Fields() {
			l.Unit = Unit(id)
			break
		}
	}
	return l
}
