package verbatim

import (
	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/logical"
	"landfall/internal/parquetfile/thrift"
	"landfall/internal/schema"
)

// The numbers of physical types.
const (
	booleans    = 0
	ints        = 1
	longs       = 2
	floats      = 4
	doubles     = 5
	manyBytes   = 6
	fixedBytes  = 7
	maxDecimal  = 16 // bytes of a decimal of 38 digits
	intDigits   = 9
	longDigits  = 18
	convertJSON = 19
	convertEnum = 4
)

// written refuses a leaf whose values are not written as readers of a table expect
// those of the type: integers of another width, times in other units, numbers in
// bytes of any length.
func (s *Source) written(l *logical.Leaf, e *footer.Element, to schema.Type) *Refusal {
	if l.Type != to {
		return refuse(Type, "found %v, want %v", l.Type, to)
	}
	ok := false
	switch t := to.(type) {
	case schema.Decimal:
		switch e.Physical {
		case ints:
			ok = t.Precision <= intDigits
		case longs:
			ok = t.Precision <= longDigits
		case fixedBytes:
			ok = e.Length > 0 && e.Length <= maxDecimal
		}
	case schema.Primitive:
		ok = primitive(t, e)
	}
	switch {
	case !ok:
		return refuse(Type, "found %v in a form that tables do not have", l.Type)
	case l.Wall && s.clocks:
		return refuse(Type, "found clocks of a zone, want instants")
	}
	return nil
}

// primitive tells whether a node of the type has the form of the table's.
func primitive(t schema.Primitive, e *footer.Element) bool {
	plain := e.Logical.Kind == 0 && e.Converted < 0
	switch t {
	case schema.Boolean:
		return e.Physical == booleans
	case schema.Byte, schema.Short:
		return e.Physical == ints && signed(e)
	case schema.Integer:
		return e.Physical == ints && (plain || signed(e))
	case schema.Long:
		return e.Physical == longs && (plain || signed(e))
	case schema.Float:
		return e.Physical == floats
	case schema.Double:
		return e.Physical == doubles
	case schema.String:
		return e.Physical == manyBytes
	case schema.Binary:
		return e.Physical == manyBytes
	case schema.Date:
		return e.Physical == ints
	case schema.Timestamp:
		return e.Physical == longs && (e.Logical.Unit == footer.Micros || e.Logical.Kind == 0 && e.Converted == convertedMicros)
	}
	return false
}

// signed tells whether a node is annotated as a signed integer.
func signed(e *footer.Element) bool {
	const firstSigned, lastSigned = 15, 18
	if e.Logical.Kind != 0 {
		return e.Logical.Kind == footer.Integer && e.Logical.Signed
	}
	return firstSigned <= e.Converted && e.Converted <= lastSigned
}

// mean annotates a leaf of a table's type as we write it.
func mean(e *thrift.Struct, t schema.Type) {
	var of thrift.Struct
	switch t := t.(type) {
	case schema.Decimal:
		of.SetInt32(1, int32(t.Scale))
		of.SetInt32(2, int32(t.Precision))
		e.SetInt32(elementScale, int32(t.Scale))
		e.SetInt32(elementPrecision, int32(t.Precision))
		annotate(e, convertedDecimal, footer.Decimal, of)
	case schema.Primitive:
		switch t {
		case schema.Byte:
			annotate(e, convertedInt8, footer.Integer, integer(8))
		case schema.Short:
			annotate(e, convertedInt16, footer.Integer, integer(16))
		case schema.String:
			annotate(e, convertedUTF8, footer.String, of)
		case schema.Date:
			annotate(e, convertedDate, footer.Date, of)
		case schema.Timestamp:
			annotate(e, convertedMicros, footer.Timestamp, micros(true))
		case schema.TimestampNTZ:
			annotate(e, convertedMicros, footer.Timestamp, micros(false))
			e.Delete(elementConverted) // which has no word for it
		default: // the physical type says it all
		}
	}
}

func integer(bits int8) thrift.Struct {
	var of thrift.Struct
	of.SetByte(1, bits)
	of.SetBool(2, true)
	return of
}

func micros(utc bool) thrift.Struct {
	var unit, of thrift.Struct
	unit.SetStruct(int16(footer.Micros), thrift.Struct{})
	of.SetBool(1, utc)
	of.SetStruct(2, unit)
	return of
}
