package kernel

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"landfall/internal/schema"
)

// jsonOf reads a JSON text as a type of Spark's DDL: the result is JSON that has
// a text, or null, for each scalar, in a form that DuckDB casts to its type.
// What does not fit is null: of a struct the field, of an array or a map all of
// it.
func jsonOf(text, ddl string) (any, error) {
	t, err := schema.ParseDDL(ddl)
	if err != nil {
		return nil, fmt.Errorf("from_json: %w", err)
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var out strings.Builder
	n := readJSON(text)
	_, isStruct := t.(schema.Struct)
	if n != nil && n.kind == 'n' && !isStruct {
		return nil, nil
	}
	if isStruct && (n == nil || n.kind != '{') {
		n = &node{kind: '{'}
	}
	if array, ok := t.(schema.Array); ok && n != nil && n.kind == '{' {
		if _, ok := array.Element.(schema.Struct); ok {
			n = &node{kind: '[', kids: []*node{n}}
		}
	}
	if n == nil || !n.fit(&out, t) {
		return nil, nil
	}
	return out.String(), nil
}

// fit writes a value as one of a type; false if it is none.
func (n *node) fit(out *strings.Builder, t schema.Type) bool {
	if n.kind == 'n' {
		out.WriteString("null")
		return true
	}
	switch t := t.(type) {
	case schema.Struct:
		return n.kind == '{' && n.fitFields(out, t)
	case schema.Array:
		return n.kind == '[' && n.fitParts(out, t.Element, false)
	case schema.Map:
		return n.kind == '{' && t.Key == schema.String && n.fitParts(out, t.Value, true)
	}
	text, ok := n.scalar(t)
	if ok {
		quoteJSON(out, text)
	}
	return ok
}

func (n *node) fitFields(out *strings.Builder, t schema.Struct) bool {
	out.WriteByte('{')
	for i, f := range t.Fields {
		if i > 0 {
			out.WriteByte(',')
		}
		quoteJSON(out, f.Name)
		out.WriteByte(':')
		text := "null"
		for k, key := range n.keys {
			if key != f.Name {
				continue
			}
			var one strings.Builder
			if text = "null"; n.kids[k].fit(&one, f.Type) {
				text = one.String()
			}
		}
		out.WriteString(text)
	}
	out.WriteByte('}')
	return true
}

func (n *node) fitParts(out *strings.Builder, t schema.Type, keys bool) bool {
	out.WriteByte(n.kind)
	for i, kid := range n.kids {
		if i > 0 {
			out.WriteByte(',')
		}
		if keys {
			quoteJSON(out, n.keys[i])
			out.WriteByte(':')
		}
		if !kid.fit(out, t) {
			return false
		}
	}
	out.WriteByte(n.kind + 2)
	return true
}

// scalar is the text of a value that DuckDB casts to a type.
func (n *node) scalar(t schema.Type) (string, bool) {
	whole := n.kind == '1' && !strings.ContainsAny(n.raw, ".eE")
	switch t {
	case schema.String:
		if n.kind == '"' {
			return n.text, true
		}
		var out strings.Builder
		n.write(&out)
		return out.String(), true
	case schema.Boolean:
		return n.raw, n.kind == 't' || n.kind == 'f'
	case schema.Byte, schema.Short, schema.Integer, schema.Long:
		bits := map[schema.Type]int{schema.Byte: 8, schema.Short: 16, schema.Integer: 32, schema.Long: 64}[t]
		_, err := strconv.ParseInt(n.raw, 10, bits)
		return n.raw, whole && err == nil
	case schema.Float, schema.Double:
		return n.float()
	case schema.Date:
		return n.text, n.kind == '"' && datedText(n.text)
	case schema.Timestamp, schema.TimestampNTZ:
		return n.time(whole && t == schema.Timestamp)
	}
	if d, ok := t.(schema.Decimal); ok {
		return n.decimal(d)
	}
	return "", false
}

func (n *node) float() (string, bool) {
	if n.kind != '"' {
		return n.raw, n.kind == '1'
	}
	switch n.text {
	case "NaN":
		return "nan", true
	case "+INF", "+Infinity", "Infinity", "INF":
		return "inf", true
	case "-INF", "-Infinity":
		return "-inf", true
	}
	return "", false
}

func (n *node) decimal(d schema.Decimal) (string, bool) {
	text := n.raw
	if n.kind == '"' {
		text = n.text
	} else if n.kind != '1' {
		return "", false
	}
	if strings.ContainsAny(text, "/_pPxX ") || len(text) > 400 {
		return "", false
	}
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		return "", false
	}
	out, err := digits(x, d.Precision, d.Scale)
	s, _ := out.(string)
	return s, err == nil
}

// datedText reports whether a text is a date to Spark.
func datedText(text string) bool {
	v, err := parseTime(strings.TrimSpace(text), "yyyy[-M[-d]]")
	if cut := strings.IndexAny(strings.TrimSpace(text), "T "); cut > 0 {
		v, err = parseTime(strings.TrimSpace(text)[:cut], "yyyy-M-d")
	}
	return v != nil && err == nil
}

// time is a text of a time, or the seconds since 1970.
func (n *node) time(seconds bool) (string, bool) {
	if seconds {
		micros, err := strconv.ParseInt(n.raw, 10, 64)
		if err != nil || micros > 1<<40 || micros < -1<<40 {
			return "", false
		}
		text, err := formatTime(micros*1e6, "yyyy-MM-dd HH:mm:ssXXX")
		s, _ := text.(string)
		return s, err == nil
	}
	if n.kind != '"' {
		return "", false
	}
	text := strings.TrimSpace(n.text)
	for _, pattern := range []string{"yyyy[-M[-d]]", "yyyy-M-d H[:m[:s[.S]]][XXX][ z]", "yyyy-M-d'T'H[:m[:s[.S]]][XXX][ z]", "yyyy-M-d H:m:s[.S]x", "yyyy-M-d'T'H:m:s[.S]x"} {
		if v, err := parseTime(text, pattern); err == nil && v != nil {
			micros, _ := v.(int64)
			out, err := formatTime(micros, "yyyy-MM-dd HH:mm:ss.SSSSSSXXX")
			s, _ := out.(string)
			return s, err == nil
		}
	}
	return "", false
}
