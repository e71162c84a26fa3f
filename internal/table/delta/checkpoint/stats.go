package checkpoint

import (
	"bytes"
	"math"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/go-json-experiment/json/jsontext"
)

// statsJSON turns row i of stats_parsed into the JSON that commits hold. What
// JSON statistics cannot say is left out: statistics only ever help.
func statsJSON(s *array.Struct, i int) string {
	var buf bytes.Buffer
	writeStats(&buf, s, i)
	return buf.String()
}

// writeStats writes a struct without its nulls.
func writeStats(buf *bytes.Buffer, s *array.Struct, i int) {
	buf.WriteByte('{')
	first := true
	for f, field := range s.DataType().(*arrow.StructType).Fields() {
		col := s.Field(f)
		if col.IsNull(i) {
			continue
		}
		var value []byte
		if nested, ok := col.(*array.Struct); ok {
			var sub bytes.Buffer
			writeStats(&sub, nested, i)
			value = sub.Bytes()
		} else {
			value = statsValue(col, i)
		}
		name := quoteJSON(field.Name)
		if name == nil || value == nil {
			continue
		}
		if !first {
			buf.WriteByte(',')
		}
		first = false
		buf.Write(name)
		buf.WriteByte(':')
		buf.Write(value)
	}
	buf.WriteByte('}')
}

// statsValue is a single value as Delta's statistics spell it; nil for a type
// that has no bounds in JSON.
func statsValue(a arrow.Array, i int) []byte {
	if v, ok := intAt(a, i); ok {
		return strconv.AppendInt(nil, v, 10)
	}
	switch a := a.(type) {
	case *array.Boolean:
		return strconv.AppendBool(nil, a.Value(i))
	case *array.String:
		return quoteJSON(a.Value(i))
	case *array.LargeString:
		return quoteJSON(a.Value(i))
	case *array.Float32:
		return floatJSON(float64(a.Value(i)), 32)
	case *array.Float64:
		return floatJSON(a.Value(i), 64)
	case *array.Decimal128:
		return []byte(a.Value(i).ToString(a.DataType().(*arrow.Decimal128Type).Scale))
	case *array.Date32:
		return quoteJSON(a.Value(i).ToTime().Format(time.DateOnly))
	case *array.Timestamp:
		typ := a.DataType().(*arrow.TimestampType)
		layout := "2006-01-02T15:04:05.000000"
		if typ.TimeZone != "" || typ.Unit == arrow.Nanosecond { // nanoseconds are INT96, an instant
			layout += "Z"
		}
		return quoteJSON(a.Value(i).ToTime(typ.Unit).UTC().Format(layout))
	}
	return nil
}

// floatJSON leaves out what JSON numbers cannot say.
func floatJSON(v float64, bits int) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return strconv.AppendFloat(nil, v, 'g', -1, bits)
}

// quoteJSON returns nil for text that is not UTF-8: with other characters in
// their place its bytes would be no bound.
func quoteJSON(s string) []byte {
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return nil
	}
	return quoted
}
