package cutover

import (
	"fmt"
	"strings"

	"landfall/internal/schema"
)

// dialect is how an engine spells things, and what it can do.
type dialect struct {
	engine Engine
	// quote quotes a name in a statement that changes the catalog, and ask one in
	// a query. Most engines have one way for both.
	quote, ask func(string) string
	// literal quotes text.
	literal func(string) string
	// spell writes a type in a statement that changes the catalog, and cast one
	// in a query.
	spell, cast func(schema.Type) string
	// file is the expression of the file that a row comes from.
	file string
	// escaped says that this file's path is written as that of a URL.
	escaped bool
	// depth is how many parts of a table's name a statement takes.
	depth int
	// setsLocation and addsColumns: of a table that stays, with its partitions.
	setsLocation, addsColumns bool
	// batch is how many partitions one ADD PARTITION names.
	batch int
}

func dialectOf(e Engine) dialect {
	hive := dialect{
		engine: e, quote: backticks, ask: backticks, literal: backslashed, spell: hiveType, cast: hiveType,
		file: "INPUT__FILE__NAME", depth: 2, setsLocation: true, addsColumns: true, batch: 100,
	}
	switch e {
	case Spark:
		hive.spell, hive.cast, hive.file, hive.escaped, hive.depth = sparkType, sparkType, "input_file_name()", true, 3
	case Databricks:
		hive.spell, hive.cast, hive.file, hive.escaped, hive.depth = sparkType, sparkType, "_metadata.file_path", true, 3
	case Trino:
		return dialect{
			engine: e, quote: doubled, ask: doubled, literal: plain, spell: trinoType, cast: trinoType,
			file: `"$path"`, depth: 3,
		}
	case Athena:
		// Its statements run one by one, and text that would need more is refused.
		hive.ask, hive.literal, hive.cast, hive.file, hive.addsColumns = doubled, plain, trinoType, `"$path"`, false
	}
	return hive
}

func backticks(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func doubled(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// plain is a literal of standard SQL: a quote is doubled, and nothing else means
// anything.
func plain(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// backslashed is a literal of Spark and Hive. Both replace ${…}, within quotes
// too, and some of their shells split at every semicolon, so these are written
// as escapes, as control characters are.
func backslashed(text string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range text {
		switch {
		case r == '\'' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f || r == ';' || r == '$':
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// shell quotes a word of a POSIX shell.
func shell(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// name is the table's name with something behind its last part.
func (w writer) name(quote func(string) string, behind string) string {
	parts := w.t.Name[max(0, len(w.t.Name)-w.d.depth):]
	return qualified(quote, parts, behind)
}

func qualified(quote func(string) string, parts []string, behind string) string {
	out := make([]string, len(parts))
	for i, part := range parts {
		if i == len(parts)-1 {
			part += behind
		}
		out[i] = quote(part)
	}
	return strings.Join(out, ".")
}

// What stands behind a table's name while the table is made anew, and what
// stands behind that of the old one afterwards.
const clean, before = "_clean", "_before"

func sparkType(t schema.Type) string { return t.String() }

// hiveType spells a type for Hive, Athena and Glue.
func hiveType(t schema.Type) string {
	switch t := t.(type) {
	case schema.Primitive:
		if t == schema.TimestampNTZ {
			return "timestamp"
		}
	case schema.Array:
		return "array<" + hiveType(t.Element) + ">"
	case schema.Map:
		return "map<" + hiveType(t.Key) + "," + hiveType(t.Value) + ">"
	case schema.Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = f.Name + ":" + hiveType(f.Type)
		}
		return "struct<" + strings.Join(fields, ",") + ">"
	}
	return t.String()
}

// trinoType spells a type for Trino, and for queries of Athena.
func trinoType(t schema.Type) string {
	switch t := t.(type) {
	case schema.Primitive:
		switch t {
		case schema.Integer:
			return "integer"
		case schema.Float:
			return "real"
		case schema.String:
			return "varchar"
		case schema.Binary:
			return "varbinary"
		case schema.Timestamp, schema.TimestampNTZ:
			return "timestamp(3)"
		}
	case schema.Array:
		return "array(" + trinoType(t.Element) + ")"
	case schema.Map:
		return "map(" + trinoType(t.Key) + ", " + trinoType(t.Value) + ")"
	case schema.Struct:
		fields := make([]string, len(t.Fields))
		for i, f := range t.Fields {
			fields[i] = doubled(f.Name) + " " + trinoType(f.Type)
		}
		return "row(" + strings.Join(fields, ", ") + ")"
	}
	return t.String()
}
