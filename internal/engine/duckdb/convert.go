package duckdb

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/engine"
)

// convert makes an engine.Value of what the driver hands over for a type; info
// is nil for a type that the driver does not know, which comes as text.
func convert(v any, info duck.TypeInfo) engine.Value {
	switch v := v.(type) {
	case nil:
		return nil
	case int8:
		return int64(v)
	case int16:
		return int64(v)
	case int32:
		return int64(v)
	case uint8:
		return int64(v)
	case uint16:
		return int64(v)
	case uint32:
		return int64(v)
	case uint64:
		return engine.Number(fmt.Sprint(v))
	case *big.Int:
		return engine.Number(v.String())
	case duck.Decimal:
		return decimal(v.Value, int(v.Scale))
	case []byte:
		if info != nil && info.InternalType() == duck.TYPE_UUID {
			return uuid(v)
		}
		return v
	case time.Time:
		return moment(v, info)
	case []any, map[string]any:
		return nested(v, info)
	}
	return v // bool, int64, float32, float64, string
}

func moment(t time.Time, info duck.TypeInfo) engine.Value {
	switch info.InternalType() {
	case duck.TYPE_DATE:
		return engine.Date(t)
	case duck.TYPE_TIMESTAMP_TZ:
		return engine.Instant(t)
	}
	return engine.WallClock(t)
}

func nested(v any, info duck.TypeInfo) engine.Value {
	switch d := info.Details().(type) {
	case *duck.ListDetails:
		return elements(v, d.Child)
	case *duck.ArrayDetails:
		return elements(v, d.Child)
	case *duck.StructDetails:
		fields, _ := v.(map[string]any)
		out := make(engine.Struct, len(d.Entries))
		for i, e := range d.Entries {
			out[i] = engine.Field{Name: e.Name(), Value: convert(fields[e.Name()], e.Info())}
		}
		return out
	case *duck.MapDetails:
		entries, _ := v.([]any)
		out := make(engine.Map, len(entries))
		for i := range entries {
			e, _ := entries[i].(map[string]any)
			out[i] = engine.Entry{Key: convert(e["key"], d.Key), Value: convert(e["value"], d.Value)}
		}
		return out
	}
	return fmt.Sprint(v)
}

func elements(v any, child duck.TypeInfo) engine.List {
	items, _ := v.([]any)
	out := make(engine.List, len(items))
	for i, item := range items {
		out[i] = convert(item, child)
	}
	return out
}

// decimal writes all digits of a fixed-point number: 1250 with scale 2 is 12.50.
func decimal(unscaled *big.Int, scale int) engine.Number {
	if scale == 0 {
		return engine.Number(unscaled.String())
	}
	digits := new(big.Int).Abs(unscaled).String()
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	sign := ""
	if unscaled.Sign() < 0 {
		sign = "-"
	}
	cut := len(digits) - scale
	return engine.Number(sign + digits[:cut] + "." + digits[cut:])
}

func uuid(b []byte) string {
	if len(b) != 16 {
		return fmt.Sprintf("%x", b)
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
