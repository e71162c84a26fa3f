package logical

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	pq "github.com/apache/arrow-go/v18/parquet/schema"

	"landfall/internal/schema"
)

// form is how the values of a leaf are written, and what they become.
type form struct {
	t    schema.Type
	kind kind
	wall bool
	// julian says that days and instants are rebased, by the calendar.
	julian   bool
	calendar Calendar
	// lo and hi bound integers that the file's type has.
	lo, hi int64
	// unit is the number of units in a second of times and timestamps.
	unit int64
	// physical names the type in messages.
	physical string
}

type kind uint8

const (
	asInts kind = iota
	asUnsigned
	asDecimal
	asDate
	asTime
	asInstant
	asFloats
	asHalf
	asBools
	asText
	asBytes
	asUUID
	asNothing
)

const (
	maxPrecision = 38
	maxInt64     = 1<<63 - 1
	minInt64     = -1 << 63
)

var errNoType = errors.New("found a type that Parquet does not have, want one that it has")

// formOf maps the type of a leaf.
func formOf(n *pq.PrimitiveNode, c Calendar) (form, error) {
	physical := n.PhysicalType()
	f := form{calendar: c, lo: minInt64, hi: maxInt64, physical: physical.String()}
	if l := n.LogicalType(); l != nil && !l.IsNone() && l.IsValid() {
		f.physical = l.String()
	}
	if physical < parquet.Types.Boolean || physical > parquet.Types.FixedLenByteArray {
		return f, errNoType
	}
	unknown := fmt.Errorf("found type %s of %s, want one that tables have", f.physical, physical)
	switch l := n.LogicalType().(type) {
	case pq.NullLogicalType:
		f.t, f.kind = schema.Unknown, asNothing
	case pq.DecimalLogicalType:
		err := f.decimal(int(l.Precision()), int(l.Scale()))
		return f, err
	case pq.IntLogicalType:
		f.integer(int(l.BitWidth()), l.IsSigned())
	case pq.DateLogicalType:
		f.t, f.kind, f.julian = schema.Date, asDate, c.JulianDates
	case pq.TimeLogicalType:
		f.t, f.kind, f.unit = schema.String, asTime, unitOf(l.TimeUnit())
	case pq.TimestampLogicalType:
		f.t, f.kind, f.unit, f.wall = schema.Timestamp, asInstant, unitOf(l.TimeUnit()), !l.IsAdjustedToUTC()
		f.julian = c.JulianDates && !f.wall // Spark never rebased those without a zone
	case pq.StringLogicalType, pq.EnumLogicalType, pq.JSONLogicalType:
		f.t, f.kind = schema.String, asText
	case pq.UUIDLogicalType:
		f.t, f.kind = schema.String, asUUID
	case pq.Float16LogicalType:
		f.t, f.kind = schema.Float, asHalf
	case pq.IntervalLogicalType:
		return f, unknown
	default:
		err := f.plain(physical, unknown)
		return f, err
	}
	return f, nil
}

// plain maps a physical type without annotation, or with one that says nothing
// to a table.
func (f *form) plain(physical parquet.Type, unknown error) error {
	switch physical {
	case parquet.Types.Boolean:
		f.t, f.kind = schema.Boolean, asBools
	case parquet.Types.Int32:
		f.integer(32, true)
	case parquet.Types.Int64:
		f.integer(64, true)
	case parquet.Types.Int96:
		f.t, f.kind, f.unit, f.julian = schema.Timestamp, asInstant, 1e9, f.calendar.JulianInt96
	case parquet.Types.Float:
		f.t, f.kind = schema.Float, asFloats
	case parquet.Types.Double:
		f.t, f.kind = schema.Double, asFloats
	case parquet.Types.ByteArray, parquet.Types.FixedLenByteArray:
		f.t, f.kind = schema.Binary, asBytes
	default:
		return unknown
	}
	return nil
}

// integer maps an integer of so many bits: unsigned ones take the next longer.
func (f *form) integer(bits int, signed bool) {
	f.kind = asInts
	if signed {
		f.lo, f.hi = -1<<(bits-1), 1<<(bits-1)-1
	} else if bits < 64 {
		f.kind, f.lo, f.hi = asUnsigned, 0, 1<<bits-1
		bits *= 2
	} else {
		f.t, f.kind = schema.Decimal{Precision: 20}, asUnsigned
		return
	}
	switch bits {
	case 8:
		f.t = schema.Byte
	case 16:
		f.t = schema.Short
	case 32:
		f.t = schema.Integer
	default:
		f.t = schema.Long
	}
}

func (f *form) decimal(p, scale int) error {
	if p < 1 || p > maxPrecision || scale < 0 || scale > p {
		return fmt.Errorf("found decimal(%d,%d), want at most %d digits and a scale within them", p, scale, maxPrecision)
	}
	f.t, f.kind = schema.Decimal{Precision: p, Scale: scale}, asDecimal
	return nil
}

func unitOf(u pq.TimeUnitType) int64 {
	switch u {
	case pq.TimeUnitMillis:
		return 1e3
	case pq.TimeUnitMicros:
		return 1e6
	}
	return 1e9
}
