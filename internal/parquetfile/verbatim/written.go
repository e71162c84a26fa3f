package verbatim

import (
	"landfall/internal/parquetfile/footer"
	"landfall/internal/parquetfile/logical"
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
	convertTime = 10 // microseconds since the epoch
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
		return e.Physical == longs && (e.Logical.Unit == footer.Micros || e.Logical.Kind == 0 && e.Converted == convertTime)
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
