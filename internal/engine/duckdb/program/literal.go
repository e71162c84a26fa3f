package program

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// literal writes a constant.
func literal(e plan.Literal) (string, error) {
	typ := innerSQL(e.Of)
	switch v := e.Value.(type) {
	case nil:
		return "CAST(NULL AS " + typ + ")", nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return wholeSQL(v, e.Of), nil
	case float64:
		return floatSQL(v, e.Of), nil
	case string:
		if e.Of != schema.String {
			return "CAST('" + v + "' AS " + typ + ")", nil
		}
		return dialect.Text(v), nil
	case []byte:
		return blobSQL(v), nil
	case time.Time:
		return dialect.Moment(v.UTC(), e.Of), nil
	case []plan.Literal:
		items := make([]string, len(v))
		for i, item := range v {
			var err error
			if items[i], err = literal(item); err != nil {
				return "", err
			}
		}
		return "CAST([" + strings.Join(items, ", ") + "] AS " + typ + ")", nil
	}
	return "", fmt.Errorf("lower literal: found a %T", e.Value)
}

// wholeSQL writes an integer of a type; DuckDB takes small ones for INTEGER.
func wholeSQL(v int64, t schema.Type) string {
	text := strconv.FormatInt(v, 10)
	if t == schema.Integer && v > math.MinInt32 {
		if v < 0 {
			text = "(" + text + ")"
		}
		return text
	}
	return "CAST(" + text + " AS " + innerSQL(t) + ")"
}

func floatSQL(v float64, t schema.Type) string {
	text := strconv.FormatFloat(v, 'e', -1, 64)
	switch {
	case math.IsNaN(v):
		text = "'NaN'"
	case math.IsInf(v, 1):
		text = "'Infinity'"
	case math.IsInf(v, -1):
		text = "'-Infinity'"
	}
	return "CAST(" + text + " AS " + innerSQL(t) + ")"
}

func blobSQL(v []byte) string {
	var b strings.Builder
	for _, c := range v {
		fmt.Fprintf(&b, `\x%02X`, c)
	}
	return "CAST('" + b.String() + "' AS BLOB)"
}
