package schema

// Family is the kind of values that a type has: number, time, array, object for
// structs and maps, and of any other scalar its own name.
func Family(t Type) string {
	switch t := t.(type) {
	case Decimal:
		return "number"
	case Array:
		return "array"
	case Struct, Map:
		return "object"
	case Primitive:
		switch t {
		case Byte, Short, Integer, Long, Float, Double:
			return "number"
		case Date, Timestamp, TimestampNTZ:
			return "time"
		}
	}
	return t.String()
}

// Scalar reports whether a type has no parts.
func Scalar(t Type) bool {
	switch t.(type) {
	case Struct, Array, Map:
		return false
	default:
		return true
	}
}
