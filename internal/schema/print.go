package schema

import (
	"strconv"
	"strings"
)

// DDL writes a schema as Spark's DDL, one column a line, as ParseColumns and
// Spark read it. Metadata stays behind, and so does that an element of an array
// or a value of a map is never null, which DDL cannot say.
func DDL(s Struct) string {
	lines := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		lines[i] = sqlName(f.Name) + " " + sqlOf(f.Type) + notNull(f)
	}
	return strings.Join(lines, ",\n")
}

// sqlOf is the spelling that Spark prints: upper case, fields after a colon.
func sqlOf(t Type) string {
	switch t := t.(type) {
	case Array:
		return "ARRAY<" + sqlOf(t.Element) + ">"
	case Map:
		return "MAP<" + sqlOf(t.Key) + ", " + sqlOf(t.Value) + ">"
	case Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = sqlName(f.Name) + ": " + sqlOf(f.Type) + notNull(f)
		}
		return "STRUCT<" + strings.Join(fields, ", ") + ">"
	default:
		return strings.ToUpper(t.String())
	}
}

func notNull(f Field) string {
	if f.Nullable {
		return ""
	}
	return " NOT NULL"
}

// sqlName quotes what Spark's parser, which knows bare names of ASCII alone, and
// none that could be a number, would not read.
func sqlName(name string) string {
	for i := range len(name) {
		letter := name[i] == '_' || 'a' <= name[i]|0x20 && name[i]|0x20 <= 'z'
		if !letter && (i == 0 || name[i] < '0' || name[i] > '9') {
			return backticked(name)
		}
	}
	if name == "" {
		return backticked(name)
	}
	return name
}

// Spark writes a schema as Python for pyspark.sql.types.
func Spark(s Struct) string { return sparkOf(s, "") }

// sparkOf writes a type on a line that is indented so far.
func sparkOf(t Type, indent string) string {
	switch t := t.(type) {
	case Decimal:
		return "DecimalType(" + strconv.Itoa(t.Precision) + ", " + strconv.Itoa(t.Scale) + ")"
	case Array:
		return "ArrayType(" + sparkOf(t.Element, indent) + ", " + pythonBool(t.ContainsNull) + ")"
	case Map:
		return "MapType(" + sparkOf(t.Key, indent) + ", " + sparkOf(t.Value, indent) + ", " +
			pythonBool(t.ValueContainsNull) + ")"
	case Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = "StructField(" + pythonString(f.Name) + ", " + sparkOf(f.Type, indent+pythonIndent) + ", " +
				pythonBool(f.Nullable) + ")"
		}
		return "StructType(" + pythonList(fields, indent) + ")"
	case Primitive:
		return sparkName(t) + "Type()"
	default:
		return "NullType()"
	}
}

func sparkName(t Primitive) string {
	switch t {
	case TimestampNTZ:
		return "TimestampNTZ"
	case Unknown, "":
		return "Null"
	default:
		return strings.ToUpper(string(t[:1])) + string(t[1:])
	}
}

// PyArrow writes a schema as Python for pyarrow, imported as pa.
func PyArrow(s Struct) string { return "pa.schema(" + pyArrowFields(s, "") + ")" }

func pyArrowFields(s Struct, indent string) string {
	fields := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		fields[i] = pyArrowField(f.Name, f.Type, f.Nullable, indent+pythonIndent)
	}
	return pythonList(fields, indent)
}

func pyArrowField(name string, t Type, nullable bool, indent string) string {
	field := "pa.field(" + pythonString(name) + ", " + pyArrowOf(t, indent)
	if !nullable {
		field += ", nullable=False"
	}
	return field + ")"
}

// pyArrowPart writes the element of a list or the value of a map, which needs a
// field only to say that it is never null.
func pyArrowPart(name string, t Type, nullable bool, indent string) string {
	if nullable {
		return pyArrowOf(t, indent)
	}
	return pyArrowField(name, t, false, indent)
}

// pyArrowOf writes a type on a line that is indented so far.
func pyArrowOf(t Type, indent string) string {
	switch t := t.(type) {
	case Decimal:
		return "pa.decimal128(" + strconv.Itoa(t.Precision) + ", " + strconv.Itoa(t.Scale) + ")"
	case Array:
		return "pa.list_(" + pyArrowPart("element", t.Element, t.ContainsNull, indent) + ")"
	case Map:
		return "pa.map_(" + pyArrowOf(t.Key, indent) + ", " + pyArrowPart("value", t.Value, t.ValueContainsNull, indent) + ")"
	case Struct:
		return "pa.struct(" + pyArrowFields(t, indent) + ")"
	case Primitive:
		return "pa." + pyArrowName(t)
	default:
		return "pa.null()"
	}
}

func pyArrowName(t Primitive) string {
	switch t {
	case Boolean:
		return "bool_()"
	case Byte:
		return "int8()"
	case Short:
		return "int16()"
	case Integer:
		return "int32()"
	case Long:
		return "int64()"
	case Float:
		return "float32()"
	case Double:
		return "float64()"
	case Date:
		return "date32()"
	case Timestamp:
		return `timestamp("us", tz="UTC")`
	case TimestampNTZ:
		return `timestamp("us")`
	case Unknown:
		return "null()"
	default:
		return string(t) + "()"
	}
}

const pythonIndent = "    "

// pythonList writes a list, one item a line.
func pythonList(items []string, indent string) string {
	if len(items) == 0 {
		return "[]"
	}
	return "[\n" + indent + pythonIndent + strings.Join(items, ",\n"+indent+pythonIndent) + ",\n" + indent + "]"
}

func pythonBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// pythonString quotes a name. Go's escapes of valid text are Python's too.
func pythonString(s string) string {
	return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD"))
}
