//go:build interop

package translate_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	duck "github.com/duckdb/duckdb-go/v2"

	"landfall/internal/schema"
)

// shown is a value as a text in which two engines can be compared: twelve digits of
// numbers with an exponent, entries of maps in order of their text.
func shown(v any, typ schema.Type) string {
	if v == nil {
		return "NULL"
	}
	switch t := typ.(type) {
	case schema.Array:
		return listShown(v, t)
	case schema.Struct:
		fields := v.(map[string]any)
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = shown(fields[f.Name], f.Type)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case schema.Map:
		return mapShown(v, t)
	case schema.Decimal:
		d := v.(duck.Decimal)
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale)), nil)
		return new(big.Rat).SetFrac(d.Value, scale).FloatString(int(d.Scale))
	}
	switch v := v.(type) {
	case float32:
		return floatShown(float64(v))
	case float64:
		return floatShown(v)
	case time.Time:
		if typ == schema.Date {
			return v.Format("2006-01-02")
		}
		return v.UTC().Format("2006-01-02 15:04:05.000000")
	case []byte:
		return "X" + hex.EncodeToString(v)
	}
	return fmt.Sprint(v)
}

func floatShown(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f+0, 'g', 12, 64)
}

func listShown(v any, t schema.Array) string {
	list := reflect.ValueOf(v)
	parts := make([]string, list.Len())
	for i := range parts {
		parts[i] = shown(list.Index(i).Interface(), t.Element)
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func mapShown(v any, t schema.Map) string {
	m := v.(duck.OrderedMap)
	keys, values := m.Keys(), m.Values()
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = shown(k, t.Key) + "=" + shown(values[i], t.Value)
	}
	slices.Sort(parts)
	return "(" + strings.Join(parts, ", ") + ")"
}
