package function

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"landfall/internal/schema"
	"landfall/internal/sparksql/function/typed"
)

// jsonRule is a rule for JSON.
func jsonRule(rule, _ string) func(w *writing) (string, error) {
	switch rule {
	case "get_json_object":
		return (*writing).jsonObject
	case "json_tuple":
		return (*writing).jsonTuple
	case "from_json":
		return (*writing).fromJSON
	case "to_json":
		return func(w *writing) (string, error) {
			return typed.Once(w.args[:1], func(n []string) string { return jsonText(n[0], w.types[0], 0) }), nil
		}
	case "schema_of_json":
		return (*writing).schemaOfJSON
	}
	return nil
}

// plainPath is a path that DuckDB reads the same once its names stand in quotes.
var (
	plainPath = regexp.MustCompile(`^\$(?:\.[A-Za-z_][A-Za-z0-9_]*|\['[^'"\\*]+'\]|\[[0-9]{1,6}\])+$`)
	pathStep  = regexp.MustCompile(`\.([A-Za-z_][A-Za-z0-9_]*)|\['([^']+)'\]`)
)

// jsonObject finds a value by a path: DuckDB finds texts, whole numbers and
// truths, and Go the rest, which Spark writes in a form of its own.
func (w *writing) jsonObject() (string, error) {
	a := w.call.Args[1]
	if a.Literal == nil || !plainPath.MatchString(*a.Literal) {
		return "spark_json_object(" + w.args[0] + ", " + w.args[1] + ")", nil
	}
	return jsonAt(w.args[0], *a.Literal), nil
}

func jsonAt(text, path string) string {
	ours := typed.Quote(pathStep.ReplaceAllString(path, `."$1$2"`))
	return typed.Once([]string{text}, func(n []string) string {
		return "CASE WHEN json_valid(" + n[0] + ") THEN CASE coalesce(json_type(" + n[0] + ", " + ours + "), 'NULL') WHEN 'NULL' THEN NULL" +
			" WHEN 'VARCHAR' THEN json_extract_string(" + n[0] + ", " + ours + ")" +
			" WHEN 'BIGINT' THEN json_extract_string(" + n[0] + ", " + ours + ")" +
			" WHEN 'UBIGINT' THEN json_extract_string(" + n[0] + ", " + ours + ")" +
			" WHEN 'BOOLEAN' THEN json_extract_string(" + n[0] + ", " + ours + ")" +
			" ELSE spark_json_object(" + n[0] + ", " + typed.Quote(path) + ") END" +
			" ELSE spark_json_object(" + n[0] + ", " + typed.Quote(path) + ") END"
	})
}

// jsonTuple is one row of the values of keys.
func (w *writing) jsonTuple() (string, error) {
	fields := make([]schema.Field, len(w.args)-1)
	cells := make([]string, len(fields))
	for i := range fields {
		key, err := w.literal(i+1, "the name of a key")
		if err != nil {
			return "", err
		}
		if strings.ContainsAny(key, "'*") {
			return "", &typed.Misuse{Function: w.name, Argument: i + 1, Found: key, Want: "a name without ' and *"}
		}
		fields[i] = typed.Field("c"+strconv.Itoa(i), schema.String)
		cells[i] = typed.Quote(fields[i].Name) + ": " + jsonAt(w.args[0], "$['"+key+"']")
	}
	w.typ = typed.ArrayOf(typed.StructOf(fields...))
	return "[{" + strings.Join(cells, ", ") + "}]", nil
}

// constantText is the value of a text that is known before a row is seen.
func (w *writing) constantText(i int, want string) (string, error) {
	if sql := w.args[i]; w.call.Args[i].Literal == nil && len(sql) > 1 && sql[0] == '\'' && !strings.Contains(strings.ReplaceAll(sql[1:len(sql)-1], "''", ""), "'") {
		return strings.ReplaceAll(sql[1:len(sql)-1], "''", "'"), nil
	}
	return w.literal(i, want)
}

// fromJSON reads a text as a type.
func (w *writing) fromJSON() (string, error) {
	text, err := w.constantText(1, "a schema such as 'a INT, b ARRAY<STRING>'")
	if err != nil {
		return "", err
	}
	t, err := schema.ParseDDL(text)
	if err != nil {
		if t, err = schema.ParseDDL("struct<" + text + ">"); err != nil {
			return "", &typed.Misuse{Function: w.name, Argument: 1, Found: err.Error(), Want: "a schema such as 'a INT, b ARRAY<STRING>'"}
		}
	}
	if schema.Scalar(t) || !readable(t) {
		return "", &typed.Misuse{Function: w.name, Argument: 1, Found: t.String(), Want: "a struct, an array or a map with texts for keys, of texts, numbers and times"}
	}
	w.typ = nullable(t)
	return "CAST(CAST(spark_json_of(" + w.args[0] + ", " + typed.Quote(w.typ.String()) + ") AS JSON) AS " + typed.TypeSQL(w.typ) + ")", nil
}

// readable reports whether from_json reads values of a type.
func readable(t schema.Type) bool {
	switch t := t.(type) {
	case schema.Array:
		return readable(t.Element)
	case schema.Map:
		return t.Key == schema.String && readable(t.Value)
	case schema.Struct:
		return !slices.ContainsFunc(t.Fields, func(f schema.Field) bool { return !readable(f.Type) })
	}
	return t != schema.Binary && t != typed.Void
}

// nullable is a type in which everything may be null.
func nullable(t schema.Type) schema.Type {
	switch t := t.(type) {
	case schema.Array:
		return typed.ArrayOf(nullable(t.Element))
	case schema.Map:
		return typed.MapOf(t.Key, nullable(t.Value))
	case schema.Struct:
		fields := make([]schema.Field, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = typed.Field(f.Name, nullable(f.Type))
		}
		return typed.StructOf(fields...)
	}
	return t
}

// jsonText writes a value as JSON. Fields of structs that are null are left out.
func jsonText(x string, t schema.Type, depth int) string {
	v := "_j" + strconv.Itoa(depth)
	inside := func(value string, t schema.Type) string {
		return "coalesce(" + jsonText(value, t, depth+1) + ", 'null')"
	}
	switch t := t.(type) {
	case schema.Array:
		return "'[' || array_to_string(list_transform(" + x + ", lambda " + v + ": " + inside(v, t.Element) + "), ',') || ']'"
	case schema.Map:
		key, err := typed.Cast(typed.Argument{SQL: v + ".key", Type: t.Key}, schema.String, false)
		if err != nil {
			key = typed.CastTo(v+".key", schema.String)
		}
		return "'{' || array_to_string(list_transform(map_entries(" + x + "), lambda " + v + ": CAST(to_json(" + key + ") AS VARCHAR) || ':' || " + inside(v+".value", t.Value) + "), ',') || '}'"
	case schema.Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			key := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(f.Name)
			fields[i] = typed.Quote(`"`+key+`":`) + " || " + jsonText(typed.Member(x, f.Name), f.Type, depth+1)
		}
		return "CASE WHEN " + x + " IS NOT NULL THEN '{' || array_to_string([" + strings.Join(fields, ", ") + "], ',') || '}' END"
	}
	return scalarJSON(x, t)
}

func scalarJSON(x string, t schema.Type) string {
	switch t {
	case schema.String:
		return "CAST(to_json(" + x + ") AS VARCHAR)"
	case schema.Float:
		return "CASE WHEN isfinite(" + x + ") THEN adf_float_text(CAST(" + x + " AS DOUBLE)) ELSE '\"' || adf_float_text(CAST(" + x + " AS DOUBLE)) || '\"' END"
	case schema.Double:
		return "CASE WHEN isfinite(" + x + ") THEN spark_double_text(" + x + ") ELSE '\"' || adf_double_text(" + x + ") || '\"' END"
	case schema.Date:
		return "'\"' || CAST(" + x + " AS VARCHAR) || '\"'"
	case schema.Timestamp:
		return "strftime(spark_wall(" + x + "), '\"%Y-%m-%dT%H:%M:%S.%gZ\"')"
	case schema.TimestampNTZ:
		return "strftime(" + x + ", '\"%Y-%m-%dT%H:%M:%S.%g\"')"
	case schema.Binary:
		return "'\"' || to_base64(" + x + ") || '\"'"
	}
	return typed.Caster{}.Text(x, t)
}

// schemaOfJSON is the schema of a literal, as DDL.
func (w *writing) schemaOfJSON() (string, error) {
	text, err := w.literal(0, "a JSON text")
	if err != nil {
		return "", err
	}
	ddl, err := typed.SchemaOfJSON(text)
	if err != nil {
		return "", &typed.Misuse{Function: w.name, Argument: 0, Found: "a text that is no JSON", Want: "a JSON text"}
	}
	return typed.Quote(ddl), nil
}
