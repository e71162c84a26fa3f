package program

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/plan"
	"landfall/internal/schema"
)

// documents selects a JSON document of each row that a query of a step selects, without
// the columns in keys, and beside it the columns in by, as they are.
func documents(step *plan.Step, query string, by, keys []string) string {
	var fields []schema.Field
	for _, c := range step.Visible() {
		if !slices.Contains(keys, c.Name) {
			fields = append(fields, schema.Field{Name: c.Name, Type: c.Type})
		}
	}
	list := []string{objectText(fields, func(f schema.Field) string { return dialect.Name(f.Name) }, 0) + " AS _landfall_document"}
	return selection(append(list, by...)) + "\nFROM (\n" + indent(query) + "\n)"
}

// objectText is the text of a JSON object with every field.
func objectText(fields []schema.Field, value func(schema.Field) string, depth int) string {
	if len(fields) == 0 {
		return "'{}'"
	}
	parts := make([]string, len(fields))
	for i, f := range fields {
		quoted, _ := jsontext.AppendQuote(nil, f.Name) // names are UTF-8
		lead := ","
		if i == 0 {
			lead = "{"
		}
		parts[i] = dialect.Text(lead+string(quoted)+":") + " || coalesce(" + jsonText(value(f), f.Type, depth) + ", 'null')"
	}
	return "(" + strings.Join(parts, " || ") + " || '}')"
}

// jsonText is the JSON of a value, null for null: all digits of numbers, ISO 8601, bytes
// in base64, and NaN and the infinities as strings. Depth numbers the variables of
// nested ones.
func jsonText(x string, t schema.Type, depth int) string {
	v := fmt.Sprintf("e%d", depth)
	switch t := t.(type) {
	case schema.Array:
		return "('[' || array_to_string(list_transform(" + x + ", lambda " + v + ": coalesce(" + jsonText(v, t.Element, depth+1) + ", 'null')), ',') || ']')"
	case schema.Struct:
		object := objectText(t.Fields, func(f schema.Field) string { return "struct_extract(" + x + ", " + dialect.Quote(f.Name) + ")" }, depth)
		return "(CASE WHEN " + x + " IS NOT NULL THEN " + object + " END)"
	case schema.Map:
		key := "CAST(to_json(" + convertSQL(v+".key", t.Key, schema.String, depth+1) + ") AS VARCHAR)"
		return "('{' || array_to_string(list_transform(map_entries(" + x + "), lambda " + v + ": " + key +
			" || ':' || coalesce(" + jsonText(v+".value", t.Value, depth+1) + ", 'null')), ',') || '}')"
	case schema.Decimal:
		return "CAST(" + x + " AS VARCHAR)"
	}
	switch t {
	case schema.Boolean, schema.Byte, schema.Short, schema.Integer, schema.Long:
		return "CAST(" + x + " AS VARCHAR)"
	case schema.Float, schema.Double:
		return "(CASE WHEN isfinite(" + x + ") THEN CAST(to_json(" + x + ") AS VARCHAR) WHEN isnan(" + x + ") THEN '\"NaN\"' WHEN " +
			x + " > 0 THEN '\"Infinity\"' WHEN " + x + " < 0 THEN '\"-Infinity\"' END)"
	case schema.Binary:
		return "('\"' || to_base64(" + x + ") || '\"')"
	case schema.Date:
		return "('\"' || CAST(" + x + " AS VARCHAR) || '\"')"
	case schema.Timestamp:
		return "('\"' || replace(CAST(CAST(" + x + " AS TIMESTAMP) AS VARCHAR), ' ', 'T') || 'Z\"')"
	case schema.TimestampNTZ:
		return "('\"' || replace(CAST(" + x + " AS VARCHAR), ' ', 'T') || '\"')"
	}
	return "CAST(to_json(" + x + ") AS VARCHAR)"
}
