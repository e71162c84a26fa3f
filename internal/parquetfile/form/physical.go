package form

import (
	"math"

	"landfall/internal/schema"
)

// Physical is how a file holds the values of a leaf, by its number in
// parquet.thrift.
type Physical int32

// The physical types that we write.
const (
	PhysicalBoolean Physical = 0
	PhysicalInt32   Physical = 1
	PhysicalInt64   Physical = 2
	PhysicalFloat   Physical = 4
	PhysicalDouble  Physical = 5
	PhysicalBytes   Physical = 6
	PhysicalFixed   Physical = 7
)

// PhysicalOf returns the physical type of a type without parts.
func PhysicalOf(t schema.Type) Physical {
	switch KindOf(t) {
	case Text:
		return PhysicalBytes
	case Wide:
		return PhysicalFixed
	case Bools:
		return PhysicalBoolean
	case Floats:
		if t == schema.Float {
			return PhysicalFloat
		}
		return PhysicalDouble
	}
	if d, ok := t.(schema.Decimal); ok {
		if d.Precision <= IntDigits {
			return PhysicalInt32
		}
		return PhysicalInt64
	}
	if lo, _ := Range(t); lo < math.MinInt32 {
		return PhysicalInt64
	}
	return PhysicalInt32
}
