package readnow

import (
	"fmt"
	"slices"
	"strings"

	"landfall/internal/inspect"
)

// column is a column with its parts: an array has its element, a map key and value, a
// struct its fields.
type column struct {
	name, typ, stored string
	parts             []column
}

// columnsOf makes trees of the nodes of a schema.
func columnsOf(nodes []inspect.Node) []column {
	var out []column
	for at := 0; at < len(nodes); {
		var c column
		c, at = columnAt(nodes, at)
		out = append(out, c)
	}
	return out
}

// columnAt takes the column that begins at a node, and returns where the next begins.
func columnAt(nodes []inspect.Node, at int) (column, int) {
	n := nodes[at]
	c := column{name: n.Element.Name, typ: n.Type, stored: n.Stored}
	below := n.Path + "."
	at++
	for at < len(nodes) && len(c.parts) < parts(n) && strings.HasPrefix(nodes[at].Path, below) {
		var part column
		part, at = columnAt(nodes, at)
		c.parts = append(c.parts, part)
	}
	return c, at
}

// has reports whether a column is of a type, or a part of it is.
func (c column) has(typ string) bool {
	return c.typ == typ || slices.ContainsFunc(c.parts, func(p column) bool { return p.has(typ) })
}

// parts is how many columns stand right below a node at most.
func parts(n inspect.Node) int {
	switch n.Type {
	case "array":
		return 1
	case "map":
		return 2
	case "struct":
		return n.Element.Children
	}
	return 0
}

// speller spells types in the language of a reader.
type speller struct {
	// plain spells a type without parts by its type and how it is stored.
	plain func(typ, stored string) string
	// list, entries and fields spell those with parts.
	list    func(element string) string
	entries func(key, value string) string
	fields  func(names, types []string) string
}

func (s speller) of(c column) string {
	types := make([]string, len(c.parts))
	names := make([]string, len(c.parts))
	for i, p := range c.parts {
		types[i], names[i] = s.of(p), p.name
	}
	switch {
	case c.typ == "array" && len(types) == 1:
		return s.list(types[0])
	case c.typ == "map" && len(types) == 2:
		return s.entries(types[0], types[1])
	case c.typ == "struct":
		return s.fields(names, types)
	}
	return s.plain(c.typ, c.stored)
}

// sparkTypes spells types in Spark's DDL. What Spark has no type for is declared as
// what it is stored as, which Spark reads.
func sparkTypes() speller {
	return speller{
		plain: func(typ, stored string) string {
			switch {
			case typ == "void":
				return "int"
			case strings.HasPrefix(typ, "timestamp") && strings.HasSuffix(stored, "nanos"), typ == "time" && strings.HasPrefix(stored, "int64"):
				return "bigint"
			case typ == "time":
				return "int"
			case typ == "uuid", typ == "float16", typ == "interval":
				return "binary"
			}
			if unsigned, ok := map[string]string{"uint8": "smallint", "uint16": "int", "uint32": "bigint", "uint64": "decimal(20,0)"}[typ]; ok {
				return unsigned
			}
			return typ
		},
		list:    func(element string) string { return "array<" + element + ">" },
		entries: func(key, value string) string { return "map<" + key + ", " + value + ">" },
		fields: func(names, types []string) string {
			return "struct<" + joined(names, types, func(n, t string) string { return backticks(n) + ": " + t }) + ">"
		},
	}
}

// rawNote says of a column that Spark gets what is stored, "" if it gets the value.
func rawNote(c column) string {
	for _, p := range c.parts {
		if note := rawNote(p); note != "" {
			return note
		}
	}
	switch nanos := strings.HasSuffix(c.stored, "nanos"); {
	case c.typ == "time" && strings.HasSuffix(c.stored, "millis"):
		return "milliseconds since midnight"
	case c.typ == "time" && nanos:
		return "nanoseconds since midnight"
	case c.typ == "time":
		return "microseconds since midnight"
	case nanos:
		return "nanoseconds since 1970"
	case c.typ == "uuid", c.typ == "float16", c.typ == "interval":
		return "the bytes of a " + c.typ
	}
	return ""
}

// arrowTypes spells types as calls of pyarrow.
func arrowTypes() speller {
	return speller{
		plain:   arrowPlain,
		list:    func(element string) string { return "pa.list_(" + element + ")" },
		entries: func(key, value string) string { return "pa.map_(" + key + ", " + value + ")" },
		fields: func(names, types []string) string {
			return "pa.struct([" + joined(names, types, func(n, t string) string { return "(" + quoted(n) + ", " + t + ")" }) + "])"
		},
	}
}

func arrowPlain(typ, stored string) string {
	unit := map[string]string{"millis": "ms", "micros": "us", "nanos": "ns"}[lastWord(stored)]
	switch {
	case strings.HasPrefix(typ, "decimal("):
		return "pa.decimal128" + strings.TrimPrefix(typ, "decimal")
	case stored == "int96":
		return `pa.timestamp("ns")`
	case typ == "timestamp":
		return fmt.Sprintf("pa.timestamp(%q, tz=\"UTC\")", unit)
	case typ == "timestamp_ntz":
		return fmt.Sprintf("pa.timestamp(%q)", unit)
	case typ == "time" && unit == "ms":
		return `pa.time32("ms")`
	case typ == "time":
		return fmt.Sprintf("pa.time64(%q)", unit)
	case strings.HasPrefix(stored, "fixed(") && (typ == "binary" || typ == "uuid" || typ == "interval"):
		return "pa.binary" + strings.TrimPrefix(stored, "fixed")
	}
	return "pa." + named(typ, map[string]string{
		"boolean": "bool_", "tinyint": "int8", "smallint": "int16", "int": "int32", "bigint": "int64", "float": "float32",
		"double": "float64", "date": "date32", "void": "null",
	}) + "()"
}

// polarsTypes spells types as those of polars.
func polarsTypes() speller {
	return speller{
		plain: polarsPlain,
		list:  func(element string) string { return "pl.List(" + element + ")" },
		entries: func(key, value string) string {
			return `pl.List(pl.Struct({"key": ` + key + `, "value": ` + value + "}))"
		},
		fields: func(names, types []string) string {
			return "pl.Struct({" + joined(names, types, func(n, t string) string { return quoted(n) + ": " + t }) + "})"
		},
	}
}

func polarsPlain(typ, stored string) string {
	unit := map[string]string{"millis": "ms", "micros": "us", "nanos": "ns"}[lastWord(stored)]
	switch {
	case strings.HasPrefix(typ, "decimal("):
		return "pl.Decimal" + strings.TrimPrefix(typ, "decimal")
	case stored == "int96":
		return `pl.Datetime("ns")`
	case typ == "timestamp":
		return fmt.Sprintf("pl.Datetime(%q, \"UTC\")", unit)
	case typ == "timestamp_ntz":
		return fmt.Sprintf("pl.Datetime(%q)", unit)
	case strings.HasPrefix(typ, "uint"):
		return "pl.UInt" + strings.TrimPrefix(typ, "uint")
	}
	return "pl." + named(typ, map[string]string{
		"boolean": "Boolean", "tinyint": "Int8", "smallint": "Int16", "int": "Int32", "bigint": "Int64", "float": "Float32", "double": "Float64",
		"float16": "Float16", "date": "Date", "void": "Null", "string": "String", "binary": "Binary", "uuid": "Binary", "interval": "Binary", "time": "Time",
	})
}

// named is another name of a type, or its own.
func named(typ string, names map[string]string) string {
	if name, ok := names[typ]; ok {
		return name
	}
	return typ
}

func lastWord(text string) string { return text[strings.LastIndexByte(text, ' ')+1:] }

func joined(names, types []string, one func(name, typ string) string) string {
	out := make([]string, len(names))
	for i := range names {
		out[i] = one(names[i], types[i])
	}
	return strings.Join(out, ", ")
}
