package recode

import (
	"bytes"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"landfall/internal/column"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// AppendText appends value i of a leaf of a type without parts as text: integers
// plain, decimals with all digits of their scale, floats and doubles with the
// shortest digits that are theirs (2.0, 1.5E-5, NaN, -Infinity), ISO dates and
// timestamps (2026-11-30T10:00:00.5Z, no Z without a zone), true and false, and
// the bytes of string and binary; a timestamp with a flaw has all its digits, and one
// that clocks skip no zone. [value.Forms] reads the same value from it. It
// reports false if there is no such text: for binary that is not UTF-8, and
// years outside 1 to 9999.
func AppendText(b []byte, t schema.Type, l *column.Leaf, i int) ([]byte, bool) {
	if t == schema.Type(schema.Binary) && !utf8.Valid(l.Text.Value(i)) {
		return b, false
	}
	return writerOf(t)(b, l, i)
}

// writer appends value i of a leaf.
type writer func(b []byte, l *column.Leaf, i int) ([]byte, bool)

func writerOf(t schema.Type) writer {
	switch formOf(t) {
	case texts:
		return func(b []byte, l *column.Leaf, i int) ([]byte, bool) { return append(b, l.Text.Value(i)...), true }
	case bools:
		return func(b []byte, l *column.Leaf, i int) ([]byte, bool) { return strconv.AppendBool(b, l.Bools[i]), true }
	case floats:
		bits := 64
		if t == schema.Type(schema.Float) {
			bits = 32
		}
		return func(b []byte, l *column.Leaf, i int) ([]byte, bool) { return appendFloat(b, l.Floats[i], bits), true }
	case wides:
		return func(b []byte, l *column.Leaf, i int) ([]byte, bool) {
			return appendDecimal(b, l.Wide[i], scaleOf(t)), true
		}
	}
	switch t {
	case schema.Type(schema.Date):
		return func(b []byte, l *column.Leaf, i int) ([]byte, bool) {
			const day = 86_400
			if v := l.Ints[i]; v >= firstDay && v <= lastDay {
				return time.Unix(v*day, 0).UTC().AppendFormat(b, "2006-01-02"), true
			}
			return b, false
		}
	case schema.Type(schema.Timestamp):
		return func(b []byte, l *column.Leaf, i int) ([]byte, bool) {
			if f := l.Flaw(i); f != nil {
				return appendWhole(b, l.Ints[i], *f)
			}
			return appendMoment(b, l.Ints[i], "2006-01-02T15:04:05.999999Z")
		}
	case schema.Type(schema.TimestampNTZ):
		return func(b []byte, l *column.Leaf, i int) ([]byte, bool) {
			return appendMoment(b, l.Ints[i], "2006-01-02T15:04:05.999999")
		}
	}
	if scale := scaleOf(t); scale > 0 {
		return func(b []byte, l *column.Leaf, i int) ([]byte, bool) {
			v := l.Ints[i]
			return appendDecimal(b, value.Int128{High: v >> 63, Low: uint64(v)}, scale), true
		}
	}
	return func(b []byte, l *column.Leaf, i int) ([]byte, bool) { return strconv.AppendInt(b, l.Ints[i], 10), true }
}

// The days since 1970 of 0001-01-01 and 9999-12-31.
const (
	firstDay = -719_162
	lastDay  = 2_932_896
)

func appendMoment(b []byte, micros int64, layout string) ([]byte, bool) {
	if !within(micros) {
		return b, false
	}
	return time.UnixMicro(micros).UTC().AppendFormat(b, layout), true
}

// within reports whether an instant is one of the years 1 to 9999.
func within(micros int64) bool {
	return micros >= firstDay*microsPerDay && micros < (lastDay+1)*microsPerDay
}

// appendDecimal writes an unscaled value with scale digits after the point.
func appendDecimal(b []byte, v value.Int128, scale int) []byte {
	m, negative := magnitudeOf(v)
	if negative {
		b = append(b, '-')
	}
	var buffer [2 * tens]byte
	digits := buffer[:0]
	if m.high == 0 {
		digits = strconv.AppendUint(digits, m.low, 10)
	} else {
		head, rest := m.over(power(tens))
		digits = strconv.AppendUint(digits, head.low, 10)
		var tail [tens]byte
		low := strconv.AppendUint(tail[:0], rest, 10)
		for range tens - len(low) {
			digits = append(digits, '0')
		}
		digits = append(digits, low...)
	}
	for range scale + 1 - len(digits) {
		b = append(b, '0')
	}
	whole := max(len(digits)-scale, 0)
	b = append(b, digits[:whole]...)
	if scale == 0 {
		return b
	}
	if whole == 0 {
		// The zero before the point, and those behind it, are there already.
		at := len(b) - (scale - len(digits))
		b = append(b, 0)
		copy(b[at+1:], b[at:])
		b[at] = '.'
		return append(b, digits...)
	}
	return append(append(b, '.'), digits[whole:]...)
}

// appendFloat writes a float as Spark and the JVM do.
func appendFloat(b []byte, v float64, bits int) []byte {
	const least, most = 1e-3, 1e7 // beyond these with an exponent
	switch a := math.Abs(v); {
	case math.IsNaN(v):
		return append(b, "NaN"...)
	case math.IsInf(v, 1):
		return append(b, "Infinity"...)
	case math.IsInf(v, -1):
		return append(b, "-Infinity"...)
	case a == 0 || a >= least && a < most:
		begin := len(b)
		b = strconv.AppendFloat(b, v, 'f', -1, bits)
		if bytes.IndexByte(b[begin:], '.') < 0 {
			b = append(b, ".0"...)
		}
		return b
	}
	var buffer [32]byte
	digits, exponent, _ := bytes.Cut(strconv.AppendFloat(buffer[:0], v, 'E', -1, bits), []byte{'E'})
	b = append(b, digits...)
	if bytes.IndexByte(digits, '.') < 0 {
		b = append(b, ".0"...)
	}
	b = append(b, 'E')
	if exponent[0] == '-' {
		b = append(b, '-')
	}
	return append(b, bytes.TrimLeft(exponent[1:], "0")...)
}

// holdsFlaws reports whether a type holds values with flaws of another in whole.
func holdsFlaws(from, to schema.Type) bool {
	return isTimestamp(from) && to == schema.Type(schema.String) ||
		from == schema.Type(schema.String) && to == schema.Type(schema.Binary)
}

// appendWhole appends a timestamp with its flaw: all digits, and a time that clocks
// skip without a zone.
func appendWhole(b []byte, micros int64, f column.Flaw) ([]byte, bool) {
	layout := "2006-01-02T15:04:05.999999999Z"
	if f.Kind == column.Skipped {
		layout = "2006-01-02T15:04:05.999999999"
	}
	if !within(micros) {
		return b, false
	}
	return time.UnixMicro(micros).Add(time.Duration(f.Nanos)).UTC().AppendFormat(b, layout), true
}
