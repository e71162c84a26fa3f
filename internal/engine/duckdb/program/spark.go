package program

import (
	"fmt"
	"strconv"
	"strings"

	"landfall/internal/engine/duckdb/dialect"
	"landfall/internal/plan"
	"landfall/internal/plan/function"
	"landfall/internal/schema"
)

// innerSQL spells a type as programs have it inside: a timestamp is the wall
// clock of UTC.
func innerSQL(t schema.Type) string { return spelt(t, "TIMESTAMP") }

// outerSQL spells a type as results and files have it.
func outerSQL(t schema.Type) string { return spelt(t, "TIMESTAMP WITH TIME ZONE") }

// spelt is a type with a spelling of instants. Types are those of a checked
// plan; a struct without fields has one nobody sees.
func spelt(t schema.Type, instant string) string {
	switch t := t.(type) {
	case schema.Decimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", t.Precision, t.Scale)
	case schema.Array:
		return spelt(t.Element, instant) + "[]"
	case schema.Map:
		return "MAP(" + spelt(t.Key, instant) + ", " + spelt(t.Value, instant) + ")"
	case schema.Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = dialect.Name(f.Name) + " " + spelt(f.Type, instant)
		}
		if len(fields) == 0 {
			fields = []string{`"_" BOOLEAN`}
		}
		return "STRUCT(" + strings.Join(fields, ", ") + ")"
	case schema.Primitive:
		if t == schema.Timestamp {
			return instant
		}
		return schema.DuckDB(t)
	}
	return "VARCHAR"
}

// wall makes the wall clock of UTC of what files and tables have.
func wall(x string, t schema.Type) string {
	if t == schema.Timestamp {
		return "landfall_wall(" + x + ")"
	}
	return "CAST(" + x + " AS " + innerSQL(t) + ")"
}

// instant makes instants of wall clocks.
func instant(x string, t schema.Type) string {
	if t == schema.Timestamp {
		return "landfall_instant(" + x + ")"
	}
	return "CAST(" + x + " AS " + outerSQL(t) + ")"
}

// zoned reports whether a type is or has an instant.
func zoned(t schema.Type) bool {
	switch t := t.(type) {
	case schema.Array:
		return zoned(t.Element)
	case schema.Map:
		return zoned(t.Key) || zoned(t.Value)
	case schema.Struct:
		for _, f := range t.Fields {
			if zoned(f.Type) {
				return true
			}
		}
	}
	return t == schema.Timestamp
}

// convertSQL writes Spark's lenient cast: what is no value of the type becomes
// null. Depth numbers the variables of nested ones.
func convertSQL(x string, from, to schema.Type, depth int) string {
	if plan.Same(from, to) {
		return x
	}
	if plan.Numeric(to) && plan.Numeric(from) && schema.Widens(from, to) {
		return "CAST(" + x + " AS " + innerSQL(to) + ")"
	}
	if from == schema.Unknown {
		return "CAST(NULL AS " + innerSQL(to) + ")"
	}
	switch to := to.(type) {
	case schema.Array:
		if from, ok := from.(schema.Array); ok {
			v := fmt.Sprintf("e%d", depth)
			return "list_transform(" + x + ", lambda " + v + ": " + convertSQL(v, from.Element, to.Element, depth+1) + ")"
		}
	case schema.Struct:
		if from, ok := from.(schema.Struct); ok {
			return structFrom(x, from, to, depth)
		}
	case schema.Map:
		if from, ok := from.(schema.Map); ok {
			v := fmt.Sprintf("e%d", depth)
			return "map_from_entries(list_transform(map_entries(" + x + "), lambda " + v + ": {'k': " +
				convertSQL(v+".key", from.Key, to.Key, depth+1) + ", 'v': " + convertSQL(v+".value", from.Value, to.Value, depth+1) + "}))"
		}
	case schema.Decimal:
		return toDecimal(x, from, to)
	case schema.Primitive:
		return toPrimitive(x, from, to, depth)
	}
	return "CAST(NULL AS " + innerSQL(to) + ")"
}

func structFrom(x string, from, to schema.Struct, depth int) string {
	fields := make([]string, len(to.Fields))
	for i, f := range to.Fields {
		value := "CAST(NULL AS " + innerSQL(f.Type) + ")"
		if at := from.Lookup(f.Name); at >= 0 {
			value = convertSQL("struct_extract("+x+", "+dialect.Quote(from.Fields[at].Name)+")", from.Fields[at].Type, f.Type, depth)
		}
		fields[i] = dialect.Quote(f.Name) + ": " + value
	}
	return "(CASE WHEN " + x + " IS NOT NULL THEN {" + strings.Join(fields, ", ") + "} END)"
}

// Macros are the statements that define what programs call: those of the table of
// functions, and what conversions of text share: DuckDB takes more texts for values than
// Spark does.
func Macros() []string {
	const (
		number   = `'[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?'`
		infinity = `'nan|[+-]?inf(inity)?'`
		day      = `'([+-]?[0-9]{4,6})(-([0-9]{1,2})(-([0-9]{1,2}))?)?'`
		zone     = `( ?(Z|UTC|[+-][0-9]{1,2}(:?[0-9]{2})?|[A-Za-z]+/[A-Za-z_/]+))?`
		clock    = `'[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}[ T]([01]?[0-9]|2[0-3]):[0-9]{1,2}(:[0-9]{1,2}(\.[0-9]*)?)?` + zone + `'`
	)
	return append(function.Macros(function.DuckDB),
		// DuckDB casts by way of the calendar of a zone, which takes thirty times as long.
		"CREATE MACRO landfall_wall(t) AS CASE WHEN isfinite(t) THEN make_timestamp(epoch_us(t)) ELSE CAST(t AS TIMESTAMP) END",
		"CREATE MACRO landfall_instant(t) AS CASE WHEN isfinite(t) THEN make_timestamptz(epoch_us(t)) ELSE CAST(t AS TIMESTAMP WITH TIME ZONE) END",
		// Most texts need no trimming, which takes longer than all the rest.
		"CREATE MACRO landfall_number(s) AS CASE WHEN regexp_full_match(s, "+number+") THEN s"+
			" WHEN regexp_full_match(adf_trim(s), "+number+") THEN adf_trim(s) END",
		// Java's suffixes of doubles and floats count for nothing.
		"CREATE MACRO landfall_float(s) AS CASE WHEN regexp_full_match(lower(adf_trim(s)), "+infinity+") THEN ltrim(adf_trim(s), '+')"+
			" ELSE landfall_number(regexp_replace(adf_trim(s), '[dDfF]$', '')) END",
		"CREATE MACRO landfall_part(s, n) AS CAST(coalesce(nullif(regexp_extract(s, "+day+", n), ''), '1') AS BIGINT)",
		"CREATE MACRO landfall_day(s) AS CASE WHEN regexp_full_match(s, "+day+") THEN TRY(make_date("+
			"landfall_part(s, 1), landfall_part(s, 3), landfall_part(s, 5))) END",
		// What follows a whole date, Spark does not read.
		"CREATE MACRO landfall_date(s) AS landfall_day(regexp_replace(adf_trim(s), '(?s)^(.*-[0-9]+-[0-9]+)[ T].*$', '\\1'))",
		"CREATE MACRO landfall_timestamp(s) AS CASE WHEN regexp_full_match(adf_trim(s), "+clock+")"+
			" THEN CAST(TRY_CAST(adf_trim(s) AS TIMESTAMP WITH TIME ZONE) AS TIMESTAMP) ELSE CAST(landfall_day(adf_trim(s)) AS TIMESTAMP) END",
		"CREATE MACRO landfall_seconds(t) AS (epoch_us(t) - (epoch_us(t) % 1000000 + 1000000) % 1000000) // 1000000")
}

// short is the most text that is worth writing several times.
const short = 200

func toDecimal(x string, from schema.Type, to schema.Decimal) string {
	typ := innerSQL(to)
	switch from {
	case schema.String:
		return "TRY_CAST(landfall_number(" + x + ") AS " + typ + ")"
	case schema.Float, schema.Double:
		// By way of text: of a double's digits those count that it is written
		// with, not those of its nearest binary fraction. Few are so close to
		// the middle of two decimals that they differ.
		text := "TRY_CAST(CAST(" + x + " AS VARCHAR) AS " + typ + ")"
		if from == schema.Float || len(x) > short {
			return text
		}
		return "(CASE WHEN adf_clear(" + x + ", " + strconv.Itoa(to.Scale) + ") THEN TRY_CAST(" + x + " AS " + typ + ") ELSE " + text + " END)"
	case schema.Boolean:
		return "TRY_CAST(CAST(" + x + " AS INTEGER) AS " + typ + ")"
	case schema.Timestamp, schema.TimestampNTZ:
		return "TRY_CAST(CAST(epoch_us(" + x + ") AS DECIMAL(38,0)) / 1000000 AS " + typ + ")"
	case schema.Date, schema.Binary:
		return "CAST(NULL AS " + typ + ")"
	}
	return "TRY_CAST(" + x + " AS " + typ + ")"
}

func toPrimitive(x string, from schema.Type, to schema.Primitive, depth int) string {
	switch to {
	case schema.String:
		return toText(x, from, depth)
	case schema.Boolean:
		return toBoolean(x, from)
	case schema.Byte, schema.Short, schema.Integer, schema.Long:
		return toWhole(x, from, innerSQL(to))
	case schema.Float, schema.Double:
		return toFloat(x, from, innerSQL(to))
	case schema.Date:
		return toDate(x, from)
	case schema.Timestamp, schema.TimestampNTZ:
		return toTimestamp(x, from)
	case schema.Binary:
		if from == schema.String {
			return "encode(" + x + ")"
		}
	}
	return "CAST(NULL AS " + innerSQL(to) + ")"
}

// toText writes values as Spark does; in arrays and such it says null.
func toText(x string, from schema.Type, depth int) string {
	v := fmt.Sprintf("e%d", depth)
	inside := func(value string, t schema.Type) string {
		return "coalesce(" + convertSQL(value, t, schema.String, depth+1) + ", 'null')"
	}
	switch t := from.(type) {
	case schema.Array:
		return "('[' || array_to_string(list_transform(" + x + ", lambda " + v + ": " + inside(v, t.Element) + "), ', ') || ']')"
	case schema.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = inside("struct_extract("+x+", "+dialect.Quote(f.Name)+")", f.Type)
		}
		return "(CASE WHEN " + x + " IS NOT NULL THEN '{' || " + strings.Join(parts, " || ', ' || ") + " || '}' END)"
	case schema.Map:
		return "('{' || array_to_string(list_transform(map_entries(" + x + "), lambda " + v + ": " +
			inside(v+".key", t.Key) + " || ' -> ' || " + inside(v+".value", t.Value) + "), ', ') || '}')"
	}
	switch from {
	case schema.Double:
		return javaText + "(" + x + ")"
	case schema.Float:
		return javaFloat + "(CAST(" + x + " AS DOUBLE))"
	case schema.Binary:
		return "TRY(decode(" + x + "))"
	}
	return "CAST(" + x + " AS VARCHAR)"
}

func toBoolean(x string, from schema.Type) string {
	switch from {
	case schema.String:
		return "adf_to_boolean(" + x + ")"
	case schema.Date, schema.Binary:
		return "CAST(NULL AS BOOLEAN)"
	case schema.Timestamp, schema.TimestampNTZ:
		return "(epoch_us(" + x + ") <> 0)"
	}
	return "(" + x + " <> 0)"
}

func toWhole(x string, from schema.Type, typ string) string {
	if _, ok := from.(schema.Decimal); ok {
		return "TRY_CAST(trunc(" + x + ") AS " + typ + ")"
	}
	switch from {
	case schema.String:
		return "TRY_CAST(adf_whole(" + x + ") AS " + typ + ")"
	case schema.Float, schema.Double:
		return "TRY_CAST(trunc(" + x + ") AS " + typ + ")"
	case schema.Date, schema.Binary:
		return "CAST(NULL AS " + typ + ")"
	case schema.Timestamp, schema.TimestampNTZ:
		return "TRY_CAST(landfall_seconds(" + x + ") AS " + typ + ")"
	}
	return "TRY_CAST(" + x + " AS " + typ + ")"
}

func toFloat(x string, from schema.Type, typ string) string {
	switch from {
	case schema.String:
		return "TRY_CAST(landfall_float(" + x + ") AS " + typ + ")"
	case schema.Date, schema.Binary:
		return "CAST(NULL AS " + typ + ")"
	case schema.Timestamp, schema.TimestampNTZ:
		return "CAST(epoch_us(" + x + ") / 1000000 AS " + typ + ")"
	}
	return "TRY_CAST(" + x + " AS " + typ + ")"
}

func toDate(x string, from schema.Type) string {
	switch from {
	case schema.String:
		return "landfall_date(" + x + ")"
	case schema.Timestamp, schema.TimestampNTZ:
		return "CAST(" + x + " AS DATE)"
	}
	return "CAST(NULL AS DATE)"
}

func toTimestamp(x string, from schema.Type) string {
	if _, ok := from.(schema.Decimal); ok {
		return "TRY(make_timestamp(CAST(trunc(" + x + " * 1000000) AS BIGINT)))"
	}
	switch from {
	case schema.String:
		return "landfall_timestamp(" + x + ")"
	case schema.Date, schema.Timestamp, schema.TimestampNTZ:
		return "CAST(" + x + " AS TIMESTAMP)"
	case schema.Byte, schema.Short, schema.Integer, schema.Long:
		return "TRY(make_timestamp(CAST(" + x + " AS BIGINT) * 1000000))"
	case schema.Float, schema.Double:
		return "TRY(make_timestamp(CAST(trunc(" + x + " * 1000000) AS BIGINT)))"
	}
	return "CAST(NULL AS TIMESTAMP)"
}
