package engine

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is a value of a result: nil, bool, int64, float32, float64, string,
// []byte, or one of [Number], [Date], [Instant], [WallClock], [List], [Struct]
// and [Map].
type Value any

// Number is an exact number that fits no Go type: a decimal or a large integer,
// in plain digits ("-12.50").
type Number string

// Date is a calendar day, at midnight UTC.
type Date time.Time

// Instant is a point in time.
type Instant time.Time

// WallClock is a date and time without a zone; it is kept as if it were UTC.
type WallClock time.Time

// List is an array.
type List []Value

// Struct is a struct's fields in order.
type Struct []Field

// Field is one field of a [Struct].
type Field struct {
	Name  string
	Value Value
}

// Map is a map's entries in stored order.
type Map []Entry

// Entry is one entry of a [Map].
type Entry struct{ Key, Value Value }

// String renders 2026-10-02, or infinity.
func (d Date) String() string { return isoTime(time.Time(d), "2006-01-02") }

// String renders ISO 8601 in UTC: 2026-10-02T08:00:00.25Z.
func (i Instant) String() string { return isoTime(time.Time(i), "2006-01-02T15:04:05.999999999Z") }

// String renders ISO 8601 without a zone: 2026-10-02T08:00:00.25.
func (w WallClock) String() string { return isoTime(time.Time(w), "2006-01-02T15:04:05.999999999") }

// isoTime knows that engines keep ±infinity as the ends of their range, which
// is far outside the years that ISO 8601 can write.
func isoTime(t time.Time, layout string) string {
	const last = 290_000
	switch t = t.UTC(); {
	case t.Year() > last:
		return "infinity"
	case t.Year() < -last:
		return "-infinity"
	}
	return t.Format(layout)
}

// Text renders a value for people: NULL, plain numbers, ISO times, bytes in
// hexadecimal, nested values as JSON.
func Text(v Value) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	case []byte:
		return hex.EncodeToString(v)
	case List, Struct, Map:
		return string(appendJSON(nil, v))
	}
	return strings.Trim(string(appendJSON(nil, v)), `"`)
}

// appendJSON appends the JSON form of v: exact numbers, ISO times, base64
// bytes, and NaN and the infinities as strings.
func appendJSON(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case Number:
		return append(dst, v...)
	case float32:
		return appendFloat(dst, float64(v), 32)
	case float64:
		return appendFloat(dst, v, 64)
	case string:
		return appendString(dst, v)
	case []byte:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v), '"')
	case Date:
		return appendString(dst, v.String())
	case Instant:
		return appendString(dst, v.String())
	case WallClock:
		return appendString(dst, v.String())
	case List:
		return appendList(dst, v)
	case Struct:
		return appendFields(dst, v)
	case Map:
		fields := make(Struct, len(v))
		for i, e := range v {
			fields[i] = Field{Text(e.Key), e.Value}
		}
		return appendFields(dst, fields)
	}
	// Nothing else is a Value; saying so in the output beats hiding it.
	return appendString(dst, "unknown value")
}

func appendList(dst []byte, list List) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSON(dst, v)
	}
	return append(dst, ']')
}

func appendFields(dst []byte, fields Struct) []byte {
	dst = append(dst, '{')
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, f.Name), ':')
		dst = appendJSON(dst, f.Value)
	}
	return append(dst, '}')
}

// appendFloat writes the shortest digits that read back as the same number.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, bits)
}

// appendString writes a JSON string. Text that is not UTF-8 is none of an
// engine's; its bytes would become U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s)
	return dst
}
