package footer

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"
)

// Root returns the schema as the decoder has it, so that a file means the same to
// whoever decodes it and whoever does not. The error says which node the decoder
// would refuse.
func (f *Footer) Root() (root *pq.GroupNode, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = broken(fmt.Errorf("decoder gave up: %v", p))
		}
	}()
	b := nodeBuilder{elements: f.Elements}
	n, err := b.next()
	if err != nil {
		return nil, broken(err)
	}
	root, ok := n.(*pq.GroupNode)
	if !ok {
		return nil, broken(errNoSchema)
	}
	return root, nil
}

type nodeBuilder struct {
	elements []Element
	at       int
}

// next makes the node at the present place, and those below it.
func (b *nodeBuilder) next() (pq.Node, error) {
	e := &b.elements[b.at]
	b.at++
	if e.Children == 0 {
		return leafNode(e)
	}
	fields := make(pq.FieldList, e.Children)
	for i := range fields {
		var err error
		if fields[i], err = b.next(); err != nil {
			return nil, err
		}
	}
	repetition := repetitionOf(e)
	switch {
	case e.Logical.Kind != 0:
		l, err := logicalType(e)
		if err != nil {
			return nil, err
		}
		return pq.NewGroupNodeLogical(e.Name, repetition, fields, l, e.FieldID)
	case e.Converted >= 0:
		return pq.NewGroupNodeConverted(e.Name, repetition, fields, pq.ConvertedType(e.Converted), e.FieldID)
	}
	return pq.NewGroupNodeConverted(e.Name, repetition, fields, pq.ConvertedTypes.None, e.FieldID)
}

func leafNode(e *Element) (pq.Node, error) {
	physical, repetition := parquet.Type(e.Physical), repetitionOf(e)
	if e.Physical == none {
		physical = 0 // as the decoder takes it
	}
	switch {
	case e.Logical.Kind != 0:
		l, err := logicalType(e)
		if err != nil {
			return nil, err
		}
		return pq.NewPrimitiveNodeLogical(e.Name, repetition, l, physical, int(e.Length), e.FieldID)
	case e.Converted >= 0:
		return pq.NewPrimitiveNodeConverted(e.Name, repetition, physical, pq.ConvertedType(e.Converted), int(e.Length), int(e.Precision), int(e.Scale), e.FieldID)
	}
	return pq.NewPrimitiveNodeLogical(e.Name, repetition, pq.NoLogicalType{}, physical, int(e.Length), e.FieldID)
}

// repetitionOf reads a repetition as the decoder does, for which none is the first.
func repetitionOf(e *Element) parquet.Repetition { return parquet.Repetition(max(e.Repetition, 0)) }

func logicalType(e *Element) (pq.LogicalType, error) {
	const lastKind = 18
	l := &e.Logical
	switch l.Kind {
	case String:
		return pq.StringLogicalType{}, nil
	case Map:
		return pq.MapLogicalType{}, nil
	case List:
		return pq.ListLogicalType{}, nil
	case Enum:
		return pq.EnumLogicalType{}, nil
	case Decimal:
		return pq.NewDecimalLogicalType(l.Precision, l.Scale), nil
	case Date:
		return pq.DateLogicalType{}, nil
	case Time, Timestamp:
		units := map[Unit]pq.TimeUnitType{Millis: pq.TimeUnitMillis, Micros: pq.TimeUnitMicros, Nanos: pq.TimeUnitNanos}
		unit, ok := units[l.Unit]
		switch {
		case !ok:
			return nil, fmt.Errorf("node %q counts time in a unit that is none", e.Name)
		case l.Kind == Time:
			return pq.NewTimeLogicalType(l.UTC, unit), nil
		}
		return pq.NewTimestampLogicalType(l.UTC, unit), nil
	case Integer:
		return pq.NewIntLogicalType(l.Bits, l.Signed), nil
	case Null:
		return pq.NullLogicalType{}, nil
	case JSON:
		return pq.JSONLogicalType{}, nil
	case BSON:
		return pq.BSONLogicalType{}, nil
	case UUID:
		return pq.UUIDLogicalType{}, nil
	case Float16:
		return pq.Float16LogicalType{}, nil
	}
	if l.Kind < String || l.Kind > lastKind || l.Kind == Timestamp+1 {
		return nil, fmt.Errorf("node %q has a logical type that is none", e.Name)
	}
	return pq.NoLogicalType{}, nil // no table has such; the bytes are what counts
}
