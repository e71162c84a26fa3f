package typed

import (
	"strings"

	"landfall/internal/schema"
)

// Cast writes Spark's cast of ANSI mode as text of DuckDB, or its try_cast,
// which gives null where the cast fails. The error is a *Misuse: no value of
// the one type becomes one of the other.
func Cast(a Argument, to schema.Type, try bool) (string, error) {
	if Same(a.Type, to) {
		return Exactly(a), nil
	}
	if !castable(a.Type, to) {
		return "", &Misuse{
			Function: "cast", Argument: 0, Found: a.Type.String(), Want: "a type whose values become " + to.String(),
			Hint: "cast to string first, or compute the value from parts",
		}
	}
	c := Caster{try: try}
	return Once([]string{a.SQL}, func(names []string) string { return c.sql(names[0], a.Type, to) }), nil
}

// Exactly is the text of an argument with the type that is said: DuckDB gives
// a literal one that fits what stands around it.
func Exactly(a Argument) string {
	if a.Literal != nil && a.Type != schema.String && !strings.HasPrefix(a.SQL, "CAST(") {
		return CastTo(a.SQL, a.Type)
	}
	return a.SQL
}

// castable reports whether Spark casts values of a type to another, in ANSI mode.
func castable(from, to schema.Type) bool {
	if from == Void || Same(from, to) {
		return true
	}
	switch from := from.(type) {
	case schema.Array:
		if to, ok := to.(schema.Array); ok {
			return castable(from.Element, to.Element)
		}
		return to == schema.String
	case schema.Map:
		if to, ok := to.(schema.Map); ok {
			return castable(from.Key, to.Key) && castable(from.Value, to.Value)
		}
		return to == schema.String
	case schema.Struct:
		if to, ok := to.(schema.Struct); ok {
			return castableFields(from, to)
		}
		return to == schema.String
	}
	if IsInterval(from) && IsInterval(to) {
		_, ok := CommonInterval(from, to)
		return ok
	}
	if !Atomic(from) || !Atomic(to) {
		return false
	}
	return castableScalars(from, to)
}

func castableFields(from, to schema.Struct) bool {
	if len(from.Fields) != len(to.Fields) {
		return false
	}
	for i, f := range from.Fields {
		if !castable(f.Type, to.Fields[i].Type) {
			return false
		}
	}
	return true
}

func castableScalars(from, to schema.Type) bool {
	switch {
	case from == schema.String || to == schema.String:
		return true
	case Numeric(from):
		return Numeric(to) || to == schema.Boolean || to == schema.Timestamp
	case from == schema.Boolean:
		return Numeric(to)
	case from == schema.Date:
		return IsTime(to)
	case from == schema.Timestamp:
		return IsMoment(to) || Numeric(to)
	case from == schema.TimestampNTZ:
		return IsMoment(to)
	}
	return false
}

// Caster writes casts of texts that may stand several times.
type Caster struct {
	try bool
	// depth numbers the variables of nested lambdas.
	depth int
}

// macro is a call of one of the macros that there are for casts and for
// try_casts.
func (c Caster) macro(name, x string) string {
	if c.try {
		return "spark_try_" + name + "(" + x + ")"
	}
	return "spark_" + name + "(" + x + ")"
}

// cast is DuckDB's cast.
func (c Caster) cast(x string, to schema.Type) string {
	if c.try {
		return "TRY_" + CastTo(x, to)
	}
	return CastTo(x, to)
}

func (c Caster) sql(x string, from, to schema.Type) string {
	switch {
	case Same(from, to), IsInterval(from):
		return x
	case from == Void:
		return CastTo("NULL", to)
	case to == schema.String:
		return c.Text(x, from)
	}
	switch to := to.(type) {
	case schema.Array:
		v, inner := c.variable()
		return "list_transform(" + x + ", lambda " + v + ": " + inner.sql(v, from.(schema.Array).Element, to.Element) + ")"
	case schema.Map:
		v, inner := c.variable()
		from := from.(schema.Map)
		return "map_from_entries(list_transform(map_entries(" + x + "), lambda " + v + ": {'k': " +
			inner.sql(v+".key", from.Key, to.Key) + ", 'v': " + inner.sql(v+".value", from.Value, to.Value) + "}))"
	case schema.Struct:
		return c.fields(x, from.(schema.Struct), to)
	case schema.Decimal:
		return c.decimal(x, from, to)
	}
	return c.scalar(x, from, to)
}

func (c Caster) variable() (string, Caster) {
	c.depth++
	return "_e" + strings.Repeat("e", c.depth), c
}

// fields casts by place, as Spark does.
func (c Caster) fields(x string, from, to schema.Struct) string {
	fields := make([]string, len(to.Fields))
	for i, f := range to.Fields {
		fields[i] = Quote(f.Name) + ": " + c.sql(Member(x, from.Fields[i].Name), from.Fields[i].Type, f.Type)
	}
	return "CASE WHEN " + x + " IS NOT NULL THEN {" + strings.Join(fields, ", ") + "} END"
}

// Member is a field of a struct.
func Member(x, field string) string { return "struct_extract(" + x + ", " + Quote(field) + ")" }

// Text writes values as Spark does; what is null in others says so.
func (c Caster) Text(x string, from schema.Type) string {
	v, inner := c.variable()
	inside := func(value string, t schema.Type) string {
		return "coalesce(" + inner.sql(value, t, schema.String) + ", 'null')"
	}
	switch t := from.(type) {
	case schema.Decimal:
		if t.Precision == t.Scale {
			return "spark_fraction_text(" + x + ")"
		}
	case schema.Array:
		return "'[' || array_to_string(list_transform(" + x + ", lambda " + v + ": " + inside(v, t.Element) + "), ', ') || ']'"
	case schema.Map:
		return "'{' || array_to_string(list_transform(map_entries(" + x + "), lambda " + v + ": " +
			inside(v+".key", t.Key) + " || ' -> ' || " + inside(v+".value", t.Value) + "), ', ') || '}'"
	case schema.Struct:
		parts := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			parts[i] = inside(Member(x, f.Name), f.Type)
		}
		return "CASE WHEN " + x + " IS NOT NULL THEN '{' || " + strings.Join(parts, " || ', ' || ") + " || '}' END"
	}
	switch from {
	case schema.Double:
		return "spark_double_text(" + x + ")"
	case schema.Float:
		return "adf_float_text(CAST(" + x + " AS DOUBLE))"
	case schema.Timestamp:
		return "CAST(spark_wall(" + x + ") AS VARCHAR)"
	case schema.Binary:
		return "decode(" + x + ")"
	}
	return "CAST(" + x + " AS VARCHAR)"
}

func (c Caster) decimal(x string, from schema.Type, to schema.Decimal) string {
	switch {
	case from == schema.String:
		return c.cast(c.macro("number", x), to)
	case Fractional(from):
		// Of a double's digits those count that it is written with.
		return "CASE WHEN isfinite(" + x + ") THEN " + c.cast("CAST("+x+" AS VARCHAR)", to) + " END"
	case from == schema.Boolean:
		return c.cast("CAST("+x+" AS INTEGER)", to)
	case from == schema.Timestamp:
		return c.cast("spark_decimal_seconds("+x+")", to)
	}
	return c.cast(x, to)
}

func (c Caster) scalar(x string, from, to schema.Type) string {
	switch {
	case to == schema.Boolean && from != schema.String:
		return "(" + x + " <> 0)"
	case to == schema.Boolean:
		return c.macro("boolean", x)
	case Integral(to):
		return c.whole(x, from, to)
	case Fractional(to):
		return c.fraction(x, from, to)
	case to == schema.Date:
		return c.date(x, from)
	case to == schema.Binary:
		return "encode(" + x + ")"
	}
	return c.time(x, from, to)
}

func (c Caster) whole(x string, from, to schema.Type) string {
	switch {
	case from == schema.String:
		return c.cast(c.macro("whole", x), to)
	case Fractional(from) || IsDecimal(from):
		return c.cast("trunc("+x+")", to)
	case from == schema.Timestamp:
		return c.cast("spark_seconds("+x+")", to)
	}
	return c.cast(x, to)
}

func (c Caster) fraction(x string, from, to schema.Type) string {
	switch {
	case from == schema.String:
		return c.cast(c.macro("float", x), to)
	case from == schema.Timestamp:
		return "CAST(epoch_us(" + x + ") / 1000000 AS " + TypeSQL(to) + ")"
	case IsDecimal(from):
		return "CAST(CAST(" + x + " AS VARCHAR) AS " + TypeSQL(to) + ")"
	case from == schema.Double:
		return "spark_float_of(" + x + ")"
	}
	return CastTo(x, to)
}

func (c Caster) date(x string, from schema.Type) string {
	switch from {
	case schema.String:
		return c.macro("date", x)
	case schema.Timestamp:
		return "CAST(spark_wall(" + x + ") AS DATE)"
	}
	return "CAST(" + x + " AS DATE)"
}

func (c Caster) time(x string, from, to schema.Type) string {
	zoned := to == schema.Timestamp
	switch {
	case from == schema.String && zoned:
		return c.macro("timestamp", x)
	case from == schema.String:
		return c.macro("timestamp_ntz", x)
	case from == schema.Timestamp:
		return "spark_wall(" + x + ")"
	case from == schema.TimestampNTZ:
		return "spark_instant(" + x + ")"
	case from == schema.Date && zoned:
		return "spark_instant(CAST(" + x + " AS TIMESTAMP))"
	case from == schema.Date:
		return "CAST(" + x + " AS TIMESTAMP)"
	case Fractional(from):
		return "make_timestamptz(" + c.cast("trunc("+x+" * 1000000)", schema.Long) + ")"
	case IsDecimal(from):
		return "make_timestamptz(" + c.cast("trunc(CAST("+x+" AS DECIMAL(38,6)) * 1000000)", schema.Long) + ")"
	}
	return "make_timestamptz(CAST(" + x + " AS BIGINT) * 1000000)"
}
