// Package schema owns the types of columns and the names they go by.
//
// It knows the types of a Delta table, how they join, their spelling in Spark's
// DDL, Delta's JSON, Arrow, Python and DuckDB, and the folding and cleaning of names and
// paths. It is pure.
package schema

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Type is one of Primitive, Decimal, Array, Map, Struct. String returns Spark DDL
// in lower case ("decimal(18,2)", "array<string>").
type Type interface {
	String() string
}

// MaxNesting is how many levels of structs, arrays and maps the types have that
// we make. Parquet has up to two levels for each and one for a leaf, and ours are
// of one byte.
const MaxNesting = 32

// Primitive is a type without parameters, by its Delta name.
type Primitive string

// The primitive types, under their Delta names. DDL writes bigint for Long,
// smallint for Short, tinyint for Byte, int for Integer.
const (
	Boolean      Primitive = "boolean"
	Byte         Primitive = "byte"
	Short        Primitive = "short"
	Integer      Primitive = "integer"
	Long         Primitive = "long"
	Float        Primitive = "float"
	Double       Primitive = "double"
	String       Primitive = "string"
	Binary       Primitive = "binary"
	Date         Primitive = "date"
	Timestamp    Primitive = "timestamp"     // an instant, µs
	TimestampNTZ Primitive = "timestamp_ntz" // wall clock, µs
	// Unknown is the type of a column in which only nulls were seen. It is
	// never stored and never conflicts.
	Unknown Primitive = "unknown"
)

// Decimal is a fixed-point number: Precision digits (1 to 38), Scale of them
// after the point.
type Decimal struct{ Precision, Scale int }

// Array is a list of Element.
type Array struct {
	Element      Type
	ContainsNull bool
}

// Map maps Key to Value.
type Map struct {
	Key, Value        Type
	ValueContainsNull bool
}

// Struct is an ordered list of fields; a table's schema is one.
type Struct struct {
	Fields []Field
}

// Field is a named, typed member of a struct.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
	// Metadata is Delta's field metadata (column mapping, invariants, …), kept
	// verbatim; nil when there is none.
	Metadata map[string]json.RawMessage
}

// String returns the Spark DDL of the type: bigint for Long.
func (p Primitive) String() string {
	switch p {
	case Byte:
		return "tinyint"
	case Short:
		return "smallint"
	case Integer:
		return "int"
	case Long:
		return "bigint"
	case Unknown:
		return "void"
	default:
		return string(p)
	}
}

// String returns "decimal(p,s)".
func (d Decimal) String() string {
	return "decimal(" + strconv.Itoa(d.Precision) + "," + strconv.Itoa(d.Scale) + ")"
}

// String returns "array<element>". DDL cannot say that an element is never null.
func (a Array) String() string { return "array<" + a.Element.String() + ">" }

// String returns "map<key,value>".
func (m Map) String() string { return "map<" + m.Key.String() + "," + m.Value.String() + ">" }

// String returns "struct<name:type,…>", names quoted where DDL asks for it.
func (s Struct) String() string {
	var b strings.Builder
	b.WriteString("struct<")
	for i, f := range s.Fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoteName(f.Name) + ":" + f.Type.String())
		if !f.Nullable {
			b.WriteString(" not null")
		}
	}
	b.WriteByte('>')
	return b.String()
}

// Lookup returns the position of the field of that name, whatever its casing,
// or -1.
func (s Struct) Lookup(name string) int {
	want := Fold(name)
	for i, f := range s.Fields {
		if f.Name == name || Fold(f.Name) == want {
			return i
		}
	}
	return -1
}

// LeafCount is the number of leaves of a type: of its parts that have none.
func LeafCount(t Type) int {
	switch t := t.(type) {
	case Struct:
		n := 0
		for _, f := range t.Fields {
			n += LeafCount(f.Type)
		}
		return n
	case Array:
		return LeafCount(t.Element)
	case Map:
		return LeafCount(t.Key) + LeafCount(t.Value)
	}
	return 1
}
