//go:build interop

package interop

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"time"

	"landfall/internal/parquetfile/parquetfiletest"
	"landfall/internal/schema"
	"landfall/internal/value"
)

// spell spells a value of a type as peers/canon.py does.
func spell(t schema.Type, v any) any {
	if v == nil {
		return nil
	}
	switch t := t.(type) {
	case schema.Struct:
		fields := make([]any, len(t.Fields))
		for i, f := range t.Fields {
			var member any
			if s := v.(parquetfiletest.Struct); i < len(s) {
				member = s[i]
			}
			fields[i] = []any{f.Name, spell(f.Type, member)}
		}
		return map[string]any{"struct": fields}
	case schema.Array:
		list := []any{}
		for _, e := range v.(parquetfiletest.List) {
			list = append(list, spell(t.Element, e))
		}
		return list
	case schema.Map:
		entries := []any{}
		for _, e := range v.(parquetfiletest.Map) {
			entries = append(entries, []any{spell(t.Key, e.Key), spell(t.Value, e.Value)})
		}
		return map[string]any{"map": entries}
	case schema.Decimal:
		return fixed(t.Scale, v)
	}
	return spellScalar(t, v)
}

func spellScalar(t schema.Type, v any) any {
	switch t {
	case schema.Float, schema.Double:
		return float(v.(float64))
	case schema.Binary:
		return "0x" + hex.EncodeToString([]byte(v.(string)))
	case schema.Date:
		return time.Unix(v.(int64)*86400, 0).UTC().Format("2006-01-02")
	case schema.Timestamp:
		return time.UnixMicro(v.(int64)).UTC().Format("2006-01-02T15:04:05.000000Z")
	case schema.TimestampNTZ:
		return time.UnixMicro(v.(int64)).UTC().Format("2006-01-02T15:04:05.000000")
	}
	return fmt.Sprint(v)
}

// fixed writes all digits of a decimal.
func fixed(scale int, v any) string {
	n := new(big.Int)
	switch v := v.(type) {
	case int64:
		n.SetInt64(v)
	case value.Int128:
		n.SetInt64(v.High)
		n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(v.Low))
	}
	sign, digits := "", n.String()
	if n.Sign() < 0 {
		sign, digits = "-", digits[1:]
	}
	if scale == 0 {
		return sign + digits
	}
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale-len(digits)+1) + digits
	}
	return sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}
