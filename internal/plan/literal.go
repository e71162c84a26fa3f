package plan

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"landfall/internal/schema"
)

// checkLiteral says what about a literal's value does not fit its type.
func checkLiteral(e Literal) error {
	ok := false
	switch v := e.Value.(type) {
	case nil:
		ok = e.Of != nil
	case bool:
		ok = e.Of == schema.Boolean
	case int64:
		ok = Integral(e.Of) && holds(e.Of, v)
	case float64:
		ok = e.Of == schema.Double || e.Of == schema.Float
	case []byte:
		ok = e.Of == schema.Binary
	case time.Time:
		ok = e.Of == schema.Date || e.Of == schema.Timestamp || e.Of == schema.TimestampNTZ
	case string:
		d, decimal := e.Of.(schema.Decimal)
		ok = e.Of == schema.String || decimal && fits(v, d)
	case []Literal:
		return checkItems(v, e.Of)
	}
	if !ok {
		return fmt.Errorf("literal: found %T %v, want a value of %s", e.Value, e.Value, e.Of)
	}
	return nil
}

func checkItems(items []Literal, t schema.Type) error {
	array, ok := t.(schema.Array)
	if !ok {
		return fmt.Errorf("literal: found an array, want a value of %s", t)
	}
	for _, item := range items {
		if !Same(item.Of, array.Element) {
			return fmt.Errorf("literal: found an item of %s, want %s", item.Of, array.Element)
		}
		if err := checkLiteral(item); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether an integer is one of a type.
func holds(t schema.Type, v int64) bool {
	bits := map[schema.Type]int{schema.Byte: 8, schema.Short: 16, schema.Integer: 32, schema.Long: 64}[t]
	return bits > 0 && v>>(bits-1) == v>>63
}

// fits reports whether a text is the digits of a decimal.
func fits(text string, d schema.Decimal) bool {
	m := regexp.MustCompile(`^-?([0-9]+)(?:\.([0-9]+))?$`).FindStringSubmatch(text)
	if m == nil {
		return false
	}
	front := strings.TrimLeft(m[1], "0")
	return len(m[2]) <= d.Scale && len(front) <= d.Precision-d.Scale
}

// String is how the printed plan shows the constant.
func (e Literal) String() string {
	switch v := e.Value.(type) {
	case nil:
		return "null"
	case time.Time:
		if e.Of == schema.Date {
			return v.Format("2006-01-02")
		}
		return v.Format("2006-01-02T15:04:05.999999")
	case string:
		if e.Of == schema.String {
			return "'" + strings.ReplaceAll(v, "'", `\'`) + "'"
		}
		return v
	case []Literal:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = item.String()
		}
		return "[" + strings.Join(items, ", ") + "]"
	case []byte:
		return fmt.Sprintf("x'%x'", v)
	}
	return fmt.Sprint(e.Value)
}
